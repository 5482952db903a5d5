"""Hostile phones, each kind from one address, while the response times of honest phones are measured."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import random
import re
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from calibration.evaluation.metric import Progress, quantile
from companion.drill.crowd import Crowd
from companion.drill.outcome import Outcome
from companion.drill.table_processes import running_table

HOSTILE_ADDRESS = "127.9.9.9"

MAX_P99_MS = 300.0
"""Largest 99th percentile of the response times without a hostile phone, in ms."""

MAX_P99_FACTOR = 2.0
"""Largest increase of that percentile beside a hostile phone, as a factor."""

ARRIVAL_S, STAY_S = 10.0, 10.0
"""Seconds in which the honest phones arrive, and for which they stay."""

HTTP_VERSION_AND_HOST = b"HTTP/1.1\r\nHost: table\r\n"


def open_connections(port: int, most: int) -> list[socket.socket]:
    """Return up to ``most`` open connections."""
    found = []
    for _ in range(most):
        with suppress(OSError):
            found.append(socket.create_connection(("127.0.0.1", port), 5, (HOSTILE_ADDRESS, 0)))
    return found


def exchange(port: int, text: bytes, most: int = 1 << 16) -> bytes:
    """Send a text by a new connection, and return the first part of the answer."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5, (HOSTILE_ADDRESS, 0)) as line:
        line.sendall(text)
        return line.recv(most)
    return b""


def send_half_requests(port: int) -> None:
    """Begin 600 requests and send a byte of each now and then (slow loris)."""
    lines = open_connections(port, 600)
    while True:
        for line in lines:
            with suppress(OSError):
                line.send(b"G")
        time.sleep(5)
        lines = [line for line in lines if not select.select([line], [], [], 0)[0]] + open_connections(
            port, 50
        )


def open_unread_streams(port: int) -> None:
    """Open up to 400 live streams and read none; reopen closed ones."""
    lines: list[socket.socket] = []
    while True:
        fresh = open_connections(port, 400 - len(lines))
        for line in fresh:
            with suppress(OSError):
                line.sendall(b"GET /live/score " + HTTP_VERSION_AND_HOST + b"\r\n")
        lines = (lines + fresh)[:400]
        time.sleep(5)


def guess_pins(port: int) -> None:
    """Try PINs as fast as answers come."""
    page = exchange(port, b"GET /enter " + HTTP_VERSION_AND_HOST + b"\r\n")
    cookie = re.search(rb"session=[^;]+", page)
    token = re.search(rb'csrf_token" value="([^"]+)', page)
    for number in range(10**9):
        form = b"pin=%06d&csrf_token=%s" % (number % 10**6, token[1] if token else b"")
        head = (
            b"POST /enter " + HTTP_VERSION_AND_HOST + b"Content-Type: application/x-www-form-urlencoded\r\n"
        )
        head += b"Cookie: %s\r\nContent-Length: %d\r\n\r\n" % (cookie[0] if cookie else b"", len(form))
        exchange(port, head + form)


def send_slow_bodies(port: int) -> None:
    """Announce large forms and send them slowly."""
    while True:
        lines = open_connections(port, 40)
        for line in lines:
            with suppress(OSError):
                line.sendall(b"POST /enter " + HTTP_VERSION_AND_HOST + b"Content-Length: 60000\r\n\r\n")
        for _ in range(10):
            for line in lines:
                with suppress(OSError):
                    line.send(b"x" * 100)
            time.sleep(0.5)
        for line in lines:
            line.close()


def send_deep_json(port: int) -> None:
    """Send deep and odd JSON to the interface for programs."""
    odd = b"[" * 20_000, json.dumps({"seat": 10**400}).encode(), b'{"a":' * 5000, b"\xff" * 500
    for body in itertools.cycle(odd):
        head = b"POST /api/v1/calls " + HTTP_VERSION_AND_HOST + b"Content-Type: application/json\r\n"
        exchange(port, head + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def send_noise(port: int) -> None:
    """Send random bytes."""
    rng = random.Random(0)
    while True:
        exchange(port, rng.randbytes(rng.choice((10, 1000, 20_000))))


HOSTILE_BEHAVIOURS: Mapping[str, Callable[[int], None]] = {
    "half-sent requests": send_half_requests,
    "live streams never read": open_unread_streams,
    "wrong PINs": guess_pins,
    "slow and large forms": send_slow_bodies,
    "deep JSON": send_deep_json,
    "noise": send_noise,
}
"""The behaviour of a hostile phone, by its name; each runs until its process is killed."""


@contextmanager
def hostile_phone(kind: str, port: int) -> Iterator[None]:
    """Run a hostile phone in a process of its own until the block ends."""
    context = multiprocessing.get_context("forkserver")
    process = context.Process(target=HOSTILE_BEHAVIOURS[kind], args=(port,), daemon=True)
    process.start()
    time.sleep(2.0)  # until it has opened all its connections
    try:
        yield
    finally:
        process.kill()
        process.join()


def measure_crowds(phones: int, seed: int, progress: Progress, stay_s: float = STAY_S) -> Iterator[Outcome]:
    """Yield the response times of honest phones, alone and beside each hostile one."""
    with running_table(seed) as stage:
        stage.start_web()
        progress("honest phones alone")
        quiet = measured_crowd(stage.port, phones, seed, stay_s)
        yield crowd_outcome("honest phones", phones, quiet, MAX_P99_MS)
        bound_ms = MAX_P99_FACTOR * 1000 * quantile(quiet.answers_s, 0.99)
        for kind in HOSTILE_BEHAVIOURS:
            progress(kind)
            with hostile_phone(kind, stage.port):
                found = measured_crowd(stage.port, phones - 1, seed, stay_s)
            yield crowd_outcome(f"honest phones beside {kind}", phones - 1, found, bound_ms)


def measured_crowd(port: int, phones: int, seed: int, stay_s: float) -> Crowd:
    """Return the measurements of a crowd of phones."""
    found = Crowd(port, seed)
    found.play(phones, ARRIVAL_S, stay_s)
    return found


def crowd_outcome(what: str, phones: int, found: Crowd, most_ms: float) -> Outcome:
    """Return the outcome of a crowd; ``most_ms`` is the largest 99th percentile of the response times."""
    p50_ms, p99_ms = (1000 * quantile(found.answers_s, share) for share in (0.5, 0.99))
    faults = list(found.failed)
    if not p99_ms <= most_ms:
        faults.append(f"99 of 100 answers took up to {p99_ms:.0f} ms; at most {most_ms:.0f} are asked")
    if len(found.live_s) < phones:
        faults.append(f"{phones - len(found.live_s)} of {phones} phones never went live")
    measured = {
        "answers": len(found.answers_s),
        "ms at the median": p50_ms,
        "ms for 99 of 100": p99_ms,
        "s until live for 99 of 100": quantile(found.live_s, 0.99),
    }
    return Outcome(what, phones, faults, measured)
