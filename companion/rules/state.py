"""The state of a game: the fold of its events (``companion.rules.changes``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

from companion.model.seats import Seat
from companion.model.sightings import Board
from companion.rules.clock import Clock
from companion.rules.tile_readings import TileReading


class Phase(StrEnum):
    """The phase of a game."""

    SETUP = "setup"
    PLAYING = "playing"
    PAUSED = "paused"
    JUDGING = "judging"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class State:
    """The state that every game has; a game derives its own from it.

    Parameters
    ----------
    options
        Every option of the game, frozen.
    pool
        Tiles in the middle, by count.
    clock, clocks
        The round's clock and the seats' own, in nanoseconds.
    turn
        The seat whose turn it is, in games played in turns.
    before_pause
        The phase to go back to.
    confirmed
        Whether the round's scores have been confirmed.
    ruled_words, tile_readings
        The referee's rulings on words, and readings of tiles.
    before_ruling
        The state before the last ruling, while that can be undone.
    corrected
        The seat (``None``: the round's clock) and the nanoseconds by which that ruling set a clock.
    moved
        Whether anything other than sightings and refusals followed that ruling.
    blind
        Numbers of the seats whose tiles the table cannot see, so that people judge them.
    """

    game: str
    seats: tuple[Seat, ...]
    options: Mapping[str, Any]
    words: str = ""
    pool: int = 0
    phase: Phase = Phase.SETUP
    round: int = 1
    winner: int | None = None
    turn: int | None = None
    board: Board | None = None
    clock: Clock = field(default_factory=Clock)
    clocks: tuple[Clock, ...] = ()
    before_pause: Phase = Phase.SETUP
    started: bool = False
    confirmed: bool = False
    ruled_words: Mapping[str, bool] = field(default_factory=dict)
    tile_readings: tuple[TileReading, ...] = ()
    before_ruling: State | None = None
    corrected: tuple[int | None, int] | None = None
    moved: bool = False
    blind: tuple[int, ...] = ()

    def seat(self, number: int) -> Seat:
        """Return a seat by its number from 1."""
        return self.seats[number - 1]

    @property
    def stage(self) -> Phase:
        """The phase; while play is paused, the one to go back to."""
        return self.before_pause if self.phase is Phase.PAUSED else self.phase

    @property
    def numbers(self) -> range:
        """Numbers of all seats."""
        return range(1, len(self.seats) + 1)

    @property
    def watched(self) -> tuple[int, ...]:
        """Numbers of the seats whose tiles the table sees."""
        return tuple(number for number in self.numbers if number not in self.blind)

    def named(self, seats: Iterable[int]) -> set[int]:
        """Return the seats given, or all seats if none is given."""
        return set(seats) or set(self.numbers)

    @property
    def playing(self) -> tuple[int, ...]:
        """Numbers of the seats that have not withdrawn from the game."""
        return tuple(number for number, seat in enumerate(self.seats, 1) if not seat.withdrawn)

    @property
    def active(self) -> tuple[int, ...]:
        """Numbers of the seats that are not disqualified."""
        return tuple(number for number, seat in enumerate(self.seats, 1) if not seat.out)


S = TypeVar("S", bound=State)


def with_seat(state: S, number: int, **changes: Any) -> S:
    """Return the state with one seat changed."""
    seats = list(state.seats)
    seats[number - 1] = replace(seats[number - 1], **changes)
    return replace(state, seats=tuple(seats))


def with_each(state: S, **changes: tuple[Any, ...]) -> S:
    """Return the state with a field of every seat changed; one value for each seat."""
    seats = state.seats
    for name, values in changes.items():
        seats = tuple(
            seat if getattr(seat, name) == value else replace(seat, **{name: value})
            for seat, value in zip(seats, values, strict=True)
        )
    return replace(state, seats=seats)


def amount_for_active_seats(state: State, amount: int) -> tuple[int, ...]:
    """Return the same number for every active seat and 0 for the others."""
    return tuple(0 if seat.out else amount for seat in state.seats)


def dealt(state: State, hands: Sequence[int]) -> tuple[int, ...]:
    """Return a round's hands, with 0 for players who have withdrawn from the game."""
    return tuple(0 if seat.withdrawn else hand for seat, hand in zip(state.seats, hands, strict=True))


def amount_for_seat(state: State, number: int, amount: int) -> tuple[int, ...]:
    """Return an amount for one seat and 0 for the others."""
    return tuple(amount if n == number else 0 for n in state.numbers)
