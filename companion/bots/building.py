"""Bots of the crossword games: they place all tiles, call, and exchange tiles that do not fit."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from companion.bots.crossword import LETTER_WEIGHTS, CrosswordBuilder, GridSize
from companion.bots.player import HAND_AWAY_S, GameSettings, Player
from companion.bots.player_tiles import Spot
from companion.model.grid import runs
from companion.rules import event as ev


class BuildingPlayer(Player):
    """A bot that builds a crossword.

    ``order`` lists the seats that are done, in their order.  ``begins`` is the call that starts a round whose
    tiles are dealt face down; ``exchanges`` is the call that returns a tile and draws others.
    """

    begins: ClassVar[str] = ""
    exchanges: ClassVar[str] = ""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.builder = CrosswordBuilder(self.vocabulary, self.tiles.room, self.rng)
        self.order: list[int] = []
        self._aside: int | None = None
        self._overlooked = False
        self._failures = 0
        self._check_words = False

    def on_event(self, event: ev.Event) -> None:
        """Take in one event."""
        super().on_event(event)
        match event:
            case ev.RoundStarted():
                self.order = []
                self.deal(event.hands[self.number - 1], event.face_down[self.number - 1])
            case ev.PlayBegun():
                self.tiles.turn_all_face_up()
            case ev.SeatDone():
                self.order.append(event.seat)
            case ev.DoneWithdrawn() | ev.Disqualified() if event.seat in self.order:
                self.order.remove(event.seat)
            case _:
                return

    def move_room(self, room: GridSize, offset: Spot) -> None:
        """Set the rows, columns and offset (in tile sides) of the crossword."""
        self.tiles.room = self.builder.room = room
        self.tiles.offset = offset

    @property
    def done(self) -> bool:
        """Whether the bot is done in this round."""
        return self.number in self.order

    def deal(self, many: int, face_down: int) -> None:
        """Draw the tiles of a new round."""
        for number, tile in enumerate(self.seat.draw_tiles(many)):
            self.tiles.add_loose(tile, up=number >= face_down)

    def on_draw(self, many: int) -> None:
        """Draw tiles, or return the tile that was to be exchanged."""
        if many < 0 and self._aside is not None:
            tile, self._aside = self._aside, None
            self.tiles.remove(tile)
            self.seat.return_tile(tile)
        super().on_draw(max(0, many))
        self._overlooked = False

    def on_refused(self, _event: ev.CallRefused) -> None:
        """Cancel an exchange, and check the words again."""
        self._aside = None
        self._check_words = True

    def take_turn(self, now_ns: int) -> None:
        """Decide what to do next."""
        if self.dealt and self.begins and self.number == 1 and self.seat.all_idle:
            self.call(self.begins, now_ns)
        if not self.playing or self.out or self.done:
            return
        if self.tiles.loose and not self._overlooks_tile():
            self._build(now_ns)
        elif self._check_words and not self.builder.is_valid(self.tiles.letters):
            self._rebuild_valid()
        else:
            self.call(self.finished(), now_ns)

    @abstractmethod
    def finished(self) -> str:
        """Return the call to make when all tiles are placed."""

    def _overlooks_tile(self) -> bool:
        """Return whether the bot overlooks its only loose tile, at most once before each draw."""
        if len(self.tiles.loose) > 1 or self._overlooked or self.rng.random() >= self.behaviour.careless:
            return False
        self._overlooked = True
        return True

    def _rebuild_valid(self) -> None:
        """Rebuild the crossword from valid words; take up all tiles where that fails."""
        self._check_words = False
        self.tiles.rearrange(self.builder.complete(self.tiles.letters, "") or {})

    def _build(self, now_ns: int) -> None:
        """Lay all loose tiles, or exchange the hardest one after two failures."""
        bold = (
            len(self.tiles.loose) == 1
            and self.seat.tiles_left > 8
            and self.rng.random() < self.behaviour.bold
        )
        found = self.builder.phony(self.tiles.letters, self.tiles.loose_letters) if bold else None
        if found := found or self.builder.complete(self.tiles.letters, self.tiles.loose_letters):
            if (
                self.behaviour.early
                and len(self.tiles.loose) == 1
                and self.rng.random() < self.behaviour.early
            ):
                self.call(self.finished(), now_ns)
            self.tiles.rearrange(found)
            self.hand_away_s = 0.0 if self.rng.random() < self.behaviour.hasty else HAND_AWAY_S
            self._failures = 0
            return
        self._failures += 1
        if self._failures > 1 and self.seat.tiles_left >= 3:
            self._aside = max(
                self.tiles.loose, key=lambda tile: LETTER_WEIGHTS.get(self.seat.symbol(tile), 1.0)
            )
            self.call(self.exchanges, now_ns)
        else:
            self.think(now_ns)


class BananagramsPlayer(BuildingPlayer):
    """A bot at Bananagrams."""

    game = "bananagrams"
    settings = GameSettings(4, 1, 8)
    begins = "split"
    exchanges = "dump"
    winner: int | None = None

    def on_event(self, event: ev.Event) -> None:
        """Take in one event."""
        super().on_event(event)
        if isinstance(event, ev.WinnerNamed):
            self.winner = event.seat

    def finished(self) -> str:
        """Return PEEL while the pool has a tile for every active player, then BANANAS."""
        return "peel" if self.seat.tiles_left >= self.active else "bananas"

    def own_score(self) -> float:
        """Return 1 for the first to go bananas with a valid crossword, else 0.

        Among players who finish at the same moment the table's winner counts: no bot sees all words of the
        others.
        """
        first = self.order[0] if len(self.order) == 1 else self.winner
        return float(self.done and first == self.number and self.builder.is_valid(self.tiles.letters))


class ChewPlayer(BuildingPlayer):
    """A bot at Chew's competitive Bananagrams."""

    game = "chew"
    settings = GameSettings(4, 2, 6, {"rounds": 1})
    exchanges = "draw_three"
    face_down_depth = 1.5
    places: tuple[int | None, ...] = ()

    def deal(self, many: int, face_down: int) -> None:
        """Draw both sets; the reserve stays face down at the far side."""
        for number, tile in enumerate(self.seat.draw_tiles(many)):
            if number < face_down:
                self.tiles.add_face_down(tile)
            else:
                self.tiles.add_loose(tile)

    def on_event(self, event: ev.Event) -> None:
        """Take in one event."""
        super().on_event(event)
        if isinstance(event, ev.PlacesGiven):
            self.places = event.places
        if isinstance(event, ev.TilesTurned):
            for tile in self.tiles.down[: event.counts[self.number - 1]]:
                self.tiles.turn_face_up(tile)

    def finished(self) -> str:
        """Return FLIP while tiles lie face down, then DONE."""
        return "flip" if self.tiles.down else "done"

    def own_score(self) -> float:
        """Return one point for each player who finished no earlier; players with equal places share points.

        A round ends when all but one are done, so a bot that is not done is the last.
        """
        if self.number not in self.order:
            return 1.0
        own = self.places[self.number - 1]
        tied = [self.order.index(seat) for seat in self.order if self.places[seat - 1] == own]
        return self.players - sum(tied) / len(tied)


FINISH_BONUS_POINTS, DIFFICULT_LETTERS = 5, "JQXZ"
"""Points for finishing first, and the letters that score three more each."""


class LeagueCityPlayer(BuildingPlayer):
    """A bot at the Bananagrams of League City."""

    game = "league_city"
    settings = GameSettings(4, 1, 8, {"target": 20})
    begins = "go"
    exchanges = "trade"

    def finished(self) -> str:
        """Return DONE, the only call of this game."""
        return "done"

    def own_score(self) -> float:
        """Return the points of the own words by Daron's option.

        Two points for IT, two for PIT, three for SPIT, four for SPITE; three
        for each J, Q, X, Z; five for finishing first.
        """
        letters, known = self.tiles.letters, self.vocabulary.known
        words = [run for run in runs(letters) if "".join(run.symbols) in known]
        total = sum(2 if len(word.symbols) == 2 else len(word.symbols) - 1 for word in words)
        total += 3 * sum(
            letters[place] in DIFFICULT_LETTERS for place in {p for word in words for p in word.places}
        )
        return float(total + FINISH_BONUS_POINTS * self.done)
