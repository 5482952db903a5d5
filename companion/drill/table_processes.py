"""A table with a film for its camera and the pages beside it, each a process that may end at any moment."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import cv2
import numpy as np

import companion
from calibration.drawing.fonts import evaluation_fonts
from calibration.drawing.tables import four_players
from companion.bootstrap.running import RunOptions, run
from companion.config.table import load
from companion.errors import CompanionError
from companion.events.codec import dump
from companion.model.tiles import tile_set
from companion.rpc import TableClient
from companion.rules.event import Stamped
from companion.rules.state import State

ROOT = Path(companion.__file__).parents[1]

TABLE = """game = "bananagrams"
name = "drill"
seats = ["Ada", "Ben", "Chloe", "Dev"]
policy = "advise"
wait_s = 1
log = "{log}"
socket = "{socket}"
[pictures]
megabytes = 1
[[cameras]]
kind = "folder"
where = "{film}"
folder_fps = 2.0
"""

FILM_PICTURES = 20
"""Number of pictures of the film: ten seconds, longer than any table of a drill runs."""

FILM_SIZE = (1280, 960)

FILM_WORDS = ("CAT", "HORSE", "TABLE", "LETTER", "GAME", "STONE", "RIVER", "PAPER", "QUIET", "JUMP")

START_TIMEOUT_S = 60.0
"""Longest time until a table or the pages answer on a busy machine, in seconds."""


def draw_film(folder: Path, seed: int) -> Path:
    """Draw a film of a table with tiles into a folder, and return the folder."""
    rng = np.random.default_rng(seed)
    scene, _ = four_players(rng, FILM_SIZE, FILM_WORDS, tile_set("bananagrams-en"), evaluation_fonts())
    folder.mkdir()
    for number in range(FILM_PICTURES):
        noise = rng.normal(0, 2, scene.picture.shape)
        cv2.imwrite(str(folder / f"{number:03}.jpg"), np.clip(scene.picture + noise, 0, 255).astype(np.uint8))
    return folder


def wait_for(what: Callable[[], bool], seconds: float = START_TIMEOUT_S, look_s: float = 0.02) -> bool:
    """Return whether a condition holds in time; it is checked every ``look_s``."""
    until = time.monotonic() + seconds
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(look_s)
    return True


@dataclass(slots=True)
class TableProcesses:
    """The files of a drill, and the processes of table and pages that run on them.

    Parameters
    ----------
    folder
        For all files that may be lost: film, socket, error output.
    kept
        The folder of the log; another file system where the power is to be cut.
    seed
        Seed of the film.
    """

    folder: Path
    kept: Path
    seed: int
    table: BaseProcess | None = None
    web: subprocess.Popen[str] | None = None
    port: int = 0
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        pictures = draw_film(self.folder / "film", self.seed)
        self.path = self.folder / "table.toml"
        self.path.write_text(TABLE.format(log=self.log, socket=self.socket, film=pictures), "utf-8")

    @property
    def log(self) -> Path:
        """The log of games."""
        return self.kept / "games.db"

    @property
    def socket(self) -> Path:
        """The socket of the table."""
        return self.folder / "line"

    @property
    def states(self) -> Path:
        """The file to which the table writes number and hash of each state whose events are in the log."""
        return self.folder / "states"

    def start_table(self, *, resume: bool) -> None:
        """Start a table; it may end before it answers."""
        self.states.unlink(missing_ok=True)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        given = (self.path, resume, self.states, self.folder / "table.err")
        self.table = context.Process(target=play, args=given, daemon=True)
        self.table.start()

    def answers(self) -> bool:
        """Return whether the table answers."""
        with suppress(CompanionError):
            return bool(TableClient(self.socket, 2.0).status())
        return False

    def start_web(self) -> None:
        """Start the pages on a free port, or on the port that they had before."""
        words = ["web", "--log", self.log, "--table", self.socket, "--kept", self.folder / "web"]
        command = [
            sys.executable,
            "-P",
            "-m",
            "companion",
            *map(str, words),
            "--no-mdns",
            "--port",
            str(self.port),
        ]
        with (self.folder / "web.err").open("a") as err:
            self.web = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=err, text=True)
        self.port = served_port(self.web.stdout) or self.port

    def kill_web(self) -> None:
        """Kill the pages, if they run."""
        if self.web is not None:
            self.web.kill()
            self.web.communicate()

    def end(self) -> None:
        """Kill all processes that still run."""
        self.kill_web()
        if self.table is not None and self.table.is_alive():
            self.table.kill()
            self.table.join()


def served_port(out: IO[str] | None) -> int:
    """Return the port in the address that the pages print, 0 without one."""
    for line in out or ():
        if found := re.match(r"http://[^:]+:(\d+)/", line):
            return int(found[1])
    return 0


def play(path: Path, resume: bool, states: Path, error_output: Path) -> None:
    """Run a table as ``companion table`` does, and write down every state whose events are in the log."""
    os.dup2(os.open(error_output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    out = os.open(states, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def safe(events: Sequence[Stamped], state: State) -> None:
        os.write(out, f"{events[-1].number} {state_hash(state)}\n".encode())

    run(load(path), RunOptions(resume=resume, listener=safe))


def state_hash(state: State) -> str:
    """Return the hash of a state, without the state before its last ruling."""
    return hashlib.sha256(dump(replace(state, before_ruling=None))).hexdigest()


@contextmanager
def running_table(seed: int) -> Iterator[TableProcesses]:
    """Yield the processes of a table that has begun a game; they end with the block."""
    with TemporaryDirectory(prefix="drill-") as place:
        stage = TableProcesses(Path(place), Path(place), seed)
        try:
            stage.start_table(resume=False)
            wait_for(stage.answers)
            with suppress(CompanionError):
                TableClient(stage.socket).order("start")
            yield stage
        finally:
            stage.end()
