"""A bot at a seat: it hears what the table says, thinks, moves its tiles and calls."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from companion.bots.desk import Desk
from companion.bots.interface import Reach
from companion.bots.vocabulary import Vocabulary
from companion.config.table import BoardConfig
from companion.model.calls import SECOND
from companion.model.sightings import Cell
from companion.rules import event as ev
from companion.rules.state import State


@dataclass(frozen=True, slots=True)
class Temper:
    """How a bot is: how long it thinks, in seconds, and how often it errs, from 0 to 1.

    ``hasty`` calls as soon as the last tile lies; ``careless`` calls over a tile
    that is still loose; ``bold`` lays a word that nobody knows when stuck, or
    says one; ``early`` calls and lays the last tile then.  ``encroaches`` builds
    partly beyond the own part of the table; ``rests`` lets the hand lie
    before it, and ``leans`` over what others have there, whenever there is
    time to.
    """

    thinks_s: float = 1.2
    hasty: float = 0.0
    careless: float = 0.0
    bold: float = 0.0
    early: float = 0.0
    encroaches: float = 0.0
    rests: float = 0.0
    leans: float = 0.0


ASKS_AGAIN_S = 3.0
"""How long a bot waits for an answer to its call, or after a refusal, before it calls again."""

IDLES_S = 6.0
"""How long after it has thought of resting its hand a bot thinks of it again."""

STILL_S = 0.8
"""How long its hand has been away before a careful bot calls."""


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
    """A bot at a seat, counted from 1; what it does is for the bot of a ``game`` to say."""

    game: ClassVar[str]
    settings: ClassVar[GameSettings]
    strip: ClassVar[float] = 0.0

    def __init__(
        self, reach: Reach, number: int, vocabulary: Vocabulary, rng: random.Random, temper: Temper
    ) -> None:
        self.reach, self.number, self.vocabulary = reach, number, vocabulary
        self.rng, self.temper = rng, temper
        self.desk = Desk(reach, self.strip)
        self.dealt = self.playing = self.out = self.over = False
        self.players = self.active = 1
        self.refusals: list[str] = []
        self.still_s = STILL_S
        self._next_ns = self._idle_ns = 0

    def unread(self, state: State, _seat: int) -> list[Cell]:
        """Return the squares that somebody must read before a seat may call, with seat 0 anybody."""
        return list(state.board.doubts) if state.board else []

    def hear(self, events: Sequence[ev.Event], now_ns: int) -> None:
        """Take in what the table says."""
        for event in events:
            self.heard(event)
            if isinstance(event, ev.CallRefused) and event.seat == self.number:
                self.refusals.append(event.reason)
                self.refused(event)
                self.wait(now_ns, ASKS_AGAIN_S * self.rng.uniform(0.5, 1.0))
            elif isinstance(event, ev.CallAccepted) and event.seat == self.number:
                self.wait(now_ns, self.temper.thinks_s)

    def heard(self, event: ev.Event) -> None:
        """Take in one event."""
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
                self.drawn(event.counts[self.number - 1])
            case ev.Disqualified():
                self.active -= 1
                if event.seat == self.number:
                    self.out = True
                    self.clear_away()
            case _:
                return

    def clear_away(self) -> None:
        """Put all own tiles back to the middle."""
        for tile in self.desk.every:
            self.desk.forget(tile)
            self.reach.give_back(tile)

    @abstractmethod
    def refused(self, _event: ev.CallRefused) -> None:
        """Take in that an own call was refused."""

    def drawn(self, many: int) -> None:
        """Take so many tiles from the middle; those that go back are negative."""
        for tile in self.reach.take(many):
            self.desk.lay_loose(tile)

    def wait(self, now_ns: int, seconds: float) -> None:
        """Do nothing for so long."""
        self._next_ns = max(self._next_ns, now_ns + round(seconds * SECOND))

    def act(self, now_ns: int) -> None:
        """Do the next thing, if the hand is free and there was time to think."""
        if self.reach.busy:
            self._next_ns = max(self._next_ns, now_ns + round(self.still_s * SECOND))
        elif now_ns >= self._next_ns and not self.over and not self._idles(now_ns):
            self.turn(now_ns)

    def _idles(self, now_ns: int) -> bool:
        """Return whether the bot lets its hand lie on the table for a while instead of going on."""
        calm = not self.temper.rests and not self.temper.leans
        if calm or not self.playing or now_ns < self._idle_ns:
            return False
        self._idle_ns = now_ns + round(IDLES_S * SECOND * self.rng.uniform(0.5, 1.5))
        broad, deep, within = self.reach.broad, self.reach.deep, self.rng.uniform
        if self.rng.random() < self.temper.rests:
            self.reach.rest(within(-0.3, 0.3) * broad, within(0.1, 0.45) * deep, within(1, 4))
            return True
        if self.rng.random() < self.temper.leans:
            side = self.rng.choice((-1, 1))
            self.reach.rest(side * within(0.5, 0.7) * broad, -0.3 * deep, within(0.5, 2))
            return True
        return False

    @abstractmethod
    def turn(self, now_ns: int) -> None:
        """Decide what to do next."""

    @abstractmethod
    def account(self) -> float:
        """Return the points of the round as the player counts them, apart from what the table says."""

    def think(self, now_ns: int) -> None:
        """Think for a while before the next thing."""
        self.wait(now_ns, self.temper.thinks_s * self.rng.uniform(0.4, 1.6))

    def call(self, name: str, now_ns: int) -> None:
        """Make a call, and wait for what the table says to it."""
        self.reach.press(name)
        self.wait(now_ns, ASKS_AGAIN_S)
