"""What the hall asks of tables over MQTT 5 requests: replays and orders, and what came of the orders."""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from companion.hall.contract.messages import Answered, payload
from companion.hall.contract.topics import Channel, answers, topic
from companion.hall.copies import Key
from companion.hall.fetching import FETCHED
from companion.hall.publishing.orders import Asked

PATIENCE_S = 10.0
"""Seconds in which a table must answer an order; it may wait for its own line to the table."""

MOST_KEPT = 2000
"""Orders whose outcome is kept for the director's page."""


@dataclass(slots=True)
class Ordered:
    """An order that was sent: to which table, when, and what came of it."""

    table: str
    asked: Asked
    at_s: float
    answer: Answered | None = None

    @property
    def late(self) -> bool:
        """Whether the table has not answered in time."""
        return self.answer is None and time.monotonic() - self.at_s > PATIENCE_S


class Requests(Protocol):
    """What requests go out by: the connection to the broker."""

    def ask(self, topic: str, payload: bytes, reply_to: str, correlation: bytes, /) -> None:
        """Send a request; its answer comes as a message on ``reply_to``."""


class Asking:
    """Sends requests; answers come back by their correlation."""

    def __init__(self, hall: str) -> None:
        self.hall = hall
        self.link: Requests | None = None
        self.sent: OrderedDict[bytes, Ordered] = OrderedDict()
        self.replays: dict[Key, bytes] = {}
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()

    def replay(self, key: Key, after: int) -> None:
        """Ask a table for the events of a game after a number."""
        if self.link is not None:
            source, game = key
            mark = self.replays[key] = f"replay {next(self.numbers)}".encode()
            self.link.ask(
                topic(source, Channel.REPLAY),
                payload({"game": game, "after": after}),
                answers(self.hall, source),
                mark,
            )

    def order(self, table: str, asked: Asked) -> Ordered:
        """Give an order to a table; its outcome comes later."""
        with self.lock:
            mark = f"order {next(self.numbers)}".encode()
            found = self.sent[mark] = Ordered(table, asked, time.monotonic())
            if len(self.sent) > MOST_KEPT:
                self.sent.popitem(last=False)
        if self.link is not None:
            self.link.ask(topic(table, Channel.ORDERS), asked.payload(), answers(self.hall, table), mark)
        return found

    def is_newest(self, key: Key, correlation: bytes) -> bool:
        """Return whether an answer is to the newest request for a replay, or came another way than asked."""
        return correlation in (FETCHED, self.replays.get(key))

    def is_order(self, correlation: bytes) -> bool:
        """Return whether an answer is to an order."""
        return correlation.startswith(b"order ")

    def take(self, correlation: bytes, answer: Answered) -> None:
        """Take in an answer; one that nobody waits for, or from another table, is dropped."""
        found = self.sent.get(correlation)
        if found is not None and found.table == answer.table:
            found.answer = answer
