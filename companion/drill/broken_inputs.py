"""Fuzzing of the commands with broken files of every kind."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from calibration.evaluation.metric import Progress
from companion.config.examples import example, examples
from companion.drill.mutation import mutated, mutated_json, mutated_lines
from companion.drill.outcome import Outcome
from companion.drill.table_processes import ROOT
from companion.drill.worker import Worker
from companion.errors import UsageError
from companion.events.restoring import pack_backup

SCRIPTS = ROOT / "tests" / "games"

PICTURE_SUFFIXES = (".jpg", ".png", ".webp", ".bmp")
"""Formats of the broken pictures."""

LOG_CORRUPTIONS = (
    "UPDATE events SET body=CAST(body AS BLOB) WHERE number=?",
    "UPDATE events SET body=NULL WHERE number=?",
    "UPDATE events SET body=CAST(x'ff80fe' AS TEXT) WHERE number=?",
    "UPDATE events SET hash='x' WHERE number=?",
    "UPDATE events SET kind=CAST(kind AS BLOB) WHERE number=?",
    "UPDATE events SET kind='Nothing' WHERE number=?",
    "UPDATE events SET at_ns='soon' WHERE number=?",
    "UPDATE events SET version='x' WHERE number=?",
    "UPDATE events SET number=-number WHERE number=?",
    "UPDATE events SET game=CAST(x'ff' AS TEXT) WHERE number=?",
    "DELETE FROM events WHERE number=?",
)
"""Manipulations of one event of a log with SQL."""


@dataclass(frozen=True, slots=True)
class ValidInputs:
    """Valid inputs of each kind, and a folder for broken ones."""

    folder: Path
    pictures: Sequence[bytes]
    scripts: Sequence[Path]
    log: Path
    export: Path

    def put(self, name: str, data: bytes) -> str:
        """Write a broken file, and return its path."""
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def picture(self, rng: random.Random) -> str:
        """Write a broken picture, and return its path."""
        kind = rng.randrange(len(self.pictures))
        return self.put(f"broken{PICTURE_SUFFIXES[kind]}", mutated(self.pictures[kind], rng))


CommandWords = Sequence[str]
Case = Callable[[ValidInputs, random.Random], Iterator[CommandWords]]
"""Breaks one valid input and yields the commands that read it."""


def broken_picture(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that read a photograph."""
    yield ["read", given.picture(rng)]


def broken_script(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that play a written game."""
    whole = rng.choice(given.scripts).read_bytes()
    if rng.random() < 0.3:
        data = mutated(whole, rng)
    else:
        lines = whole.splitlines()
        at = rng.randrange(len(lines))
        lines[at] = json.dumps(mutated_json(json.loads(lines[at]), rng)).encode()
        data = b"\n".join(lines)
    yield ["referee", given.put("broken.jsonl", data)]


def broken_table(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that read a table's configuration."""
    text = example(rng.choice(examples()))
    data = mutated(text.encode(), rng) if rng.random() < 0.2 else mutated_lines(text, rng)
    yield ["wiring", given.put("broken.toml", data)]


def broken_log(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that verify, export and repair a log."""
    for old in given.folder.glob("broken.db*"):
        old.unlink()
    path = given.put("broken.db", given.log.read_bytes())
    if rng.random() < 0.5:
        given.put("broken.db", mutated(given.log.read_bytes(), rng))
    else:
        alter_event(Path(path), rng)
    yield ["log", "verify", path]
    yield ["export", "drill", "--log", path, "--to", rng.choice(("json", "csv", "txt", "tsh"))]
    yield ["log", "repair", path]


def alter_event(log: Path, rng: random.Random) -> None:
    """Change an event of a log with a random SQL statement."""
    with closing(sqlite3.connect(log, isolation_level=None)) as connection:
        for trigger in ("no_update", "no_delete"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        with suppress(sqlite3.Error):  # some changes are impossible in a log
            connection.execute(rng.choice(LOG_CORRUPTIONS), (rng.randrange(1, 30),))


@contextmanager
def lock_log(log: Path) -> Iterator[None]:
    """Lock a log for writing by others until the block ends."""
    with closing(sqlite3.connect(log, isolation_level=None, timeout=60.0)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def broken_export(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that import an exported game into a log."""
    text = given.export.read_bytes()
    data = (
        mutated(text, rng) if rng.random() < 0.4 else json.dumps(mutated_json(json.loads(text), rng)).encode()
    )
    (given.folder / "into.db").unlink(missing_ok=True)
    yield ["log", "import", str(given.folder / "into.db"), given.put("broken.json", data)]


def broken_backup(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that restore a backup."""
    (given.folder / "back.db").unlink(missing_ok=True)
    packed = BytesIO()
    pack_backup(given.log, "drill", packed)
    path = given.put("broken.zip", mutated(packed.getvalue(), rng))
    yield ["restore", path, str(given.folder / "back.db")]


def broken_enrolment(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that enrol tiles from a photograph."""
    order = rng.choice(("A B C", "A", "", "A A A", "\0", "é ß", "? ? ?", "A " * 500, "\ud800"))
    name = rng.choice(("kitchen", "", "../x", "x" * 300, "\0", "bananagrams-en", "é"))
    yield ["enrol", name, given.picture(rng), f"--order={order}", "--to", str(given.folder / "sets")]


def broken_calibration(given: ValidInputs, rng: random.Random) -> Iterator[CommandWords]:
    """Yield commands that calibrate a lens, a table or its light from photographs."""
    pictures = [given.picture(rng)]
    profile = ["--profile", str(given.folder / "profile.toml")]
    yield rng.choice(
        (
            ["calibrate", "lens", *pictures, *profile],
            ["calibrate", "table", *pictures, *profile],
            ["calibrate", "table", *pictures, *profile, "--tiles-only"],
            ["calibrate", "table", *pictures, *profile, "--taps", "0,0", "639,0", "639,479", "0,nan"],
            ["calibrate", "light", *pictures],
        )
    )


CASES: Mapping[str, Case] = {
    "pictures": broken_picture,
    "scripts": broken_script,
    "toml": broken_table,
    "logs": broken_log,
    "exports": broken_export,
    "backups": broken_backup,
    "enrolment": broken_enrolment,
    "calibration": broken_calibration,
}
"""The kinds of broken inputs, by their names."""


def break_inputs(kind: str, count: int, seed: int, progress: Progress) -> Outcome:
    """Break ``count`` inputs of a kind, and return the commands that failed without a proper message."""
    rng, faults, statuses = random.Random(f"{kind} {seed}"), list[str](), {0: 0, 1: 0, 2: 0, 3: 0}
    with TemporaryDirectory(prefix="drill-") as place, Worker(Path(place) / "home") as worker:
        given = valid_inputs(Path(place), worker, rng)
        for number in range(count):
            progress(f"{kind}, {number + 1} of {count}")
            for words in CASES[kind](given, rng):
                if fault := worker.fault(words):
                    faults.append(f"case {number + 1}, {' '.join(words[:2])}: {fault}")
                elif worker.status is not None:
                    statuses[worker.status] += 1
    measured = {"done": statuses[0] + statuses[1], "refused": statuses[2] + statuses[3]}
    return Outcome(f"broken {kind}", count, faults, measured)


def valid_inputs(folder: Path, worker: Worker, rng: random.Random) -> ValidInputs:
    """Return valid inputs of each kind; raise UsageError without the games of the tests."""
    scripts = sorted(SCRIPTS.glob("*.jsonl"))
    if not scripts:
        raise UsageError(f"{SCRIPTS} has no written games; this drill needs the whole checkout")
    picture = cv2.imread(str(ROOT / "companion" / "pictures" / "read.jpg"))
    small = cv2.resize(np.asarray(picture), (640, 480), interpolation=cv2.INTER_AREA)
    pictures = [cv2.imencode(ending, small)[1].tobytes() for ending in PICTURE_SUFFIXES]
    log, export = folder / "whole.db", folder / "whole.json"
    for words in (
        ["referee", str(rng.choice(scripts)), "--log", str(log), "--game", "drill"],
        ["export", "drill", "--log", str(log), "--out", str(export)],
    ):
        if fault := worker.fault(words):
            raise UsageError(f"a whole game cannot be played: {fault}")
    return ValidInputs(folder, pictures, scripts, log, export)
