"""What a table's game says of its players: places and points, as soon as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.events.projections import standings
from companion.hall.formats.values import Outcome
from companion.rules.interface import RuleSystem
from companion.rules.state import Phase, State


def outcome_of(game: RuleSystem[Any], state: State) -> Outcome | None:
    """Return places and points by seat, players by their names; ``None`` while the result does not stand.

    A game of one round is decided when its scores are confirmed, a series when it is over.  Points are the
    totals; who is out has no place.
    """
    single = state.options.get("series", "single") == "single"
    if not (state.phase is Phase.OVER or (single and state.confirmed)):
        return None
    names = tuple(seat.name for seat in state.seats)
    return Outcome(names, places(game, state), tuple(seat.total for seat in state.seats))


def points_for(places: Sequence[int | None]) -> tuple[int, ...]:
    """Return points where only places are known: one for the last, one more for each place above."""
    count = sum(place is not None for place in places)
    return tuple(0 if place is None else count + 1 - place for place in places)


def places(game: RuleSystem[Any], state: State) -> tuple[int | None, ...]:
    """Return the places of one round as the table gave them, or the ranks of a longer game."""
    if state.round == 1 and any(seat.place is not None for seat in state.seats):
        return tuple(None if seat.out else seat.place for seat in state.seats)
    ranks = {one.seat: one.rank for one in standings(game, state)}
    return tuple(None if state.seat(n).out else ranks[n] for n in state.numbers)
