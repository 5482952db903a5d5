"""Drills: hall and broker are killed while an evening runs; nothing may be lost of it."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companion.errors import CompanionError
from companion.hall.checking import checked
from companion.hall.entries import AutopilotSet
from companion.hall.hall import Hall
from companion.hall.register import Given
from companion.hall.simulated import Party
from companion.web.auth.kept import Kept
from tests.hall.broker import mosquitto, needs_mosquitto, until

NAMES = [f"table-{number}" for number in range(1, 5)]
KILLS = 4


class HallProcess:
    """A hall in a process of its own, that can be killed and started anew."""

    def __init__(self, folder: Path, port: int) -> None:
        words = ["hall", "run", "--broker", "127.0.0.1", "--broker-port", port, "--port", 0, "--kept", folder]
        self.command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        next(line for line in self.process.stdout if line.startswith("http"))

    def kill(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def ended(log: Path) -> bool:
    """Whether four rounds are closed, by the hall's own log."""
    try:
        return checked(log, {})[0].count('"closed": true') == 4
    except CompanionError:
        return False


@needs_mosquitto
@pytest.mark.slow
def test_kills_of_hall_and_broker_in_an_evening_lose_nothing(tmp_path: Path) -> None:
    tables, folder = tmp_path / "tables", tmp_path / "hall"
    tables.mkdir()
    prepared = Hall(folder, Kept(folder / "web"))
    prepared.desk.open("Evening", "chew_evening", {"rounds": 4})
    prepared.desk.enter([Given(f"Player {number}") for number in range(1, 17)])
    prepared.desk.add(AutopilotSet("director", on=True))
    prepared.desk.close()
    prepared.copies.close()
    chance = random.Random(1)
    with mosquitto(tmp_path) as broker:
        party = Party(tables, dict.fromkeys(NAMES, broker.broker), 0.3)
        hall = HallProcess(folder, broker.port)
        hall.start()
        for number in range(KILLS):
            time.sleep(chance.uniform(1.0, 4.0))
            if number % 2:
                broker.kill()  # it has kept nothing: what it had acknowledged is gone
                time.sleep(chance.uniform(0.2, 2.0))
                broker.start()
            else:
                hall.kill()
                time.sleep(chance.uniform(0.2, 2.0))
                hall.start()
        until(lambda: ended(folder / "hall.db"), 180)
        hall.kill()
        party.close()
    own, fine = checked(folder / "hall.db", {name: tables / f"{name}.db" for name in NAMES})
    copied, _ = checked(folder / "hall.db", {})
    assert fine
    assert own == copied
