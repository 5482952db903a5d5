"""What the hall tells of a game that it follows."""

from __future__ import annotations

from companion.rules.state import Phase, State


def doubts(state: State) -> int:
    """Return how many tiles are in doubt, before the seats and on the shared board."""
    seats = sum(len(seat.verdict.doubts) for seat in state.seats if seat.verdict is not None)
    return seats + (len(state.board.doubts) if state.board is not None else 0)


def undecided(state: State) -> int:
    """Return how many words wait for the referee's ruling."""
    return sum(len(seat.verdict.undecided_words) for seat in state.seats if seat.verdict is not None)


def stopped(state: State) -> bool:
    """Return whether play was stopped, for a challenge or by the host."""
    return state.phase is Phase.PAUSED


def settled(state: State) -> bool:
    """Return whether the round's scores stand."""
    return state.confirmed or state.phase is Phase.OVER
