"""One button: the decoder from edges to presses, and its status."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace

from companion.config.controls import Controls, Gesture
from hardware.buttons import contact as contacts
from hardware.buttons import gestures
from hardware.buttons.contact import Change, Contact, Edge, Phase
from hardware.buttons.gestures import DetectedGesture, FingerState, GestureState, GestureTimes

BIN_BOUNDS_NS = (1, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
"""Exclusive upper bounds of the histogram's bins, in ns; the last bin has none."""

BIN_LABELS = ("none", "< 0.1 ms", "< 0.5 ms", "< 1 ms", "< 2 ms", "< 5 ms", "< 10 ms", "longer")

MILLISECOND = 1_000_000
MIN_PRESSES_PER_LOST_EDGE = 50
"""Presses for each lost edge that is no fault."""

MAX_SPIKES_BEYOND_PRESSES = 5
"""Number of spikes beyond that of presses that is no fault."""

MAX_HEALTHY_BOUNCE_NS = 12 * MILLISECOND
"""Bounce time of a worn switch, in ns: twice the longest that was measured on any."""


@dataclass(frozen=True, slots=True)
class Press:
    """A press of a button.

    Parameters
    ----------
    at_ns
        The leading edge, CLOCK_MONOTONIC in ns; of the first press of a double one.  Presses are reported as
        their gestures become known, so not always in the order of their times: a button with only a short
        press reports at once, others up to a second later (see ``Buttons.undecided_ns``).
    seat, button
        Numbered from 1.
    late
        Whether the edge was lost and the press was found by a check: then ``at_ns`` is the time of the check,
        and no order may be decided by it.
    """

    at_ns: int
    seat: int
    button: int
    gesture: Gesture
    late: bool = False


@dataclass(frozen=True, slots=True)
class BounceHistogram:
    """A histogram of the bounce times of one button's presses."""

    counts: tuple[int, ...] = (0,) * len(BIN_LABELS)
    longest_ns: int = 0

    def with_one(self, lasted_ns: int) -> BounceHistogram:
        """Return the histogram with one more press."""
        bin_ = bisect_right(BIN_BOUNDS_NS, lasted_ns)
        counts = tuple(count + (n == bin_) for n, count in enumerate(self.counts))
        return BounceHistogram(counts, max(self.longest_ns, lasted_ns))

    @property
    def presses(self) -> int:
        """Number of presses."""
        return sum(self.counts)

    def __str__(self) -> str:
        some = [f"{label} {count}" for label, count in zip(BIN_LABELS, self.counts, strict=True) if count]
        longest = f"; longest {self.longest_ns / 1e6:.2f} ms" if self.longest_ns else ""
        presses = f"{self.presses} press{'es' if self.presses > 1 else ''}"
        return f"{presses}: {', '.join(some)}{longest}" if some else "not pressed yet"


@dataclass(frozen=True, slots=True)
class ButtonTimes:
    """The lock time of debouncing, the times of gestures, and the time of a stuck button, in ns."""

    lock_ns: int
    gesture: GestureTimes
    stuck_ns: int

    @classmethod
    def of(cls, controls: Controls) -> ButtonTimes:
        """Return the times of a table's controls."""
        gesture = GestureTimes(controls.long_ms * MILLISECOND, controls.double_ms * MILLISECOND)
        return cls(controls.lock_ms * MILLISECOND, gesture, controls.stuck_s * 1000 * MILLISECOND)


@dataclass(frozen=True, slots=True)
class ButtonStatus:
    """The status of a button, for the doctor and the pages.

    ``edges`` counts all edges, ``spikes`` closures that were too short for a press, and ``lost`` edges that
    were found by a check only.
    """

    seat: int
    button: int
    pin: int
    closed: bool = False
    stuck: bool = False
    edges: int = 0
    lost: int = 0
    spikes: int = 0
    bounces: BounceHistogram = field(default_factory=BounceHistogram)

    @property
    def fault(self) -> str:
        """The fault of the button and what to do about it, in words; empty for none."""
        if self.stuck:
            return f"it is stuck: see whether something lies on it or GPIO{self.pin} touches ground"
        if self.lost > self.bounces.presses // MIN_PRESSES_PER_LOST_EDGE:
            return f"{self.lost} of its edges were lost: see whether the Pi is overloaded"
        if self.spikes > MAX_SPIKES_BEYOND_PRESSES + self.bounces.presses:
            return f"{self.spikes} sparks that were no presses: twist its wires, add 10 kΩ to 3.3 V"
        if self.bounces.longest_ns > MAX_HEALTHY_BOUNCE_NS:
            return (
                f"it bounces for up to {self.bounces.longest_ns / 1e6:.0f} ms: replace it, or raise lock_ms"
            )
        return ""


class ButtonDecoder:
    """Decodes the edges of one button; ``on_edge`` and ``on_time`` return the presses that are certain.

    ``touched`` is whether the newest edge may be the leading edge of a press.

    On a busy machine an edge may arrive after ``on_time`` was called with a later time.  So every edge is
    applied to the contact as the edges alone left it, and no change is reported twice.
    """

    def __init__(self, state: ButtonStatus, wanted: frozenset[Gesture], times: ButtonTimes) -> None:
        self._state = state
        self._edges = self._lost = 0
        self.stuck = False
        self._contact, self._gesture, self._times = Contact(), GestureState(wanted), times
        self._by_edges = self._contact
        self._changed_ns = {True: -1, False: -1}  # the newest press and release that were reported
        self._down_ns: int | None = None
        self.touched = False
        self._bounce = 0, 0  # the leading edge of the newest press, and its newest bounce

    @property
    def state(self) -> ButtonStatus:
        """The button's status."""
        contact = self._contact
        return replace(
            self._state,
            closed=contact.closed,
            stuck=self.stuck,
            edges=self._edges,
            lost=self._lost,
            spikes=contact.spikes,
        )

    @property
    def pin(self) -> int:
        """The number that follows ``GPIO``."""
        return self._state.pin

    @property
    def undecided_ns(self) -> int | None:
        """The time of a press whose gesture is not known yet, if there is one."""
        first_ns = self._gesture.undecided_ns
        if first_ns is None and self._contact.phase is Phase.TOUCHED:
            return self._contact.began_ns
        return first_ns

    @property
    def raw(self) -> bool:
        """Whether the newest edge closed the contact."""
        return self._contact.raw

    @property
    def raw_ns(self) -> int:
        """When the newest edge came."""
        return self._contact.raw_ns

    def set_held(self, at_ns: int) -> None:
        """Set the button as held since the start, which is no press."""
        self._contact = self._by_edges = Contact(Phase.CLOSED, at_ns, raw=True, raw_ns=at_ns)
        self._gesture = replace(self._gesture, finger=FingerState.SPENT)
        self._down_ns = at_ns

    def on_edge(self, edge: Edge) -> list[Press]:
        """Apply an edge, and return the presses that it makes certain."""
        self._contact, changes = contacts.after_edge(self._by_edges, edge, self._times.lock_ns)
        self._by_edges = self._contact
        presses = self._presses(changes, edge.at_ns)
        first_ns = self._bounce[0]
        self.touched = self._contact.phase is Phase.TOUCHED and self._contact.began_ns == self._contact.raw_ns
        if self.touched:
            self._bounce = self._contact.raw_ns, self._contact.raw_ns
        elif edge.at_ns < first_ns + self._times.lock_ns:
            self._bounce = first_ns, self._contact.raw_ns
        self._edges += 1
        self._lost += edge.late
        return presses

    def on_time(self, now_ns: int) -> list[Press]:
        """Apply the passing of time, and return the presses that it makes certain."""
        self._contact, changes = contacts.after_time(self._contact, now_ns, self._times.lock_ns)
        return self._presses(changes, now_ns)

    def due_ns(self) -> int | None:
        """Return when ``on_time`` is due without further edges, ``None`` for never."""
        certain_ns = self._contact.due_ns(self._times.lock_ns)
        dues = (
            certain_ns,
            self._gesture.due_ns(self._times.gesture) if certain_ns is None else None,
            None if self._down_ns is None or self.stuck else self._down_ns + self._times.stuck_ns,
        )
        return min((due_ns for due_ns in dues if due_ns is not None), default=None)

    def _presses(self, changes: list[Change], now_ns: int) -> list[Press]:
        """Return the presses that changes and the time until now make certain."""
        made: list[DetectedGesture] = []
        for change in self._new_changes(changes):
            self._gesture, found = gestures.after_change(self._gesture, change, self._times.gesture)
            made += found
            self._record(change)
        self._gesture, found = gestures.after_time(
            self._gesture, self._contact.known_ns(now_ns), self._times.gesture
        )
        self._update_stuck(now_ns)
        seat, button = self._state.seat, self._state.button
        return [Press(one.at_ns, seat, button, one.gesture, one.late) for one in (*made, *found)]

    def _new_changes(self, changes: list[Change]) -> list[Change]:
        """Return changes that are new; a press that was withdrawn as a spike is followed by its release."""
        new = [one for one in changes if one.at_ns > self._changed_ns[one.closed]]
        for one in new:
            self._changed_ns[one.closed] = one.at_ns
        if self._contact.phase is Phase.OPEN and self._changed_ns[True] > self._changed_ns[False]:
            self._changed_ns[False] = self._contact.raw_ns
            new.append(Change(self._contact.raw_ns, False))
        return new

    def _record(self, change: Change) -> None:
        """Record the time of a press, and after its release its bounce time."""
        if change.closed:
            self._down_ns = change.at_ns
        elif self._down_ns == self._bounce[0]:
            first_ns, last_ns = self._bounce
            self._state = replace(self._state, bounces=self._state.bounces.with_one(last_ns - first_ns))
        if not change.closed:
            self._down_ns = None

    def _update_stuck(self, now_ns: int) -> None:
        """Update whether the button is stuck; its release is then no gesture."""
        stuck = self._down_ns is not None and now_ns >= self._down_ns + self._times.stuck_ns
        if stuck and not self.stuck:
            self._gesture = replace(self._gesture, finger=FingerState.SPENT)
        self.stuck = stuck
