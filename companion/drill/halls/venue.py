"""A hall, its broker, simulated tables and a table's pages: processes that may end at any moment."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

from companion import processes
from companion.bootstrap.mosquitto import Mosquitto, free_port
from companion.drill.stage import ROOT, port_told
from companion.hall.entries import AutopilotSet
from companion.hall.hall import Hall
from companion.hall.link import Broker
from companion.hall.register import Given
from companion.hall.setup import HALL
from companion.hall.simulated import Party
from companion.web.auth.kept import Kept

TABLES = tuple(f"table-{number}" for number in range(1, 5))
"""Tables of a drill, four players at each."""

SPARE = "table-9"
"""A further account of the broker that nobody plays at."""

ROUNDS = 3

PACE_S = 0.25
"""Seconds between two calls at a table, on average."""


@dataclass(slots=True)
class Venue:
    """The files of an evening, and what runs on them; close it.

    Parameters
    ----------
    folder
        For everything that is not the hall's.
    kept
        The hall's own folder; another file system where its disk is to fail.
    seed
        Decides who calls when.
    runner
        Module that runs a command of the companion, for the hall.
    apart
        Whether the hall has a broker of its own, which only what is brought there reaches.
    """

    folder: Path
    kept: Path
    seed: int
    runner: tuple[str, ...] = ("companion",)
    apart: bool = False
    broker: Mosquitto = field(init=False)
    halls_broker: Mosquitto = field(init=False)
    tables: dict[str, BaseProcess] = field(init=False, default_factory=dict)
    hall: subprocess.Popen[str] | None = field(init=False, default=None)
    web: subprocess.Popen[str] | None = field(init=False, default=None)
    port: int = field(init=False, default_factory=free_port)
    web_port: int = field(init=False, default_factory=free_port)

    def __post_init__(self) -> None:
        (self.folder / "tables").mkdir(parents=True)
        accounts = (*TABLES, SPARE)
        self.broker = Mosquitto(self.folder / "broker", accounts)
        self.halls_broker = Mosquitto(self.folder / "other", accounts) if self.apart else self.broker

    @property
    def logs(self) -> Mapping[str, Path]:
        """The tables' own logs, by table."""
        return {name: self.folder / "tables" / f"{name}.db" for name in TABLES}

    @property
    def own_log(self) -> Path:
        """The hall's own log."""
        return self.kept / "hall.db"

    @property
    def told(self) -> str:
        """What the processes said of themselves."""
        return "".join(path.read_text("utf-8", "replace") for path in sorted(self.folder.glob("*.err")))

    def prepare(self) -> None:
        """Open a tournament whose rounds run by themselves."""
        hall = Hall(self.kept, Kept(self.kept / "web"))
        with closing(hall.desk), closing(hall.copies):
            hall.desk.open("Drill", "chew_evening", {"rounds": ROUNDS})
            hall.desk.enter([Given(f"Player {number}") for number in range(1, 4 * len(TABLES) + 1)])
            hall.desk.add(AutopilotSet("director", on=True))

    def start(self) -> None:
        """Start whatever does not run."""
        for broker in {id(one): one for one in (self.broker, self.halls_broker)}.values():
            if broker.process is None:
                broker.start()
        for name in TABLES:
            if not (name in self.tables and self.tables[name].is_alive()):
                self.start_table(name)
        if self.hall is None or self.hall.poll() is not None:
            self.start_hall()
        if self.web is None or self.web.poll() is not None:
            self.start_web()

    def start_table(self, name: str) -> None:
        """Start a table."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        pages = f"http://127.0.0.1:{self.web_port}" if name == TABLES[0] else ""
        given = (name, self.folder, self.broker.brokers[name], self.seed, pages)
        self.tables[name] = context.Process(target=play, args=given, daemon=True)
        self.tables[name].start()

    def kill_table(self, name: str) -> None:
        """Kill a table."""
        self.tables[name].kill()
        self.tables[name].join()

    def start_hall(self) -> bool:
        """Start the hall, and return whether it serves; where its port was taken meanwhile, at another."""
        return self.serves() or self.serves(anew=True)

    def serves(self, *, anew: bool = False) -> bool:
        """Start the hall at the port that it had, or at any; return whether it serves."""
        self.port = free_port() if anew else self.port
        broker = self.halls_broker.brokers[HALL]
        words = ["hall", "run", "--broker", broker.host, "--broker-port", broker.port]
        words += ["--password", self.halls_broker.folder / "accounts" / f"{HALL}.password"]
        words += ["--authority", broker.authority or ""]
        self.hall = self.run(
            "hall", self.runner, *map(str, words), "--kept", str(self.kept), "--port", str(self.port)
        )
        found = port_told(self.hall.stdout)
        self.port = found or self.port
        return bool(found)

    def start_web(self) -> None:
        """Start the pages of the first table."""
        words = ["web", "--log", self.logs[TABLES[0]], "--kept", self.folder / "web", "--port", self.web_port]
        self.web = self.run("web", ("companion",), *map(str, words), "--no-mdns")

    def run(self, name: str, runner: tuple[str, ...], *words: str) -> subprocess.Popen[str]:
        """Start a command of the companion; what it says of itself goes into a file."""
        command = [sys.executable, "-P", "-m", *runner, *words]
        with (self.folder / f"{name}.err").open("a") as err:
            return processes.start(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=err)

    def kill_hall(self) -> None:
        """Kill the hall."""
        killed(self.hall)

    def kill_web(self) -> None:
        """Kill the pages of the first table."""
        killed(self.web)

    def close(self) -> None:
        """End what runs still."""
        self.kill_hall()
        self.kill_web()
        for name in self.tables:
            self.kill_table(name)
        self.broker.kill()
        self.halls_broker.kill()


def killed(process: subprocess.Popen[str] | None) -> None:
    """Kill a process, where it runs."""
    if process is not None:
        process.kill()
        process.communicate()


def play(name: str, folder: Path, broker: Broker, seed: int, pages: str) -> None:
    """Play and publish as one table does, until the process is ended."""
    os.dup2(os.open(folder / f"{name}.err", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    with suppress(KeyboardInterrupt), closing(
        Party(folder / "tables", {name: broker}, PACE_S, seed, pages)
    ):  # fmt: skip
        threading.Event().wait()
