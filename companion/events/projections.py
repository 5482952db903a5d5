"""Results and standings, computed from a game's events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from companion.events.replay import set_up_of
from companion.model.seats import Score, Seat
from companion.rules import event as ev
from companion.rules.interface import RuleSystem


@dataclass(frozen=True, slots=True)
class Result:
    """One seat's result of one confirmed round."""

    round: int
    seat: int
    name: str
    place: int | None
    score: Score
    total: Score
    handicap: int | None
    penalty: Score = 0
    warnings: int = 0
    status: str = ""


RESULT_EVENTS = (ev.RoundConfirmed, ev.HandicapsGiven, ev.PointsTaken, ev.WarningGiven, ev.RulingUndone)
"""Events that change the result of a confirmed round."""


def status(seat: Seat) -> str:
    """Return ``withdrawn``, ``disqualified`` or an empty text."""
    return "withdrawn" if seat.withdrawn else "disqualified" if seat.out else ""


def results(game: RuleSystem[Any], events: Sequence[ev.Stamped]) -> list[Result]:
    """Return the final results of all confirmed rounds, by round and seat."""
    found: dict[tuple[int, int], Result] = {}
    for state, event in states(game, events):
        if isinstance(event, RESULT_EVENTS) and state.confirmed:
            for number, seat in enumerate(state.seats, 1):
                found[state.round, number] = Result(
                    state.round,
                    number,
                    seat.name,
                    seat.place,
                    seat.score,
                    seat.total,
                    seat.handicap,
                    seat.penalty,
                    seat.warnings,
                    status(seat),
                )
    return [found[key] for key in sorted(found)]


def states(game: RuleSystem[Any], events: Sequence[ev.Stamped]) -> Iterator[tuple[Any, ev.Event]]:
    """Yield the state after every event that follows the set-up, with the event."""
    state = game.initial_state(set_up_of(events))
    for one in events[1:]:
        state = game.evolve(state, one.event, one.at_ns)
        yield state, one.event


@dataclass(frozen=True, slots=True)
class Standing:
    """A seat's rank in the whole game; tied seats share the best of their ranks."""

    rank: int
    seat: int
    name: str
    total: Score


def standings(game: RuleSystem[Any], state: Any) -> list[Standing]:
    """Return all seats by rank, with the game's tie-breaks applied."""
    found: list[Standing] = []
    for group in game.standings(state):
        rank = len(found) + 1
        found += [
            Standing(rank, number, state.seat(number).name, state.seat(number).total) for number in group
        ]
    return found
