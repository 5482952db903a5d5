"""Figures: the numbers of a seat that pages show in large type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.model.seats import Score
from companion.rules.state import Phase, State

POINTS, ROUND, TOTAL, WON = "points", "this round", "in all", "rounds won"
TO_PLACE, IN_HAND = "to place", "in hand"
OF_FIVE = "of 5 words"

FIGURE_LABELS = (POINTS, ROUND, TOTAL, WON, TO_PLACE, IN_HAND, OF_FIVE)
"""The labels of figures; pages translate them."""

BEFORE_THE_END = frozenset({Phase.SETUP, Phase.PLAYING})


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a seat, and its label: what it counts."""

    value: Score
    counts: str


def points(state: State, number: int) -> Sequence[Figure]:
    """Return a seat's points: the round's, and from the second round on also the total."""
    seat = state.seat(number)
    if state.round == 1:
        return (Figure(seat.total if state.confirmed else seat.score, POINTS),)
    figures = (Figure(seat.score, ROUND), Figure(seat.total, TOTAL))
    return figures[::-1] if state.confirmed else figures


def race(state: State, number: int) -> Sequence[Figure]:
    """Return the number of tiles to place while the round is played, and the points after it."""
    if state.stage not in BEFORE_THE_END:
        return points(state, number)
    total = Figure(state.seat(number).total, TOTAL)
    return (left(state, number), total) if state.round > 1 else (left(state, number),)


def left(state: State, number: int) -> Figure:
    """Return how many face-up tiles a seat has to place; if no camera sees them, its tiles in hand."""
    seat = state.seat(number)
    seen = seat.sighting is not None and number not in state.blind and state.stage is not Phase.SETUP
    return Figure(max(seat.unplaced, 0), TO_PLACE) if seen else Figure(seat.hand, IN_HAND)
