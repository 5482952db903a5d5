"""Honest phones, as browsers are: six connections each, whole pages, live until they go."""

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

CONNECTIONS = 6
"""Connections that a browser opens to one site."""

PARTS = ("/static/style.css", "/static/live.js", "/static/icon.svg", "/help")
"""What is asked for side by side once the page is there; the sixth connection becomes the live stream."""

LATER = ("/", "/help", "/games", "/api/v1/state", "/seat/1", "/tv")
"""What phones ask for while they are used."""

LIVE = "/live/score"
"""The stream that the first page of a table listens to."""

PAUSE_S = 4.0
"""Seconds between two pages that somebody opens, on the average."""

LATE_S = 20.0
"""Seconds after which an answer that has not come counts as failed."""

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
    """Phones at the pages of one port; ``later`` is what they ask for, ``lives`` the streams that they hear.

    Each phone hears one stream, the next one the next.  ``answers_s`` is how long each answer took from the
    moment somebody wanted it; ``live_s`` how long each phone took from its first connection to its first live
    message; ``failed`` says what did not come.
    """

    port: int
    seed: int
    later: Sequence[str] = LATER
    lives: Sequence[str] = (LIVE,)
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
        """Let phones come within a time, and stay for another."""
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
        """Do something at a time."""
        heapq.heappush(self.due, (when_s, next(self.order), act))

    def arrive(self, phone: Phone) -> None:
        """Open a phone's connections and ask for the first page."""
        phone.begun_s = time.monotonic()
        phone.connections = [Connection(phone) for _ in range(CONNECTIONS)]
        for one in phone.connections:
            self.connect(one)
        self.ask(phone.connections[0], "/", phone.begun_s)

    def connect(self, one: Connection) -> None:
        """Open a connection, anew where the pages have closed it."""
        try:
            one.line = socket.create_connection(("127.0.0.1", self.port), LATE_S, (one.phone.address, 0))
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
        """Ask for a page by a connection; ``since_s`` is when somebody wanted it."""
        if one.line is None:
            self.connect(one)
        one.pending_path, one.since_s = path, since_s
        with suppress(OSError):  # that it was closed is met when the answer is taken
            if one.line is not None:
                one.line.sendall(HEAD.format(path=path).encode())

    def take(self, one: Connection) -> None:
        """Take what has come by a connection."""
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
        """Take in what a live stream says: the first message is waited for."""
        if one.pending_path and b"data: " in one.got:
            self.live_s.append(time.monotonic() - one.phone.begun_s)
            one.pending_path = ""
        one.got = one.got[-100:]

    def hung_up(self, one: Connection) -> None:
        """Ask again where the pages closed a connection that had been idle, as browsers do."""
        path, since_s, got = one.pending_path, one.since_s, one.got
        self.close(one)
        if path and (got or one.stream or time.monotonic() - since_s > LATE_S):
            self.failed.append(f"{one.phone.address}: {path} was cut off")
        elif path:
            self.ask(one, path, since_s)

    def answered(self, one: Connection, head: bytes) -> None:
        """Note an answer, and ask for what comes next."""
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
            for other, part in zip(phone.connections[1:], PARTS, strict=False):
                self.ask(other, part, now_s)
            self.at(now_s + self.rng.expovariate(1 / PAUSE_S), lambda: self.use(phone))
        elif phone.waiting:
            self.ask(one, phone.waiting.popleft(), now_s)

    def listen(self, one: Connection) -> None:
        """Make a connection the live stream."""
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
        self.at(now_s + self.rng.expovariate(1 / PAUSE_S), lambda: self.use(phone))

    def leave(self) -> None:
        """Close everything; what has not come by now and was asked long ago has failed."""
        now_s = time.monotonic()
        for one in (one for phone in self.phones for one in phone.connections):
            if one.pending_path and now_s - one.since_s > LATE_S:
                self.failed.append(f"{one.phone.address}: {one.pending_path} never came")
            self.close(one)
        self.selector.close()
