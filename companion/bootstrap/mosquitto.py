"""A Mosquitto broker that is started for a demonstration or a measurement and ends with it."""

from __future__ import annotations

import getpass
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from companion import processes
from companion.errors import NoBroker
from companion.hall.mqtt import Broker
from companion.hall.setup import HALL_ACCOUNT, BrokerPlan, write_broker_files

SEARCH_PATH = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/sbin"

BROKER_PORTS = range(20_000, 32_000)
"""Ports below Linux's ephemeral ones (32768 to 60999 by default) and above those of most services."""

START_TIMEOUT_S = 15.0
"""Seconds within which it must listen."""


def find_mosquitto() -> str:
    """Return the path of Mosquitto; raise NoBroker where it is not installed."""
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:{SEARCH_PATH}")
    if found is None:
        raise NoBroker("Mosquitto is not installed; apt-get install mosquitto")
    return found


def free_port() -> int:
    """Return a free port that is not ephemeral.

    A client that retries to connect to an ephemeral port without a listener may be given that very port as
    its own local port.
    """
    for port in random.sample(BROKER_PORTS, len(BROKER_PORTS)):
        with suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
    raise NoBroker("no port is free on this machine")


@dataclass(slots=True)
class Mosquitto:
    """A broker with accounts and certificates in a folder; it can be killed and started again.

    ``brokers`` has the connection of the hall and of each table, by account.
    """

    folder: Path
    tables: tuple[str, ...]
    tls: bool = True
    port: int = field(default_factory=free_port)
    brokers: Mapping[str, Broker] = field(init=False)
    process: subprocess.Popen[str] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Write its files; raise NoBroker where it is not installed."""
        find_mosquitto()
        state = self.folder / "state"
        state.mkdir(parents=True, exist_ok=True)
        names = ("localhost", "127.0.0.1")
        plan = BrokerPlan(
            self.folder, names, self.tables, self.folder, state, self.tls, self.port, getpass.getuser()
        )
        authority = self.folder / "authority.crt" if self.tls else None
        self.brokers = {
            name: Broker("localhost", self.port, name, own, authority)
            for name, own in write_broker_files(plan).items()
            if name == HALL_ACCOUNT or name in self.tables
        }

    def start(self) -> None:
        """Start it and wait until it listens; raise NoBroker where it does not."""
        command = [find_mosquitto(), "-c", str(self.folder / "mosquitto.conf")]
        with (self.folder / "mosquitto.log").open("ab") as log:
            self.process = processes.start(command, stdout=log, stderr=log, start_new_session=True)
        wait_until_listening(self.process, self.port, self.folder / "mosquitto.log")

    def kill(self) -> None:
        """Kill it by SIGKILL."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def close(self) -> None:
        """Terminate it by SIGTERM."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None


@contextmanager
def mosquitto(folder: Path, tables: tuple[str, ...], *, tls: bool = True) -> Iterator[Mapping[str, Broker]]:
    """Run a broker with accounts and certificates; yield the connection of each account.

    Raises
    ------
    NoBroker
        Where it is not installed or does not start.
    """
    found = Mosquitto(folder, tables, tls)
    try:
        found.start()
        yield found.brokers
    finally:
        found.close()


def wait_until_listening(process: subprocess.Popen[str], port: int, log: Path) -> None:
    """Wait until a broker listens; raise NoBroker where it ends or times out."""
    end = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    said = log.read_text(encoding="utf-8", errors="replace").strip()[-300:]
    raise NoBroker(f"Mosquitto did not start: {said}")
