"""What reaches the rules: calls, sightings, host's orders, rulings and ticks.

Every one is stamped in nanoseconds since the start of the game's clock;
seats are numbered clockwise from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from companion.model.sightings import Board, Sighting

SECOND = 1_000_000_000
"""Nanoseconds in a second."""

MILLISECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Called:
    """A player's call: a button, or what was entered on a phone.

    ``details`` are what the call takes with it (dice, a word, tiles), parsed
    by the call's own description in the game.

    ``at_rest`` says whether it is known what lay at the call before each seat, or on the shared board, on
    which it depends: nothing moved there, or nothing had changed once it was seen at rest again.  Where it is
    not, ``after`` is what was seen at rest next; ``None`` where not all was.
    ``loose`` are letters of the caller's that certainly lay there then, in no tableau, whatever else moved,
    and ``loose_ns`` from when on each was seen to lie there.
    """

    at_ns: int
    seat: int
    call: str
    details: Mapping[str, Any] = field(default_factory=dict)
    at_rest: bool = True
    after: tuple[Seen, ...] | None = None
    loose: str = ""
    loose_ns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """A steady sighting before a seat, or of the shared board (by the seat on turn, or nobody's).

    ``laid_after_ns`` is when the places of all that is new in it were last seen without it, if they were.
    """

    at_ns: int
    seat: int | None
    what: Sighting | Board
    laid_after_ns: int | None = None


class Order(StrEnum):
    """What the host may say."""

    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    CONFIRM = "confirm"
    NEXT_ROUND = "next_round"
    END = "end"


@dataclass(frozen=True, slots=True)
class Ordered:
    """The host's order."""

    at_ns: int
    order: Order


@dataclass(frozen=True, slots=True)
class Ruling:
    """A referee's ruling; ``details`` are parsed by the ruling's own description."""

    at_ns: int
    ruling: str
    reason: str
    seat: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tick:
    """The table's clock says that it is this late."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Noted:
    """What the table itself has to say.

    ``sees`` is set where that is whether its cameras can be relied on for ``seats`` (none named: for all);
    without them people judge.
    """

    at_ns: int
    text: str
    sees: bool | None = None
    seats: tuple[int, ...] = ()


Input = Called | Seen | Ordered | Ruling | Tick | Noted
