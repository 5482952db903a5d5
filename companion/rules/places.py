"""Places by points, for games that are won by having most."""

from __future__ import annotations

from collections.abc import Sequence

from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.state import State


def by_points(scores: Sequence[Score], playing: Sequence[int]) -> list[ev.Event]:
    """Return all scores, the places of those who play (equal scores share one), and the winner."""
    places = tuple(
        1 + sum(scores[other - 1] > score for other in playing) if number in playing else None
        for number, score in enumerate(scores, 1)
    )
    first = [number for number in playing if places[number - 1] == 1]
    return [
        ev.ScoresGiven(tuple(scores)),
        ev.PlacesGiven(places),
        ev.WinnerNamed(first[0] if len(first) == 1 else None),
    ]


def outs_last(state: State) -> list[list[int]]:
    """Return the seats from most points to fewest, equal ones together and disqualified ones last."""
    rank = {n: (state.seat(n).out, -state.seat(n).total) for n in state.numbers}
    return [[n for n in state.numbers if rank[n] == one] for one in sorted(set(rank.values()))]
