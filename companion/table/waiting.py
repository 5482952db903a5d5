"""Calls wait until their tiles are seen at rest, some seconds at most; everything else keeps its order.

What is stamped after a waiting call waits behind it, so that the rules hear
everything in the order in which it happened.  A call whose tiles moved when
it was made carries what was seen at rest after it, if anything was: no older
picture may refuse it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from companion.model.calls import MILLISECOND, SECOND, Called, Heard, Seen
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

NeedsSight = Callable[[Called], bool]
"""Returns whether what a call would lead to now depends on what a camera sees."""

MOST_WAIT_S = 5.0
"""How long a call waits for its tiles where the host says nothing: hands have left the table by then."""

NEVER_NS = -(10**18)

MOST_RESTS = 32
"""Times of rest that are remembered of a place: more than any call waits through."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A time in which nothing moved at a place: its first and its newest frame, and the next that moved."""

    from_ns: int
    until_ns: int
    moved_ns: int | None = None

    def knows(self, at_ns: int) -> bool:
        """Return whether it is known from it what lay there at a time."""
        moved = self.moved_ns is not None and self.moved_ns <= at_ns
        return self.from_ns <= at_ns <= self.until_ns + RECENT_NS and not moved


@dataclass(frozen=True, slots=True)
class Sight:
    """What the cameras have seen of one place, in the game's time: when it was at rest, in order.

    All that lay there in the newest frame at rest has been told.
    """

    rests: tuple[Rest, ...] = ()

    @property
    def rest_ns(self) -> int:
        """The newest frame in which nothing moved."""
        return self.rests[-1].until_ns if self.rests else NEVER_NS

    def after(self, at_ns: int, *, at_rest: bool) -> Sight:
        """Return the sight after one more frame of that time."""
        before, last = self.rests[:-1], self.rests[-1] if self.rests else None
        if last is None or last.moved_ns is not None:
            return Sight((*self.rests, Rest(at_ns, at_ns))[-MOST_RESTS:]) if at_rest else self
        now = replace(last, until_ns=at_ns) if at_rest else replace(last, moved_ns=at_ns)
        return Sight((*before, now))

    def knows(self, at_ns: int) -> bool:
        """Return whether it is known what lay there at a time."""
        return any(rest.knows(at_ns) for rest in self.rests)

    def seen_since(self, at_ns: int) -> bool:
        """Return whether it is known what lay there at a time or after it."""
        return self.rest_ns >= at_ns or self.knows(at_ns)


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
    needs_sight
        Tells which calls need not wait: those that lead to the same whatever lies on the table.

    ``undecided`` returns when, in the game's time, the oldest press began that may still become another
    gesture: nothing that was stamped later is decided before.
    """

    def __init__(
        self,
        state: StateNow,
        places: Iterable[int],
        wait_ns: int = round(MOST_WAIT_S * SECOND),
        needs_sight: NeedsSight = lambda _called: True,
    ) -> None:
        super().__init__(WINDOW_NS)
        self._state, self._wait_ns, self._needs_sight = state, wait_ns, needs_sight
        self._sights = dict.fromkeys(places, Sight())
        self._calls: deque[int] = deque(maxlen=64)
        self.undecided: Callable[[], int | None] = lambda: None
        self._was_undecided: int | None = None

    def saw(self, place: int, at_ns: int, *, at_rest: bool) -> None:
        """Take in whether all was at rest at a place in the frame of that game's time."""
        self._sights[place] = self._sights[place].after(at_ns, at_rest=at_rest)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats whose call waits for its tiles to be seen, or behind one that does."""
        waiting = list(self.waiting)
        if not (waiting and isinstance(waiting[0], Called) and not self._seen(waiting[0])):
            return ()
        return tuple(dict.fromkeys(heard.seat for heard in waiting if isinstance(heard, Called)))

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
        """Return, and wait no longer for, what is ready, in order."""
        ready: list[Heard] = []
        held_ns = self._held_ns()
        while self.waiting and self._ready_ns(self.waiting[0]) <= now_ns and self.waiting[0].at_ns <= held_ns:
            first = self.waiting.pop(0)
            if isinstance(first, Called) and (later := self._after_buttons(first)) is not first:
                self.add(later)
                continue
            if isinstance(first, Called):
                self._calls.append(first.at_ns)
                first = self._judgeable(first)
            ready.append(first)
        return ready

    def rest(self) -> list[Heard]:
        """Return everything that still waits, in order: nothing more will come."""
        return [self._judgeable(one) if isinstance(one, Called) else one for one in super().rest()]

    def _judgeable(self, called: Called) -> Called:
        """Return a call with what was seen at rest after it, where its tiles moved when it was made."""
        sight = self._sight(called)
        if sight is None or sight.knows(called.at_ns):
            return called
        if sight.rest_ns < called.at_ns:
            return replace(called, at_rest=False)
        place = self._place(called)
        news = [
            seen.what
            for seen in self.waiting
            if isinstance(seen, Seen) and (seen.seat or SHARED) == place and seen.at_ns <= sight.rest_ns
        ]
        return replace(called, at_rest=False, after=news[-1]) if news else called

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
        sight = self._sight(called)
        return sight is None or sight.seen_since(called.at_ns) or not self._needs_sight(called)

    def _sight(self, called: Called) -> Sight | None:
        """Return what is seen of the tiles that a call is about, or ``None`` where people judge them."""
        state = self._state()
        if called.seat in state.blind or state.options["policy"] == "off":
            return None
        return self._sights.get(self._place(called))

    def _place(self, called: Called) -> int:
        """Return where the tiles lie that a call is about."""
        return called.seat if called.seat in self._sights else SHARED

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
