"""Calls wait until their tiles are seen at rest, a second at most; everything else keeps its order.

What is stamped after a waiting call waits behind it, so that the rules hear
everything in the order in which it happened, and a call never meets a
sighting that began after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from companion.model.calls import MILLISECOND, SECOND, Called, Heard, Noted
from companion.model.phrases import phrase
from companion.rules.settling import Settling
from companion.rules.state import State
from companion.table.views import SHARED

WINDOW_NS = 15 * MILLISECOND
"""How long anything waits for what was stamped before it: far longer than an edge takes to arrive."""

RECENT_NS = 300 * MILLISECOND
"""A place seen at rest so shortly before a call was at rest when it was called."""

BY = "by"
"""The detail of an accepted call that says what it came by, where that was no button."""

StateNow = Callable[[], State]
"""Returns the game's state now."""


NEVER_NS = -(10**18)


@dataclass(frozen=True, slots=True)
class Sight:
    """What the cameras have seen of one place, in the game's time.

    ``rest_ns`` is the newest frame in which nothing moved there: all that lay there then has been told.
    ``moved_ns`` is the first frame after that in which something did.
    """

    rest_ns: int = NEVER_NS
    moved_ns: int | None = None

    def knows(self, at_ns: int) -> bool:
        """Return whether it is known what lay there at a time."""
        if self.rest_ns >= at_ns:
            return True
        moved = self.moved_ns is not None and self.moved_ns <= at_ns
        return self.rest_ns >= at_ns - RECENT_NS and not moved


class Waiting(Settling):
    """Orders what is heard, and keeps calls until their tiles have been seen.

    Parameters
    ----------
    state
        Where to look for the policy in force and who sits where.
    places
        The seats whose tiles a camera sees, or ``SHARED``.
    wait_ns
        How long a call may wait.

    ``undecided`` returns when, in the game's time, the oldest press began that may still become another
    gesture: nothing that was stamped later is decided before.
    """

    def __init__(self, state: StateNow, places: Iterable[int], wait_ns: int = SECOND) -> None:
        super().__init__(WINDOW_NS)
        self._state, self._wait_ns = state, wait_ns
        self._sights = dict.fromkeys(places, Sight())
        self._calls: deque[int] = deque(maxlen=64)
        self.undecided: Callable[[], int | None] = lambda: None
        self._was_undecided: int | None = None

    def saw(self, place: int, at_ns: int, *, at_rest: bool) -> None:
        """Take in whether all was at rest at a place in the frame of that game's time; from any thread."""
        before = self._sights[place]
        if at_rest:
            self._sights[place] = Sight(at_ns)
        elif before.moved_ns is None:
            self._sights[place] = replace(before, moved_ns=at_ns)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats whose call waits for its tiles to be seen."""
        first = next(iter(self.waiting), None)
        return (first.seat,) if isinstance(first, Called) and not self._seen(first) else ()

    def told_until(self, now_ns: int) -> int:
        """Return the stamp up to which nothing more is expected; a waiting call holds the clocks too."""
        held = [] if self._was_undecided is None else [self._was_undecided]
        return min([now_ns - self.window_ns, *held, *(heard.at_ns for heard in self.waiting[:1])])

    def due_ns(self) -> int | None:
        """Return when the first that waits is ready, if no camera makes it ready before."""
        held = (
            self.waiting and self._was_undecided is not None and self.waiting[0].at_ns > self._was_undecided
        )
        return self._ready_ns(self.waiting[0]) if self.waiting and not held else None

    def settled(self, now_ns: int) -> list[Heard]:
        """Return, and wait no longer for, what is ready, in order; a call that was not seen is told so."""
        ready: list[Heard] = []
        held_ns = self._held_ns()
        while self.waiting and self._ready_ns(self.waiting[0]) <= now_ns and self.waiting[0].at_ns <= held_ns:
            first = self.waiting.pop(0)
            if isinstance(first, Called) and (later := self._after_buttons(first)) is not first:
                self.add(later)
                continue
            if isinstance(first, Called):
                self._calls.append(first.at_ns)
                if not self._seen(first):
                    ready.append(Noted(first.at_ns, self._unseen(first)))
            ready.append(first)
        return ready

    def _held_ns(self) -> int:
        """Return the stamp up to which things may be decided for all that buttons have left open.

        A press that has just become known may still be on its way here, so that what was open at the last
        look counts too.
        """
        before, self._was_undecided = self._was_undecided, self.undecided()
        return min((ns for ns in (before, self._was_undecided) if ns is not None), default=NEVER_NS * -1)

    def _ready_ns(self, heard: Heard) -> int:
        """Return when something that is heard is decided at the latest, as far as is known now."""
        if not isinstance(heard, Called):
            return heard.at_ns + self.window_ns
        apart = self._tie_ns if BY in heard.details else 0
        return heard.at_ns + (self.window_ns + apart if self._seen(heard) else max(self._wait_ns, apart))

    def _seen(self, called: Called) -> bool:
        """Return whether the tiles that a call is about were seen at rest, or nobody needs to see them."""
        state = self._state()
        if called.seat in state.blind or state.options["policy"] == "off":
            return True
        place = called.seat if called.seat in self._sights else SHARED
        return place not in self._sights or self._sights[place].knows(called.at_ns)

    def _unseen(self, called: Called) -> str:
        """Return what is said of a call whose tiles were not seen at rest."""
        name = self._state().seat(called.seat).name
        within = phrase("a second") if self._wait_ns == SECOND else f"{self._wait_ns / SECOND:g} s"
        return phrase(
            "%(name)s: %(call)s: the tiles were not seen at rest within %(within)s; "
            "it is judged by what was seen before",
            name=name,
            call=called.call,
            within=within,
        )

    @property
    def _tie_ns(self) -> int:
        """How close calls are simultaneous."""
        return int(self._state().options["tie_ms"]) * MILLISECOND

    def _after_buttons(self, called: Called) -> Called:
        """Return a call so stamped that it ties with none, where it did not come by a button in time.

        What came over the air, or was found late, may not decide who was first.
        """
        if BY not in called.details:
            return called
        waiting = [heard.at_ns for heard in self.waiting if isinstance(heard, Called)]
        near = [at for at in (*self._calls, *waiting) if abs(at - called.at_ns) <= self._tie_ns]
        return replace(called, at_ns=max(near) + self._tie_ns + 1) if near else called
