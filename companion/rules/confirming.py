"""Calls that were made while their tiles moved: an older picture never refuses them.

A call is refused for what its tiles show only if they were seen at rest at the call or after it.  Otherwise
it is accepted with a warning that it is not confirmed.
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
"""Returns the events of a call in a given state."""

ApplySightings = Callable[[Iterable[Seen]], tuple[Any, Events]]
"""Returns the state after some sightings, and the events that lead there."""

ANY_LETTER = "?"
"""Stands for any letter that makes valid words."""

UNSEEN_WARNING = phrase(
    "not confirmed: the tiles were not seen at rest after the call; the referee may look at them"
)
LATE_WARNING = phrase(
    "not confirmed: tiles moved at the call, and all was in place only after it; "
    "the referee may look at the picture"
)
CALL_AGAIN = phrase("the board was not seen at rest: take all hands away from it and call again")


@dataclass(frozen=True, slots=True)
class CallPreview:
    """What a call would lead to now, without deciding it.

    Parameters
    ----------
    depends_on
        The seats whose tiles decide it; 0 is the shared board.
    refused
        Whether it would be refused.
    awaits_sighting
        Whether it would be refused only for tiles that were not seen yet.
    board_unseen
        Whether it would be refused because the board is not seen.
    unseen
        Whether it would be accepted only because its tiles were not seen at rest after it.
    """

    depends_on: frozenset[int]
    refused: bool
    awaits_sighting: bool = False
    board_unseen: bool = False
    unseen: bool = False


def depends_on(state: State, called: Called, decide: Decide) -> frozenset[int]:
    """Return the seats whose tiles change what a call leads to; 0 is the shared board."""
    events, places = decide(state), (0, *state.numbers)
    none = decide(reduce(without_sighting, places, state))
    seats = set()
    for seat in places:
        alone = reduce(without_sighting, [other for other in places if other != seat], state)
        if events != decide(without_sighting(state, seat)) or none != decide(alone):
            seats.add(seat)
    if not seats and events != decide(without_cameras(state)):  # nothing was seen yet
        seats = {0, called.seat}
    return frozenset(seats)


def without_sighting(state: Any, seat: int) -> Any:
    """Return the state as if the tiles of a seat, or of the shared board (0), had never been seen."""
    return with_seat(state, seat, sighting=None, verdict=None) if seat else replace(state, board=None)


def without_cameras(state: State) -> State:
    """Return the state as if no camera saw any seat, so that people judge, and the board was never seen."""
    return replace(state, board=None, blind=tuple(state.numbers))


def decided_in_motion(state: State, called: Called, decide: Decide, look: ApplySightings) -> Events:
    """Return the events of a call that was made while its tiles moved.

    The sightings at rest after the call are applied first.  Tiles drawn after the call do not count against
    it, nor does any sighting before it: if only these speak against the call, it is accepted and a warning
    says that it is not confirmed.

    Parameters
    ----------
    state
        The state at the call.
    called
        The call, with what was seen at rest after it.
    decide, look
        Return the events of the call, and those of sightings.
    """
    before = decide(state)
    if not depends_on(state, called, decide):
        return before
    if certain := certain_refusal(state, called, decide):
        return certain
    shared = state.board is not None or any(isinstance(seen.what, Board) for seen in called.after or ())
    complete = is_confirmed(before) and not shared
    if called.after is None:
        return before if complete else unconfirmed_call_events(called, before, decide(without_cameras(state)))
    then, sight = look(called.after)
    later, drawn = decide(then), drawn_since(state, called)
    if is_refused(later) and drawn:
        later = decide(look(without_drawn(called, drawn))[0])
    if not is_refused(later):
        late = [] if is_confirmed(before) or shared else [ev.Warned(called.seat, LATE_WARNING)]
        return [*sight, *later, *late]
    if complete:
        return [*sight, *before, *([] if drawn else [ev.Warned(called.seat, contradiction_warning(later))])]
    return [
        *sight,
        *(unconfirmed_call_events(called, before, decide(without_cameras(then))) if drawn else later),
    ]


def certain_refusal(state: State, called: Called, decide: Decide) -> Events:
    """Return a call's refusal for tiles that certainly lay loose at the call, or no events.

    All other tiles are taken to lie in one valid tableau.  A tile certainly lay loose if it was seen in one
    place before the call and after it, with nothing over or beside it.
    """
    if not called.loose:
        return []
    found = decide(best_case(state, called.seat, called.loose))
    return found if is_refused(found) and not is_refused(decide(best_case(state, called.seat, ""))) else []


def best_case(state: Any, number: int, loose: str) -> Any:
    """Return the state with a seat's face-up tiles in one valid tableau, except for some that are loose."""
    seat = state.seat(number)
    placed = max(0, seat.hand - seat.face_down - len(loose))
    sighting = Sighting((ANY_LETTER * placed,) if placed else (), loose, seat.face_down)
    verdict = Verdict(sighting.grid, islands=1, loose=len(loose))
    return with_seat(state, number, sighting=sighting, verdict=verdict)


def contradiction_warning(events: Events) -> str:
    """Return the warning that a later sighting contradicts a call, with the reason of that refusal."""
    reason = next((event.reason for event in events if isinstance(event, ev.CallRefused)), "")
    return phrase("not confirmed: after the call the table saw: %(reason)s", reason=reason)


def unconfirmed_call_events(called: Called, before: Events, judged: Events) -> Events:
    """Return the events of a call that people judge, with a warning that it is not confirmed.

    A call whose contents are read from the board is refused: it cannot be judged without the board.
    """
    if is_refused(judged):
        return judged if judged == before else [refused(called, CALL_AGAIN)]
    return [*judged, ev.Warned(called.seat, UNSEEN_WARNING)]


def is_board_unseen(events: Events) -> bool:
    """Return whether a call is refused because the board was not seen."""
    return any(isinstance(event, ev.CallRefused) and event.reason == CALL_AGAIN for event in events)


def is_unseen(events: Events) -> bool:
    """Return whether a call is accepted only because its tiles were not seen at rest after it."""
    return any(isinstance(event, ev.Warned) and event.text == UNSEEN_WARNING for event in events)


def is_refused(events: Events) -> bool:
    """Return whether the events refuse a call."""
    return any(isinstance(event, ev.CallRefused) for event in events)


def is_confirmed(events: Events) -> bool:
    """Return whether the events accept a call without a warning."""
    return not any(isinstance(event, ev.CallRefused | ev.Warned) for event in events)


def drawn_since(state: State, called: Called) -> int:
    """Return how many more face-up tiles were seen after a call than its seat had at it, 0 at least."""
    seat = state.seat(called.seat)
    shown = [
        seen.what.placed + len(seen.what.loose)
        for seen in called.after or ()
        if seen.seat == called.seat and isinstance(seen.what, Sighting)
    ]
    return max(0, *(many - seat.hand + seat.face_down for many in shown), 0)


def without_drawn(called: Called, drawn: int) -> tuple[Seen, ...]:
    """Return the sightings after a call, with ``drawn`` loose tiles of the caller removed where there are."""

    def less(seen: Seen) -> Seen:
        what = seen.what
        if seen.seat != called.seat or not isinstance(what, Sighting) or len(what.loose) < drawn:
            return seen
        return replace(seen, what=replace(what, loose=what.loose[drawn:]))

    return tuple(less(seen) for seen in called.after or ())
