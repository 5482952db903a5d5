"""Calls whose tiles were moving when they were made: an older picture never refuses them.

A call is refused for what its tiles show only where they were seen at rest at the call or after it.
Otherwise it stands, not confirmed, and the referee is told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from companion.model.calls import Called, Seen
from companion.model.phrases import phrase
from companion.model.sightings import Board, Sighting
from companion.rules import event as ev
from companion.rules.interface import Events, refused
from companion.rules.state import State, with_seat

Decide = Callable[[Any], Events]
"""Returns what a call leads to in a state."""

Look = Callable[[Seen], tuple[Any, Events]]
"""Returns the state after a sighting, and the events that lead there."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a call would lead to: whether that depends on the tiles seen, and whether it is refused."""

    needs_sight: bool
    refused: bool


def needs_sight(state: State, heard: Called, decide: Decide) -> bool:
    """Return whether what a call leads to depends on the tiles that a camera sees."""
    events = decide(state)
    return events != decide(sightless(state, heard.seat)) or events != decide(unwatched(state))


def sightless(state: State, seat: int) -> State:
    """Return the state as if neither a seat's tiles nor the shared board had ever been seen."""
    return with_seat(replace(state, board=None), seat, sighting=None, verdict=None)


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
    if not needs_sight(state, heard, decide):
        return before
    complete = stands(before) and not isinstance(heard.after or state.board, Board)
    if heard.after is None:
        return before if complete else unconfirmed(heard, before, decide(unwatched(state)))
    seat = None if isinstance(heard.after, Board) else heard.seat
    then, sight = look(Seen(heard.at_ns, seat, heard.after))
    later, drawn = decide(then), drawn_since(state, heard)
    if refuses(later) and drawn:
        trimmed = undrawn(heard.after, drawn)
        later = decide(look(Seen(heard.at_ns, seat, trimmed))[0]) if trimmed else later
    if not refuses(later):
        late = [] if stands(before) or isinstance(heard.after, Board) else [ev.Warned(heard.seat, LATE)]
        return [*sight, *later, *late]
    if complete:
        return [*sight, *before, *([] if drawn else [ev.Warned(heard.seat, against(later))])]
    return [*sight, *(unconfirmed(heard, before, decide(unwatched(then))) if drawn else later)]


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


def refuses(events: Events) -> bool:
    """Return whether a call is refused."""
    return any(isinstance(event, ev.CallRefused) for event in events)


def stands(events: Events) -> bool:
    """Return whether a call is accepted without a warning."""
    return not any(isinstance(event, ev.CallRefused | ev.Warned) for event in events)


def drawn_since(state: State, heard: Called) -> int:
    """Return how many more face-up tiles were seen after a call than its seat had at it, 0 at least."""
    if not isinstance(heard.after, Sighting):
        return 0
    seat = state.seat(heard.seat)
    return max(0, heard.after.placed + len(heard.after.loose) - seat.hand + seat.face_down)


def undrawn(after: Sighting | Board, drawn: int) -> Sighting | None:
    """Return a sighting without so many loose tiles, or ``None`` where fewer are loose."""
    if not isinstance(after, Sighting) or len(after.loose) < drawn:
        return None
    return replace(after, loose=after.loose[drawn:])
