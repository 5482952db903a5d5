"""The base class of bots: it follows the table's events, moves tiles and makes calls."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from companion.bots.interface import SeatInterface
from companion.bots.player_tiles import PlayerTiles
from companion.bots.vocabulary import Vocabulary
from companion.config.table import BoardConfig
from companion.model.calls import SECOND
from companion.model.sightings import Cell
from companion.rules import event as ev
from companion.rules.state import State


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A bot's mean thinking time, in seconds, and the probabilities of its errors, each from 0 to 1.

    ``hasty``: call as soon as the last tile lies.  ``careless``: call with a tile still loose.  ``bold``: lay
    or say a word that is not valid.  ``early``: call before laying the last tile.  ``encroaches``: build
    partly beyond the own area.  ``rests``: rest the hand on the own area.  ``leans``: rest it over a
    neighbour's.
    """

    think_s: float = 1.2
    hasty: float = 0.0
    careless: float = 0.0
    bold: float = 0.0
    early: float = 0.0
    encroaches: float = 0.0
    rests: float = 0.0
    leans: float = 0.0


RETRY_CALL_S = 3.0
"""Seconds without an answer, or after a refusal, until a bot calls again."""

REST_EVERY_S = 6.0
"""Mean seconds between two chances to rest the hand."""

HAND_AWAY_S = 0.8
"""Seconds for which a careful bot's hand is away before it calls."""


@dataclass(frozen=True, slots=True)
class GameSettings:
    """How bots play a game: default, least and greatest number of players, options, tiles and board.

    The host ends the game after ``most_calls`` accepted calls; 0 lets it run to its own end.
    """

    players: int
    min_players: int
    max_players: int
    options: Mapping[str, Any] = field(default_factory=dict)
    tile_set: str = "bananagrams-en"
    board: BoardConfig | None = None
    most_calls: int = 0


class Player(ABC):
    """A bot at a seat, counted from 1; a subclass plays a ``game``."""

    game: ClassVar[str]
    settings: ClassVar[GameSettings]
    face_down_depth: ClassVar[float] = 0.0

    def __init__(
        self,
        seat: SeatInterface,
        number: int,
        vocabulary: Vocabulary,
        rng: random.Random,
        behaviour: Behaviour,
    ) -> None:
        self.seat, self.number, self.vocabulary = seat, number, vocabulary
        self.rng, self.behaviour = rng, behaviour
        self.tiles = PlayerTiles(seat, self.face_down_depth)
        self.dealt = self.playing = self.out = self.over = False
        self.players = self.active = 1
        self.refusals: list[str] = []
        self.hand_away_s = HAND_AWAY_S
        self._next_ns = self._idle_ns = 0

    def unread_cells(self, state: State, _seat: int) -> list[Cell]:
        """Return the cells in doubt that a seat's next call depends on; seat 0 stands for any seat."""
        return list(state.board.doubts) if state.board else []

    def on_events(self, events: Sequence[ev.Event], now_ns: int) -> None:
        """Handle events of the table."""
        for event in events:
            self.on_event(event)
            if isinstance(event, ev.CallRefused) and event.seat == self.number:
                self.refusals.append(event.reason)
                self.on_refused(event)
                self.wait(now_ns, RETRY_CALL_S * self.rng.uniform(0.5, 1.0))
            elif isinstance(event, ev.CallAccepted) and event.seat == self.number:
                self.wait(now_ns, self.behaviour.think_s)

    def on_event(self, event: ev.Event) -> None:
        """Handle one event."""
        match event:
            case ev.GameSetUp():
                self.players = self.active = len(event.seats)
            case ev.RoundStarted():
                self.dealt, self.playing, self.out, self.active = True, event.playing, False, self.players
            case ev.PlayBegun() | ev.PlayReopened():
                self.dealt, self.playing = False, True
            case ev.RoundEnded() | ev.RoundVoided():
                self.dealt = self.playing = False
            case ev.GameEnded():
                self.dealt, self.playing, self.over = False, False, True
            case ev.TilesDrawn():
                self.on_draw(event.counts[self.number - 1])
            case ev.Disqualified():
                self.active -= 1
                if event.seat == self.number:
                    self.out = True
                    self.return_all_tiles()
            case _:
                return

    def return_all_tiles(self) -> None:
        """Return all own tiles to the pool."""
        for tile in self.tiles.all_tiles:
            self.tiles.remove(tile)
            self.seat.return_tile(tile)

    @abstractmethod
    def on_refused(self, _event: ev.CallRefused) -> None:
        """Handle the refusal of an own call."""

    def on_draw(self, many: int) -> None:
        """Draw ``many`` tiles from the pool; a negative number returns tiles."""
        for tile in self.seat.draw_tiles(many):
            self.tiles.add_loose(tile)

    def wait(self, now_ns: int, seconds: float) -> None:
        """Do nothing for ``seconds``."""
        self._next_ns = max(self._next_ns, now_ns + round(seconds * SECOND))

    def act(self, now_ns: int) -> None:
        """Do the next thing if the hand is free and the thinking time is over."""
        if self.seat.busy:
            self._next_ns = max(self._next_ns, now_ns + round(self.hand_away_s * SECOND))
        elif now_ns >= self._next_ns and not self.over and not self._rests_hand(now_ns):
            self.take_turn(now_ns)

    def _rests_hand(self, now_ns: int) -> bool:
        """Return whether the bot now rests its hand on the table, by chance, instead of playing."""
        calm = not self.behaviour.rests and not self.behaviour.leans
        if calm or not self.playing or now_ns < self._idle_ns:
            return False
        self._idle_ns = now_ns + round(REST_EVERY_S * SECOND * self.rng.uniform(0.5, 1.5))
        broad, deep, within = self.seat.width, self.seat.depth, self.rng.uniform
        if self.rng.random() < self.behaviour.rests:
            self.seat.rest_hand(within(-0.3, 0.3) * broad, within(0.1, 0.45) * deep, within(1, 4))
            return True
        if self.rng.random() < self.behaviour.leans:
            side = self.rng.choice((-1, 1))
            self.seat.rest_hand(side * within(0.5, 0.7) * broad, -0.3 * deep, within(0.5, 2))
            return True
        return False

    @abstractmethod
    def take_turn(self, now_ns: int) -> None:
        """Choose and begin the next action."""

    @abstractmethod
    def own_score(self) -> float:
        """Return the points of the round by the bot's own count, independent of the table's."""

    def think(self, now_ns: int) -> None:
        """Wait for a random thinking time."""
        self.wait(now_ns, self.behaviour.think_s * self.rng.uniform(0.4, 1.6))

    def call(self, name: str, now_ns: int) -> None:
        """Make a call, and wait for the table's answer."""
        self.seat.call_by_button(name)
        self.wait(now_ns, RETRY_CALL_S)
