"""A Mosquitto of this machine, started for a demonstration or a measurement and ended with it."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from companion import processes
from companion.errors import NoBroker
from companion.hall.link import Broker
from companion.hall.setup import HALL, Plan, written

PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/sbin"

PATIENCE_S = 15.0
"""Seconds in which it must listen."""


def program() -> str:
    """Return where Mosquitto is; raise NoBroker where it is not installed."""
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:{PLACES}")
    if found is None:
        raise NoBroker("Mosquitto is not installed; apt-get install mosquitto")
    return found


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def mosquitto(folder: Path, tables: tuple[str, ...], *, tls: bool = True) -> Iterator[dict[str, Broker]]:
    """Run a broker with accounts and certificates; yield how each account connects.

    Raises
    ------
    NoBroker
        Where it is not installed or does not start.
    """
    state = folder / "state"
    state.mkdir(parents=True, exist_ok=True)
    plan = Plan(
        folder, ("localhost", "127.0.0.1"), tables, folder, state, tls, free_port(), getpass.getuser()
    )
    accounts = written(plan)
    authority = folder / "authority.crt" if tls else None
    command = [program(), "-c", str(folder / "mosquitto.conf")]
    with (folder / "mosquitto.log").open("wb") as log:
        process = processes.start(command, stdout=log, stderr=log, start_new_session=True)
        try:
            listening(process, plan.reached_port, folder / "mosquitto.log")
            yield {
                name: Broker("localhost", plan.reached_port, name, own, authority)
                for name, own in accounts.items()
                if name == HALL or name in tables
            }
        finally:
            process.terminate()
            process.wait()


def listening(process: subprocess.Popen[str], port: int, log: Path) -> None:
    """Wait until a broker listens; raise NoBroker where it ends or takes too long."""
    end = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    said = log.read_text(encoding="utf-8", errors="replace").strip()[-300:]
    raise NoBroker(f"Mosquitto did not start: {said}")
