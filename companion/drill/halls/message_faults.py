"""A bridge between two brokers that duplicates, delays, drops, forges and reorders the tables' messages."""

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

from companion.drill.halls.evening import FaultAction, FaultCounts
from companion.drill.halls.hall_processes import HallProcesses
from companion.drill.mutation import mutated, mutated_json
from companion.events.log import Row
from companion.hall.contract import messages, topics
from companion.hall.contract.topics import Channel, topic
from companion.hall.mqtt import MqttConnection, Received
from companion.hall.setup import HALL_ACCOUNT

LOST_SHARE, DUPLICATED_SHARE, DELAYED_SHARE, FORGED_SHARE = 0.05, 0.2, 0.25, 0.2
"""Shares of the messages with events to which each fault happens; most arrive unchanged."""

MAX_DELAY_S = 4.0
"""Largest delay of a message, in seconds; later ones overtake it."""

POLL_INTERVAL_S = 0.005
"""Seconds between two checks for due messages, short beside ``MAX_DELAY_S``."""


@dataclass(slots=True)
class FaultyBridge:
    """Forwards messages of the tables' broker to the hall's, and the hall's requests back.

    ``counts`` are the numbers of faults.  At the hall's broker each table's messages come from the table's
    own account, as its access list requires.
    """

    venue: HallProcesses
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
        filters = [*map(topics.every_table, topics.PUBLISHED), topics.every_answer(HALL_ACCOUNT)]
        self.links[HALL_ACCOUNT] = MqttConnection(far[HALL_ACCOUNT], "bridge", filters, self.reported)
        for name in self.venue.names:
            asked = [topic(name, channel) for channel in topics.SUBSCRIBED]
            self.links[name] = MqttConnection(near[name], f"bridge-{name}", asked, self.asked)

    def start(self) -> None:
        """Connect, and forward due messages until closed."""
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
        """Run due actions until stopped."""
        while not self.stop.wait(POLL_INTERVAL_S):
            with self.lock:
                ready = []
                while self.due and self.due[0][0] <= time.monotonic():
                    ready.append(heapq.heappop(self.due)[2])
            for act in ready:
                act()

    def later(self, act: Callable[[], object], late_s: float = 0.0) -> None:
        """Schedule an action after a delay."""
        with self.lock:
            heapq.heappush(self.due, (time.monotonic() + late_s, next(self.order), act))

    def note(self, what: str) -> bool:
        """Count a fault; return True."""
        self.counts[what] = self.counts.get(what, 0) + 1
        return True

    def asked(self, received: Received) -> None:
        """Forward a request of the hall to the tables' broker."""
        link = self.links[HALL_ACCOUNT]
        self.later(
            lambda: link.request(received.topic, received.payload, received.reply_to, received.correlation)
        )

    def reported(self, received: Received) -> None:
        """Forward a table's message to the hall's broker, with random faults."""
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
        if draw() < FORGED_SHARE and self.note("forged"):
            for payload in forged_messages(received.payload, table, self.heads, self.rng):
                self.bring(table, channel, payload)
        self.heads[table, events.game] = events.rows[-1]
        if draw() < LOST_SHARE and self.note("lost"):
            return
        late_s = self.rng.uniform(0, MAX_DELAY_S) if draw() < DELAYED_SHARE and self.note("delayed") else 0.0
        self.bring(table, channel, received.payload, late_s)
        if draw() < DUPLICATED_SHARE and self.note("duplicated"):
            self.bring(table, channel, received.payload, self.rng.uniform(0, MAX_DELAY_S))

    def bring(
        self, table: str, channel: Channel, payload: bytes, late_s: float = 0.0, *, retain: bool = False
    ) -> None:
        """Publish a table's message at the hall's broker, after a delay."""
        link = self.links[table]
        self.later(lambda: link.publish(topic(table, channel), payload, retain=retain), late_s)


def forged_messages(
    payload: bytes, table: str, heads: Mapping[tuple[str, str], Row], rng: random.Random
) -> Iterator[bytes]:
    """Yield a message that a table never sent: changed, misplaced or broken events.

    ``heads`` are the newest forwarded events, by table and game: a forged event that chains to one of them
    can be distinguished from a true one only by the table itself.
    """
    events = messages.read_events(payload, table)
    row = rng.choice(events.rows)
    before = heads.get((table, events.game))
    match rng.randrange(6):
        case 0:
            yield mutated(payload, rng)
        case 1:
            yield json.dumps(mutated_json(json.loads(payload), rng)).encode()
        case 2:  # another body with the true hash
            yield single_event(events, replace(row, body=changed_body(row)))
        case 3:  # a later event that chains to no other
            yield single_event(
                events, replace(row, number=row.number + rng.randrange(1, 5), hash=rng.randbytes(32))
            )
        case 4:  # an event with a hash that chains to another event
            yield single_event(events, forged_row(row, events.game, rng.randbytes(32)))
        case _ if before is not None and before.number == events.rows[0].number - 1:
            yield single_event(events, forged_row(events.rows[0], events.game, before.hash))


def single_event(events: messages.Events, row: Row) -> bytes:
    """Return a message with one event."""
    return messages.events_payload(replace(events, rows=(row,), last=row.number))


def changed_body(row: Row) -> str:
    """Return a changed body of an event."""
    return row.body.replace("1", "2") + " "


def forged_row(row: Row, game: str, before: bytes) -> Row:
    """Return a changed event with a hash that chains to the one before."""
    changed = replace(row, body=changed_body(row))
    return replace(changed, hash=changed.chain_hash(game, before))


@contextmanager
def message_faults(venue: HallProcesses, rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that returns the numbers of message faults since the last call."""
    bridge, before = FaultyBridge(venue, rng), dict[str, int]()

    def act() -> FaultCounts:
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
