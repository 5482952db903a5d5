"""Faults of the hall's disk: full, read-only, slow; and damaged copies of the tables' logs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from companion.drill.broken_inputs import alter_event, lock_log
from companion.drill.halls.evening import FaultAction, FaultCounts
from companion.drill.halls.hall_processes import HallProcesses
from companion.drill.mutation import mutated
from companion.drill.powercuts import Card

FAULT_DURATION_RANGE_S = (1.0, 4.0)
"""Least and greatest duration of a disk fault, in seconds."""

BALLAST = "ballast"
"""The file that fills the disk."""

FIRST_WRITE_BYTES = 1 << 20
"""Bytes of the first writes that fill the disk; smaller ones follow."""


@contextmanager
def disk_faults(venue: HallProcesses, rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that makes the hall's disk fail for a while, with each fault in turn."""
    card = Card(venue.folder / "card", venue.kept)

    def full() -> str:
        fill_disk(venue.kept / BALLAST)
        time.sleep(rng.uniform(*FAULT_DURATION_RANGE_S))
        (venue.kept / BALLAST).unlink()
        return "full disk"

    def slow() -> str:
        with lock_log(rng.choice((venue.kept / "tables.db", venue.own_log))):
            time.sleep(rng.uniform(*FAULT_DURATION_RANGE_S))
        return "disk that takes no writes for seconds"

    def read_only() -> str:
        card.fail()
        time.sleep(rng.uniform(*FAULT_DURATION_RANGE_S))
        venue.kill_hall()
        card.unmount()
        card.mount()
        venue.start()
        return "disk gone read-only"

    ways: Sequence[Callable[[], str]] = (full, slow, read_only)
    turns = venue.in_turn(ways)

    def act() -> FaultCounts:
        return {next(turns)(): 1.0}

    yield act


def fill_disk(path: Path) -> None:
    """Write a file until the disk is full."""
    size = FIRST_WRITE_BYTES
    with path.open("wb", buffering=0) as file:
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2


@contextmanager
def copy_damage(venue: HallProcesses, rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that damages the hall's copies while it is down, with each fault in turn."""
    copies = venue.kept / "tables.db"

    def broken() -> str:
        copies.write_bytes(mutated(copies.read_bytes(), rng))
        return "copies with broken bytes"

    def changed() -> str:
        alter_event(copies, rng)
        return "copies with a changed event"

    def deleted() -> str:
        for one in copies.parent.glob("tables.db*"):
            one.unlink()
        return "copies deleted"

    ways: Sequence[Callable[[], str]] = (broken, changed, deleted)
    turns = venue.in_turn(ways)

    def act() -> FaultCounts:
        venue.kill_hall()
        done = next(turns)()
        venue.start()
        return {done: 1.0}

    yield act
