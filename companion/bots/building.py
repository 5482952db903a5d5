"""Bots that build crosswords: lay all tiles, call when it is done, exchange what will not fit."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from companion.bots.crossword import WEIGHTS, Builder, Room
from companion.bots.desk import Spot
from companion.bots.player import STILL_S, GameSettings, Player
from companion.model.grid import runs
from companion.rules import event as ev


class BuildingPlayer(Player):
    """A bot that builds a crossword.

    ``order`` are the seats that are done, the first first; ``begins`` is the
    call that starts a round whose tiles are dealt face down, ``exchanges``
    the one that puts a tile back and draws others.
    """

    begins: ClassVar[str] = ""
    exchanges: ClassVar[str] = ""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.builder = Builder(self.vocabulary, self.desk.room, self.rng)
        self.order: list[int] = []
        self._aside: int | None = None
        self._erred = False
        self._stuck = 0
        self._doubts = False

    def heard(self, event: ev.Event) -> None:
        """Take in one event."""
        super().heard(event)
        match event:
            case ev.RoundStarted():
                self.order = []
                self.deal(event.hands[self.number - 1], event.face_down[self.number - 1])
            case ev.PlayBegun():
                self.desk.turn_all_up()
            case ev.SeatDone():
                self.order.append(event.seat)
            case ev.DoneWithdrawn() | ev.Disqualified() if event.seat in self.order:
                self.order.remove(event.seat)
            case _:
                return

    def settle(self, room: Room, off: Spot) -> None:
        """Build in such a room, its middle so far from where it would be."""
        self.desk.room = self.builder.room = room
        self.desk.off = off

    @property
    def done(self) -> bool:
        """Whether the player has ended its round, as far as all know."""
        return self.number in self.order

    def deal(self, many: int, face_down: int) -> None:
        """Take the tiles of a new round from the middle."""
        for number, tile in enumerate(self.reach.take(many)):
            self.desk.lay_loose(tile, up=number >= face_down)

    def drawn(self, many: int) -> None:
        """Draw, or put back the tile that was set aside for it."""
        if many < 0 and self._aside is not None:
            tile, self._aside = self._aside, None
            self.desk.forget(tile)
            self.reach.give_back(tile)
        super().drawn(max(0, many))
        self._erred = False

    def refused(self, _event: ev.CallRefused) -> None:
        """Forget what the call was about, and look at the words again."""
        self._aside = None
        self._doubts = True

    def turn(self, now_ns: int) -> None:
        """Decide what to do next."""
        if self.dealt and self.begins and self.number == 1 and self.reach.quiet:
            self.call(self.begins, now_ns)
        if not self.playing or self.out or self.done:
            return
        if self.desk.loose and not self._overlooks():
            self._build(now_ns)
        elif self._doubts and not self.builder.sound(self.desk.letters):
            self._mend()
        else:
            self.call(self.finished(), now_ns)

    @abstractmethod
    def finished(self) -> str:
        """Return what to call when all tiles are placed."""

    def _overlooks(self) -> bool:
        """Return whether a careless bot calls with a tile still loose; once before each draw."""
        if len(self.desk.loose) > 1 or self._erred or self.rng.random() >= self.temper.careless:
            return False
        self._erred = True
        return True

    def _mend(self) -> None:
        """Build anew without the word that was refused; where nothing comes to mind, all is taken up."""
        self._doubts = False
        self.desk.rebuild(self.builder.complete(self.desk.letters, "") or {})

    def _build(self, now_ns: int) -> None:
        """Lay all loose tiles, or exchange the worst."""
        bold = len(self.desk.loose) == 1 and self.reach.left > 8 and self.rng.random() < self.temper.bold
        found = self.builder.phony(self.desk.letters, self.desk.hand) if bold else None
        if found := found or self.builder.complete(self.desk.letters, self.desk.hand):
            if self.temper.early and len(self.desk.loose) == 1 and self.rng.random() < self.temper.early:
                self.call(self.finished(), now_ns)
            self.desk.rebuild(found)
            self.still_s = 0.0 if self.rng.random() < self.temper.hasty else STILL_S
            self._stuck = 0
            return
        self._stuck += 1
        if self._stuck > 1 and self.reach.left >= 3:
            self._aside = max(self.desk.loose, key=lambda tile: WEIGHTS.get(self.reach.symbol(tile), 1.0))
            self.call(self.exchanges, now_ns)
        else:
            self.think(now_ns)


class BananagramsPlayer(BuildingPlayer):
    """A bot at Bananagrams."""

    game = "bananagrams"
    settings = GameSettings(4, 1, 8)
    begins = "split"
    exchanges = "dump"

    def finished(self) -> str:
        """Return PEEL while there is a tile for everybody, then BANANAS."""
        return "peel" if self.reach.left >= self.active else "bananas"

    def account(self) -> float:
        """Return the one point of whoever has gone bananas first and was not found out."""
        return float(self.order[:1] == [self.number] and self.builder.sound(self.desk.letters))


class ChewPlayer(BuildingPlayer):
    """A bot at Chew's competitive Bananagrams."""

    game = "chew"
    settings = GameSettings(4, 2, 6, {"rounds": 1})
    exchanges = "draw_three"
    strip = 1.5
    places: tuple[int | None, ...] = ()

    def deal(self, many: int, face_down: int) -> None:
        """Take both sets: the reserve stays face down towards the middle."""
        for number, tile in enumerate(self.reach.take(many)):
            if number < face_down:
                self.desk.lay_down(tile)
            else:
                self.desk.lay_loose(tile)

    def heard(self, event: ev.Event) -> None:
        """Take in one event."""
        super().heard(event)
        if isinstance(event, ev.PlacesGiven):
            self.places = event.places
        if isinstance(event, ev.TilesTurned):
            for tile in self.desk.down[: event.counts[self.number - 1]]:
                self.desk.turn_up(tile)

    def finished(self) -> str:
        """Return FLIP while tiles lie face down, then DONE."""
        return "flip" if self.desk.down else "done"

    def account(self) -> float:
        """Return a point for each player who finished no earlier: all but one are done when it ends.

        Who was done in the same moment as others, which only the table can tell, shares their points.
        """
        if self.number not in self.order:
            return 1.0
        own = self.places[self.number - 1]
        tied = [self.order.index(seat) for seat in self.order if self.places[seat - 1] == own]
        return self.players - sum(tied) / len(tied)


BONUS, DIFFICULT = 5, "JQXZ"
"""Points of League City for who finished first, and the letters that bring three more."""


class LeagueCityPlayer(BuildingPlayer):
    """A bot at the Bananagrams of League City."""

    game = "league_city"
    settings = GameSettings(4, 1, 8, {"target": 20})
    begins = "go"
    exchanges = "trade"

    def finished(self) -> str:
        """Return the one call of this game."""
        return "done"

    def account(self) -> float:
        """Return the points of the own words as the player adds them up, by Daron's option.

        Two points for IT, two for PIT, three for SPIT, four for SPITE; three
        for each J, Q, X, Z; five for who finished first.
        """
        letters, known = self.desk.letters, self.vocabulary.known
        words = [run for run in runs(letters) if "".join(run.symbols) in known]
        total = sum(2 if len(word.symbols) == 2 else len(word.symbols) - 1 for word in words)
        total += 3 * sum(letters[place] in DIFFICULT for place in {p for word in words for p in word.places})
        return float(total + BONUS * self.done)
