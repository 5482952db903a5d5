"""Latency, processor time and memory of a hall with many tables.

Tables, broker, hall and phone are processes of this machine, connected over its loopback with TLS and
accounts.  The latency of an event runs from its commit in the table's log to the complete message with it at
the phone.  The tables' logs lie in memory where the machine has such a folder, as each real table has a disk
of its own.
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

from calibration.evaluation.metric import Metric, Progress, quantile
from companion.bench.processes import ROOT, cpu_s, memory_mb, run_server
from companion.bootstrap.mosquitto import mosquitto
from companion.errors import NoBroker
from companion.hall.mqtt import Broker
from companion.hall.setup import HALL_ACCOUNT

TABLE_COUNTS, RATE_PER_TABLE_HZ, MEASUREMENT_S = (100, 200, 400), 2.0, 20.0
"""Numbers of tables, calls or sightings a second at each, and duration of one measurement in seconds."""

MAX_LATENCY_MS, MAX_MEMORY_MB = 300.0, 200.0

RAM_DISK = Path("/dev/shm")  # noqa: S108  only for folders that tempfile makes
SHOWN_EVENT_PATTERN = re.compile(r'data-event=\\?"(\d+)')
SETTLE_S = 2.0
"""Seconds after the last event in which the wall may still show it."""

MAX_TABLES_PER_PROCESS = 100
"""Largest number of tables in one process: each has about ten files and sockets, ``select`` at most 1024."""


@dataclass(slots=True)
class WallClient:
    """A client of the wall page's live stream that notes when each table's events were first shown."""

    port: int
    stop: threading.Event = field(default_factory=threading.Event)
    shown: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def look(self) -> None:
        """Listen until ``stop`` is set; changes come as JSON, one region a table."""
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
        """Note the table's event numbers in a message."""
        _, _, body = message.partition(b"data: ")
        start = body.find(b"{")
        if start < 0 or not body[start:].startswith(b'{"game"'):
            return
        text = re.sub(rb"\r\n[0-9a-f]+\r\n", b"", body[start:]).decode(errors="replace").strip()
        for name, html in json.loads(text)["regions"].items():
            found = SHOWN_EVENT_PATTERN.search(html) if name.startswith("table-") else None
            if found:
                self.shown.setdefault(name.removeprefix("table-"), []).append((int(found[1]), at_ns))


@dataclass(frozen=True, slots=True)
class HallLoad:
    """The result of one measurement."""

    tables: int
    late_ms: list[float]
    missed: int
    held_mb: float
    cpu_s: float
    seconds: float


def hall_metrics(progress: Progress) -> Iterator[Metric]:
    """Yield every metric of this module."""
    found = []
    for count in TABLE_COUNTS:
        progress(f"a hall of {count} tables")
        try:
            found.append(hall_load(count, RATE_PER_TABLE_HZ, MEASUREMENT_S))
        except (NoBroker, OSError) as error:
            yield Metric.not_measured(f"a hall of {count} tables", str(error))
            return
        yield from metrics(found[-1], count == TABLE_COUNTS[0])
    first, last = found[0], found[-1]
    ratio = (last.cpu_s / last.tables) / (first.cpu_s / first.tables)
    yield Metric(
        f"CPU time of the hall for each table, {last.tables} tables against {first.tables}", ratio, "times"
    )
    grown = (last.held_mb - first.held_mb) / (last.tables - first.tables)
    yield Metric("memory of the hall for each further table", grown * 1000, "KB")


def metrics(found: HallLoad, asked: bool) -> Iterator[Metric]:
    """Yield the metrics of one measurement, with their targets where ``asked``."""
    what = f"hall, {found.tables} tables at {RATE_PER_TABLE_HZ:g} calls or sightings a second"
    per_s = len(found.late_ms) / found.seconds
    yield Metric(f"{what}: events a second that the wall has shown", per_s, "")
    if found.late_ms:
        yield Metric(f"{what}: log to wall, median", statistics.median(found.late_ms), "ms")
        last = quantile(found.late_ms, 0.99)
        yield Metric(f"{what}: log to wall, 99 of 100", last, "ms", most=MAX_LATENCY_MS if asked else None)
    yield Metric(f"{what}: events that were never shown", found.missed, "", most=0)
    most = MAX_MEMORY_MB if asked else None
    yield Metric(f"{what}: memory of the hall", found.held_mb, "MB", most=most)
    yield Metric(f"{what}: of one core", 100 * found.cpu_s / found.seconds, "%")
    if found.late_ms:
        yield Metric(f"{what}: CPU time for each event", 1000 * found.cpu_s / len(found.late_ms), "ms")


def hall_load(count: int, rate: float, seconds: float) -> HallLoad:
    """Return the latencies and the load of a hall of ``count`` tables, measured for some seconds."""
    names = tuple(f"table-{number}" for number in range(1, count + 1))
    place = RAM_DISK if RAM_DISK.is_dir() and os.access(RAM_DISK, os.W_OK) else None
    with TemporaryDirectory() as scratch, TemporaryDirectory(dir=place) as logs:
        folder = Path(scratch)
        with (
            mosquitto(folder / "broker", names) as brokers,
            run_hall(folder, brokers[HALL_ACCOUNT]) as (process, port),
        ):
            phone = WallClient(port)
            looking = threading.Thread(target=phone.look)
            with ExitStack() as stack:
                parts = [
                    names[first : first + MAX_TABLES_PER_PROCESS]
                    for first in range(0, count, MAX_TABLES_PER_PROCESS)
                ]
                load = rate, seconds
                played = [stack.enter_context(run_tables(one, Path(logs), brokers, load)) for one in parts]
                for one in played:
                    if "ready\n" not in (one.stdout or ()):
                        raise ChildProcessError("a process of tables ended before it was ready")
                looking.start()
                before_s = cpu_s(process.pid)
                for one in played:
                    begin(one)
                written = [line.split() for one in played for line in one.stdout or ()]
            time.sleep(SETTLE_S)
            spent_s = cpu_s(process.pid) - before_s
            phone.stop.set()
            looking.join()
            late_ms, missed = display_latencies(written, phone.shown)
            return HallLoad(count, late_ms, missed, memory_mb(process.pid), spent_s, seconds)


def display_latencies(
    written: list[list[str]], shown: dict[str, list[tuple[int, int]]]
) -> tuple[list[float], int]:
    """Return the latency of each event in milliseconds, and the number of events that were never shown."""
    late_ms, missed = [], 0
    for name, number, at_ns in written:
        seen = next((when for last, when in shown.get(name, ()) if last >= int(number)), None)
        if seen is None:
            missed += 1
        else:
            late_ms.append((seen - int(at_ns)) / 1e6)
    return late_ms, missed


@contextmanager
def run_hall(folder: Path, broker: Broker) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a hall; yield its process and the port of its pages."""
    secret = folder / "hall.password"
    secret.write_text(broker.password, encoding="utf-8")
    words = ["hall", "run", "--broker", broker.host, "--broker-port", broker.port, "--password", secret]
    words += ["--authority", broker.authority or "", "--port", 0, "--kept", folder / "hall"]
    with run_server(words) as found:
        yield found


@contextmanager
def run_tables(
    names: tuple[str, ...], folder: Path, brokers: Mapping[str, Broker], load: tuple[float, float]
) -> Iterator[subprocess.Popen[str]]:
    """Run tables with a load of (calls a second, seconds); yield their process."""
    first = brokers[names[0]]
    asked = {
        "tables": names,
        "folder": str(folder),
        "broker": [first.host, first.port, first.password, str(first.authority)],
        "passwords": {name: brokers[name].password for name in names},
        "rate": load[0],
        "seconds": load[1],
    }
    command = [sys.executable, "-P", "-m", "companion.bench.hall_tables_process"]
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
