"""Debouncing: from the edges of a bouncing contact to presses and releases, as pure functions.

A press counts from its leading edge, so that the order of presses does not depend on the switches' bouncing.
Ganssle (A Guide to Debouncing, 2004) measured 18 switches: bounces of 1.56 ms on average, 6.2 ms at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

MIN_CLOSED_NS = 500_000
"""Total closed time below which a contact was not pressed, in ns: interference from a spark or a wire."""


class Phase(StrEnum):
    """The phase of a contact."""

    OPEN = "open"
    TOUCHED = "touched"  # after a leading edge, until the total closed time makes it a press
    CLOSED = "closed"
    LEFT = "left"  # after an opening edge; released if still open when the lock is over


@dataclass(frozen=True, slots=True)
class Edge:
    """A change of a button's contact, bounces and all.

    Parameters
    ----------
    at_ns
        When the kernel saw it, CLOCK_MONOTONIC in ns.
    pin
        The number that follows ``GPIO``.
    closed
        Whether the contact is closed from now on, that is, the button pressed.
    late
        Whether it was found by a check, so that ``at_ns`` is the time of the check.
    """

    at_ns: int
    pin: int
    closed: bool
    late: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A press or release, stamped with its leading edge; ``late`` as in ``Edge``."""

    at_ns: int
    closed: bool
    late: bool = False


@dataclass(frozen=True, slots=True)
class Contact:
    """The state of a button's contact, from its edges.

    Parameters
    ----------
    began_ns
        The leading edge of the current or last press or release.
    raw, raw_ns
        Whether the newest edge closed it, and its time.
    touched_ns
        Total closed time from ``began_ns`` to ``raw_ns``.
    spikes
        Number of closures that were too short to count.
    """

    phase: Phase = Phase.OPEN
    began_ns: int = 0
    raw: bool = False
    raw_ns: int = 0
    touched_ns: int = 0
    late: bool = False
    spikes: int = 0

    @property
    def closed(self) -> bool:
        """Whether the button counts as pressed."""
        return self.phase in {Phase.CLOSED, Phase.LEFT}

    def known_ns(self, now_ns: int) -> int:
        """Return the time until which it is certain that no press or release has begun."""
        if self.phase in {Phase.TOUCHED, Phase.LEFT}:
            return self.began_ns
        return self.raw_ns if self.closed and not self.raw else now_ns

    def due_ns(self, lock_ns: int) -> int | None:
        """Return when the phase changes without further edges, ``None`` for never."""
        lock_over = self.began_ns + lock_ns
        match self.phase:
            case Phase.TOUCHED:
                return self.raw_ns + MIN_CLOSED_NS - self.touched_ns if self.raw else lock_over
            case Phase.LEFT:
                return lock_over
            case Phase.CLOSED:
                return None if self.raw else lock_over
            case Phase.OPEN:
                return None


def after_time(contact: Contact, now_ns: int, lock_ns: int) -> tuple[Contact, list[Change]]:
    """Return the contact after a time without edges, and the changes that are certain by then."""
    changes: list[Change] = []
    while (due_ns := contact.due_ns(lock_ns)) is not None and due_ns <= now_ns:
        contact, change = next_phase(contact)
        changes += [change] if change else []
    return contact, changes


def next_phase(contact: Contact) -> tuple[Contact, Change | None]:
    """Return the contact in its next phase, and the change that this makes certain."""
    match contact.phase:
        case Phase.TOUCHED if contact.raw:
            return replace(contact, phase=Phase.CLOSED), Change(contact.began_ns, True, contact.late)
        case Phase.TOUCHED:
            return replace(contact, phase=Phase.OPEN, spikes=contact.spikes + 1), None
        case Phase.LEFT if contact.raw:
            return replace(contact, phase=Phase.CLOSED), None
        case Phase.LEFT:
            return replace(contact, phase=Phase.OPEN), Change(contact.began_ns, False, contact.late)
        case _:
            return replace(contact, phase=Phase.LEFT, began_ns=contact.raw_ns), None


def after_edge(contact: Contact, edge: Edge, lock_ns: int) -> tuple[Contact, list[Change]]:
    """Return the contact after an edge, and the changes that are certain by then.

    Edges must be in the order of their times; two of the same level in a row, as after a lost edge, count as
    one.
    """
    at_ns = max(edge.at_ns, contact.raw_ns)
    contact, changes = after_time(contact, at_ns, lock_ns)
    if edge.closed == contact.raw:
        return contact, changes
    touched_ns = contact.touched_ns + (at_ns - contact.raw_ns if contact.raw else 0)
    after = replace(contact, raw=edge.closed, raw_ns=at_ns, touched_ns=touched_ns)
    if contact.phase is Phase.OPEN:
        after = replace(after, phase=Phase.TOUCHED, began_ns=at_ns, touched_ns=0, late=edge.late)
    elif contact.phase is Phase.CLOSED and at_ns >= contact.began_ns + lock_ns:
        after = replace(after, phase=Phase.LEFT, began_ns=at_ns, late=edge.late)
    return after, changes


def debounce_edges(edges: Iterable[Edge], lock_ns: int) -> Iterator[Change]:
    """Yield the changes in the edges of one contact, with no edges after the last."""
    contact = Contact()
    for edge in edges:
        contact, changes = after_edge(contact, edge, lock_ns)
        yield from changes
    yield from after_time(contact, contact.raw_ns + 3 * lock_ns, lock_ns)[1]
