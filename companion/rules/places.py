"""Places by points, for games in which most points win."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.state import Phase, State


def by_points(state: State, scores: Sequence[Score]) -> list[ev.Event]:
    """Return the events of all scores, the places of active seats (shared if equal), and the winner.

    Points taken by the referee count for the place, as they do for the total.
    """
    playing, kept = state.active, [s - seat.penalty for s, seat in zip(scores, state.seats, strict=True)]
    places = tuple(
        1 + sum(kept[other - 1] > points for other in playing) if number in playing else None
        for number, points in enumerate(kept, 1)
    )
    first = [number for number in playing if places[number - 1] == 1]
    return [
        ev.ScoresGiven(tuple(scores)),
        ev.PlacesGiven(places),
        ev.WinnerNamed(first[0] if len(first) == 1 else None),
    ]


def reranked(state: State) -> list[ev.Event]:
    """Return new places and winner if play has ended and its scores are not confirmed."""
    judging = state.stage is Phase.JUDGING and not state.confirmed
    return by_points(state, [seat.score for seat in state.seats]) if judging else []


def outs_last(state: State) -> list[list[int]]:
    """Return the seats by total, the highest first, equal ones in one list, disqualified ones last."""
    rank = {n: (state.seat(n).out, -state.seat(n).total) for n in state.numbers}
    return [[n for n in state.numbers if rank[n] == one] for one in sorted(set(rank.values()))]
