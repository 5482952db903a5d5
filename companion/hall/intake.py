"""What the hall knows of its tables: it takes in what they publish, without a gap and with the chain checked.

One thread does all of it.  Pages read what it left: values that are replaced, never changed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from companion.errors import BadLog, BadMessage, CompanionError, UnusableLog
from companion.events.log import Row
from companion.hall.conflicts import Conflicts
from companion.hall.contract import messages, topics
from companion.hall.contract.topics import Channel
from companion.hall.mqtt import MessageFailures, Received
from companion.hall.replica import NO_HEAD, GameKey, Head, LogReplica
from companion.hall.requests import (
    BROKER_TRIES,
    HTTP_CORRELATION,
    LONGEST_RETRY_S,
    UNKNOWN_END,
    Gap,
    HttpReplay,
    RequestTransport,
    TableRequests,
    parse_hash,
)

MOST_TABLES = 1000
"""Tables that a hall takes in; the broker's accounts say which there are."""

MOST_EARLY = 2000
"""Events of a game that are kept while those before them are missing."""

MOST_LACKING = 100
"""Games of one table that may lack events at once; a table has a few at most, but for a hall begun anew."""

AT_ONCE = 500
"""Messages that are taken in before they are kept and shown."""

PAUSE_S = 0.01
"""Seconds for which the thread waits for a first message; nothing waits for it to pass."""

GAP_S = 0.3
"""Seconds after which what is missing is asked for: until then it may still be on its way."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class TableRecord:
    """A table as the hall sees it.

    ``pages`` is where its own pages are, ``live`` its newest game, ``health`` what it said last, ``fault``
    what the hall cannot accept of it.  ``revision`` rises with every change; ``heard_s`` is when its newest
    event came, by ``time.monotonic``, and ``ahead_ns`` by how much that clock is ahead of the game's.
    """

    id: str
    name: str = ""
    online: bool = False
    pages: str = ""
    health: dict[str, Any] = field(default_factory=dict)
    live: GameReplay | None = None
    fault: str = ""
    revision: int = 0
    heard_s: float = 0.0
    ahead_ns: int = 0

    def change(self) -> None:
        """Note that pages must show it anew."""
        self.revision += 1


class Intake:
    """Takes in what tables publish; ``revision`` rises with every change that pages may show.

    ``fault`` is what keeps it from being kept, ``failed`` a fault of the program itself, ``lost`` are the
    messages that such faults have cost.
    """

    def __init__(self, replica: LogReplica, hall: str = "hall") -> None:
        self.replica, self.hall = replica, hall
        self.queue: SimpleQueue[Received] = SimpleQueue()
        self.heads = dict(replica.heads())
        self.tables: dict[str, TableRecord] = {}
        self.early: dict[GameKey, dict[int, Row]] = {}
        self.gaps: dict[GameKey, Gap] = {}
        self.kept: list[tuple[GameKey, Row]] = []
        self.requests = TableRequests(hall)
        self.conflicts = Conflicts(self)
        self.http_replay = HttpReplay(hall, self.hear)
        self.revision = 0
        self.taken = 0
        self.fault = self.failed = ""
        self.lost = MessageFailures()
        for source in sorted({source for source, _ in self.heads}):
            self.table(source)

    def attach(self, link: RequestTransport) -> None:
        """Ask tables over a connection from now on."""
        self.requests.link = link

    @property
    def filters(self) -> list[str]:
        """Topics that the hall subscribes to."""
        return [*map(topics.every_table, topics.PUBLISHED), topics.every_answer(self.hall)]

    def hear(self, received: Received) -> None:
        """Take over a message; called in the connection's thread, and never waits."""
        self.queue.put(received)

    def run(self, stop: threading.Event) -> None:
        """Take in messages until told to stop."""
        while not stop.is_set():
            try:
                self.turn()
                self.failed = ""
            except CompanionError as error:
                if self.fault != str(error):
                    logger.error("the hall cannot keep what tables publish: %s", error)  # noqa: TRY400
                self.fault, self.revision = str(error), self.revision + 1
                stop.wait(1.0)
            except Exception as error:
                if self.failed != repr(error):
                    logger.exception("the hall cannot take in what tables publish")
                self.failed, self.revision = repr(error), self.revision + 1
                stop.wait(1.0)

    def turn(self) -> None:
        """Take in what has come, keep it, and ask for what is missing."""
        before = self.taken
        for received in self.waiting():
            try:
                self.take(received)
            except BadMessage as error:
                logger.warning("a message was dropped: %s", error)
            except UnusableLog:
                raise
            except Exception as error:
                logger.exception("a message on %s was lost", received.topic)
                self.lost.note(received.topic, error)
            self.taken += 1
        if self.kept:
            self.keep()
        if self.taken != before:
            self.revision += 1
        self.ask()

    def waiting(self) -> Iterable[Received]:
        """Yield the messages that wait, after a moment at most the first one that comes."""
        try:
            yield self.queue.get(timeout=PAUSE_S)
            for _ in range(AT_ONCE):
                yield self.queue.get_nowait()
        except Empty:
            return

    def keep(self) -> None:
        """Write what was accepted; where the disk does not take it, forget it, so that it is asked for."""
        rows, self.kept = self.kept, []
        try:
            self.replica.insert(rows)
            self.fault = ""
        except UnusableLog:
            for key in {key for key, _ in rows}:
                before = min(row.number for one, row in rows if one == key) - 1
                self.heads[key] = before, self.replica.hash_at(key, before)
                self.tables[key[0]].live = None
                self.tables[key[0]].change()
                self.lack(key, rows[-1][1].hash, UNKNOWN_END)
            raise

    def take(self, received: Received) -> None:
        """Take in one message; raise BadMessage where it is none that a table may send."""
        if "/answers/" in received.topic:
            self.answered(received)
            return
        source, channel = topics.parted(received.topic)
        seen = self.table(source)
        if channel is Channel.EVENTS:
            self.offer(seen, messages.events_of(received.payload, source))
        elif channel is Channel.SUMMARY:
            self.compare(seen, messages.read(received.payload))
        elif channel is Channel.HEALTH:
            told = messages.read(received.payload)
            seen.online = told.get("online") is True
            seen.pages = str(told.get("pages", "")) or seen.pages
            seen.health = told
            seen.change()

    def answered(self, received: Received) -> None:
        """Take in what a table answers: a replay, or what came of an order."""
        source = topics.answering(received.topic)
        if self.requests.is_order(received.correlation):
            self.requests.take(received.correlation, messages.answered(received.payload, source))
            return
        events = messages.events_of(received.payload, source, 0)
        key = (source, events.game)
        before = self.number(key)
        disputed = self.conflicts.after.get(key, -1)
        self.conflicts.settle(self.table(source), events)
        self.offer(self.table(source), events)
        gap = self.gaps.get(key)
        if gap is None:
            return
        if self.requests.is_newest(key, received.correlation) and self.number(key) >= events.last:
            self.filled(key)
        elif self.number(key) > before or self.conflicts.after.get(key, -1) > disputed:
            tries = BROKER_TRIES if received.correlation == HTTP_CORRELATION else 0  # it goes on: ask at once
            self.gaps[key] = Gap(0.0, gap.known, gap.until, tries=tries)

    def table(self, source: str) -> TableRecord:
        """Return a table, made known at its first message; raise BadMessage for one too many."""
        if source not in self.tables:
            if len(self.tables) >= MOST_TABLES:
                raise BadMessage(f"{source} is one table too many: a hall has {MOST_TABLES} at most")
            self.tables[source] = TableRecord(topics.checked_id(source), source)
        return self.tables[source]

    def head(self, key: GameKey) -> Head:
        """Return number and hash of the newest event of a game that was accepted."""
        return self.heads.get(key, NO_HEAD)

    def number(self, key: GameKey) -> int:
        """Return the number of the newest event of a game that was accepted."""
        return self.head(key)[0]

    def hash_at(self, key: GameKey, number: int) -> bytes:
        """Return the hash of an event that was accepted, nothing where there is no such event."""
        if number == self.number(key):
            return self.head(key)[1]
        waiting = (row.hash for one, row in self.kept if one == key and row.number == number)
        return next(waiting, None) or self.replica.hash_at(key, number)

    def rewind(self, key: GameKey, after: int) -> None:
        """Take back the events of a game after a number; they stay in the copies as an earlier edition."""
        digest = self.hash_at(key, after) if after else b""
        if self.kept:
            self.keep()
        self.replica.renew(key, after)
        self.heads[key] = after, digest
        self.early.pop(key, None)
        seen = self.table(key[0])
        seen.live = None
        seen.change()
        self.lack(key, digest, UNKNOWN_END)

    def want(self, keys: Iterable[GameKey]) -> None:
        """Ask for what some games have beyond the copies: they may be from before the hall was stopped."""
        for key in keys:
            self.table(key[0])
            self.lack(key, self.head(key)[1], UNKNOWN_END)

    def verify(self, keys: Iterable[GameKey]) -> None:
        """Check the chains of some games; what does not hang together any more is asked for again.

        SQLite may lose further events in a file that something else has changed: it is made anew first.
        """
        known = sorted(keys)
        if any(self.replica.sound(key) != self.head(key) for key in known):
            self.replica.rebuild("events do not hang together")
            self.heads = dict(self.replica.heads())
        for key in known:
            if (sound := self.replica.sound(key)) != self.head(key):
                logger.warning("the copy of %s game %s is damaged after event %s", *key, sound[0])
                self.rewind(key, sound[0])
                self.heads[key] = sound

    def compare(self, seen: TableRecord, told: dict[str, Any]) -> None:
        """Take in a summary: the table's name, and its newest event, by which it shows what is missing."""
        seen.name = str(told.get("name", seen.id))[:80]
        seen.change()
        game, head = told.get("game"), told.get("head")
        if isinstance(game, str) and isinstance(head, dict) and isinstance(head.get("number"), int):
            key = (seen.id, game)
            if head["number"] > self.number(key):
                self.lack(key, parse_hash(head.get("hash")), head["number"])
            else:
                self.conflicts.compare(seen, key, head["number"], parse_hash(head.get("hash")))

    def offer(self, seen: TableRecord, events: messages.Events) -> None:
        """Accept those events that follow the last one; what comes early waits, what is known is dropped."""
        key = (seen.id, events.game)
        number = self.number(key)
        for row in events.rows:
            if row.number <= number and self.hash_at(key, row.number) != row.hash:
                told = f"game {events.game}: event {row.number} was published in two versions"
                self.conflicts.open(seen, key, row.number, told)
                break
        if self.crowded(key):
            return
        early = self.early.setdefault(key, {})
        for row in events.rows:
            if row.number > number and len(early) < MOST_EARLY:
                early[row.number] = row
        self.accept(seen, events.game, early)
        if not early:
            del self.early[key]
        if self.number(key) < events.last or early:
            self.lack(key, events.rows[-1].hash if events.rows else b"", events.last)
        elif key in self.gaps and self.number(key) >= self.gaps[key].until:
            self.filled(key)

    def filled(self, key: GameKey) -> None:
        """Note that a game has all its events, unless it is disputed."""
        if key not in self.conflicts.after:
            self.gaps.pop(key, None)

    def crowded(self, key: GameKey) -> bool:
        """Return whether so many games of a table lack events that no further one is waited for."""
        return key not in self.gaps and sum(one[0] == key[0] for one in self.gaps) >= MOST_LACKING

    def accept(self, seen: TableRecord, game: str, early: dict[int, Row]) -> None:
        """Accept what follows the last event of a game, as far as it hangs together."""
        key = (seen.id, game)
        number, digest = self.heads.get(key, NO_HEAD)
        first = number
        while (row := early.pop(number + 1, None)) is not None:
            if row.chain_hash(game, digest) != row.hash:
                told = f"game {game}: event {row.number} does not hang together with the one before"
                if seen.fault != told:
                    logger.warning("%s: %s", seen.id, told)
                self.lack(key, b"", row.number)
                self.conflicts.open(seen, key, number, told)
                break
            number, digest = row.number, row.hash
            self.heads[key] = number, digest
            self.kept.append((key, row))
            self.show(seen, game, row)
        if number > first:
            seen.heard_s = time.monotonic()
            seen.change()

    def show(self, seen: TableRecord, game: str, row: Row) -> None:
        """Fold an event into what pages show, where it belongs to the table's newest game."""
        live = seen.live
        if live is not None and game < live.name:
            return
        try:
            if row.number == 1:
                seen.live = GameReplay.begun(game, row)
            elif live is not None and live.name == game and live.number == row.number - 1:
                live.apply(row)
            else:
                seen.live = replayed(game, self.all_rows((seen.id, game)))
            if seen.fault.startswith(f"game {game}: ") and "differ" not in seen.fault:
                seen.fault = ""
        except BadLog as error:
            seen.fault = str(error)
        if seen.live is not None:
            seen.ahead_ns = time.monotonic_ns() - seen.live.at_ns

    def all_rows(self, key: GameKey) -> list[Row]:
        """Return the events of a game, those included that are accepted and not yet written."""
        return [*self.replica.rows(key), *(row for one, row in self.kept if one == key)]

    def lack(self, key: GameKey, known: bytes, until: int) -> None:
        """Note that events of a game are missing up to a number; ``known`` is the hash of one of them."""
        if not self.crowded(key):
            gap = self.gaps.setdefault(key, Gap(time.monotonic() + GAP_S, known, until))
            gap.known, gap.until = known or gap.known, max(until, gap.until)

    def ask(self) -> None:
        """Ask for what is missing and not on its way; where that stays in vain, the table's pages too."""
        now_s = time.monotonic()
        self.conflicts.look(now_s)
        for key, gap in list(self.gaps.items()):
            if gap.due_s <= now_s:
                after = self.conflicts.after.get(key, self.number(key))
                self.requests.replay(key, after)
                if gap.tries >= BROKER_TRIES:
                    self.http_replay.ask(key, self.tables[key[0]].pages, after, gap.known)
                wait_s = min(2 * gap.wait_s, LONGEST_RETRY_S)
                self.gaps[key] = Gap(now_s + gap.wait_s, gap.known, gap.until, wait_s, gap.tries + 1)

    def newest(self) -> set[GameKey]:
        """Return the newest game of every table."""
        found: dict[str, str] = {}
        for source, game in self.heads:
            found[source] = max(game, found.get(source, ""))
        return set(found.items())

    def load(self) -> None:
        """Fold the newest game of every table from the copies, as at the hall's start."""
        for source, game in self.newest():
            seen = self.table(source)
            try:
                seen.live = replayed(game, self.all_rows((source, game)))
            except BadLog as error:
                seen.fault = str(error)
