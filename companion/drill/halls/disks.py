"""The hall's disk full, read-only, slow, and its copies of the tables' logs damaged."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from companion.drill.halls.evening import Act, Done
from companion.drill.halls.venue import Venue
from companion.drill.inputs import altered, held
from companion.drill.mutating import mutated
from companion.drill.powercuts import Card

FAULT_S = (1.0, 4.0)
"""Seconds for which a disk fails, from and to."""

BALLAST = "ballast"
"""The file that fills the disk."""

PIECE = 1 << 20
"""Bytes that are written at once while the disk is filled; smaller ones follow when no such fits any more."""


@contextmanager
def failing(venue: Venue, rng: random.Random) -> Iterator[Act]:
    """Yield what makes the hall's disk fail for a while, each way as often."""
    card = Card(venue.folder / "card", venue.kept)

    def full() -> str:
        fill(venue.kept / BALLAST)
        time.sleep(rng.uniform(*FAULT_S))
        (venue.kept / BALLAST).unlink()
        return "full disk"

    def slow() -> str:
        with held(rng.choice((venue.kept / "tables.db", venue.own_log))):
            time.sleep(rng.uniform(*FAULT_S))
        return "disk that takes no writes for seconds"

    def read_only() -> str:
        card.fail()
        time.sleep(rng.uniform(*FAULT_S))
        venue.kill_hall()
        card.unmount()
        card.mount()
        venue.start()
        return "disk gone read-only"

    ways: Sequence[Callable[[], str]] = (full, slow, read_only)
    turns = venue.in_turn(ways)

    def act() -> Done:
        return {next(turns)(): 1.0}

    yield act


def fill(path: Path) -> None:
    """Write a file until nothing more fits."""
    size = PIECE
    with path.open("wb", buffering=0) as file:
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2


@contextmanager
def damaged(venue: Venue, rng: random.Random) -> Iterator[Act]:
    """Yield what damages the hall's copies while it is down, each way as often."""
    copies = venue.kept / "tables.db"

    def broken() -> str:
        copies.write_bytes(mutated(copies.read_bytes(), rng))
        return "copies with broken bytes"

    def changed() -> str:
        altered(copies, rng)
        return "copies with a changed event"

    def deleted() -> str:
        for one in copies.parent.glob("tables.db*"):
            one.unlink()
        return "copies deleted"

    ways: Sequence[Callable[[], str]] = (broken, changed, deleted)
    turns = venue.in_turn(ways)

    def act() -> Done:
        venue.kill_hall()
        done = next(turns)()
        venue.start()
        return {done: 1.0}

    yield act
