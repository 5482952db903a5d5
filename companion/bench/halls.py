"""How soon a hall's page shows what happens at many tables, and what that takes.

Tables, broker, hall and phone are processes of this machine, connected over its loopback with TLS and
accounts, as a real hall's are.  An event's latency runs from the moment when the table's log has it to the
moment when the wall's message that shows it is whole at the phone.  The tables' logs lie in memory where the
machine has such a folder: a hundred tables have a hundred disks.
"""

from __future__ import annotations

import json
import os
import re
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.figure import Figure
from calibration.evaluation.readings import Tell
from companion.bench.launched import ROOT, served
from companion.bench.rules import quantile
from companion.bench.web import memory_mb
from companion.bootstrap.mosquitto import mosquitto
from companion.errors import NoBroker
from companion.hall.mqtt import Broker
from companion.hall.setup import HALL

TABLES, RATE, SECONDS = (100, 200, 400), 2.0, 20.0
"""Tables, calls or sightings a second at each, and seconds of one measurement."""

LATE_MS, MEMORY_MB = 300.0, 200.0

MEMORY = Path("/dev/shm")  # noqa: S108  only for folders that tempfile makes
SHOWN = re.compile(r'data-event=\\?"(\d+)')
SETTLE_S = 2.0
"""Seconds after the last event in which the wall may still show it."""

TOGETHER = 100
"""Tables of one process: each has some ten files and sockets, and ``select`` takes no number above 1023."""


@dataclass(slots=True)
class Phone:
    """A phone that looks at the wall: when it first showed each event of each table."""

    port: int
    stop: threading.Event = field(default_factory=threading.Event)
    shown: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def look(self) -> None:
        """Listen until told to stop; changes come as JSON, one region a table."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(
                b"GET /live/wall HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
            )
            waiting = b""
            connection.settimeout(0.5)
            while not self.stop.is_set():
                try:
                    waiting += connection.recv(1 << 18)
                except TimeoutError:
                    continue
                at_ns = time.monotonic_ns()
                *whole, waiting = waiting.split(b"\n\n")
                for message in whole:
                    self.note(message, at_ns)

    def note(self, message: bytes, at_ns: int) -> None:
        """Note what a message shows."""
        _, _, body = message.partition(b"data: ")
        start = body.find(b"{")
        if start < 0 or not body[start:].startswith(b'{"game"'):
            return
        text = re.sub(rb"\r\n[0-9a-f]+\r\n", b"", body[start:]).decode(errors="replace").strip()
        for name, html in json.loads(text)["regions"].items():
            found = SHOWN.search(html) if name.startswith("table-") else None
            if found:
                self.shown.setdefault(name.removeprefix("table-"), []).append((int(found[1]), at_ns))


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of a measurement."""

    tables: int
    late_ms: list[float]
    missed: int
    held_mb: float
    cpu_s: float
    seconds: float


def hall_figures(tell: Tell) -> Iterator[Figure]:
    """Yield every figure of this module."""
    found = []
    for count in TABLES:
        tell(f"a hall of {count} tables")
        try:
            found.append(measured(count, RATE, SECONDS))
        except (NoBroker, OSError, StopIteration) as error:
            yield Figure.missing(f"a hall of {count} tables", str(error))
            return
        yield from figures(found[-1], count == TABLES[0])
    first, last = found[0], found[-1]
    ratio = (last.cpu_s / last.tables) / (first.cpu_s / first.tables)
    yield Figure(
        f"CPU time of the hall for each table, {last.tables} tables against {first.tables}", ratio, "times"
    )
    grown = (last.held_mb - first.held_mb) / (last.tables - first.tables)
    yield Figure("memory of the hall for each further table", grown * 1000, "KB")


def figures(found: Measured, asked: bool) -> Iterator[Figure]:
    """Yield the figures of one measurement, with what they must reach where that is asked."""
    what = f"hall, {found.tables} tables at {RATE:g} calls or sightings a second"
    per_s = len(found.late_ms) / found.seconds
    yield Figure(f"{what}: events a second that the wall has shown", per_s, "")
    if found.late_ms:
        yield Figure(f"{what}: log to wall, median", statistics.median(found.late_ms), "ms")
        last = quantile(found.late_ms, 0.99)
        yield Figure(f"{what}: log to wall, 99 of 100", last, "ms", most=LATE_MS if asked else None)
    yield Figure(f"{what}: events that were never shown", found.missed, "", most=0)
    most = MEMORY_MB if asked else None
    yield Figure(f"{what}: memory of the hall", found.held_mb, "MB", most=most)
    yield Figure(f"{what}: of one core", 100 * found.cpu_s / found.seconds, "%")
    if found.late_ms:
        yield Figure(f"{what}: CPU time for each event", 1000 * found.cpu_s / len(found.late_ms), "ms")


def measured(count: int, rate: float, seconds: float) -> Measured:
    """Return what a hall of so many tables shows in so many seconds."""
    names = tuple(f"table-{number}" for number in range(1, count + 1))
    place = MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else None
    with TemporaryDirectory() as scratch, TemporaryDirectory(dir=place) as logs:
        folder = Path(scratch)
        with mosquitto(folder / "broker", names) as brokers, hall(folder, brokers[HALL]) as (process, port):
            phone = Phone(port)
            looking = threading.Thread(target=phone.look)
            with ExitStack() as stack:
                parts = [names[first : first + TOGETHER] for first in range(0, count, TOGETHER)]
                load = rate, seconds
                played = [stack.enter_context(tables(one, Path(logs), brokers, load)) for one in parts]
                for one in played:
                    next(line for line in one.stdout or () if line == "ready\n")
                looking.start()
                before_s = cpu_s(process.pid)
                for one in played:
                    begin(one)
                written = [line.split() for one in played for line in one.stdout or ()]
            time.sleep(SETTLE_S)
            spent_s = cpu_s(process.pid) - before_s
            phone.stop.set()
            looking.join()
            late_ms, missed = compared(written, phone.shown)
            return Measured(count, late_ms, missed, memory_mb(process.pid), spent_s, seconds)


def compared(written: list[list[str]], shown: dict[str, list[tuple[int, int]]]) -> tuple[list[float], int]:
    """Return how late each event was shown, in milliseconds, and how many never were."""
    late_ms, missed = [], 0
    for name, number, at_ns in written:
        seen = next((when for last, when in shown.get(name, ()) if last >= int(number)), None)
        if seen is None:
            missed += 1
        else:
            late_ms.append((seen - int(at_ns)) / 1e6)
    return late_ms, missed


@contextmanager
def hall(folder: Path, broker: Broker) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a hall; yield its process and the port of its pages."""
    secret = folder / "hall.password"
    secret.write_text(broker.password, encoding="utf-8")
    words = ["hall", "run", "--broker", broker.host, "--broker-port", broker.port, "--password", secret]
    words += ["--authority", broker.authority or "", "--port", 0, "--kept", folder / "hall"]
    with served(words) as found:
        yield found


@contextmanager
def tables(
    names: tuple[str, ...], folder: Path, brokers: Mapping[str, Broker], load: tuple[float, float]
) -> Iterator[subprocess.Popen[str]]:
    """Run tables at so many calls a second for so many seconds; yield their process."""
    first = brokers[names[0]]
    asked = {
        "tables": names,
        "folder": str(folder),
        "broker": [first.host, first.port, first.password, str(first.authority)],
        "passwords": {name: brokers[name].password for name in names},
        "rate": load[0],
        "seconds": load[1],
    }
    command = [sys.executable, "-P", "-m", "companion.bench.hall_tables"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe) as process:
        try:
            if process.stdin is not None:
                process.stdin.write(json.dumps(asked) + "\n")
                process.stdin.flush()
            yield process
        finally:
            process.terminate()


def begin(process: subprocess.Popen[str]) -> None:
    """Let tables that are ready begin."""
    if process.stdin is not None:
        process.stdin.close()


def cpu_s(process: int) -> float:
    """Return the seconds that a process has spent on processors."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
