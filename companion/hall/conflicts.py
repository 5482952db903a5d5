"""Conflicts between accepted events and a table's own log, and their resolution.

A client that can publish in a table's name may send events with a valid hash chain that were never in its
log.  The table's answer to a replay request decides: accepted events that differ are dropped, and stay in
the replica as an earlier edition.  A game whose round is closed is never changed; the director sees the
fault.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

from companion.hall.contract.messages import Events
from companion.hall.replica import GameKey

MAX_SUMMARY_LAG_S = 5.0
"""Seconds in which a table's summary must catch up with its accepted events."""

logger = logging.getLogger(__name__)


class Table(Protocol):
    """What conflicts need of a table's record."""

    id: str
    fault: str

    def change(self) -> None:
        """Raise the revision, so that pages render the table again."""


class AcceptedEvents(Protocol):
    """The events that the hall has accepted."""

    def number(self, key: GameKey) -> int:
        """Return the number of a game's newest event."""

    def hash_at(self, key: GameKey, number: int) -> bytes:
        """Return the hash of an event, empty where there is none."""

    def rewind(self, key: GameKey, after: int) -> None:
        """Drop the events of a game after a number."""

    def note_gap(self, key: GameKey, known: bytes, until: int) -> None:
        """Note that events of a game are to be requested."""


class Conflicts:
    """Open conflicts: ``after`` is the number after which events are compared next, by game.

    ``lagging`` maps games whose summaries are behind the accepted events to a deadline and the
    summary's event number.  ``closed`` returns whether the round of a game is closed.
    """

    def __init__(self, accepted: AcceptedEvents) -> None:
        self.accepted = accepted
        self.after: dict[GameKey, int] = {}
        self.lagging: dict[GameKey, tuple[float, int]] = {}
        self.closed: Callable[[GameKey], bool] = lambda _key: False

    def open(self, record: Table, key: GameKey, number: int, fault_text: str) -> None:
        """Open a conflict about an event; ``fault_text`` is the fault that the wall shows."""
        self.set_fault(record, fault_text)
        if number and not self.closed(key):
            self.after.setdefault(key, number - 1)
            self.accepted.note_gap(key, self.accepted.hash_at(key, number), number)

    def compare(self, record: Table, key: GameKey, number: int, digest: bytes) -> None:
        """Compare a summary's newest event, which must be an accepted number, with the accepted one."""
        if number < 1:
            return
        if self.accepted.hash_at(key, number) != digest:
            self.open(record, key, number, f"game {key[1]}: the table's log and the hall's copy differ")
        elif number < self.accepted.number(key):
            self.lagging.setdefault(key, (time.monotonic() + MAX_SUMMARY_LAG_S, number))
        else:
            self.lagging.pop(key, None)

    def expire(self, now_s: float) -> None:
        """Open conflicts about events beyond summaries that never caught up."""
        for key, (due_s, number) in list(self.lagging.items()):
            if due_s <= now_s:
                del self.lagging[key]
                if not self.closed(key):
                    self.after.setdefault(key, number)
                    self.accepted.note_gap(key, b"", number)

    def resolve(self, record: Table, events: Events) -> None:
        """Compare the table's replayed events with the accepted ones: rewind to a difference, or continue."""
        key = (record.id, events.game)
        if key not in self.after:
            return
        after = events.rows[0].number - 1 if events.rows else self.after[key]
        if after > self.accepted.number(key):
            return
        before = self.accepted.hash_at(key, after) if after else b""
        for row in events.rows:
            if row.chain_hash(events.game, before) != row.hash:
                if row.number == after + 1:
                    self.after[key] = 0  # the difference is further back
                return
            if self.accepted.hash_at(key, row.number) != row.hash:
                self.accept_table(record, key, row.number - 1)
                return
            before, self.after[key] = row.hash, row.number
        if events.last < self.accepted.number(key) and self.after[key] >= events.last:
            self.accept_table(record, key, events.last)
        elif self.after[key] >= self.accepted.number(key):
            self.close(record, key)

    def accept_table(self, record: Table, key: GameKey, after: int) -> None:
        """Resolve a conflict for the table: drop the accepted events after a number."""
        if self.after.pop(key, None) is not None and not self.closed(key):
            logger.warning("%s game %s: what was heard after event %s is not the table's", *key, after)
            if after < self.accepted.number(key):
                self.accepted.rewind(key, after)
            self.set_fault(record, "")

    def close(self, record: Table, key: GameKey) -> None:
        """Close a conflict without a difference."""
        del self.after[key]
        self.set_fault(record, "")

    def set_fault(self, record: Table, text: str) -> None:
        """Set the fault that the wall shows for the table."""
        if record.fault != text:
            record.fault = text
            record.change()
