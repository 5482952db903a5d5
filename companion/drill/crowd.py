"""Simulated honest phones: like browsers, each has six connections, loads whole pages and a live stream."""

from __future__ import annotations

import heapq
import itertools
import random
import re
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

CONNECTIONS_PER_PHONE = 6
"""Connections that a browser opens to one site."""

FIRST_PAGE_REQUESTS = ("/static/style.css", "/static/live.js", "/static/icon.svg", "/help")
"""Paths that are requested in parallel after the first page; the sixth connection becomes the live stream."""

LATER = ("/", "/help", "/games", "/api/v1/state", "/seat/1", "/tv")
"""Pages that phones open later."""

LIVE_PATH = "/live/score"
"""The live stream of a table's first page."""

MEAN_PAGE_INTERVAL_S = 4.0
"""Mean time between two opened pages."""

ANSWER_TIMEOUT_S = 20.0
"""Seconds after which a missing answer counts as failed."""

HEAD = "GET {path} HTTP/1.1\r\nHost: table\r\nAccept-Encoding: gzip\r\n\r\n"


@dataclass(slots=True)
class Connection:
    """One connection of a phone; ``pending_path`` is the page that is awaited, since ``since_s``."""

    phone: Phone
    line: socket.socket | None = None
    got: bytes = b""
    pending_path: str = ""
    since_s: float = 0.0
    stream: bool = False


@dataclass(slots=True)
class Phone:
    """A phone with its address; ``waiting`` are pages that wait for a free connection."""

    address: str
    connections: list[Connection] = field(default_factory=list)
    waiting: deque[str] = field(default_factory=deque)
    begun_s: float = 0.0


@dataclass(slots=True)
class Crowd:
    """Phones at the pages of one port; ``later`` are the pages that they open, ``lives`` the live streams.

    Phones take the streams in turn.  ``answers_s`` are the response times, from the moment when a page was
    wanted; ``live_s`` the times from each phone's first connection to its first live message; ``failed`` are
    the failures in words.
    """

    port: int
    seed: int
    later: Sequence[str] = LATER
    lives: Sequence[str] = (LIVE_PATH,)
    answers_s: list[float] = field(default_factory=list)
    live_s: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    phones: list[Phone] = field(default_factory=list)
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    due: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    order: itertools.count[int] = field(default_factory=itertools.count)
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(f"crowd {self.seed}")

    def play(self, phones: int, arrival_s: float, stay_s: float) -> None:
        """Let ``phones`` arrive within ``arrival_s``, and stay for ``stay_s``."""
        begun_s = time.monotonic()
        for number in range(phones):
            phone = Phone(f"127.4.{number // 200}.{1 + number % 200}")
            self.phones.append(phone)
            self.at(begun_s + arrival_s * number / phones, partial(self.arrive, phone))
        until_s = begun_s + arrival_s + stay_s
        while (now_s := time.monotonic()) < until_s:
            while self.due and self.due[0][0] <= now_s:
                heapq.heappop(self.due)[2]()
            soon_s = min(self.due[0][0] if self.due else until_s, until_s) - time.monotonic()
            for key, _ in self.selector.select(max(0.0, min(0.1, soon_s))):
                self.take(key.data)
        self.leave()

    def at(self, when_s: float, act: Callable[[], None]) -> None:
        """Schedule an action for a time of the monotonic clock."""
        heapq.heappush(self.due, (when_s, next(self.order), act))

    def arrive(self, phone: Phone) -> None:
        """Open a phone's connections and request the first page."""
        phone.begun_s = time.monotonic()
        phone.connections = [Connection(phone) for _ in range(CONNECTIONS_PER_PHONE)]
        for one in phone.connections:
            self.connect(one)
        self.ask(phone.connections[0], "/", phone.begun_s)

    def connect(self, one: Connection) -> None:
        """Open or reopen a connection."""
        try:
            one.line = socket.create_connection(
                ("127.0.0.1", self.port), ANSWER_TIMEOUT_S, (one.phone.address, 0)
            )
        except OSError as error:
            self.failed.append(f"{one.phone.address}: no connection: {error}")
            return
        one.line.setblocking(False)
        one.got, one.pending_path = b"", ""
        self.selector.register(one.line, selectors.EVENT_READ, one)

    def close(self, one: Connection) -> None:
        """Close a connection."""
        if one.line is not None:
            self.selector.unregister(one.line)
            one.line.close()
            one.line = None

    def ask(self, one: Connection, path: str, since_s: float) -> None:
        """Request a page; ``since_s`` is the time when it was wanted."""
        if one.line is None:
            self.connect(one)
        one.pending_path, one.since_s = path, since_s
        with suppress(OSError):  # a closed connection is handled when the answer is received
            if one.line is not None:
                one.line.sendall(HEAD.format(path=path).encode())

    def take(self, one: Connection) -> None:
        """Receive the available bytes of a connection."""
        try:
            part = one.line.recv(1 << 18) if one.line else b""
        except OSError:
            part = b""
        if not part:
            self.hung_up(one)
            return
        one.got += part
        if one.stream:
            self.heard(one)
            return
        head, found, body = one.got.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        if not found or (length and len(body) < int(length[1])):
            return
        self.answered(one, head)

    def heard(self, one: Connection) -> None:
        """Note the first message of a live stream."""
        if one.pending_path and b"data: " in one.got:
            self.live_s.append(time.monotonic() - one.phone.begun_s)
            one.pending_path = ""
        one.got = one.got[-100:]

    def hung_up(self, one: Connection) -> None:
        """Request again where an idle connection was closed, as browsers do; else note a failure."""
        path, since_s, got = one.pending_path, one.since_s, one.got
        self.close(one)
        if path and (got or one.stream or time.monotonic() - since_s > ANSWER_TIMEOUT_S):
            self.failed.append(f"{one.phone.address}: {path} was cut off")
        elif path:
            self.ask(one, path, since_s)

    def answered(self, one: Connection, head: bytes) -> None:
        """Note the response time, and request what comes next."""
        phone, path = one.phone, one.pending_path
        status = head.split(b" ", 2)[1]
        if status != b"200":
            self.failed.append(f"{phone.address}: {path} was answered {status.decode()}")
        self.answers_s.append(time.monotonic() - one.since_s)
        one.got, one.pending_path = b"", ""
        if b"connection: close" in head.lower():
            self.close(one)
        now_s = time.monotonic()
        if path == "/" and not any(other.stream for other in phone.connections):
            self.listen(phone.connections[-1])
            for other, part in zip(phone.connections[1:], FIRST_PAGE_REQUESTS, strict=False):
                self.ask(other, part, now_s)
            self.at(now_s + self.rng.expovariate(1 / MEAN_PAGE_INTERVAL_S), lambda: self.use(phone))
        elif phone.waiting:
            self.ask(one, phone.waiting.popleft(), now_s)

    def listen(self, one: Connection) -> None:
        """Turn a connection into the live stream."""
        number = self.phones.index(one.phone)
        self.ask(one, self.lives[number % len(self.lives)], time.monotonic())
        one.stream = True

    def use(self, phone: Phone) -> None:
        """Open another page, and again after a while."""
        now_s, path = time.monotonic(), self.rng.choice(self.later)
        free = next((one for one in phone.connections if not one.stream and not one.pending_path), None)
        if free is None:
            phone.waiting.append(path)
        else:
            self.ask(free, path, now_s)
        self.at(now_s + self.rng.expovariate(1 / MEAN_PAGE_INTERVAL_S), lambda: self.use(phone))

    def leave(self) -> None:
        """Close all connections; answers that are late by now count as failed."""
        now_s = time.monotonic()
        for one in (one for phone in self.phones for one in phone.connections):
            if one.pending_path and now_s - one.since_s > ANSWER_TIMEOUT_S:
                self.failed.append(f"{one.phone.address}: {one.pending_path} never came")
            self.close(one)
        self.selector.close()
