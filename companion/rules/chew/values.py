"""The state and the events that Chew's rules add to the shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from companion.model.calls import MILLISECOND
from companion.model.phrases import Text, phrase
from companion.model.seats import Score
from companion.rules import event as ev
from companion.rules.changes import after_events, evolve_shared
from companion.rules.state import State


@dataclass(frozen=True, slots=True)
class ChewState(State):
    """The state of Chew's rules.

    Parameters
    ----------
    flipped_ns
        Stamp of the last Flip.
    fixed
        Seats whose place the referee has set, each with the place.
    tied
        Whether the referee still has to set places.
    before
        Totals and handicaps before the round was confirmed, without points taken off since.
    set_handicaps
        Seats whose handicap the referee has set since then, each with the handicap.
    history
        The places of every confirmed round.
    """

    flipped_ns: int | None = None
    fixed: tuple[tuple[int, int], ...] = ()
    tied: bool = False
    before: tuple[tuple[Score, ...], tuple[int | None, ...]] = ((), ())
    history: tuple[tuple[int | None, ...], ...] = ()
    set_handicaps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Flipped(ev.Event):
    """A Flip, at which everybody turns a tile face up."""

    in_record: ClassVar[bool] = False
    seat: int


@dataclass(frozen=True, slots=True)
class WordLookedUp(ev.Event):
    """A word that a player has looked up, and the answer; ``None``: the referee has to rule."""

    mood: ClassVar[str] = "said"
    seat: int
    word: str
    valid: bool | None

    def says(self, names: Sequence[str]) -> Text:
        """Return the answer."""
        word = self.word.upper()
        if self.valid is None:
            return phrase("%(word)s: the referee must rule", word=word)
        if self.valid:
            return phrase("%(word)s is a good word", word=word)
        return phrase("%(word)s is no good word", word=word)


@dataclass(frozen=True, slots=True)
class TieLeft(ev.Event):
    """Dones inside the tie window, whose places the referee must set."""

    mood: ClassVar[str] = "bad"
    seats: tuple[int, ...]

    def says(self, names: Sequence[str]) -> Text:
        """Return which players were done at the same moment."""
        players = ", ".join(names[seat - 1] for seat in self.seats)
        return phrase("Done at the same moment: %(players)s. The referee sets their places.", players=players)


def evolve(state: ChewState, event: ev.Event, at_ns: int) -> ChewState:
    """Return the state after an event."""
    match event:
        case ev.RoundConfirmed():
            return with_round_confirmed(state, evolve_shared(state, event, at_ns))
        case ev.RoundStarted():
            state = replace(state, flipped_ns=None, fixed=(), tied=False, set_handicaps=())
        case Flipped():
            return replace(state, flipped_ns=at_ns)
        case TieLeft():
            return replace(state, tied=True)
        case ev.DoneWithdrawn():
            kept = tuple(one for one in state.fixed if one[0] != event.seat)
            state = replace(state, fixed=kept, tied=False)
        case ev.Ruled(ruling="set_place"):
            place = (event.seat or 0, event.details["place"])
            return replace(evolve_shared(state, event, at_ns), fixed=(*state.fixed, place), tied=False)
        case ev.Ruled(ruling="set_handicap") if state.confirmed:
            handicap = (event.seat or 0, event.details["handicap"])
            return replace(evolve_shared(state, event, at_ns), set_handicaps=(*state.set_handicaps, handicap))
        case ev.PointsTaken() if state.confirmed:
            totals, handicaps = state.before
            fewer = tuple(old - event.points * (n == event.seat) for n, old in enumerate(totals, 1))
            state = replace(state, before=(fewer, handicaps))
    return evolve_shared(state, event, at_ns)


def after(state: ChewState, events: Sequence[ev.Event], at_ns: int = 0) -> ChewState:
    """Return the state after events that are not in the log yet, all stamped ``at_ns``."""
    return after_events(evolve, state, events, at_ns)


def tie_window_ns(state: ChewState) -> int:
    """Return the tie window in nanoseconds, 0 with the tie option ``edge``."""
    return 0 if state.options["tie"] == "edge" else int(state.options["tie_ms"]) * MILLISECOND


def totals_and_handicaps(state: ChewState) -> tuple[tuple[Score, ...], tuple[int | None, ...]]:
    """Return the totals and handicaps of all seats."""
    return tuple(seat.total for seat in state.seats), tuple(seat.handicap for seat in state.seats)


def with_round_confirmed(before: ChewState, after: ChewState) -> ChewState:
    """Return the confirmed state with the round in ``history``, and the totals and handicaps before it."""
    given = tuple(seat.place for seat in before.seats)
    books_before = before.before if before.confirmed else totals_and_handicaps(before)
    return replace(after, before=books_before, history=(*before.history[: before.round - 1], given))
