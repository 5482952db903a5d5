"""Calls whose tiles were moving when they were made: an older picture never refuses them.

A call is refused for what its tiles show only where they were seen at rest at the call or after it.
Otherwise it stands, not confirmed, and the referee is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from companion.model.calls import Called, Seen
from companion.model.phrases import phrase
from companion.model.sightings import Board, Sighting
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules.interface import Events, refused
from companion.rules.state import State, with_seat

Decide = Callable[[Any], Events]
"""Returns what a call leads to in a state."""

Look = Callable[[Iterable[Seen]], tuple[Any, Events]]
"""Returns the state after some sightings, and the events that lead there."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a call would lead to: on the tiles of which seats that depends, and whether it is refused.

    Seat 0 is the shared board.  ``awaited`` says that it is refused only for what nobody has seen yet,
    ``blind`` that it is because nobody sees the board.
    """

    depends_on: frozenset[int]
    refused: bool
    awaited: bool = False
    blind: bool = False


def depends_on(state: State, heard: Called, decide: Decide) -> frozenset[int]:
    """Return the seats on whose tiles it depends what a call leads to; 0 is the shared board."""
    events, places = decide(state), (0, *state.numbers)
    none = decide(reduce(sightless, places, state))
    seats = set()
    for seat in places:
        alone = reduce(sightless, [other for other in places if other != seat], state)
        if events != decide(sightless(state, seat)) or none != decide(alone):
            seats.add(seat)
    if not seats and events != decide(unwatched(state)):  # nothing was seen yet
        seats = {0, heard.seat}
    return frozenset(seats)


def sightless(state: Any, seat: int) -> Any:
    """Return the state as if a seat's tiles, or the shared board (0), had never been seen."""
    return with_seat(state, seat, sighting=None, verdict=None) if seat else replace(state, board=None)


def unwatched(state: State) -> State:
    """Return the state as if no camera saw any seat, so that people judge; a board's tiles are unknown."""
    return replace(state, board=None, blind=tuple(state.numbers))


def unrested(state: State, heard: Called, decide: Decide, look: Look) -> Events:
    """Return what a call leads to that was made while its tiles moved.

    What was seen at rest after it comes first.  Tiles drawn since are not held against it, and neither is
    what was seen before it: where only these speak against the call it stands, not confirmed.

    Parameters
    ----------
    state
        The state at the call.
    heard
        The call, with what was seen at rest after it.
    decide, look
        What the call, and what a sighting, leads to.
    """
    before = decide(state)
    if not depends_on(state, heard, decide):
        return before
    if certain := for_certain(state, heard, decide):
        return certain
    shared = state.board is not None or any(isinstance(seen.what, Board) for seen in heard.after or ())
    complete = stands(before) and not shared
    if heard.after is None:
        return before if complete else unconfirmed(heard, before, decide(unwatched(state)))
    then, sight = look(heard.after)
    later, drawn = decide(then), drawn_since(state, heard)
    if refuses(later) and drawn:
        later = decide(look(undrawn(heard, drawn))[0])
    if not refuses(later):
        late = [] if stands(before) or shared else [ev.Warned(heard.seat, LATE)]
        return [*sight, *later, *late]
    if complete:
        return [*sight, *before, *([] if drawn else [ev.Warned(heard.seat, against(later))])]
    return [*sight, *(unconfirmed(heard, before, decide(unwatched(then))) if drawn else later)]


def for_certain(state: State, heard: Called, decide: Decide) -> Events:
    """Return a call's refusal for tiles that certainly lay loose at it, however good all others lay; or none.

    A tile that lay in one place before the call and after it, with nothing over or beside it, lay there at
    the call too.
    """
    if not heard.loose:
        return []
    found = decide(at_best(state, heard.seat, heard.loose))
    return found if refuses(found) and not refuses(decide(at_best(state, heard.seat, ""))) else []


def at_best(state: Any, number: int, loose: str) -> Any:
    """Return the state with a seat's tiles in one good tableau, but for some that are loose."""
    seat = state.seat(number)
    placed = max(0, seat.hand - seat.face_down - len(loose))
    sighting = Sighting((ANY * placed,) if placed else (), loose, seat.face_down)
    verdict = Verdict(sighting.grid, islands=1, loose=len(loose))
    return with_seat(state, number, sighting=sighting, verdict=verdict)


ANY = "?"
"""Stands for any letter that makes good words."""

UNSEEN = phrase("not confirmed: the tiles were not seen at rest after the call; the referee may look at them")
LATE = phrase(
    "not confirmed: tiles moved at the call, and all was in place only after it; "
    "the referee may look at the picture"
)


def against(events: Events) -> str:
    """Return that a call is not confirmed, for what a refusal says."""
    reason = next((event.reason for event in events if isinstance(event, ev.CallRefused)), "")
    return phrase("not confirmed: after the call the table saw: %(reason)s", reason=reason)


def unconfirmed(heard: Called, before: Events, judged: Events) -> Events:
    """Return a call as people judge it, with a note for the referee.

    A call whose contents are read from the board cannot be judged without it.
    """
    if refuses(judged):
        return judged if judged == before else [refused(heard, AGAIN)]
    return [*judged, ev.Warned(heard.seat, UNSEEN)]


AGAIN = phrase("the board was not seen at rest: take all hands away from it and call again")


def is_blind(events: Events) -> bool:
    """Return whether a call is refused because the board was not seen."""
    return any(isinstance(event, ev.CallRefused) and event.reason == AGAIN for event in events)


def refuses(events: Events) -> bool:
    """Return whether a call is refused."""
    return any(isinstance(event, ev.CallRefused) for event in events)


def stands(events: Events) -> bool:
    """Return whether a call is accepted without a warning."""
    return not any(isinstance(event, ev.CallRefused | ev.Warned) for event in events)


def drawn_since(state: State, heard: Called) -> int:
    """Return how many more face-up tiles were seen after a call than its seat had at it, 0 at least."""
    seat = state.seat(heard.seat)
    shown = [
        seen.what.placed + len(seen.what.loose)
        for seen in heard.after or ()
        if seen.seat == heard.seat and isinstance(seen.what, Sighting)
    ]
    return max(0, *(many - seat.hand + seat.face_down for many in shown), 0)


def undrawn(heard: Called, drawn: int) -> tuple[Seen, ...]:
    """Return what was seen after a call, without so many loose tiles of the caller's where so many are."""

    def less(seen: Seen) -> Seen:
        what = seen.what
        if seen.seat != heard.seat or not isinstance(what, Sighting) or len(what.loose) < drawn:
            return seen
        return replace(seen, what=replace(what, loose=what.loose[drawn:]))

    return tuple(less(seen) for seen in heard.after or ())
