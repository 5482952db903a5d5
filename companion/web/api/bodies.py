"""What programs send and get, as JSON objects; times are nanoseconds of the game's clock."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from companion.model.calls import Order
from companion.model.seats import MOST_SEATS
from companion.model.status import Status
from companion.rpc.interface import Lines, Within
from companion.rules.state import Phase

Form = Literal["json", "csv", "txt", "tsh"]
"""Forms in which a game is exported."""

SeatNumber = Annotated[int, Within(1, MOST_SEATS)]
"""A seat, from 1."""

EventNumber = Annotated[int, Within(0, math.inf)]
"""An event of a game, from 1; 0 is before all of them."""


@dataclass(frozen=True, slots=True)
class CallBody:
    """A player's call; ``details`` are what it takes along."""

    seat: SeatNumber
    call: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RulingBody:
    """A referee's ruling, with its reason."""

    ruling: str
    reason: Annotated[str, Lines(200)]
    seat: SeatNumber | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OrderBody:
    """An order of the host's."""

    order: Order


@dataclass(frozen=True, slots=True)
class AnswerBody:
    """What came of it; ``accepted`` is null while the table looks first: the log will say."""

    accepted: bool | None
    says: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class FaultBody:
    """Why not."""

    error: str
    says: str


@dataclass(frozen=True, slots=True)
class TableBody:
    """How the table does: cameras, lights, buttons."""

    table: Status


@dataclass(frozen=True, slots=True)
class GamesBody:
    """The names of all games, and of the one that is shown."""

    games: Sequence[str]
    current: str | None


@dataclass(frozen=True, slots=True)
class EventsBody:
    """Some events of a game, oldest first; ``last`` is the number of its newest."""

    game: str
    events: Sequence[Mapping[str, Any]]
    last: int


@dataclass(frozen=True, slots=True)
class RowBody:
    """An event as the log keeps it; ``hash`` covers it and the hash of the one before."""

    number: int
    at_ns: int
    event: str
    version: int
    body: str
    hash: str


@dataclass(frozen=True, slots=True)
class RowsBody:
    """Consecutive events of a game as the log keeps them, oldest first; ``last`` is its newest number."""

    game: str
    events: Sequence[RowBody]
    last: int


@dataclass(frozen=True, slots=True)
class VerdictBody:
    """What is known of a tableau."""

    valid: bool | None
    invalid_words: Sequence[str]
    islands: int
    loose: int
    doubts: int


@dataclass(frozen=True, slots=True)
class SeatBody:
    """A seat; ``verdict`` is null while pages may not tell it."""

    name: str
    hand: int
    face_down: int
    placed: int
    verdict: VerdictBody | None
    place: int | None
    score: float
    total: float
    handicap: int | None


@dataclass(frozen=True, slots=True)
class StateBody:
    """The state of the game that is shown."""

    match: str
    game: str
    number: int
    words: str
    phase: Phase
    round: int
    pool: int
    seats: Sequence[SeatBody]
    winner: int | None
    turn: int | None
    clock_s: float
    clock_shown_s: float
