"""Publishes a table's log over MQTT: follows it and sends events that the broker has not acknowledged yet."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from companion.errors import BadLog, BadMessage, BadOutput, CompanionError
from companion.events.following import LogFollower, played_name
from companion.events.log import Row
from companion.events.replay import GameReplay, replayed
from companion.files import write_atomically
from companion.hall.contract import messages, topics
from companion.hall.contract.topics import Channel, topic
from companion.hall.mqtt import MAX_INFLIGHT_MESSAGES, MqttConnection, Received
from companion.hall.publishing import orders, summary

LOG_POLL_S = 0.02
"""Seconds between two polls of the log; a poll that finds nothing new costs some microseconds."""

MIN_SUMMARY_INTERVAL_S = 1.0
"""Least seconds between two summaries."""

HEALTH_POLL_S = 5.0
"""Seconds between two status requests to the table."""

MIN_SAVE_INTERVAL_S = 1.0
"""Least seconds between two writes of the outbox."""

RETRY_S = 5.0
"""Seconds after which messages that the broker refused are sent again."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Sent:
    """A message with a game's events up to a number; ``taken``: the broker has acknowledged it."""

    id: int
    game: str
    number: int
    taken: bool = False


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The published table: its id, its name, who carries out orders, its status, and its pages' URL."""

    id: str
    name: str
    host: orders.Host | None = None
    status: Callable[[], Any] | None = None
    pages: Callable[[], str] = str


@dataclass(slots=True)
class Outbox:
    """The last acknowledged number of each game.

    If the file is missing or damaged, the newest game is published again from its start, and receivers drop
    the events that they have.  Older games are published on request alone.
    """

    path: Path
    reached: dict[str, int] | None = None

    def load(self, heads: Mapping[str, int]) -> None:
        """Read the file; ``heads`` are the games of the log with their newest numbers, in order."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            self.reached = {str(game): int(number) for game, number in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            self.reached = {game: heads[game] for game in list(heads)[:-1]}

    def after(self, game: str) -> int:
        """Return the number after which a game is still to be published."""
        return (self.reached or {}).get(game, 0)

    def acknowledge(self, game: str, number: int) -> None:
        """Note that the broker has taken a game's events up to a number."""
        if self.reached is not None and number > self.after(game):
            self.reached[game] = number

    def save(self, games: Sequence[str]) -> None:
        """Write the file atomically; raise BadOutput where it cannot be written."""
        known = {game: number for game, number in (self.reached or {}).items() if game in games}
        try:
            write_atomically(self.path, json.dumps(known).encode())
        except OSError as error:
            raise BadOutput(f"{self.path}: {error.strerror}") from error


class Publisher:
    """Publishes a table until ``run`` is stopped.

    A message counts as acknowledged only when all messages before it are, so a game's events stay in order.
    ``retained`` are further messages that are published after each connect, such as Home Assistant's.
    """

    def __init__(self, table: PublishedTable, following: LogFollower, outbox: Outbox) -> None:
        self.table, self.following, self.outbox = table, following, outbox
        self.link: MqttConnection | None = None
        self.acks: SimpleQueue[tuple[int, bool]] = SimpleQueue()
        self.requests: SimpleQueue[Received] = SimpleQueue()
        self.sent: deque[Sent] = deque()
        self.sent_numbers: dict[str, int] = {}
        self.complete: set[str] = set()
        self.games: list[str] = []
        self.live: GameReplay | None = None
        self.retry_s = self.summary_s = self.saved_s = float("-inf")
        self.retained_payloads: dict[Channel, bytes] = {}
        self.connections = 0
        self.retained: list[tuple[str, bytes]] = []
        self.health: dict[str, Any] = summary.health(table.id, pages=table.pages())
        self.health_sent: dict[str, Any] = {}
        self.workers = ThreadPoolExecutor(2, "publisher")

    def topics(self) -> list[str]:
        """Return the topics that the table subscribes to."""
        return [topic(self.table.id, channel) for channel in topics.SUBSCRIBED]

    def attach(self, link: MqttConnection) -> None:
        """Publish over a connection from now on."""
        link.acknowledged = lambda number, accepted: self.acks.put((number, accepted))
        self.link = link

    def run(self, stop: threading.Event) -> None:
        """Publish until ``stop`` is set; the health message says where the log cannot be read."""
        watching = threading.Thread(target=self.poll_health_forever, args=(stop,), name="health", daemon=True)
        watching.start()
        try:
            while not stop.wait(LOG_POLL_S):
                self.step()
        finally:
            self.close()

    def close(self) -> None:
        """Save the outbox, stop the workers and close the log."""
        self.workers.shutdown(wait=False, cancel_futures=True)
        with suppress(CompanionError):
            self.outbox.save(self.games)
        self.following.close()

    def step(self) -> None:
        """Do one round: acknowledgements, new events, requests, state, outbox."""
        link = self.link
        if link is None:
            return
        try:
            self.take_acks()
            if self.following.changed() or (self.live is not None and self.live.name != self.game_at_table()):
                self.read_log()
            if link.up.is_set():
                if link.connections != self.connections:
                    self.connections, self.retained_payloads = link.connections, {}
                    for name, body in self.retained:
                        link.publish(name, body, retain=True)
                self.send(link)
                self.answer(link)
                self.publish_state(link)
            self.save()
        except CompanionError as error:
            self.set_fault(str(error))

    def read_log(self) -> None:
        """Read the log: the names of its games, and new events of the one at the table."""
        first = self.outbox.reached is None
        self.games = self.following.games()
        if first:
            self.outbox.load({game: self.head(game) for game in self.games})
        if not self.games:
            self.live = None
            return
        name = self.game_at_table()
        if self.live is None or self.live.name != name:
            self.live = None
            self.live = replayed(name, self.following.rows(name))
        else:
            for row in self.following.rows(self.live.name, self.live.number):
                self.live.apply(row)
        self.set_fault("")

    def game_at_table(self) -> str:
        """Return the name of the game at the table, the newest of the log where that is not known."""
        name = played_name(self.following.path)
        return name if name in self.games else self.games[-1]

    def set_fault(self, fault: str) -> None:
        """Set the health message's fault: why the log is not published, empty where it is."""
        if self.health["fault"] != fault:
            self.health = {**self.health, "fault": fault}
            if fault:
                logger.warning("%s is not published: %s", self.table.id, fault)

    def head(self, game: str) -> int:
        """Return the newest number of a game in the log."""
        log = self.following.log
        if log is None:
            return 0
        log.heads.clear()
        return log.head(game)[0]

    def send(self, link: MqttConnection) -> None:
        """Send events that were not sent yet, up to ``MAX_INFLIGHT_MESSAGES`` unacknowledged messages."""
        if time.monotonic() < self.retry_s:
            return
        growing = {*self.games[-2:], self.live.name if self.live is not None else ""}
        for game in self.games:
            if game in self.complete and game not in growing:
                continue
            after = self.sent_numbers.setdefault(game, self.outbox.after(game))
            while len(self.sent) < MAX_INFLIGHT_MESSAGES:
                rows = self.rows(game, after)
                if not rows:
                    self.complete.add(game)
                    break
                batch = messages.batches(self.table.id, game, rows, max(rows[-1].number, self.known(game)))[0]
                number = link.publish(topic(self.table.id, Channel.EVENTS), messages.events_payload(batch))
                after = self.sent_numbers[game] = batch.rows[-1].number
                self.sent.append(Sent(number, game, after))

    def known(self, game: str) -> int:
        """Return the newest number of the live game, 0 for any other game."""
        return self.live.number if self.live is not None and self.live.name == game else 0

    def rows(self, game: str, after: int) -> list[Row]:
        """Return the next events of a game, as many as one message may hold."""
        if self.known(game) == after and after:
            return []
        log = self.following.log
        return [] if log is None else list(islice(log.rows(game, after), messages.MAX_MESSAGE_EVENTS))

    def take_acks(self) -> None:
        """Note acknowledgements; a refused message and all after it are sent again later."""
        with suppress(Empty):
            while True:
                number, accepted = self.acks.get_nowait()
                if any(one.id == number for one in self.sent) and not accepted:
                    self.sent.clear()
                    self.sent_numbers.clear()
                    self.complete.clear()
                    self.retry_s = time.monotonic() + RETRY_S
                for one in self.sent:
                    one.taken = one.taken or one.id == number
        while self.sent and self.sent[0].taken:
            done = self.sent.popleft()
            self.outbox.acknowledge(done.game, done.number)

    def receive(self, received: Received) -> None:
        """Queue a hall's request; called in the connection's thread."""
        self.requests.put(received)

    def answer(self, link: MqttConnection) -> None:
        """Answer the queued requests of halls."""
        with suppress(Empty):
            while True:
                received = self.requests.get_nowait()
                try:
                    self.handle_request(link, received)
                except (BadMessage, BadLog) as error:
                    logger.warning("a request was not answered: %s", error)

    def handle_request(self, link: MqttConnection, received: Received) -> None:
        """Answer one request; raise BadMessage for one to another table, BadLog if the log cannot be read."""
        if topics.parse_answer_topic(received.reply_to) != self.table.id:
            raise BadMessage(f"no answer goes to {received.reply_to[:80]!r}")
        if topics.parse_topic(received.topic)[1] is Channel.ORDERS:
            self.workers.submit(self.carry_out, link, received)
        else:
            link.answer(received, self.replay(messages.read_replay_request(received.payload)))

    def replay(self, request: messages.ReplayRequest) -> bytes:
        """Return the next events of a game that a hall lacks; none where it has them all."""
        log = self.following.log
        found = (
            []
            if log is None
            else list(islice(log.rows(request.game, request.after), messages.MAX_MESSAGE_EVENTS))
        )
        last = self.head(request.game)
        batches = messages.batches(self.table.id, request.game, found, last)
        empty = messages.Events(self.table.id, request.game, (), last)
        return messages.events_payload(batches[0] if batches else empty)

    def carry_out(self, link: MqttConnection, received: Received) -> None:
        """Carry out an order and send its result to the hall."""
        link.answer(received, orders.carry_out(self.table.host, received.payload, self.table.id))

    def publish_state(self, link: MqttConnection) -> None:
        """Publish changed summary and health, the summary every ``MIN_SUMMARY_INTERVAL_S`` at most."""
        now_s = time.monotonic()
        if Channel.HEALTH not in self.retained_payloads or self.health is not self.health_sent:
            self.health_sent = self.health
            self.retain(link, Channel.HEALTH, self.health_sent)
        if now_s - self.summary_s >= MIN_SUMMARY_INTERVAL_S:
            self.retain(link, Channel.SUMMARY, summary.summary(self.table.id, self.table.name, self.live))
            self.summary_s = now_s

    def retain(self, link: MqttConnection, channel: Channel, body: dict[str, Any]) -> None:
        """Publish a retained message where it differs from the last one."""
        made = messages.payload(body)
        if self.retained_payloads.get(channel) != made:
            link.publish(topic(self.table.id, channel), made, retain=True)
            self.retained_payloads[channel] = made

    def save(self) -> None:
        """Save the outbox, every ``MIN_SAVE_INTERVAL_S`` at most."""
        if time.monotonic() - self.saved_s >= MIN_SAVE_INTERVAL_S:
            self.saved_s = time.monotonic()
            self.outbox.save(self.games)

    def poll_health_forever(self, stop: threading.Event) -> None:
        """Poll the table's status until ``stop`` is set."""
        while self.table.status is not None:
            self.poll_health(self.table.status)
            if stop.wait(HEALTH_POLL_S):
                return

    def poll_health(self, status: Callable[[], Any]) -> None:
        """Poll the table's status once."""
        try:
            self.health = summary.health(self.table.id, status(), pages=self.table.pages())
        except CompanionError as error:
            self.health = summary.health(self.table.id, fault=str(error), pages=self.table.pages())
