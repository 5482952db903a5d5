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

from companion.config.hall import PAGES_URL
from companion.errors import BadMessage
from companion.hall.contract.messages import MAX_PAYLOAD_BYTES, OrderResult, payload
from companion.hall.contract.topics import Channel, answers, topic
from companion.hall.mqtt import Received
from companion.hall.publishing.orders import OrderRequest
from companion.hall.replica import GameKey

ORDER_TIMEOUT_S = 10.0
"""Seconds in which a table must answer an order."""

MAX_KEPT_ORDERS = 2000
"""Most orders whose outcome is kept for the director's page."""


@dataclass(slots=True)
class SentOrder:
    """An order that was sent to a table; ``sent_s`` is by ``time.monotonic``."""

    table: str
    request: OrderRequest
    sent_s: float
    answer: OrderResult | None = None

    @property
    def late(self) -> bool:
        """Whether the table has not answered in time."""
        return self.answer is None and time.monotonic() - self.sent_s > ORDER_TIMEOUT_S


class RequestTransport(Protocol):
    """Sends MQTT requests: the connection to the broker."""

    def request(self, topic: str, payload: bytes, reply_to: str, correlation: bytes, /) -> None:
        """Send a request; its answer comes as a message on ``reply_to``."""


class TableRequests:
    """Sends requests over MQTT and matches their answers by correlation data."""

    def __init__(self, hall: str) -> None:
        self.hall = hall
        self.link: RequestTransport | None = None
        self.sent: OrderedDict[bytes, SentOrder] = OrderedDict()
        self.replays: dict[GameKey, bytes] = {}
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()

    def replay(self, key: GameKey, after: int) -> None:
        """Request the events of a game after a number."""
        if self.link is not None:
            source, game = key
            correlation = self.replays[key] = f"replay {next(self.numbers)}".encode()
            self.link.request(
                topic(source, Channel.REPLAY),
                payload({"game": game, "after": after}),
                answers(self.hall, source),
                correlation,
            )

    def order(self, table: str, request: OrderRequest) -> SentOrder:
        """Send an order to a table and return it; its result arrives later."""
        with self.lock:
            correlation = f"order {next(self.numbers)}".encode()
            found = self.sent[correlation] = SentOrder(table, request, time.monotonic())
            if len(self.sent) > MAX_KEPT_ORDERS:
                self.sent.popitem(last=False)
        if self.link is not None:
            self.link.request(
                topic(table, Channel.ORDERS), request.payload(), answers(self.hall, table), correlation
            )
        return found

    def is_newest(self, key: GameKey, correlation: bytes) -> bool:
        """Return whether a replay answers the newest request for its game, or came over HTTP."""
        return correlation in (HTTP_CORRELATION, self.replays.get(key))

    def is_order_result(self, correlation: bytes) -> bool:
        """Return whether an answer is to an order."""
        return correlation.startswith(b"order ")

    def take_result(self, correlation: bytes, answer: OrderResult) -> None:
        """Note an order's result; a result without a waiting order, or from another table, is dropped."""
        found = self.sent.get(correlation)
        if found is not None and found.table == answer.table:
            found.answer = answer


MIN_RETRY_S, MAX_RETRY_S = 2.0, 30.0
"""First and longest delay in seconds between two requests for the same events; it doubles each time."""

UNKNOWN_END = 2**63
"""An event number above all others: the table's answer has its newest number."""

MQTT_TRIES_BEFORE_HTTP = 2
"""Requests over MQTT without result, after which the events are requested over HTTP too."""


@dataclass(slots=True)
class Gap:
    """Missing events of a game.

    ``due_s`` is when to request them next, ``wait_s`` the wait after that, ``tries`` the requests so far.
    ``known_hash`` is the hash of one of its events, which the table's pages require.  ``until`` is the newest
    event that the hall knows of.
    """

    due_s: float
    known_hash: bytes
    until: int
    wait_s: float = MIN_RETRY_S
    tries: int = 0


def parse_hash(given: Any) -> bytes:
    """Return a hash from its hexadecimal digits, empty where the text is none."""
    try:
        return bytes.fromhex(given) if isinstance(given, str) else b""
    except ValueError:
        return b""


EVENTS_PATH = "/api/v1/events"

HTTP_TIMEOUT_S = 5.0
"""Seconds in which a table's pages must answer a request."""

MAX_PARALLEL_REQUESTS = 4
"""Most HTTP requests at the same time."""

HTTP_CORRELATION = b"fetched"
"""Correlation data of events that came over HTTP."""

logger = logging.getLogger(__name__)


class HttpReplay:
    """Requests events from tables' own pages (``GET /api/v1/events``), in threads of its own.

    Parameters
    ----------
    hall
        The hall's id.
    hear
        Called with every answer as a ``Received``, in the requesting thread.
    """

    def __init__(self, hall: str, deliver: Callable[[Received], None]) -> None:
        self.hall, self.deliver = hall, deliver
        self.workers = ThreadPoolExecutor(MAX_PARALLEL_REQUESTS, "fetching")
        self.running: set[str] = set()
        self.lock = threading.Lock()

    def ask(self, key: GameKey, pages: str, after: int, known_hash: bytes) -> bool:
        """Request the events of a game after a number; return whether the request was started.

        ``known_hash`` is the hash of an event of the game.  A table has one request at a time.
        """
        source, game = key
        with self.lock:
            if not PAGES_URL.fullmatch(pages) or not known_hash or source in self.running:
                return False
            self.running.add(source)
        query = urlencode({"game": game, "after": after, "known": known_hash.hex()})
        self.workers.submit(self.fetch, source, pages, query)
        return True

    def fetch(self, source: str, pages: str, query: str) -> None:
        """Request events from a table's pages and deliver the answer."""
        try:
            found = get_json(pages, query)
            self.deliver(
                Received(
                    answers(self.hall, source), payload({**found, "table": source}), "", HTTP_CORRELATION
                )
            )
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            logger.warning("%s: its pages at %s do not send what is missing: %s", source, pages, error)
        finally:
            with self.lock:
                self.running.discard(source)

    def close(self) -> None:
        """Cancel waiting requests."""
        self.workers.shutdown(wait=False, cancel_futures=True)


def get_json(pages: str, query: str) -> dict[str, object]:
    """Return the JSON object that a table's pages answer.

    Raises
    ------
    OSError, HTTPException, ValueError, RecursionError
        Where they do not answer, or answer with anything but a JSON object within ``MAX_PAYLOAD_BYTES``.
    """
    where = urlsplit(pages)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=HTTP_TIMEOUT_S)
    try:
        connection.request("GET", f"{EVENTS_PATH}?{query}", headers={"Accept": "application/json"})
        response = connection.getresponse()
        body = response.read(MAX_PAYLOAD_BYTES + 1)
    finally:
        connection.close()
    if response.status != http.client.OK or len(body) > MAX_PAYLOAD_BYTES:
        raise BadMessage(f"status {response.status} with {len(body):,} bytes")
    found = json.loads(body)
    if not isinstance(found, dict):
        raise BadMessage("the answer is no JSON object")
    return found
