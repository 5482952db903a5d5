"""Requests of the hall to tables: missing events over MQTT or HTTP, and the director's orders."""

from __future__ import annotations

import http.client
import itertools
import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from companion.config.hall import PAGES
from companion.errors import BadMessage
from companion.hall.contract.messages import LARGEST, OrderResult, payload
from companion.hall.contract.topics import Channel, answers, topic
from companion.hall.mqtt import Received
from companion.hall.publishing.orders import OrderRequest
from companion.hall.replica import GameKey

ORDER_TIMEOUT_S = 10.0
"""Seconds in which a table must answer an order."""

MOST_KEPT = 2000
"""Orders whose outcome is kept for the director's page."""


@dataclass(slots=True)
class SentOrder:
    """An order that was sent: to which table, when, and what came of it."""

    table: str
    asked: OrderRequest
    at_s: float
    answer: OrderResult | None = None

    @property
    def late(self) -> bool:
        """Whether the table has not answered in time."""
        return self.answer is None and time.monotonic() - self.at_s > ORDER_TIMEOUT_S


class RequestTransport(Protocol):
    """What requests go out by: the connection to the broker."""

    def ask(self, topic: str, payload: bytes, reply_to: str, correlation: bytes, /) -> None:
        """Send a request; its answer comes as a message on ``reply_to``."""


class TableRequests:
    """Sends requests; answers come back by their correlation."""

    def __init__(self, hall: str) -> None:
        self.hall = hall
        self.link: RequestTransport | None = None
        self.sent: OrderedDict[bytes, SentOrder] = OrderedDict()
        self.replays: dict[GameKey, bytes] = {}
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()

    def replay(self, key: GameKey, after: int) -> None:
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

    def order(self, table: str, asked: OrderRequest) -> SentOrder:
        """Give an order to a table; its outcome comes later."""
        with self.lock:
            mark = f"order {next(self.numbers)}".encode()
            found = self.sent[mark] = SentOrder(table, asked, time.monotonic())
            if len(self.sent) > MOST_KEPT:
                self.sent.popitem(last=False)
        if self.link is not None:
            self.link.ask(topic(table, Channel.ORDERS), asked.payload(), answers(self.hall, table), mark)
        return found

    def is_newest(self, key: GameKey, correlation: bytes) -> bool:
        """Return whether an answer is to the newest request for a replay, or came another way than asked."""
        return correlation in (HTTP_CORRELATION, self.replays.get(key))

    def is_order(self, correlation: bytes) -> bool:
        """Return whether an answer is to an order."""
        return correlation.startswith(b"order ")

    def take(self, correlation: bytes, answer: OrderResult) -> None:
        """Take in an answer; one that nobody waits for, or from another table, is dropped."""
        found = self.sent.get(correlation)
        if found is not None and found.table == answer.table:
            found.answer = answer


RETRY_S, LONGEST_RETRY_S = 2.0, 30.0
"""Seconds between two requests for the same, doubled each time up to the longest."""

UNKNOWN_END = 2**63
"""Beyond any event: the table itself must say which is its newest."""

BROKER_TRIES = 2
"""Requests over the broker that stay in vain, before the table's pages are asked too."""


@dataclass(slots=True)
class Gap:
    """A game of which events are missing: when to ask next, how long to wait after that, how often in vain.

    ``known`` is the hash of one of its events: by it the table's pages know that the hall follows the game.
    ``until`` is the newest event that was heard of: only the table's answer ends it sooner.
    """

    due_s: float
    known: bytes
    until: int
    wait_s: float = RETRY_S
    tries: int = 0


def parse_hash(given: Any) -> bytes:
    """Return a hash from its hexadecimal digits; nothing where it is none."""
    try:
        return bytes.fromhex(given) if isinstance(given, str) else b""
    except ValueError:
        return b""


PATH = "/api/v1/events"

HTTP_TIMEOUT_S = 5.0
"""Seconds in which a table's pages must answer a request."""

AT_ONCE = 4
"""Tables that are asked side by side; the others wait."""

HTTP_CORRELATION = b"fetched"
"""Correlation of what came this way."""

logger = logging.getLogger(__name__)


class HttpReplay:
    """Asks tables' pages in threads of its own; what they send is heard as an answer of the table.

    Parameters
    ----------
    hall
        The hall's id.
    hear
        Called with every answer, in the thread that asked.
    """

    def __init__(self, hall: str, hear: Callable[[Received], None]) -> None:
        self.hall, self.hear = hall, hear
        self.workers = ThreadPoolExecutor(AT_ONCE, "fetching")
        self.under_way: set[str] = set()
        self.lock = threading.Lock()

    def ask(self, key: GameKey, pages: str, after: int, known: bytes) -> bool:
        """Ask for the events of a game after a number; return whether that was begun.

        ``known`` is the hash of an event of the game.  A table has one question at a time.
        """
        source, game = key
        with self.lock:
            if not PAGES.fullmatch(pages) or not known or source in self.under_way:
                return False
            self.under_way.add(source)
        query = urlencode({"game": game, "after": after, "known": known.hex()})
        self.workers.submit(self.fetch, source, pages, query)
        return True

    def fetch(self, source: str, pages: str, query: str) -> None:
        """Ask a table's pages, and hear what they send."""
        try:
            found = fetched(pages, query)
            self.hear(
                Received(
                    answers(self.hall, source), payload({**found, "table": source}), "", HTTP_CORRELATION
                )
            )
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            logger.warning("%s: its pages at %s do not send what is missing: %s", source, pages, error)
        finally:
            with self.lock:
                self.under_way.discard(source)

    def close(self) -> None:
        """Ask nothing more."""
        self.workers.shutdown(wait=False, cancel_futures=True)


def fetched(pages: str, query: str) -> dict[str, object]:
    """Return what a table's pages answer.

    Raises
    ------
    OSError, HTTPException, ValueError, RecursionError
        Where they do not answer, or with anything but a JSON object of bearable size.
    """
    where = urlsplit(pages)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=HTTP_TIMEOUT_S)
    try:
        connection.request("GET", f"{PATH}?{query}", headers={"Accept": "application/json"})
        response = connection.getresponse()
        body = response.read(LARGEST + 1)
    finally:
        connection.close()
    if response.status != http.client.OK or len(body) > LARGEST:
        raise BadMessage(f"status {response.status} with {len(body):,} bytes")
    found = json.loads(body)
    if not isinstance(found, dict):
        raise BadMessage("the answer is no JSON object")
    return found
