"""A bridge between two brokers that duplicates, delays, loses, forges and re-orders what tables publish."""

from __future__ import annotations

import heapq
import itertools
import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from companion.drill.halls.evening import Act, Done
from companion.drill.halls.venue import Venue
from companion.drill.mutating import mutated, mutated_json
from companion.events.log import Row
from companion.hall.contract import messages, topics
from companion.hall.contract.topics import Channel, topic
from companion.hall.mqtt import MqttConnection, Received
from companion.hall.setup import HALL

LOST, TWICE, LATE, FORGED = 0.05, 0.2, 0.25, 0.2
"""Shares of the messages with events to which this is done: most still arrive as they were sent."""

LATE_S = 4.0
"""Seconds that a message is late at most; those after it overtake it."""

TURN_S = 0.005
"""Seconds between two looks at what is due: little beside ``LATE_S``."""


@dataclass(slots=True)
class Bridge:
    """Brings messages of the tables' broker to the hall's, and its requests back.

    ``counts`` is how often what was done.  At the hall's broker each table's messages come from the table's
    own account, as its access list wants.
    """

    venue: Venue
    rng: random.Random
    counts: dict[str, int] = field(default_factory=dict)
    due: list[tuple[float, int, Callable[[], object]]] = field(default_factory=list)
    order: Iterator[int] = field(default_factory=itertools.count)
    lock: threading.Lock = field(default_factory=threading.Lock)
    stop: threading.Event = field(default_factory=threading.Event)
    heads: dict[tuple[str, str], Row] = field(init=False, default_factory=dict)
    links: dict[str, MqttConnection] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        far, near = self.venue.broker.brokers, self.venue.halls_broker.brokers
        filters = [*map(topics.every_table, topics.PUBLISHED), topics.every_answer(HALL)]
        self.links[HALL] = MqttConnection(far[HALL], "bridge", filters, self.reported)
        for name in self.venue.names:
            asked = [topic(name, channel) for channel in topics.SUBSCRIBED]
            self.links[name] = MqttConnection(near[name], f"bridge-{name}", asked, self.asked)

    def start(self) -> None:
        """Connect, and bring what is due until closed."""
        for link in self.links.values():
            link.start()
        for link in self.links.values():
            link.wait(20)
        threading.Thread(target=self.run, daemon=True).start()

    def close(self) -> None:
        """Stop."""
        self.stop.set()
        for link in self.links.values():
            link.close()

    def run(self) -> None:
        """Do what is due."""
        while not self.stop.wait(TURN_S):
            with self.lock:
                ready = []
                while self.due and self.due[0][0] <= time.monotonic():
                    ready.append(heapq.heappop(self.due)[2])
            for act in ready:
                act()

    def later(self, act: Callable[[], object], late_s: float = 0.0) -> None:
        """Do something after a while."""
        with self.lock:
            heapq.heappush(self.due, (time.monotonic() + late_s, next(self.order), act))

    def note(self, what: str) -> bool:
        """Count something that is done."""
        self.counts[what] = self.counts.get(what, 0) + 1
        return True

    def asked(self, received: Received) -> None:
        """Bring a request of the hall to the tables' broker."""
        link = self.links[HALL]
        self.later(
            lambda: link.request(received.topic, received.payload, received.reply_to, received.correlation)
        )

    def reported(self, received: Received) -> None:
        """Bring what a table says to the hall's broker, after something has happened to it."""
        if "/answers/" in received.topic:
            link = self.links[topics.parse_answer_topic(received.topic)]
            self.later(lambda: link.answer(replace(received, reply_to=received.topic), received.payload))
            return
        table, channel = topics.parse_topic(received.topic)
        if channel is not Channel.EVENTS:
            self.bring(table, channel, received.payload, retain=True)
            return
        draw = self.rng.random
        events = messages.read_events(received.payload, table)
        if draw() < FORGED and self.note("forged"):
            for payload in forged(received.payload, table, self.heads, self.rng):
                self.bring(table, channel, payload)
        self.heads[table, events.game] = events.rows[-1]
        if draw() < LOST and self.note("lost"):
            return
        late_s = self.rng.uniform(0, LATE_S) if draw() < LATE and self.note("delayed") else 0.0
        self.bring(table, channel, received.payload, late_s)
        if draw() < TWICE and self.note("duplicated"):
            self.bring(table, channel, received.payload, self.rng.uniform(0, LATE_S))

    def bring(
        self, table: str, channel: Channel, payload: bytes, late_s: float = 0.0, *, retain: bool = False
    ) -> None:
        """Publish a message of a table at the hall's broker, perhaps later."""
        link = self.links[table]
        self.later(lambda: link.publish(topic(table, channel), payload, retain=retain), late_s)


def forged(
    payload: bytes, table: str, heads: Mapping[tuple[str, str], Row], rng: random.Random
) -> Iterator[bytes]:
    """Yield a message that a table never sent: events with other contents, as another's, or broken.

    ``heads`` are the newest events that were brought before, by table and game: an event that follows one and
    hangs together with it is what only the table itself can tell from its own.
    """
    events = messages.read_events(payload, table)
    row = rng.choice(events.rows)
    before = heads.get((table, events.game))
    match rng.randrange(6):
        case 0:
            yield mutated(payload, rng)
        case 1:
            yield json.dumps(mutated_json(json.loads(payload), rng)).encode()
        case 2:  # another body under the true hash
            yield of(events, replace(row, body=other(row)))
        case 3:  # a later event that hangs together with nothing
            yield of(events, replace(row, number=row.number + rng.randrange(1, 5), hash=rng.randbytes(32)))
        case 4:  # an event with a hash that is right after some other event
            yield of(events, chained(row, events.game, rng.randbytes(32)))
        case _ if before is not None and before.number == events.rows[0].number - 1:
            yield of(events, chained(events.rows[0], events.game, before.hash))


def of(events: messages.Events, row: Row) -> bytes:
    """Return a message with one event."""
    return messages.events_payload(replace(events, rows=(row,), last=row.number))


def other(row: Row) -> str:
    """Return what an event could hold as well."""
    return row.body.replace("1", "2") + " "


def chained(row: Row, game: str, before: bytes) -> Row:
    """Return an event with other contents, which hangs together with the one before."""
    changed = replace(row, body=other(row))
    return replace(changed, hash=changed.chain_hash(game, before))


@contextmanager
def mischief(venue: Venue, rng: random.Random) -> Iterator[Act]:
    """Yield what tells how much was done to the messages of an evening since the last time."""
    bridge, before = Bridge(venue, rng), dict[str, int]()

    def act() -> Done:
        now = dict(bridge.counts)
        done = {f"{what} messages": float(count - before.get(what, 0)) for what, count in now.items()}
        before.update(now)
        return {what: count for what, count in done.items() if count}

    venue.start()
    bridge.start()
    try:
        yield act
    finally:
        bridge.close()
