"""Events of a game that were heard in two versions, and what the table itself says of them.

Whoever can publish in a table's name may send an event that hangs together and was never in its log.  The
table's answer to the hall's own question decides: what the copy has otherwise is taken back, and stays as an
earlier edition.  A game whose round is closed is never changed so; the director is told.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

from companion.hall.contract.messages import Events
from companion.hall.replica import GameKey

BEHIND_S = 5.0
"""Seconds in which a table's summary must catch up with the events that were heard of it."""

logger = logging.getLogger(__name__)


class Table(Protocol):
    """The table that is disputed about, as the hall sees it."""

    id: str
    fault: str

    def change(self) -> None:
        """Note that pages must show it anew."""


class Accepted(Protocol):
    """What the hall has accepted of the tables' events."""

    def number(self, key: GameKey) -> int:
        """Return the number of a game's newest event."""

    def hash_at(self, key: GameKey, number: int) -> bytes:
        """Return the hash of an event, nothing where there is none."""

    def rewind(self, key: GameKey, after: int) -> None:
        """Take back the events of a game after a number."""

    def lack(self, key: GameKey, known: bytes, until: int) -> None:
        """Note that a game is to be asked for."""


class Conflicts:
    """The games that are disputed: ``after`` is from where the table is asked next, by game.

    ``closed`` says whether the round of a game is closed.
    """

    def __init__(self, accepted: Accepted) -> None:
        self.accepted = accepted
        self.after: dict[GameKey, int] = {}
        self.behind: dict[GameKey, tuple[float, int]] = {}
        self.closed: Callable[[GameKey], bool] = lambda _key: False

    def open(self, seen: Table, key: GameKey, number: int, told: str) -> None:
        """Take up that an accepted event is not what the table says now; ``told`` is for the wall."""
        self.fault(seen, told)
        if number and not self.closed(key):
            self.after.setdefault(key, number - 1)
            self.accepted.lack(key, self.accepted.hash_at(key, number), number)

    def compare(self, seen: Table, key: GameKey, number: int, digest: bytes) -> None:
        """Hold a summary's newest event, not beyond what was accepted, against the copy."""
        if number < 1:
            return
        if self.accepted.hash_at(key, number) != digest:
            self.open(seen, key, number, f"game {key[1]}: the table's log and the hall's copy differ")
        elif number < self.accepted.number(key):
            self.behind.setdefault(key, (time.monotonic() + BEHIND_S, number))
        else:
            self.behind.pop(key, None)

    def look(self, now_s: float) -> None:
        """Dispute what goes beyond a summary that never caught up."""
        for key, (due_s, number) in list(self.behind.items()):
            if due_s <= now_s:
                del self.behind[key]
                if not self.closed(key):
                    self.after.setdefault(key, number)
                    self.accepted.lack(key, b"", number)

    def settle(self, seen: Table, events: Events) -> None:
        """Take in the table's own word: rewind to where it differs, or go on behind what is alike."""
        key = (seen.id, events.game)
        if key not in self.after:
            return
        after = events.rows[0].number - 1 if events.rows else self.after[key]
        if after > self.accepted.number(key):
            return
        before = self.accepted.hash_at(key, after) if after else b""
        for row in events.rows:
            if row.chain_hash(events.game, before) != row.hash:
                if row.number == after + 1:
                    self.after[key] = 0  # it differs further back
                return
            if self.accepted.hash_at(key, row.number) != row.hash:
                self.decide(seen, key, row.number - 1)
                return
            before, self.after[key] = row.hash, row.number
        if events.last < self.accepted.number(key) and self.after[key] >= events.last:
            self.decide(seen, key, events.last)
        elif self.after[key] >= self.accepted.number(key):
            self.over(seen, key)

    def decide(self, seen: Table, key: GameKey, after: int) -> None:
        """Let the table's word count after a number."""
        if self.after.pop(key, None) is not None and not self.closed(key):
            logger.warning("%s game %s: what was heard after event %s is not the table's", *key, after)
            if after < self.accepted.number(key):
                self.accepted.rewind(key, after)
            self.fault(seen, "")

    def over(self, seen: Table, key: GameKey) -> None:
        """Note that the table has what the copy has."""
        del self.after[key]
        self.fault(seen, "")

    def fault(self, seen: Table, text: str) -> None:
        """Tell on the wall what is disputed."""
        if seen.fault != text:
            seen.fault = text
            seen.change()
