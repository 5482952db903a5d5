"""Ingests what tables publish: events in order, their hash chain checked, and requests for missing ones.

One thread does all this.  Other threads only read: values are replaced, never changed in place.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import Any

from companion.errors import BadLog, BadMessage, CompanionError, UnusableLog
from companion.events.log import Row
from companion.events.replay import GameReplay, replayed
from companion.hall.conflicts import Conflicts
from companion.hall.contract import messages, topics
from companion.hall.contract.topics import Channel
from companion.hall.mqtt import MessageFailures, Received
from companion.hall.records import TableRecord, tell_name
from companion.hall.replica import NO_HEAD, GameKey, Head, LogReplica
from companion.hall.requests import (
    HTTP_CORRELATION,
    MAX_RETRY_S,
    MQTT_TRIES_BEFORE_HTTP,
    UNKNOWN_END,
    Gap,
    HttpReplay,
    RequestTransport,
    TableRequests,
    parse_hash,
)

MAX_TABLES = 1000
"""Most tables of a hall; the broker's accounts decide which tables exist."""

MAX_BUFFERED_EVENTS = 2000
"""Most events of a game that are buffered while earlier ones are missing."""

MAX_GAPS_PER_TABLE = 100
"""Most games of one table with gaps at a time; a table has a few, and more only for a new hall."""

MAX_BATCH_MESSAGES = 500
"""Most messages handled before the accepted events are written and shown."""

QUEUE_TIMEOUT_S = 0.01
"""Seconds for which a step waits for a first message."""

GAP_REQUEST_DELAY_S = 0.3
"""Seconds after which missing events are requested: until then they may still arrive."""

logger = logging.getLogger(__name__)


class Intake:
    """Ingests the tables' messages; ``revision`` rises with every change that pages may show.

    ``fault`` says why events cannot be written, ``failed`` is an unexpected error.  ``heads`` are the newest
    accepted events, ``out_of_order`` wait for earlier ones, ``unwritten`` are not in the replica yet.
    """

    def __init__(self, replica: LogReplica, hall: str = "hall") -> None:
        self.replica, self.hall = replica, hall
        self.queue: SimpleQueue[Received] = SimpleQueue()
        self.heads = dict(replica.heads())
        self.tables: dict[str, TableRecord] = {}
        self.out_of_order: dict[GameKey, dict[int, Row]] = {}
        self.gaps: dict[GameKey, Gap] = {}
        self.unwritten: list[tuple[GameKey, Row]] = []
        self.requests = TableRequests(hall)
        self.conflicts = Conflicts(self)
        self.http_replay = HttpReplay(hall, self.receive)
        self.revision = 0
        self.handled = 0
        self.fault = self.failed = ""
        self.failures = MessageFailures()
        for source in sorted({source for source, _ in self.heads}):
            self.table(source)

    def attach(self, link: RequestTransport) -> None:
        """Send requests to tables over a connection from now on."""
        self.requests.link = link

    @property
    def filters(self) -> list[str]:
        """Topics that the hall subscribes to."""
        return [*map(topics.every_table, topics.PUBLISHED), topics.every_answer(self.hall)]

    def receive(self, received: Received) -> None:
        """Queue a message; called in the connection's thread, and never waits."""
        self.queue.put(received)

    def run(self, stop: threading.Event) -> None:
        """Handle messages until ``stop`` is set."""
        while not stop.is_set():
            try:
                self.step()
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

    def step(self) -> None:
        """Handle the queued messages, write accepted events, and request missing ones."""
        before = self.handled
        for received in self.queued():
            try:
                self.handle(received)
            except BadMessage as error:
                logger.warning("a message was dropped: %s", error)
            except UnusableLog:
                raise
            except Exception as error:
                logger.exception("a message on %s was lost", received.topic)
                self.failures.note(received.topic, error)
            self.handled += 1
        if self.unwritten:
            self.write()
        if self.handled != before:
            self.revision += 1
        self.request_gaps()

    def queued(self) -> Iterable[Received]:
        """Yield the queued messages; wait ``QUEUE_TIMEOUT_S`` for a first one."""
        try:
            yield self.queue.get(timeout=QUEUE_TIMEOUT_S)
            for _ in range(MAX_BATCH_MESSAGES):
                yield self.queue.get_nowait()
        except Empty:
            return

    def write(self) -> None:
        """Write the accepted events; where that fails, forget them so that they are requested again."""
        rows, self.unwritten = self.unwritten, []
        try:
            self.replica.insert(rows)
            self.fault = ""
        except UnusableLog:
            for key in {key for key, _ in rows}:
                before = min(row.number for one, row in rows if one == key) - 1
                self.heads[key] = before, self.replica.hash_at(key, before)
                self.tables[key[0]].live = None
                self.tables[key[0]].change()
                self.note_gap(key, rows[-1][1].hash, UNKNOWN_END)
            raise

    def handle(self, received: Received) -> None:
        """Handle one message; raise BadMessage for one that no table may send."""
        if "/answers/" in received.topic:
            self.handle_answer(received)
            return
        source, channel = topics.parse_topic(received.topic)
        record = self.table(source)
        if channel is Channel.EVENTS:
            self.add_events(record, messages.read_events(received.payload, source))
        elif channel is Channel.SUMMARY:
            self.handle_summary(record, messages.read(received.payload))
        elif channel is Channel.HEALTH:
            fields = messages.read(received.payload)
            record.online = fields.get("online") is True
            record.pages = str(fields.get("pages", "")) or record.pages
            record.health = fields
            record.change()

    def handle_answer(self, received: Received) -> None:
        """Handle a table's answer: replayed events, or the result of an order."""
        source = topics.parse_answer_topic(received.topic)
        if self.requests.is_order_result(received.correlation):
            self.requests.take_result(
                received.correlation, messages.read_order_result(received.payload, source)
            )
            return
        events = messages.read_events(received.payload, source, 0)
        key = (source, events.game)
        before = self.number(key)
        disputed = self.conflicts.after.get(key, -1)
        self.conflicts.resolve(self.table(source), events)
        self.add_events(self.table(source), events)
        gap = self.gaps.get(key)
        if gap is None:
            return
        if self.requests.is_newest(key, received.correlation) and self.number(key) >= events.last:
            self.close_gap(key)
        elif self.number(key) > before or self.conflicts.after.get(key, -1) > disputed:
            tries = (
                MQTT_TRIES_BEFORE_HTTP if received.correlation == HTTP_CORRELATION else 0
            )  # progress was made: ask at once
            self.gaps[key] = Gap(0.0, gap.known_hash, gap.until, tries=tries)

    def table(self, source: str) -> TableRecord:
        """Return a table's record, made at its first message; raise BadMessage beyond ``MAX_TABLES``."""
        if source not in self.tables:
            if len(self.tables) >= MAX_TABLES:
                raise BadMessage(f"{source} is one table too many: a hall has {MAX_TABLES} at most")
            self.tables[source] = TableRecord(topics.checked_id(source), source)
        return self.tables[source]

    def head(self, key: GameKey) -> Head:
        """Return number and hash of the newest event of a game that was accepted."""
        return self.heads.get(key, NO_HEAD)

    def number(self, key: GameKey) -> int:
        """Return the number of the newest event of a game that was accepted."""
        return self.head(key)[0]

    def hash_at(self, key: GameKey, number: int) -> bytes:
        """Return the hash of an accepted event, empty where there is no such event."""
        if number == self.number(key):
            return self.head(key)[1]
        waiting = (row.hash for one, row in self.unwritten if one == key and row.number == number)
        return next(waiting, None) or self.replica.hash_at(key, number)

    def rewind(self, key: GameKey, after: int) -> None:
        """Drop the accepted events of a game after a number; the replica keeps them as an earlier edition."""
        digest = self.hash_at(key, after) if after else b""
        if self.unwritten:
            self.write()
        self.replica.new_edition(key, after)
        self.heads[key] = after, digest
        self.out_of_order.pop(key, None)
        record = self.table(key[0])
        record.live = None
        record.change()
        self.note_gap(key, digest, UNKNOWN_END)

    def request_updates(self, keys: Iterable[GameKey]) -> None:
        """Request the newer events of some games, which may have gone on while the hall was stopped."""
        for key in keys:
            self.table(key[0])
            self.note_gap(key, self.head(key)[1], UNKNOWN_END)

    def verify(self, keys: Iterable[GameKey]) -> None:
        """Check the hash chains of some games in the replica; events after a break are requested again."""
        known_hash = sorted(keys)
        if any(self.replica.verified_head(key) != self.head(key) for key in known_hash):
            # SQLite may lose further events of a file that was changed from outside
            self.replica.rebuild("events do not hang together")
            self.heads = dict(self.replica.heads())
        for key in known_hash:
            if (sound := self.replica.verified_head(key)) != self.head(key):
                logger.warning("the copy of %s game %s is damaged after event %s", *key, sound[0])
                self.rewind(key, sound[0])
                self.heads[key] = sound

    def handle_summary(self, record: TableRecord, fields: dict[str, Any]) -> None:
        """Handle a summary: the table's name, and its newest event, which reveals gaps and conflicts."""
        tell_name(self.tables, record, str(fields.get("name", record.id))[:80])
        record.change()
        game, head = fields.get("game"), fields.get("head")
        if isinstance(game, str) and isinstance(head, dict) and isinstance(head.get("number"), int):
            key = (record.id, game)
            if head["number"] > self.number(key):
                self.note_gap(key, parse_hash(head.get("hash")), head["number"])
            else:
                self.conflicts.compare(record, key, head["number"], parse_hash(head.get("hash")))

    def add_events(self, record: TableRecord, events: messages.Events) -> None:
        """Accept the events that follow the last one; buffer later ones, drop known ones."""
        key = (record.id, events.game)
        number = self.number(key)
        for row in events.rows:
            if row.number <= number and self.hash_at(key, row.number) != row.hash:
                fault = f"game {events.game}: event {row.number} was published in two versions"
                self.conflicts.open(record, key, row.number, fault)
                break
        if self.too_many_gaps(key):
            return
        out_of_order = self.out_of_order.setdefault(key, {})
        for row in events.rows:
            if row.number > number and len(out_of_order) < MAX_BUFFERED_EVENTS:
                out_of_order[row.number] = row
        self.accept(record, events.game, out_of_order)
        if not out_of_order:
            del self.out_of_order[key]
        if self.number(key) < events.last or out_of_order:
            self.note_gap(key, events.rows[-1].hash if events.rows else b"", events.last)
        elif key in self.gaps and self.number(key) >= self.gaps[key].until:
            self.close_gap(key)

    def close_gap(self, key: GameKey) -> None:
        """Note that a game has all its events, unless there is a conflict about it."""
        if key not in self.conflicts.after:
            self.gaps.pop(key, None)

    def too_many_gaps(self, key: GameKey) -> bool:
        """Return whether a table has too many games with gaps to note another one."""
        return key not in self.gaps and sum(one[0] == key[0] for one in self.gaps) >= MAX_GAPS_PER_TABLE

    def accept(self, record: TableRecord, game: str, out_of_order: dict[int, Row]) -> None:
        """Accept the buffered events that follow a game's last one, while their hash chain holds."""
        key = (record.id, game)
        number, digest = self.heads.get(key, NO_HEAD)
        first = number
        while (row := out_of_order.pop(number + 1, None)) is not None:
            if row.chain_hash(game, digest) != row.hash:
                fault = f"game {game}: event {row.number} does not hang together with the one before"
                if record.fault != fault:
                    logger.warning("%s: %s", record.id, fault)
                self.note_gap(key, b"", row.number)
                self.conflicts.open(record, key, number, fault)
                break
            number, digest = row.number, row.hash
            self.heads[key] = number, digest
            self.unwritten.append((key, row))
            self.project(record, game, row)
        if number > first:
            record.updated_s = time.monotonic()
            record.change()

    def project(self, record: TableRecord, game: str, row: Row) -> None:
        """Apply an event to the table's live game, where it belongs to the newest one."""
        live = record.live
        if live is not None and game < live.name:
            return
        try:
            if row.number == 1:
                record.live = GameReplay.begun(game, row)
            elif live is not None and live.name == game and live.number == row.number - 1:
                live.apply(row)
            else:
                record.live = replayed(game, self.all_rows((record.id, game)))
            if record.fault.startswith(f"game {game}: ") and "differ" not in record.fault:
                record.fault = ""
        except BadLog as error:
            record.fault = str(error)
        if record.live is not None:
            record.clock_offset_ns = time.monotonic_ns() - record.live.at_ns

    def all_rows(self, key: GameKey) -> list[Row]:
        """Return the events of a game, unwritten ones included."""
        return [*self.replica.rows(key), *(row for one, row in self.unwritten if one == key)]

    def note_gap(self, key: GameKey, known_hash: bytes, until: int) -> None:
        """Note that events of a game are missing up to a number; ``known_hash`` is the hash of one."""
        if not self.too_many_gaps(key):
            gap = self.gaps.setdefault(key, Gap(time.monotonic() + GAP_REQUEST_DELAY_S, known_hash, until))
            gap.known_hash, gap.until = known_hash or gap.known_hash, max(until, gap.until)

    def request_gaps(self) -> None:
        """Request missing events that are due: over MQTT, after ``MQTT_TRIES_BEFORE_HTTP`` over HTTP too."""
        now_s = time.monotonic()
        self.conflicts.expire(now_s)
        for key, gap in list(self.gaps.items()):
            if gap.due_s <= now_s:
                after = self.conflicts.after.get(key, self.number(key))
                self.requests.replay(key, after)
                if gap.tries >= MQTT_TRIES_BEFORE_HTTP:
                    self.http_replay.ask(key, self.tables[key[0]].pages, after, gap.known_hash)
                wait_s = min(2 * gap.wait_s, MAX_RETRY_S)
                self.gaps[key] = Gap(now_s + gap.wait_s, gap.known_hash, gap.until, wait_s, gap.tries + 1)

    def newest_games(self) -> set[GameKey]:
        """Return the newest game of every table."""
        found: dict[str, str] = {}
        for source, game in self.heads:
            found[source] = max(game, found.get(source, ""))
        return set(found.items())

    def load(self) -> None:
        """Load the newest game of every table from the replica, at the hall's start."""
        for source, game in self.newest_games():
            record = self.table(source)
            try:
                record.live = replayed(game, self.all_rows((source, game)))
            except BadLog as error:
                record.fault = str(error)
