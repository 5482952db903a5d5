"""The state and the events that League City's rules add to the shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from companion.model.calls import MILLISECOND
from companion.model.phrases import Text, phrase_n
from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.changes import evolve_shared
from companion.rules.state import State, amount_for_seat


@dataclass(frozen=True, slots=True)
class LeagueCityState(State):
    """The state of League City's rules.

    Parameters
    ----------
    drawn_ns, drawn
        Stamp of the last DONE at which everybody drew, and the tiles that each seat drew.
    penalties
        Points off in this round, by seat; empty before the first.
    fixed_scores, fixed_places
        Seats whose points or place in this round the referee has set; cleared when play resumes.
    """

    drawn_ns: int | None = None
    drawn: tuple[int, ...] = ()
    penalties: tuple[int, ...] = ()
    fixed_scores: tuple[tuple[int, Score], ...] = ()
    fixed_places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DoneDrawn(ev.Event):
    """A DONE at which everybody draws, with the tiles of each seat."""

    in_record: ClassVar[bool] = False
    seat: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PenaltyGiven(ev.Event):
    """Points off a seat's score of the round."""

    mood: ClassVar[str] = "bad"
    seat: int
    points: int

    def says(self, names: Sequence[str]) -> Text:
        """Return the points."""
        return phrase_n("%(count)s point off", "%(count)s points off", self.points)


def evolve(state: LeagueCityState, event: ev.Event, at_ns: int) -> LeagueCityState:
    """Return the state after an event."""
    state = evolve_shared(state, event, at_ns)
    match event:
        case ev.RoundStarted():
            return replace(state, drawn_ns=None, drawn=(), penalties=(), fixed_scores=(), fixed_places=())
        case ev.PlayReopened():
            return replace(state, fixed_scores=(), fixed_places=())
        case DoneDrawn():
            return replace(state, drawn_ns=at_ns, drawn=event.counts)
        case PenaltyGiven():
            before = state.penalties or (0,) * len(state.seats)
            added = amount_for_seat(state, event.seat, event.points)
            return replace(state, penalties=tuple(map(sum, zip(before, added, strict=True))))
        case ev.Ruled(ruling="set_score"):
            score = (event.seat or 0, event.details["score"])
            return replace(state, fixed_scores=(*state.fixed_scores, score))
        case ev.Ruled(ruling="set_place"):
            place = (event.seat or 0, event.details["place"])
            return replace(state, fixed_places=(*state.fixed_places, place))
        case _:
            return state


def is_tied(state: State, since_ns: int | None, at_ns: int) -> bool:
    """Return whether a stamp lies in the tie window after an earlier one."""
    return since_ns is not None and at_ns - since_ns <= state.options["tie_ms"] * MILLISECOND
