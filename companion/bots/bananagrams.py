"""A bot that plays Bananagrams: it splits, builds, peels, dumps what it cannot use, and goes bananas."""

from __future__ import annotations

from typing import Any

from companion.bots.crossword import WEIGHTS, Builder
from companion.bots.player import STILL_S, Player
from companion.rules import event as ev


class BananagramsPlayer(Player):
    """A bot at Bananagrams."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.builder = Builder(self.vocabulary, self.desk.room, self.rng)
        self._dumping: int | None = None
        self._erred = False

    def heard(self, event: ev.Event) -> None:
        """Deal with what this game has besides."""
        super().heard(event)
        match event:
            case ev.RoundStarted():
                for tile in self.reach.take(event.hands[self.number - 1]):
                    self.desk.lay_loose(tile, up=False)
            case ev.PlayBegun():
                self.desk.turn_all_up()
            case _:
                return

    def drawn(self, many: int) -> None:
        """Draw, or put back the tile that was to be dumped."""
        if many < 0 and self._dumping is not None:
            tile, self._dumping = self._dumping, None
            self.desk.forget(tile)
            self.reach.give_back(tile)
        super().drawn(max(0, many))
        self._erred = False

    def refused(self, _event: ev.CallRefused) -> None:
        """Put right what the table held against the call."""
        self._dumping = None

    def turn(self, now_ns: int) -> None:
        """Decide what to do next."""
        if self.dealt and self.number == 1 and self.reach.quiet:
            self.call("split", now_ns)
        if not self.playing or self.out:
            return
        if self.desk.loose and not self._overlooks():
            self._build(now_ns)
        else:
            self.call("peel" if self.reach.left >= self.active else "bananas", now_ns)

    def _overlooks(self) -> bool:
        """Return whether a careless bot calls with a tile still loose; once before each draw."""
        if len(self.desk.loose) > 1 or self._erred or self.rng.random() >= self.temper.careless:
            return False
        self._erred = True
        return True

    def _build(self, now_ns: int) -> None:
        """Lay all loose tiles, or dump the worst."""
        bold = len(self.desk.loose) == 1 and self.rng.random() < self.temper.bold
        found = self.builder.phony(self.desk.letters, self.desk.hand) if bold else None
        if found := found or self.builder.complete(self.desk.letters, self.desk.hand):
            self.desk.rebuild(found)
            self.still_s = 0.0 if self.rng.random() < self.temper.hasty else STILL_S
        elif self.reach.left >= 3:
            self._dumping = max(self.desk.loose, key=lambda tile: WEIGHTS.get(self.reach.symbol(tile), 1.0))
            self.call("dump", now_ns)
        else:
            self.think(now_ns)
