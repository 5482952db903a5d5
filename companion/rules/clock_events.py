"""The events of clocks: warnings, the cap and overtime, each stamped to the nanosecond."""

from __future__ import annotations

from collections.abc import Iterator

from companion.model.calls import SECOND
from companion.rules import event as ev
from companion.rules.clock import Clock, marks
from companion.rules.state import Phase, State

Due = tuple[int, ev.Event]


def next_clock_event(state: State) -> Due | None:
    """Return the next event of a clock, with its stamp, or ``None`` if no clock has one."""
    if state.phase is not Phase.PLAYING:
        return None
    found = [*round_clock_events(state), *turn_clock_events(state)]
    return min(found, key=lambda one: one[0], default=None)


def round_clock_events(state: State) -> Iterator[Due]:
    """Yield the next warning of the round's clock, or its cap."""
    limit = state.options["cap_s"]
    left = marks(limit, state.options["warn_s"])
    if limit and state.clock.warned < len(left):
        yield from event_at(state.clock, limit, left[state.clock.warned], None)


def turn_clock_events(state: State) -> Iterator[Due]:
    """Yield the next warning of the clock of the seat on turn, its end, or its next minute of overtime."""
    limit = state.options.get("player_s", 0)
    if not limit or state.turn is None:
        return
    clock = state.clocks[state.turn - 1]
    left = marks(limit, state.options["warn_s"])
    over = clock.warned - len(left) + 1
    yield from event_at(clock, limit, left[clock.warned] if over < 0 else -60 * over, state.turn)


def event_at(clock: Clock, limit_s: int, left_s: int, seat: int | None) -> Iterator[Due]:
    """Yield the event of a clock when ``left_s`` seconds are left; negative seconds are overtime."""
    at_ns = clock.reaches((limit_s - left_s) * SECOND)
    if at_ns is None:
        return
    minute = 1 - left_s // 60 if seat is not None else 0
    yield at_ns, ev.TimeWarned(seat, left_s) if left_s > 0 else ev.TimeUp(seat, minute)
