"""Debouncing: from the edges of a bouncing contact to presses and releases; pure, over times and levels.

A press counts from its leading edge, so that who was first does not depend on whose switch bounces less.
Ganssle (A Guide to Debouncing, 2004) measured 18 switches: bounces of 1.56 ms on average, 6.2 ms at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from hardware.buttons.edge import Edge

SPIKE_NS = 500_000
"""A contact that was closed for less than this in all was not pressed: a spark, a neighbouring wire."""


class Phase(StrEnum):
    """What is known of a contact."""

    OPEN = "open"
    TOUCHED = "touched"  # a leading edge came; pressed as soon as it was closed for long enough in all
    CLOSED = "closed"
    LEFT = "left"  # an opening edge came; released if it is still open when the lock is over


@dataclass(frozen=True, slots=True)
class Change:
    """A press or release, stamped with its leading edge; ``late`` as in ``Edge``."""

    at_ns: int
    closed: bool
    late: bool = False


@dataclass(frozen=True, slots=True)
class Contact:
    """A button's contact as far as its edges tell.

    Parameters
    ----------
    began_ns
        The leading edge of the press or release that is going on or was last.
    raw, raw_ns
        Whether the newest edge closed it, and when that was.
    touched_ns
        How long it was closed in all since ``began_ns``, up to ``raw_ns``.
    spikes
        How often it closed for too short a time to count.
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
        """Return until when it is certain that the button was not pressed or let go meanwhile."""
        if self.phase in {Phase.TOUCHED, Phase.LEFT}:
            return self.began_ns
        return self.raw_ns if self.closed and not self.raw else now_ns

    def due_ns(self, lock_ns: int) -> int | None:
        """Return when time alone will change something, if nothing happens before."""
        lock_over = self.began_ns + lock_ns
        match self.phase:
            case Phase.TOUCHED:
                return self.raw_ns + SPIKE_NS - self.touched_ns if self.raw else lock_over
            case Phase.LEFT:
                return lock_over
            case Phase.CLOSED:
                return None if self.raw else lock_over
            case Phase.OPEN:
                return None


def passed(contact: Contact, now_ns: int, lock_ns: int) -> tuple[Contact, list[Change]]:
    """Return the contact as it is when no edge came until a time, and what has become certain by then."""
    changes: list[Change] = []
    while (due_ns := contact.due_ns(lock_ns)) is not None and due_ns <= now_ns:
        contact, change = settled(contact)
        changes += [change] if change else []
    return contact, changes


def settled(contact: Contact) -> tuple[Contact, Change | None]:
    """Return the contact when what was due is over, and the press or release that this makes certain."""
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


def heard(contact: Contact, edge: Edge, lock_ns: int) -> tuple[Contact, list[Change]]:
    """Return the contact after an edge, and the presses and releases that are certain by then.

    Edges of one contact come in the order of their times; two of the same level in a row, as a lost edge
    leaves them, are taken as one.
    """
    at_ns = max(edge.at_ns, contact.raw_ns)
    contact, changes = passed(contact, at_ns, lock_ns)
    if edge.closed == contact.raw:
        return contact, changes
    touched_ns = contact.touched_ns + (at_ns - contact.raw_ns if contact.raw else 0)
    after = replace(contact, raw=edge.closed, raw_ns=at_ns, touched_ns=touched_ns)
    if contact.phase is Phase.OPEN:
        after = replace(after, phase=Phase.TOUCHED, began_ns=at_ns, touched_ns=0, late=edge.late)
    elif contact.phase is Phase.CLOSED and at_ns >= contact.began_ns + lock_ns:
        after = replace(after, phase=Phase.LEFT, began_ns=at_ns, late=edge.late)
    return after, changes


def debounced(edges: Iterable[Edge], lock_ns: int) -> Iterator[Change]:
    """Yield the presses and releases in the edges of one contact; after the last edge all is quiet."""
    contact = Contact()
    for edge in edges:
        contact, changes = heard(contact, edge, lock_ns)
        yield from changes
    yield from passed(contact, contact.raw_ns + 3 * lock_ns, lock_ns)[1]
