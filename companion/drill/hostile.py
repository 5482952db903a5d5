"""Phones that do harm, each kind from one address, while all others are measured."""

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
from companion.drill.stage import playing

ADDRESS = "127.9.9.9"

LATE_MS = 300.0
"""Milliseconds that 99 of 100 answers may take while nobody does harm."""

WORSE = 2.0
"""How many times as long they may take while one phone does."""

ARRIVAL_S, STAY_S = 10.0, 10.0
"""Seconds in which the honest phones come, and for which they stay."""

HOST = b"HTTP/1.1\r\nHost: table\r\n"


def opened(port: int, most: int) -> list[socket.socket]:
    """Open connections, as many as are given."""
    found = []
    for _ in range(most):
        with suppress(OSError):
            found.append(socket.create_connection(("127.0.0.1", port), 5, (ADDRESS, 0)))
    return found


def said(port: int, text: bytes, most: int = 1 << 16) -> bytes:
    """Say something by a connection of its own, and return what came back at first."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5, (ADDRESS, 0)) as line:
        line.sendall(text)
        return line.recv(most)
    return b""


def half_sent(port: int) -> None:
    """Begin 600 requests and send a byte of each every now and then."""
    lines = opened(port, 600)
    while True:
        for line in lines:
            with suppress(OSError):
                line.send(b"G")
        time.sleep(5)
        lines = [line for line in lines if not select.select([line], [], [], 0)[0]] + opened(port, 50)


def streams(port: int) -> None:
    """Take as many live streams as are given, and again when they are closed; read none."""
    lines: list[socket.socket] = []
    while True:
        fresh = opened(port, 400 - len(lines))
        for line in fresh:
            with suppress(OSError):
                line.sendall(b"GET /live/score " + HOST + b"\r\n")
        lines = (lines + fresh)[:400]
        time.sleep(5)


def pins(port: int) -> None:
    """Try PINs as fast as answers come."""
    page = said(port, b"GET /enter " + HOST + b"\r\n")
    cookie = re.search(rb"session=[^;]+", page)
    token = re.search(rb'csrf_token" value="([^"]+)', page)
    for number in range(10**9):
        form = b"pin=%06d&csrf_token=%s" % (number % 10**6, token[1] if token else b"")
        head = b"POST /enter " + HOST + b"Content-Type: application/x-www-form-urlencoded\r\n"
        head += b"Cookie: %s\r\nContent-Length: %d\r\n\r\n" % (cookie[0] if cookie else b"", len(form))
        said(port, head + form)


def bodies(port: int) -> None:
    """Announce large forms and send them slowly, or send what is too large."""
    while True:
        lines = opened(port, 40)
        for line in lines:
            with suppress(OSError):
                line.sendall(b"POST /enter " + HOST + b"Content-Length: 60000\r\n\r\n")
        for _ in range(10):
            for line in lines:
                with suppress(OSError):
                    line.send(b"x" * 100)
            time.sleep(0.5)
        for line in lines:
            line.close()


def deep(port: int) -> None:
    """Send deep and odd JSON to the interface for programs."""
    odd = b"[" * 20_000, json.dumps({"seat": 10**400}).encode(), b'{"a":' * 5000, b"\xff" * 500
    for body in itertools.cycle(odd):
        head = b"POST /api/v1/calls " + HOST + b"Content-Type: application/json\r\n"
        said(port, head + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def noise(port: int) -> None:
    """Send what is no request."""
    rng = random.Random(0)
    while True:
        said(port, rng.randbytes(rng.choice((10, 1000, 20_000))))


KINDS: Mapping[str, Callable[[int], None]] = {
    "half-sent requests": half_sent,
    "live streams never read": streams,
    "wrong PINs": pins,
    "slow and large forms": bodies,
    "deep JSON": deep,
    "noise": noise,
}
"""What one hostile phone does, by its name; each goes on until it is ended."""


@contextmanager
def harming(kind: str, port: int) -> Iterator[None]:
    """Let a phone do harm, from a process of its own, until the block ends."""
    context = multiprocessing.get_context("forkserver")
    process = context.Process(target=KINDS[kind], args=(port,), daemon=True)
    process.start()
    time.sleep(2.0)  # until it has all that it wants
    try:
        yield
    finally:
        process.kill()
        process.join()


def crowds(phones: int, seed: int, progress: Progress, stay_s: float = STAY_S) -> Iterator[Outcome]:
    """Yield how long answers took for honest phones, alone and beside each hostile one."""
    with playing(seed) as stage:
        stage.start_web()
        progress("honest phones alone")
        quiet = crowd(stage.port, phones, seed, stay_s)
        yield outcome("honest phones", phones, quiet, LATE_MS)
        bound_ms = WORSE * 1000 * quantile(quiet.answers_s, 0.99)
        for kind in KINDS:
            progress(kind)
            with harming(kind, stage.port):
                found = crowd(stage.port, phones - 1, seed, stay_s)
            yield outcome(f"honest phones beside {kind}", phones - 1, found, bound_ms)


def crowd(port: int, phones: int, seed: int, stay_s: float) -> Crowd:
    """Return what phones met that came and stayed."""
    found = Crowd(port, seed)
    found.play(phones, ARRIVAL_S, stay_s)
    return found


def outcome(what: str, phones: int, found: Crowd, most_ms: float) -> Outcome:
    """Return what a crowd met, as a line of the table; ``most_ms`` is what 99 of 100 answers may take."""
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
