"""What the clocks owe by a stamp: warnings, the cap, overtime, each at its very nanosecond."""

from __future__ import annotations

from collections.abc import Iterator

from companion.model.calls import SECOND
from companion.rules import event as ev
from companion.rules.clock import Clock, marks
from companion.rules.state import Phase, State

Due = tuple[int, ev.Event]


def due(state: State) -> Due | None:
    """Return the next thing that a clock will bring, with its stamp, if all goes on as it is."""
    if state.phase is not Phase.PLAYING:
        return None
    found = [*round_due(state), *turn_due(state)]
    return min(found, key=lambda one: one[0], default=None)


def round_due(state: State) -> Iterator[Due]:
    """Yield the next warning of the round's clock, or its cap."""
    limit = state.options["cap_s"]
    left = marks(limit, state.options["warn_s"])
    if limit and state.clock.warned < len(left):
        yield from at_mark(state.clock, limit, left[state.clock.warned], None)


def turn_due(state: State) -> Iterator[Due]:
    """Yield the next warning of the clock of the seat on turn, its end, or its next minute of overtime."""
    limit = state.options.get("player_s", 0)
    if not limit or state.turn is None:
        return
    clock = state.clocks[state.turn - 1]
    left = marks(limit, state.options["warn_s"])
    over = clock.warned - len(left) + 1
    yield from at_mark(clock, limit, left[clock.warned] if over < 0 else -60 * over, state.turn)


def at_mark(clock: Clock, limit_s: int, left_s: int, seat: int | None) -> Iterator[Due]:
    """Yield what a clock brings when so many seconds are left; negative ones are overtime."""
    at_ns = clock.reaches((limit_s - left_s) * SECOND)
    if at_ns is None:
        return
    minute = 1 - left_s // 60 if seat is not None else 0
    yield at_ns, ev.TimeWarned(seat, left_s) if left_s > 0 else ev.TimeUp(seat, minute)
