"""Calls wait until their tiles are seen at rest, some seconds at most; everything else keeps its order.

So does the host's word that the scores are right, which counts what lies there.
What is stamped after a waiting call waits behind it, so that the rules hear
everything in the order in which it happened.  A call whose tiles moved when
it was made carries what was seen at rest after it, if anything was: no older
picture may refuse it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from companion.model.calls import MILLISECOND, SECOND, Called, Input, Order, Ordered, Seen
from companion.rules.confirming import CallPreview
from companion.rules.reorder import ReorderBuffer
from companion.rules.state import State
from companion.table.rest import NEVER_NS, Sight, Stay
from companion.table.views import SHARED

WINDOW_NS = 15 * MILLISECOND
"""How long anything waits for what was stamped before it: far longer than an edge takes to arrive."""

BY = "by"
"""The detail of an accepted call that says what it came by, where that was no button."""

StateNow = Callable[[], State]
"""Returns the game's state now."""

Foresees = Callable[[Called], CallPreview]
"""Returns what a call would lead to now."""


def usual(called: Called) -> CallPreview:
    """Return that a call depends on the caller's tiles and the shared board."""
    return CallPreview(frozenset({SHARED, called.seat}), refused=False)


MOST_WAIT_S = 5.0
"""How long a call waits for its tiles where the host says nothing: hands have left the table by then."""

BLIND = 2
"""How many times longer a call waits that nobody can judge without the board: it overtakes nobody meanwhile,
and would have to be made again."""


def repeats(called: Called, waiting: Input) -> bool:
    """Return whether a call is the same as one that waits."""
    if not isinstance(waiting, Called) or waiting.at_ns >= called.at_ns:
        return False
    return (waiting.seat, waiting.call, waiting.details) == (called.seat, called.call, called.details)


def confirms(heard: Input) -> bool:
    """Return whether something heard is the host's word that the scores are right."""
    return isinstance(heard, Ordered) and heard.order is Order.CONFIRM


def tells(seen: Seen, at_ns: int, *, moved: bool) -> bool:
    """Return whether a sighting after a call tells what lay there at its stamp.

    What was seen to be laid after the call does not.  Where nothing ``moved`` at the call, only what is new
    and lay there already does: it was overlooked or misread until then.
    """
    if seen.laid_after_ns is None:
        return moved
    return seen.laid_after_ns <= at_ns


class Waiting(ReorderBuffer):
    """Orders what is heard, and keeps calls until their tiles have been seen.

    Parameters
    ----------
    state
        Where to look for the policy in force and who sits where.
    places
        The seats whose tiles a camera sees, or ``SHARED``.
    wait_ns
        How long a call may wait.
    foresees
        Tells what a call would lead to now.

    ``repeated`` is told of a call that is heard again while it waits.  ``look_again`` is asked for a look at
    the whole picture before a call is refused for what was seen, or accepted unconfirmed.
    ``undecided`` returns when, in the game's time, the oldest press began that may still become another
    gesture: nothing that was stamped later is decided before.
    """

    def __init__(
        self,
        state: StateNow,
        places: Iterable[int],
        wait_ns: int = round(MOST_WAIT_S * SECOND),
        foresees: Foresees = usual,
    ) -> None:
        super().__init__(WINDOW_NS)
        self._state, self._wait_ns, self._foresees = state, wait_ns, foresees
        self.look_again: Callable[[], None] = lambda: None
        self.repeated: Callable[[Called], None] = lambda _called: None
        self._foreseen: tuple[State | None, list[tuple[Called, CallPreview]]] = None, []
        self._looking_for: Input | None = None
        self._looked_ns = NEVER_NS
        self._sights = dict.fromkeys(places, Sight())
        self._calls: deque[int] = deque(maxlen=64)
        self.undecided: Callable[[], int | None] = lambda: None
        self._was_undecided: int | None = None
        self._made_ns: dict[int, int] = {}
        self._held: dict[int, Sequence[Stay]] = {}

    def saw(self, place: int, at_ns: int, whole_ns: int | None) -> None:
        """Take in a frame of that game's time in which a place was at rest, or not (``None``).

        ``whole_ns`` is when the whole picture was looked at last.
        """
        self._sights[place] = self._sights[place].after(at_ns, whole_ns)

    def held(self, place: int, loose: Sequence[Stay]) -> None:
        """Take in which loose tiles of a place have been plainly in sight."""
        self._held[place] = loose

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats whose call waits for its tiles to be seen, or behind one that does."""
        waiting = list(self.waiting)
        if not (waiting and isinstance(waiting[0], Called) and not self._seen(waiting[0])):
            return ()
        return tuple(dict.fromkeys(heard.seat for heard in waiting if isinstance(heard, Called)))

    def add(self, heard: Input) -> None:
        """Sort in something heard; a call that somebody repeats while it waits is one."""
        if isinstance(heard, Called) and any(repeats(heard, one) for one in self.waiting):
            self.repeated(heard)
        else:
            super().add(heard)

    def watermark_ns(self, now_ns: int) -> int:
        """Return the stamp up to which nothing more is expected; a waiting call holds the clocks too."""
        held = [] if self._was_undecided is None else [self._was_undecided]
        return min([now_ns - self.window_ns, *held, *(heard.at_ns for heard in self.waiting[:1])])

    def due_ns(self) -> int | None:
        """Return when the first that waits is ready, if no camera makes it ready before."""
        held = (
            self.waiting and self._was_undecided is not None and self.waiting[0].at_ns > self._was_undecided
        )
        return self._ready_ns(self.waiting[0]) if self.waiting and not held else None

    def pop_ready(self, now_ns: int) -> list[Input]:
        """Return, and wait no longer for, what is ready, in order.

        What a call waits for depends on what was decided before it, so that each call begins another answer.
        """
        ready: list[Input] = []
        held_ns = self._held_ns()
        self._let_pass()
        self._look_for_first()
        while self.waiting and self._ready_ns(self.waiting[0]) <= now_ns and self.waiting[0].at_ns <= held_ns:
            if ready and isinstance(self.waiting[0], Called):
                break
            first = self.waiting.pop(0)
            if isinstance(first, Called) and (later := self._after_buttons(first)) is not first:
                self.add(later)
                continue
            if isinstance(first, Called):
                self._calls.append(first.at_ns)
                self._made_ns.pop(id(first.details), None)
                awaited = self._leads_to(first).awaits_sighting
                first = replace(first, at_rest=False) if awaited else self._judgeable(first)
            elif confirms(first):
                ready += self._lain(first.at_ns)
            ready.append(first)
        return ready

    def drain(self) -> list[Input]:
        """Return everything that still waits, in order: nothing more will come."""
        return [self._judgeable(one) if isinstance(one, Called) else one for one in super().drain()]

    def _judgeable(self, called: Called) -> Called:
        """Return a call with what was seen at rest after it that tells what lay there at it, if anything."""
        sights = {place: self._sights[place] for place in self._places(called)}
        known = {place for place, one in sights.items() if one.knows(called.at_ns)}
        called = self._with_loose(called)
        if any(one.rest_ns < called.at_ns for place, one in sights.items() if place not in known):
            return replace(called, at_rest=False)
        news, later, laid = dict[int, Seen](), set[int](), set[int]()
        for one in (one for one in self.waiting if isinstance(one, Seen)):
            place = one.seat or SHARED
            if place not in sights or one.at_ns > sights[place].rest_ns:
                continue
            if not tells(one, called.at_ns, moved=place not in known):
                (later if one.laid_after_ns is None else laid).add(place)
            elif place not in laid and (place not in later or one.laid_after_ns is not None):
                news[place] = one
        return replace(called, at_rest=False, after=tuple(news.values())) if news else called

    def _lain(self, at_ns: int) -> list[Input]:
        """Return, and wait no longer for, what was seen after a time and tells what lay there at it."""
        found: list[Input] = []
        for one in [one for one in self.waiting if isinstance(one, Seen)]:
            place = one.seat or SHARED
            sight = self._sights.get(place, Sight())
            if one.at_ns <= sight.rest_ns and tells(one, at_ns, moved=not sight.knows(at_ns)):
                self.waiting.remove(one)
                found.append(one)
        return found

    def _let_pass(self) -> None:
        """Let what is seen after the first call be decided before it, where it waits for that alone."""
        first = next(iter(self.waiting), None)
        if not isinstance(first, Called) or not self._leads_to(first).awaits_sighting:
            return
        seen = next((one for one in self.waiting if isinstance(one, Seen)), None)
        if seen is not None and seen.at_ns < self._until_ns(first):
            self.waiting.pop(0)
            self._made_ns.setdefault(id(first.details), first.at_ns)
            self.add(replace(first, at_ns=seen.at_ns + 1))

    def _until_ns(self, called: Called) -> int:
        """Return until when a call waits at most, counted from when it was made."""
        return self._made_ns.get(id(called.details), called.at_ns) + self._wait_ns

    def _stays(self, called: Called) -> list[Stay]:
        """Return the caller's loose tiles that were plainly in sight before a call and after it."""
        if called.seat not in self._places(called):
            return []
        loose = self._held.get(called.seat, ())
        return [one for one in loose if one.from_ns <= called.at_ns <= one.until_ns]

    def _with_loose(self, called: Called) -> Called:
        """Return a call with the loose tiles that were laid after it, or left loose by a later whole look."""
        stays = sorted(
            (one for one in self._stays(called) if one.certain(called.at_ns)), key=lambda one: one.symbol
        )
        symbols, from_ns = "".join(one.symbol for one in stays), tuple(one.from_ns for one in stays)
        return replace(called, loose=symbols, loose_ns=from_ns)

    def _look_for_first(self) -> None:
        """Ask for a fresh look where what was seen would refuse the first call that waits, or not confirm it.

        It is asked for again where something moved at the tiles in the one that came.
        Scores are confirmed after such a look too.
        """
        first = next(iter(self.waiting), None)
        looked_ns = max((one.looked_ns for one in self._sights.values()), default=NEVER_NS)
        if first is None or (first is self._looking_for and looked_ns <= self._looked_ns):
            return
        if isinstance(first, Called):
            places = [] if self._seen(first) else self._places(first)
        else:
            places = self._counted if confirms(first) and not self._all_seen(first.at_ns) else []
        all_seen = all(self._sights[place].seen_since(first.at_ns) for place in places)
        if places and (all_seen or (isinstance(first, Called) and self._stays(first))):
            self._looking_for, self._looked_ns = first, max(looked_ns, first.at_ns)
            self.look_again()

    def _held_ns(self) -> int:
        """Return the stamp up to which things may be decided for all that buttons have left open.

        A press that has just become known may still be on its way here, so that what was open at the last
        look counts too.
        """
        before, self._was_undecided = self._was_undecided, self.undecided()
        return min((ns for ns in (before, self._was_undecided) if ns is not None), default=NEVER_NS * -1)

    def _ready_ns(self, heard: Input) -> int:
        """Return when something that is heard is decided at the latest, as far as is known now."""
        if confirms(heard) and not self._all_seen(heard.at_ns):
            return heard.at_ns + self._wait_ns
        if not isinstance(heard, Called):
            return heard.at_ns + self.window_ns
        apart = self._tie_ns if BY in heard.details else 0
        if self._seen(heard):
            return heard.at_ns + self.window_ns + apart
        blind = SHARED in self._places(heard) and self._leads_to(self._judgeable(heard)).board_unseen
        return max(self._until_ns(heard) + (BLIND * self._wait_ns if blind else 0), heard.at_ns + apart)

    def _seen(self, called: Called) -> bool:
        """Return whether the tiles that a call is about were seen at rest, or nobody needs to see them.

        A tile that certainly lay loose decides at once.  For what else was seen a call is refused only after
        one more look at the whole picture: a tile may have been overlooked.  So is one accepted that what was
        seen does not confirm: a tile may have been known where it no longer lies.  For what nobody has seen
        yet it is not refused while it may still be seen.
        """
        if self._leads_to(called).awaits_sighting:
            return False
        with_loose = self._with_loose(called)
        if with_loose.loose and self._leads_to(replace(with_loose, at_rest=False)).refused:
            return True
        sights = [self._sights[place] for place in self._places(called)]
        if not all(sight.seen_since(called.at_ns) for sight in sights):
            return False
        if all(sight.whole_ns >= called.at_ns for sight in sights):
            return True
        preview = self._leads_to(self._judgeable(called))
        return not (preview.refused or preview.unseen)

    @property
    def _counted(self) -> list[int]:
        """Where the tiles lie that count, but for those that people judge."""
        state = self._state()
        return [] if state.options["policy"] == "off" else sorted(self._sights.keys() - set(state.blind))

    def _all_seen(self, at_ns: int) -> bool:
        """Return whether all tiles that count were seen at rest at a time or after it, in one more look."""
        sights = [self._sights[place] for place in self._counted]
        return all(sight.seen_since(at_ns) and sight.whole_ns >= at_ns for sight in sights)

    def _places(self, called: Called) -> list[int]:
        """Return where the tiles lie on which a call depends, but for those that people judge."""
        state = self._state()
        if state.options["policy"] == "off" or called.seat in state.blind:
            return []
        return sorted((self._leads_to(called).depends_on - set(state.blind)) & self._sights.keys())

    def _leads_to(self, called: Called) -> CallPreview:
        """Return what a call would lead to now, worked out once in each state of the game."""
        state = self._state()
        if self._foreseen[0] is not state:
            self._foreseen = state, []
        known = self._foreseen[1]
        found = next((foreseen for one, foreseen in known if one is called or one == called), None)
        if found is None:
            found = self._foresees(called)
            known.append((called, found))
        return found

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
