"""One button from edge to gesture, and what is remembered of it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace

from companion.config.controls import Controls, Gesture
from hardware.buttons import contact as contacts
from hardware.buttons import gestures
from hardware.buttons.contact import Change, Contact, Phase
from hardware.buttons.edge import Edge, Press
from hardware.buttons.gestures import Finger, Hand, Made, Pace

BOUNDS_NS = (1, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
"""Where the bins of the histogram end, each without its end; the last bin has none."""

LABELS = ("none", "< 0.1 ms", "< 0.5 ms", "< 1 ms", "< 2 ms", "< 5 ms", "< 10 ms", "longer")

MILLISECOND = 1_000_000
MANY_LOST = 50
"""One lost edge in so many presses is no fault."""

MANY_SPIKES = 5
"""So many sparks more than presses are no fault."""

WORN_NS = 12 * MILLISECOND
"""A switch that bounces for longer, twice the longest that was measured on any, is worn."""


@dataclass(frozen=True, slots=True)
class Bounces:
    """A histogram over the presses of one button: from the leading edge to the last bounce."""

    counts: tuple[int, ...] = (0,) * len(LABELS)
    longest_ns: int = 0

    def with_one(self, lasted_ns: int) -> Bounces:
        """Return the histogram with one more press."""
        bin_ = bisect_right(BOUNDS_NS, lasted_ns)
        counts = tuple(count + (n == bin_) for n, count in enumerate(self.counts))
        return Bounces(counts, max(self.longest_ns, lasted_ns))

    @property
    def presses(self) -> int:
        """How many presses it holds."""
        return sum(self.counts)

    def __str__(self) -> str:
        some = [f"{label} {count}" for label, count in zip(LABELS, self.counts, strict=True) if count]
        longest = f"; longest {self.longest_ns / 1e6:.2f} ms" if self.longest_ns else ""
        presses = f"{self.presses} press{'es' if self.presses > 1 else ''}"
        return f"{presses}: {', '.join(some)}{longest}" if some else "not pressed yet"


@dataclass(frozen=True, slots=True)
class Times:
    """The times that tell a press from a bounce, a gesture from another, a held button from a stuck one."""

    lock_ns: int
    pace: Pace
    stuck_ns: int

    @classmethod
    def of(cls, controls: Controls) -> Times:
        """Return the times of a table's controls."""
        pace = Pace(controls.long_ms * MILLISECOND, controls.double_ms * MILLISECOND)
        return cls(controls.lock_ms * MILLISECOND, pace, controls.stuck_s * 1000 * MILLISECOND)


@dataclass(frozen=True, slots=True)
class KeyState:
    """What is known of a button, for the doctor and the pages.

    ``edges`` counts everything that its contact did, ``spikes`` what was too short for a press, ``lost``
    changes that were found only by looking again.
    """

    seat: int
    button: int
    pin: int
    closed: bool = False
    stuck: bool = False
    edges: int = 0
    lost: int = 0
    spikes: int = 0
    bounces: Bounces = field(default_factory=Bounces)

    @property
    def fault(self) -> str:
        """What is wrong with the button and what helps, in words; empty where nothing is."""
        if self.stuck:
            return f"it is stuck: see whether something lies on it or GPIO{self.pin} touches ground"
        if self.lost > self.bounces.presses // MANY_LOST:
            return f"{self.lost} of its edges were lost: see whether the Pi is overloaded"
        if self.spikes > MANY_SPIKES + self.bounces.presses:
            return f"{self.spikes} sparks that were no presses: twist its wires, add 10 kΩ to 3.3 V"
        if self.bounces.longest_ns > WORN_NS:
            return (
                f"it bounces for up to {self.bounces.longest_ns / 1e6:.0f} ms: replace it, or raise lock_ms"
            )
        return ""


class Key:
    """One button.  ``feel`` and ``wait`` return the presses that are certain by then.

    ``touched`` is whether the newest edge may be the leading edge of a press.

    On a busy machine an edge may come after ``wait`` was told of a time later than its stamp.  So every edge
    is taken on the contact as its edges alone left it, and no change is told twice.
    """

    def __init__(self, state: KeyState, wanted: frozenset[Gesture], times: Times) -> None:
        self._state = state
        self._edges = self._lost = 0
        self.stuck = False
        self._contact, self._hand, self._times = Contact(), Hand(wanted), times
        self._by_edges = self._contact
        self._changed_ns = {True: -1, False: -1}  # the newest press and release that were told
        self._down_ns: int | None = None
        self.touched = False
        self._bounce = 0, 0  # the leading edge of the newest press, and its newest bounce

    @property
    def state(self) -> KeyState:
        """What is known of the button now."""
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
        """When a press began of which it is not known yet what it is, if there is one."""
        first_ns = self._hand.undecided_ns
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

    def hold(self, at_ns: int) -> None:
        """Take the button as held since before anybody listened: that is no press."""
        self._contact = self._by_edges = Contact(Phase.CLOSED, at_ns, raw=True, raw_ns=at_ns)
        self._hand = replace(self._hand, finger=Finger.SPENT)
        self._down_ns = at_ns

    def feel(self, edge: Edge) -> list[Press]:
        """Take an edge."""
        self._contact, changes = contacts.heard(self._by_edges, edge, self._times.lock_ns)
        self._by_edges = self._contact
        presses = self._told(changes, edge.at_ns)
        first_ns = self._bounce[0]
        self.touched = self._contact.phase is Phase.TOUCHED and self._contact.began_ns == self._contact.raw_ns
        if self.touched:
            self._bounce = self._contact.raw_ns, self._contact.raw_ns
        elif edge.at_ns < first_ns + self._times.lock_ns:
            self._bounce = first_ns, self._contact.raw_ns
        self._edges += 1
        self._lost += edge.late
        return presses

    def wait(self, now_ns: int) -> list[Press]:
        """Take note of the time."""
        self._contact, changes = contacts.passed(self._contact, now_ns, self._times.lock_ns)
        return self._told(changes, now_ns)

    def due_ns(self) -> int | None:
        """Return when ``wait`` will have something to tell, if nothing happens before."""
        certain_ns = self._contact.due_ns(self._times.lock_ns)
        dues = (
            certain_ns,
            self._hand.due_ns(self._times.pace) if certain_ns is None else None,
            None if self._down_ns is None or self.stuck else self._down_ns + self._times.stuck_ns,
        )
        return min((due_ns for due_ns in dues if due_ns is not None), default=None)

    def _told(self, changes: list[Change], now_ns: int) -> list[Press]:
        """Return the presses in some changes and in the time until now."""
        made: list[Made] = []
        for change in self._new(changes):
            self._hand, told = gestures.felt(self._hand, change, self._times.pace)
            made += told
            self._note(change)
        self._hand, told = gestures.waited(self._hand, self._contact.known_ns(now_ns), self._times.pace)
        self._judge(now_ns)
        seat, button = self._state.seat, self._state.button
        return [Press(one.at_ns, seat, button, one.gesture, one.late) for one in (*made, *told)]

    def _new(self, changes: list[Change]) -> list[Change]:
        """Return the changes that were not told yet; the end of a press that turns out to be none is one."""
        new = [one for one in changes if one.at_ns > self._changed_ns[one.closed]]
        for one in new:
            self._changed_ns[one.closed] = one.at_ns
        if self._contact.phase is Phase.OPEN and self._changed_ns[True] > self._changed_ns[False]:
            self._changed_ns[False] = self._contact.raw_ns
            new.append(Change(self._contact.raw_ns, False))
        return new

    def _note(self, change: Change) -> None:
        """Remember a press, or, when it is over, how it bounced."""
        if change.closed:
            self._down_ns = change.at_ns
        elif self._down_ns == self._bounce[0]:
            first_ns, last_ns = self._bounce
            self._state = replace(self._state, bounces=self._state.bounces.with_one(last_ns - first_ns))
        if not change.closed:
            self._down_ns = None

    def _judge(self, now_ns: int) -> None:
        """Tell whether the button is stuck; letting go of one that was is no gesture."""
        stuck = self._down_ns is not None and now_ns >= self._down_ns + self._times.stuck_ns
        if stuck and not self.stuck:
            self._hand = replace(self._hand, finger=Finger.SPENT)
        self.stuck = stuck
