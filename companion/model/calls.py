"""The inputs of the rules: calls, sightings, the host's orders, rulings, notes and ticks.

Every input is stamped in nanoseconds since the start of the game's clock.  Seats are numbered clockwise
from 1.
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
    """A player's call, made by a button or on a phone.

    Parameters
    ----------
    details
        The call's fields (dice, a word, tiles), parsed as the game describes them.
    at_rest
        Whether the tiles that the call depends on are known at its stamp: nothing moved there, or nothing had
        changed when they were next seen at rest.
    after
        If ``at_rest`` is false: the next sightings at rest; ``None`` if some are missing.
    loose
        Letters of the caller's that certainly lay there at the call and in no tableau, whatever else moved.
    loose_ns
        The stamp since which each of these was seen there.
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
    """A sighting at rest of a seat's tiles, or of the shared board (with the seat on turn, or ``None``).

    ``laid_after_ns`` is when the places of all new tiles in it were last seen without them, or ``None``.
    """

    at_ns: int
    seat: int | None
    what: Sighting | Board
    laid_after_ns: int | None = None


class Order(StrEnum):
    """An order that the host can give."""

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
    """A referee's ruling; ``details`` are its fields, parsed as the ruling describes them."""

    at_ns: int
    ruling: str
    reason: str
    seat: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tick:
    """The table's clock has reached this stamp."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Noted:
    """A note by the table itself.

    ``sees`` is set if the note says whether cameras see the tiles of ``seats`` (empty: of all seats); people
    judge the seats that are not seen.
    """

    at_ns: int
    text: str
    sees: bool | None = None
    seats: tuple[int, ...] = ()


Input = Called | Seen | Ordered | Ruling | Tick | Noted
