"""How well the pages serve many phones: how late each hears of an event, how much memory it takes.

The pages run as a process of their own, as on the table; the phones are
connections of this process, over the machine's own loopback.  A phone's
latency runs from the moment when the table's log is on the disk to the
moment when the event's message is whole at the phone.
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

from calibration.evaluation.figure import Figure
from companion.bench.launched import served
from companion.bench.rules import begun, evening, quantile
from companion.events.log import EventLog
from companion.events.match import Match

PHONES, EVENTS = 250, 40
LATE_MS, MEMORY_MB, PAGE_MS, PAINT_KB = 150.0, 120.0, 10.0, 30.0

PACE_S = 0.25
"""Seconds between two calls."""

LONGEST_S = 20.0
"""Seconds after which a phone that has not heard of an event counts as one that never will."""

PAGES = ("/", "/tv", "/seat/1", "/games", "/replay/one", "/results/one", "/help", "/join", "/api/v1/state")

ROUNDS = 15
"""How often each page is asked for."""


@dataclass(slots=True)
class Phone:
    """A phone that listens: what came and was not read yet, and the number of the last event it heard of."""

    connection: socket.socket
    waiting: bytes = b""
    number: int = 0

    def take(self) -> None:
        """Read what has come."""
        self.waiting += self.connection.recv(1 << 18)
        *whole, self.waiting = self.waiting.split(b"\n\n")
        for message in whole:
            if found := re.search(rb"id: (\d+)", message):
                self.number = int(found[1])


@dataclass(slots=True)
class Heard:
    """What came of many events: milliseconds of each phone and event, and how many never came."""

    late_ms: list[float] = field(default_factory=list)
    missed: int = 0


def web_figures(phones: int = PHONES, events: int = EVENTS) -> Iterator[Figure]:
    """Yield every figure of this module."""
    with TemporaryDirectory() as place, EventLog(Path(place) / "log") as log:
        match = begun(log, 4)
        with pages(Path(place)) as (process, port):
            yield paint_figure(port)
            yield from page_figures(port)
            found = heard(match, port, phones, events)
            yield from phone_figures(found, phones, memory_mb(process.pid))


@contextmanager
def pages(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Serve the pages of a folder's log from a process of their own; yield it and its port."""
    words = ["web", "--log", folder / "log", "--kept", folder / "kept", "--port", "0"]
    with served(words) as found:
        yield found


def heard(match: Match, port: int, phones: int, events: int) -> Heard:
    """Return what phones heard of the calls of a table."""
    found = Heard()
    with selectors.DefaultSelector() as waiting:
        listening = [listen(port, waiting) for _ in range(phones)]
        collect(waiting, listening, match.number)
        table = evening(4)
        for _ in range(events):
            while not match.handle(next(table)):
                pass
            written = time.perf_counter()
            times = collect(waiting, listening, match.number)
            found.late_ms += [1000 * (at - written) for at in times]
            found.missed += len(listening) - len(times)
            time.sleep(PACE_S)
        for phone in listening:
            phone.connection.close()
    return found


def listen(port: int, waiting: selectors.BaseSelector) -> Phone:
    """Return a phone that listens to the scoreboard."""
    phone = Phone(socket.create_connection(("127.0.0.1", port), timeout=LONGEST_S))
    phone.connection.sendall(b"GET /live/score HTTP/1.1\r\nHost: table\r\nAccept: text/event-stream\r\n\r\n")
    phone.connection.setblocking(False)
    waiting.register(phone.connection, selectors.EVENT_READ, phone)
    return phone


def collect(waiting: selectors.BaseSelector, phones: list[Phone], number: int) -> list[float]:
    """Return when each phone had heard of an event, for those that did."""
    times: list[float] = []
    late = {id(phone) for phone in phones if phone.number < number}
    until = time.perf_counter() + LONGEST_S
    while late and time.perf_counter() < until:
        for key, _ in waiting.select(0.1):
            phone: Phone = key.data
            phone.take()
            if phone.number >= number and id(phone) in late:
                late.discard(id(phone))
                times.append(time.perf_counter())
    return times


def phone_figures(found: Heard, phones: int, held_mb: float) -> Iterator[Figure]:
    """Yield how late phones hear of an event, how many never do, and what memory serving them takes."""
    what = f"{phones} live phones"
    if found.late_ms:
        yield Figure(f"{what}: an event at a phone, median", statistics.median(found.late_ms), "ms")
        last_ms = quantile(found.late_ms, 0.99)
        yield Figure(f"{what}: an event at a phone, 99 of 100", last_ms, "ms", most=LATE_MS)
    yield Figure(f"{what}: events that a phone did not hear of", found.missed, "", most=0)
    yield Figure(f"{what}: memory of the pages' process", held_mb, "MB", most=MEMORY_MB)


def memory_mb(process: int) -> float:
    """Return the most memory that a process has held, in MB."""
    told = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    peak = next(line for line in told.splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * 1024 / 1e6


def page_figures(port: int) -> Iterator[Figure]:
    """Yield how long each page takes, loopback included."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)) as connection:
        for page in PAGES:
            took_ms = [asked(connection, page)[1] for _ in range(ROUNDS)]
            middle_ms = statistics.median(took_ms)
            yield Figure(f"page {page}, median", middle_ms, "ms", most=PAGE_MS, how="loopback included")


def asked(connection: http.client.HTTPConnection, page: str) -> tuple[bytes, float]:
    """Return a page, compressed, and the milliseconds that it took."""
    before = time.perf_counter()
    connection.request("GET", page, headers={"Accept-Encoding": "gzip"})
    body = connection.getresponse().read()
    return body, 1000 * (time.perf_counter() - before)


def paint_figure(port: int) -> Figure:
    """Return what a phone loads before it shows the scoreboard: the page, its styles, its script."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)) as connection:
        connection.request("GET", "/")
        links = re.findall(rb'(?:src|href)="(/static/[^"]+)"', connection.getresponse().read())
        size = sum(len(asked(connection, link.decode())[0]) for link in [b"/", *links])
    return Figure("first paint of the scoreboard, compressed", size / 1000, "KB", most=PAINT_KB)
