"""The queue of inputs: a call waits until its tiles have been seen at rest, some seconds at most.

The host's confirmation of the scores waits in the same way.  Inputs stamped after a waiting call wait behind
it, so that the rules get all inputs in the order of their stamps.  If the tiles moved when a call was made,
the call carries the sightings at rest after it: no older frame may refuse it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeGuard

from companion.model.calls import MILLISECOND, SECOND, Called, Input, Noted, Order, Ordered, Seen
from companion.model.phrases import joined, phrase
from companion.rules.confirming import CallPreview
from companion.rules.reorder import ReorderBuffer
from companion.rules.state import State
from companion.table.rest_history import NEVER_NS, LooseTile, RestHistory
from companion.table.views import SHARED_BOARD

REORDER_WINDOW_NS = 15 * MILLISECOND
"""Time that each input waits for earlier stamps, in ns: far longer than a button's edge takes to arrive."""

CALL_SOURCE_KEY = "by"
"""The detail of a call that names its source, where that was no button."""

StateNow = Callable[[], State]
"""Returns the game's state now."""

PreviewCall = Callable[[Called], CallPreview]
"""Returns the preview of a call in the current state."""


def default_preview(called: Called) -> CallPreview:
    """Return the preview of a call that depends on the caller's tiles and the shared board."""
    return CallPreview(frozenset({SHARED_BOARD, called.seat}), refused=False)


MAX_CALL_WAIT_S = 5.0
"""Longest wait of a call for its tiles by default, in seconds: hands have left the table by then."""

UNSEEN_BOARD_WAIT_FACTOR = 2
"""Factor on that time for a call that cannot be judged without the board, as it delays no other player."""


def is_same(waiting: Input, called: Called) -> TypeGuard[Called]:
    """Return whether an input is an earlier call of the same seat that says the same."""
    if not isinstance(waiting, Called) or waiting.at_ns >= called.at_ns:
        return False
    return (waiting.seat, waiting.call, waiting.details) == (called.seat, called.call, called.details)


def is_confirmation(received: Input) -> bool:
    """Return whether an input is the host's confirmation of the scores."""
    return isinstance(received, Ordered) and received.order is Order.CONFIRM


def shows_state_at(seen: Seen, at_ns: int, *, moved: bool) -> bool:
    """Return whether a sighting after a call shows the state at the call's stamp.

    It does not if its tiles were laid after the call.  If nothing ``moved`` at the call, it does only where a
    tile is new to the camera but lay there already: it was missed or misread until then.
    """
    if seen.laid_after_ns is None:
        return moved
    return seen.laid_after_ns <= at_ns


class CallQueue(ReorderBuffer):
    """A reorder buffer that also holds each call until its tiles have been seen at rest.

    Parameters
    ----------
    state
        Returns the game's state: the policy in force, and the seats that people judge.
    places
        The seats whose tiles a camera sees, or ``SHARED_BOARD``.
    wait_ns
        Bound on the wait of a call, in ns.
    preview
        Returns the preview of a call in the current state.

    ``repeated`` is called with a call that is repeated while it waits.  ``request_detection`` requests a
    detection pass over the whole of the first frame taken at or after a stamp, before a call is refused on
    evidence or accepted unconfirmed.  ``undecided`` returns the stamp, in the game's time, of the oldest
    press that may still become another gesture, or None: no later input is released before.
    """

    def __init__(
        self,
        state: StateNow,
        places: Iterable[int],
        wait_ns: int = round(MAX_CALL_WAIT_S * SECOND),
        preview: PreviewCall = default_preview,
    ) -> None:
        super().__init__(REORDER_WINDOW_NS)
        self._state, self._wait_ns, self._preview_call = state, wait_ns, preview
        self.request_detection: Callable[[int], None] = lambda _at_ns: None
        self.repeated: Callable[[Called], None] = lambda _called: None
        self._previews: tuple[State | None, list[tuple[Called, CallPreview]]] = None, []
        self._looking_for: Input | None = None
        self._looked_ns = NEVER_NS
        self._rest = dict.fromkeys(places, RestHistory())
        self._calls: deque[int] = deque(maxlen=64)
        self.undecided: Callable[[], int | None] = lambda: None
        self._was_undecided: int | None = None
        self._made_ns: dict[int, int] = {}
        self._loose: dict[int, Sequence[LooseTile]] = {}

    def update_rest(self, place: int, at_ns: int, whole_ns: int | None) -> None:
        """Add a frame to a place's history of rest.

        ``whole_ns`` is the stamp of the last detection pass over the whole frame, None if the place moved.
        """
        self._rest[place] = self._rest[place].after(at_ns, whole_ns)

    def update_loose(self, place: int, loose: Sequence[LooseTile]) -> None:
        """Replace the unoccluded loose tiles of a place."""
        self._loose[place] = loose

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats with a call that waits for a sighting, or behind one that does."""
        waiting = list(self.waiting)
        if not (waiting and isinstance(waiting[0], Called) and not self._is_decidable(waiting[0])):
            return ()
        return tuple(dict.fromkeys(one.seat for one in waiting if isinstance(one, Called)))

    def add(self, received: Input) -> None:
        """Sort an input in; the repeat of a call that waits for a sighting is dropped."""
        if isinstance(received, Called) and self._is_repeat(received):
            self.repeated(received)
        else:
            super().add(received)

    def _is_repeat(self, called: Called) -> bool:
        """Return whether a call repeats one that waits for a sighting, not only behind another's call."""
        return any(is_same(one, called) and not self._is_decidable(one) for one in self.waiting)

    def watermark_ns(self, now_ns: int) -> int:
        """Return the stamp before which no more input is expected; a waiting call holds the clocks too."""
        held = [] if self._was_undecided is None else [self._was_undecided]
        return min([now_ns - self.window_ns, *held, *(first.at_ns for first in self.waiting[:1])])

    def due_ns(self) -> int | None:
        """Return the latest release of the first input, or None; a sighting may release it earlier."""
        held = (
            self.waiting and self._was_undecided is not None and self.waiting[0].at_ns > self._was_undecided
        )
        return self._ready_ns(self.waiting[0]) if self.waiting and not held else None

    def pop_ready(self, now_ns: int) -> list[Input]:
        """Remove and return the inputs that are ready, in order.

        The condition of a call depends on the decisions before it, so at most one call, the first, is
        returned.
        """
        ready: list[Input] = []
        held_ns = self._undecided_ns()
        self._let_sighting_pass()
        self._request_detection()
        while self.waiting and self._ready_ns(self.waiting[0]) <= now_ns and self.waiting[0].at_ns <= held_ns:
            if ready and isinstance(self.waiting[0], Called):
                break
            first = self.waiting.pop(0)
            if isinstance(first, Called) and (later := self._untied(first)) is not first:
                self.add(later)
                continue
            if isinstance(first, Called):
                self._calls.append(first.at_ns)
                self._made_ns.pop(id(first.details), None)
                awaited = self._preview(first).awaits_sighting
                first = replace(first, at_rest=False) if awaited else self._with_evidence(first)
            elif is_confirmation(first):
                ready += [*self._pop_sightings(first.at_ns), *self._note_unseen(first.at_ns)]
            ready.append(first)
        return ready

    def drain(self) -> list[Input]:
        """Remove and return all inputs, in order: no more will arrive."""
        return [self._with_evidence(one) if isinstance(one, Called) else one for one in super().drain()]

    def _with_evidence(self, called: Called) -> Called:
        """Return a call with the sightings at rest after it that show the state at its stamp, if any."""
        histories = {place: self._rest[place] for place in self._places(called)}
        known = {place for place, one in histories.items() if one.knows(called.at_ns)}
        called = self._with_loose(called)
        if any(one.rest_ns < called.at_ns for place, one in histories.items() if place not in known):
            return replace(called, at_rest=False)
        news, later, laid = dict[int, Seen](), set[int](), set[int]()
        for one in (one for one in self.waiting if isinstance(one, Seen)):
            place = one.seat or SHARED_BOARD
            if place not in histories or one.at_ns > histories[place].rest_ns:
                continue
            if not shows_state_at(one, called.at_ns, moved=place not in known):
                (later if one.laid_after_ns is None else laid).add(place)
            elif place not in laid and (place not in later or one.laid_after_ns is not None):
                news[place] = one
        return replace(called, at_rest=False, after=tuple(news.values())) if news else called

    def _pop_sightings(self, at_ns: int) -> list[Input]:
        """Remove and return the later sightings that show the state at a stamp."""
        found: list[Input] = []
        for one in [one for one in self.waiting if isinstance(one, Seen)]:
            place = one.seat or SHARED_BOARD
            history = self._rest.get(place, RestHistory())
            if one.at_ns <= history.rest_ns and shows_state_at(one, at_ns, moved=not history.knows(at_ns)):
                self.waiting.remove(one)
                found.append(one)
        return found

    def _let_sighting_pass(self) -> None:
        """Move the first call behind the next sighting, if it waits for that only."""
        first = next(iter(self.waiting), None)
        if not isinstance(first, Called) or not self._preview(first).awaits_sighting:
            return
        seen = next((one for one in self.waiting if isinstance(one, Seen)), None)
        if seen is not None and seen.at_ns < self._deadline_ns(first):
            self.waiting.pop(0)
            self._made_ns.setdefault(id(first.details), first.at_ns)
            self.add(replace(first, at_ns=seen.at_ns + 1))

    def _deadline_ns(self, called: Called) -> int:
        """Return the time at which a call's wait ends at the latest, counted from its first stamp."""
        return self._made_ns.get(id(called.details), called.at_ns) + self._wait_ns

    def _loose_at(self, called: Called) -> list[LooseTile]:
        """Return the caller's loose tiles that were unoccluded both before and after a call."""
        if called.seat not in self._places(called):
            return []
        loose = self._loose.get(called.seat, ())
        return [one for one in loose if one.from_ns <= called.at_ns <= one.until_ns]

    def _with_loose(self, called: Called) -> Called:
        """Return a call with the tiles that were certainly loose at its stamp."""
        loose = sorted(
            (one for one in self._loose_at(called) if one.certain(called.at_ns)), key=lambda one: one.symbol
        )
        symbols, from_ns = "".join(one.symbol for one in loose), tuple(one.from_ns for one in loose)
        return replace(called, loose=symbols, loose_ns=from_ns)

    def _request_detection(self) -> None:
        """Request a pass over the whole frame if the evidence would refuse or not confirm the first call.

        It is requested again if the tiles moved in the frame that came.  The confirmation of the scores needs
        such a pass too.
        """
        first = next(iter(self.waiting), None)
        looked_ns = max((one.looked_ns for one in self._rest.values()), default=NEVER_NS)
        if first is None or (first is self._looking_for and looked_ns <= self._looked_ns):
            return
        if isinstance(first, Called):
            places = [] if self._is_decidable(first) else self._places(first)
        else:
            places = self._scored_places if is_confirmation(first) and not self._all_seen(first.at_ns) else []
        all_seen = all(self._rest[place].seen_since(first.at_ns) for place in places)
        if places and (all_seen or (isinstance(first, Called) and self._loose_at(first))):
            self._looking_for, self._looked_ns = first, max(looked_ns, first.at_ns)
            self.request_detection(first.at_ns)

    def _undecided_ns(self) -> int:
        """Return the stamp up to which undecided presses allow decisions.

        A press that has just been decided may still be on its way here, so the last value counts too.
        """
        before, self._was_undecided = self._was_undecided, self.undecided()
        return min((ns for ns in (before, self._was_undecided) if ns is not None), default=NEVER_NS * -1)

    def _ready_ns(self, received: Input) -> int:
        """Return when an input is released at the latest, by what is known now."""
        at_ns = received.at_ns
        if is_confirmation(received) and not self._all_seen(at_ns):
            return at_ns + self._wait_ns
        if not isinstance(received, Called):
            return at_ns + self.window_ns
        apart = self._tie_ns if CALL_SOURCE_KEY in received.details else 0
        if self._is_decidable(received):
            return at_ns + self.window_ns + apart
        shared = SHARED_BOARD in self._places(received)
        unseen = shared and self._preview(self._with_evidence(received)).board_unseen
        more_ns = UNSEEN_BOARD_WAIT_FACTOR * self._wait_ns if unseen else 0
        return max(self._deadline_ns(received) + more_ns, at_ns + apart)

    def _is_decidable(self, called: Called) -> bool:
        """Return whether the tiles of a call were seen at rest, or need not be seen.

        A tile that was certainly loose decides at once.  Other evidence refuses a call, or accepts it
        unconfirmed, only after one more pass over the whole frame: a tile may have been missed, or have moved
        since.  A call that awaits a sighting is not refused before.
        """
        if self._preview(called).awaits_sighting:
            return False
        with_loose = self._with_loose(called)
        if with_loose.loose and self._preview(replace(with_loose, at_rest=False)).refused:
            return True
        histories = [self._rest[place] for place in self._places(called)]
        if not all(history.seen_since(called.at_ns) for history in histories):
            return False
        if all(history.whole_ns >= called.at_ns for history in histories):
            return True
        preview = self._preview(self._with_evidence(called))
        return not (preview.refused or preview.unseen)

    @property
    def _scored_places(self) -> list[int]:
        """The places whose tiles are scored, without those that people judge."""
        state = self._state()
        return [] if state.options["policy"] == "off" else sorted(self._rest.keys() - set(state.blind))

    def _all_seen(self, at_ns: int) -> bool:
        """Return whether a pass over the frame saw all scored places at rest at or after a stamp."""
        return not self._unseen(at_ns)

    def _unseen(self, at_ns: int) -> list[int]:
        """Return the scored places that no pass over the frame saw at rest at or after a stamp."""
        histories = {place: self._rest[place] for place in self._scored_places}
        return [
            place
            for place, history in histories.items()
            if not history.seen_since(at_ns) or history.whole_ns < at_ns
        ]

    def _note_unseen(self, at_ns: int) -> list[Noted]:
        """Return a note that names the scored places that were not seen when the scores were confirmed."""
        unseen, state = self._unseen(at_ns), self._state()
        if not unseen:
            return []
        whose = [phrase("the board") if place == SHARED_BOARD else state.seat(place).name for place in unseen]
        text = phrase(
            "not seen at rest when the scores were confirmed: %(names)s; look at the tiles",
            names=joined(whose, ", "),
        )
        return [Noted(at_ns, text)]

    def _places(self, called: Called) -> list[int]:
        """Return the places on whose tiles a call depends, without those that people judge."""
        state = self._state()
        if state.options["policy"] == "off" or called.seat in state.blind:
            return []
        return sorted((self._preview(called).depends_on - set(state.blind)) & self._rest.keys())

    def _preview(self, called: Called) -> CallPreview:
        """Return the preview of a call, computed once for each state of the game."""
        state = self._state()
        if self._previews[0] is not state:
            self._previews = state, []
        known = self._previews[1]
        found = next((cached for one, cached in known if one is called or one == called), None)
        if found is None:
            found = self._preview_call(called)
            known.append((called, found))
        return found

    @property
    def _tie_ns(self) -> int:
        """Largest time between calls that count as simultaneous, in ns."""
        return int(self._state().options["tie_ms"]) * MILLISECOND

    def _untied(self, called: Called) -> Called:
        """Return a call that came by no button with a stamp that ties with no other call.

        A call over the network, or one found late, may not decide who was first.
        """
        if CALL_SOURCE_KEY not in called.details:
            return called
        waiting = [one.at_ns for one in self.waiting if isinstance(one, Called)]
        near = [at for at in (*self._calls, *waiting) if abs(at - called.at_ns) <= self._tie_ns]
        return replace(called, at_ns=max(near) + self._tie_ns + 1) if near else called
