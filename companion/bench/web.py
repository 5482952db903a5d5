"""Latency of live events at many phones, response times of pages, and memory of the pages' process.

The pages run as a process of their own, as on the table; the phones are connections of this process over the
loopback.  The latency runs from the event's commit in the table's log to its complete message at the phone.
"""

from __future__ import annotations

import http.client
import re
import selectors
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.metric import Metric, quantile
from companion.bench.processes import memory_mb, run_server
from companion.bench.rules import calls_of_evening, new_match
from companion.events.log import EventLog
from companion.events.match import Match

PHONES, EVENTS = 250, 40
MAX_EVENT_LATENCY_MS, MAX_MEMORY_MB, MAX_PAGE_MS, MAX_FIRST_PAINT_KB = 150.0, 120.0, 10.0, 30.0

CALL_INTERVAL_S = 0.25
"""Seconds between two calls."""

EVENT_TIMEOUT_S = 20.0
"""Seconds after which an event that has not reached a phone counts as missed."""

PAGES = ("/", "/tv", "/seat/1", "/games", "/replay/one", "/results/one", "/help", "/join", "/api/v1/state")

REQUESTS_PER_PAGE = 15
"""Number of requests of each page."""


@dataclass(slots=True)
class Phone:
    """A phone's connection: bytes received and not parsed yet, and the number of the last event received."""

    connection: socket.socket
    waiting: bytes = b""
    number: int = 0

    def take(self) -> None:
        """Receive and parse the available bytes."""
        self.waiting += self.connection.recv(1 << 18)
        *whole, self.waiting = self.waiting.split(b"\n\n")
        for message in whole:
            if found := re.search(rb"id: (\d+)", message):
                self.number = int(found[1])


@dataclass(slots=True)
class Latencies:
    """Latency of each event at each phone in milliseconds, and the number of events that never came."""

    late_ms: list[float] = field(default_factory=list)
    missed: int = 0


def web_metrics(phones: int = PHONES, events: int = EVENTS) -> Iterator[Metric]:
    """Yield every metric of this module."""
    with TemporaryDirectory() as place, EventLog(Path(place) / "log") as log:
        match = new_match(log, 4)
        with pages(Path(place)) as (process, port):
            yield paint_metric(port)
            yield from page_metrics(port)
            found = event_latencies(match, port, phones, events)
            yield from phone_metrics(found, phones, memory_mb(process.pid))


@contextmanager
def pages(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Serve the pages of a folder's log from a process of their own; yield it and its port."""
    words = ["web", "--log", folder / "log", "--kept", folder / "kept", "--port", "0"]
    with run_server(words) as found:
        yield found


def event_latencies(match: Match, port: int, phones: int, events: int) -> Latencies:
    """Return the latencies of the events of a table's calls at many phones."""
    found = Latencies()
    with selectors.DefaultSelector() as waiting:
        listening = [listen(port, waiting) for _ in range(phones)]
        collect(waiting, listening, match.number)
        table = calls_of_evening(4)
        for _ in range(events):
            while not match.handle(next(table)):
                pass
            written = time.perf_counter()
            times = collect(waiting, listening, match.number)
            found.late_ms += [1000 * (at - written) for at in times]
            found.missed += len(listening) - len(times)
            time.sleep(CALL_INTERVAL_S)
        for phone in listening:
            phone.connection.close()
    return found


def listen(port: int, waiting: selectors.BaseSelector) -> Phone:
    """Return a phone that is connected to the scoreboard's live stream."""
    phone = Phone(socket.create_connection(("127.0.0.1", port), timeout=EVENT_TIMEOUT_S))
    phone.connection.sendall(b"GET /live/score HTTP/1.1\r\nHost: table\r\nAccept: text/event-stream\r\n\r\n")
    phone.connection.setblocking(False)
    waiting.register(phone.connection, selectors.EVENT_READ, phone)
    return phone


def collect(waiting: selectors.BaseSelector, phones: list[Phone], number: int) -> list[float]:
    """Return the times at which phones received an event, for those that did."""
    times: list[float] = []
    late = {id(phone) for phone in phones if phone.number < number}
    until = time.perf_counter() + EVENT_TIMEOUT_S
    while late and time.perf_counter() < until:
        for key, _ in waiting.select(0.1):
            phone: Phone = key.data
            phone.take()
            if phone.number >= number and id(phone) in late:
                late.discard(id(phone))
                times.append(time.perf_counter())
    return times


def phone_metrics(found: Latencies, phones: int, held_mb: float) -> Iterator[Metric]:
    """Yield latencies, missed events and the memory of the pages' process."""
    what = f"{phones} live phones"
    if found.late_ms:
        yield Metric(f"{what}: an event at a phone, median", statistics.median(found.late_ms), "ms")
        last_ms = quantile(found.late_ms, 0.99)
        yield Metric(f"{what}: an event at a phone, 99 of 100", last_ms, "ms", most=MAX_EVENT_LATENCY_MS)
    yield Metric(f"{what}: events that a phone did not hear of", found.missed, "", most=0)
    yield Metric(f"{what}: memory of the pages' process", held_mb, "MB", most=MAX_MEMORY_MB)


def page_metrics(port: int) -> Iterator[Metric]:
    """Yield the response time of each page, loopback included."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=EVENT_TIMEOUT_S)) as connection:
        for page in PAGES:
            took_ms = [timed_get(connection, page)[1] for _ in range(REQUESTS_PER_PAGE)]
            middle_ms = statistics.median(took_ms)
            yield Metric(f"page {page}, median", middle_ms, "ms", most=MAX_PAGE_MS, how="loopback included")


def timed_get(connection: http.client.HTTPConnection, page: str) -> tuple[bytes, float]:
    """Return the compressed body of a page and its response time in milliseconds."""
    before = time.perf_counter()
    connection.request("GET", page, headers={"Accept-Encoding": "gzip"})
    body = connection.getresponse().read()
    return body, 1000 * (time.perf_counter() - before)


def paint_metric(port: int) -> Metric:
    """Return the bytes that a phone loads for the scoreboard: the page, its styles, its script."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=EVENT_TIMEOUT_S)) as connection:
        connection.request("GET", "/")
        links = re.findall(rb'(?:src|href)="(/static/[^"]+)"', connection.getresponse().read())
        size = sum(len(timed_get(connection, link.decode())[0]) for link in [b"/", *links])
    return Metric("first paint of the scoreboard, compressed", size / 1000, "KB", most=MAX_FIRST_PAINT_KB)
