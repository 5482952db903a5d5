"""A real Mosquitto on a free port of this machine, for tests."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from companion.bootstrap.mosquitto import free_port
from companion.hall.mqtt import Broker

MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")

needs_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason="Debian's package mosquitto is not installed")


class Mosquitto:
    """A broker that can be killed and started anew on the same port."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.config = folder / "mosquitto.conf"
        self.config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def broker(self) -> Broker:
        return Broker("127.0.0.1", self.port)

    def start(self) -> None:
        command = [str(MOSQUITTO), "-c", str(self.config)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def answers() -> bool:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.2):
                return True
            return False

        until(answers)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def mosquitto(folder: Path) -> Iterator[Mosquitto]:
    found = Mosquitto(folder)
    found.start()
    try:
        yield found
    finally:
        found.kill()


def until(true: Callable[[], object], timeout_s: float = 20.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > end:
            raise AssertionError("it did not come to be so in time")
        time.sleep(0.02)
