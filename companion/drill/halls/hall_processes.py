"""The processes of a hall: broker, hall, simulated tables and a table's pages, each of
which may be killed.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from companion import processes
from companion.bootstrap.mosquitto import Mosquitto, free_port
from companion.drill.table_processes import ROOT, served_port
from companion.hall.entries import AutopilotSet
from companion.hall.hall import Hall
from companion.hall.mqtt import Broker
from companion.hall.register import PlayerRow
from companion.hall.setup import HALL_ACCOUNT
from companion.hall.simulated import SimulatedTables
from companion.model.status import CameraStatus
from companion.web.keeping import Kept

T = TypeVar("T")

DEFAULT_TABLES = 4
"""Number of tables of a drill, with four players each."""

TABLES_PER_PROCESS = 25
"""Largest number of tables in one process, where there are many."""

SPARE = "table-9"
"""A further account of the broker, without a table."""

DEFAULT_ROUNDS = 3

CAMERA = "camera"
"""The one camera of a simulated table."""

CALL_INTERVAL_S = 0.25
"""Seconds between two calls at a table, on average."""

OPENINGS_WRITE_INTERVAL_S = 0.2
"""Seconds between two writes of the times at which games were opened."""


@dataclass(slots=True)
class HallProcesses:
    """The files of an evening and the processes that run on them; to be closed.

    Parameters
    ----------
    folder
        For all files that are not the hall's.
    kept
        The hall's own folder, on another file system where its disk is to fail.
    seed
        Seed of the simulated players.
    runner
        Module, with arguments, that runs the hall's command.
    apart
        Whether the hall has a broker of its own, to which a bridge must forward messages.
    tables, rounds, pace_s
        Numbers of tables and rounds, and the mean time between two calls at a table.

    before
        The number of faults in the evenings before this one.

    ``faults`` are added by the fault injectors.
    """

    folder: Path
    kept: Path
    seed: int
    runner: tuple[str, ...] = ("companion",)
    apart: bool = False
    tables: int = DEFAULT_TABLES
    rounds: int = DEFAULT_ROUNDS
    pace_s: float = CALL_INTERVAL_S
    before: int = 0
    faults: list[str] = field(default_factory=list)
    broker: Mosquitto = field(init=False)
    halls_broker: Mosquitto = field(init=False)
    playing: dict[str, BaseProcess] = field(init=False, default_factory=dict)
    hall: subprocess.Popen[str] | None = field(init=False, default=None)
    web: subprocess.Popen[str] | None = field(init=False, default=None)
    port: int = field(init=False, default_factory=free_port)
    web_port: int = field(init=False, default_factory=free_port)

    def __post_init__(self) -> None:
        (self.folder / "tables").mkdir(parents=True)
        accounts = (*self.names, SPARE)
        self.broker = Mosquitto(self.folder / "broker", accounts)
        self.halls_broker = Mosquitto(self.folder / "other", accounts) if self.apart else self.broker

    @property
    def names(self) -> tuple[str, ...]:
        """The tables' ids."""
        return tuple(f"table-{number}" for number in range(1, self.tables + 1))

    @property
    def parts(self) -> list[tuple[str, ...]]:
        """The tables of each process: one, or several of many."""
        together = 1 if self.tables <= TABLES_PER_PROCESS else TABLES_PER_PROCESS
        return [self.names[first : first + together] for first in range(0, self.tables, together)]

    @property
    def logs(self) -> Mapping[str, Path]:
        """The tables' own logs, by table."""
        return {name: self.folder / "tables" / f"{name}.db" for name in self.names}

    @property
    def own_log(self) -> Path:
        """The hall's own log."""
        return self.kept / "hall.db"

    @property
    def error_output(self) -> str:
        """The error output of all processes."""
        return "".join(path.read_text("utf-8", "replace") for path in sorted(self.folder.glob("*.err")))

    def prepare(self) -> None:
        """Open a tournament with automatic rounds."""
        hall = Hall(self.kept, Kept(self.kept / "web"))
        with closing(hall.service), closing(hall.replica):
            hall.service.open("Drill", "chew_evening", {"rounds": self.rounds})
            hall.service.enter([PlayerRow(f"Player {number}") for number in range(1, 4 * self.tables + 1)])
            hall.service.add(AutopilotSet("director", on=True))

    def start(self) -> None:
        """Start all processes that do not run."""
        for broker in {id(one): one for one in (self.broker, self.halls_broker)}.values():
            if broker.process is None:
                broker.start()
        for part in self.parts:
            if not (part[0] in self.playing and self.playing[part[0]].is_alive()):
                self.start_tables(part)
        if self.hall is None or self.hall.poll() is not None:
            self.start_hall()
        if self.web is None or self.web.poll() is not None:
            self.start_web()

    def start_tables(self, names: tuple[str, ...]) -> None:
        """Start the tables of one process."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        pages = f"http://127.0.0.1:{self.web_port}" if self.names[0] in names else ""
        brokers = {name: self.broker.brokers[name] for name in names}
        given = (self.folder, brokers, self.pace_s, self.seed, pages)
        process = context.Process(target=play, args=given, daemon=True)
        process.start()
        self.playing |= dict.fromkeys(names, process)

    def kill_table(self, name: str) -> None:
        """Kill a table, and those of the same process."""
        self.playing[name].kill()
        self.playing[name].join()

    def in_turn(self, ways: Sequence[T]) -> Iterator[T]:
        """Yield the ways cyclically without end, continuing where the evening before ended."""
        return itertools.islice(itertools.cycle(ways), self.before % len(ways), None)

    def camera(self, name: str, *, there: bool) -> None:
        """Take a table's camera away, or return it."""
        lost = camera_lost_file(self.folder, name)
        if there:
            lost.unlink(missing_ok=True)
        else:
            lost.touch()

    def start_hall(self) -> bool:
        """Start the hall, at another port if its own was taken meanwhile; return whether it serves."""
        return self.serves() or self.serves(anew=True)

    def serves(self, *, anew: bool = False) -> bool:
        """Start the hall at the port that it had, or at any; return whether it serves."""
        self.port = free_port() if anew else self.port
        broker = self.halls_broker.brokers[HALL_ACCOUNT]
        words = ["hall", "run", "--broker", broker.host, "--broker-port", broker.port]
        words += ["--password", self.halls_broker.folder / "accounts" / f"{HALL_ACCOUNT}.password"]
        words += ["--authority", broker.authority or ""]
        self.hall = self.run(
            "hall", self.runner, *map(str, words), "--kept", str(self.kept), "--port", str(self.port)
        )
        found = served_port(self.hall.stdout)
        self.port = found or self.port
        return bool(found)

    def start_web(self) -> None:
        """Start the pages of the first table."""
        words = [
            "web",
            "--log",
            self.logs[self.names[0]],
            "--kept",
            self.folder / "web",
            "--port",
            self.web_port,
        ]
        self.web = self.run("web", ("companion",), *map(str, words), "--no-mdns")

    def run(self, name: str, runner: tuple[str, ...], *words: str) -> subprocess.Popen[str]:
        """Start a command of the companion; its error output goes into a file."""
        command = [sys.executable, "-P", "-m", *runner, *words]
        with (self.folder / f"{name}.err").open("a") as err:
            return processes.start(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=err)

    def kill_hall(self) -> None:
        """Kill the hall."""
        kill_process(self.hall)

    def kill_web(self) -> None:
        """Kill the pages of the first table."""
        kill_process(self.web)

    def close(self) -> None:
        """Kill all processes that still run."""
        self.kill_hall()
        self.kill_web()
        for name in self.playing:
            self.kill_table(name)
        self.broker.kill()
        self.halls_broker.kill()


def kill_process(process: subprocess.Popen[str] | None) -> None:
    """Kill a process, if it runs."""
    if process is not None:
        process.kill()
        process.communicate()


def play(folder: Path, brokers: Mapping[str, Broker], pace_s: float, seed: int, pages: str) -> None:
    """Play and publish as some tables do, until the process is ended; ``pages`` are those of the first."""
    first = next(iter(brokers))
    os.dup2(os.open(folder / f"{first}.err", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    party = SimulatedTables(folder / "tables", brokers, pace_s, seed, pages, partial(status, folder))
    with suppress(KeyboardInterrupt), closing(party):
        while True:
            opened = {name: table.opened for name, table in party.tables.items()}
            (folder / f"{first}.opened").write_text(json.dumps(opened), "ascii")
            time.sleep(OPENINGS_WRITE_INTERVAL_S)


def status(folder: Path, name: str) -> dict[str, Any]:
    """Return the status of a simulated table; its camera is lost while a file exists."""
    lost = camera_lost_file(folder, name).exists()
    return {"cameras": (CameraStatus(CAMERA, "gone" if lost else "ok"),)}


def camera_lost_file(folder: Path, name: str) -> Path:
    """Return the file whose existence means that a table's camera is lost."""
    return folder / f"{name}.lost"
