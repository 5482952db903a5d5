"""Client threads: one sends requests to a table and keeps the answers, one follows the pages' live stream."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from companion.errors import CompanionError
from companion.rpc import TableClient

RETRY_DELAY_S = 0.01
"""Pause while no table answers, in seconds."""

AcceptedRequest = tuple[int, str]
"""The event number of an accepted request, and a text that the event must contain."""


class RequestThread(threading.Thread):
    """Sends rulings, calls and orders one after the other; ``answered`` are the accepted ones."""

    def __init__(self, path: Path, seed: str) -> None:
        super().__init__(daemon=True)
        self.line, self.seed, self.rng = TableClient(path, 3.0), seed, random.Random(seed)
        self.answered: list[AcceptedRequest] = []
        self.over = False

    def run(self) -> None:
        """Send requests until ``over`` is set."""
        for number in range(1, 10**9):
            if self.over:
                return
            try:
                self.ask(number)
            except CompanionError:
                time.sleep(RETRY_DELAY_S)

    def ask(self, number: int) -> None:
        """Send one request, and keep it where it is accepted."""
        tag, seat, chance = f"drill {self.seed} {number}", 1 + number % 4, self.rng.random()
        if chance < 0.7:
            answer = self.line.ruling("set_score", tag, seat, {"score": number % 999})
        elif chance < 0.8:
            answer, tag = self.line.call(seat, "dump", {}, "drill"), ""
        else:
            answer, tag = self.line.order(self.rng.choice(("start", "pause", "resume"))), ""
        if answer.accepted and answer.number:
            self.answered.append((answer.number, tag))


class LiveFollower(threading.Thread):
    """Follows the pages' stream of events and reconnects; ``shown`` are the received event numbers."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port, self.over = port, False
        self.shown: list[int] = []

    def run(self) -> None:
        """Listen until ``over`` is set."""
        while not self.over:
            with suppress(OSError, HTTPException):
                for number in self.numbers():
                    self.shown.append(number)
                    if self.over:
                        return
            time.sleep(0.1)

    def numbers(self) -> Iterator[int]:
        """Yield the event numbers of one connection."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            after = self.shown[-1] if self.shown else 0
            connection.request("GET", f"/api/v1/live?after={after}")
            answer = connection.getresponse()
            while line := answer.readline():
                if found := re.match(rb"id: (\d+)", line):
                    yield int(found[1])
