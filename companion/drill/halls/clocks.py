"""Steps of the hall's wall clock, as by a late time server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from companion.drill.halls.evening import FaultAction, FaultCounts
from companion.drill.halls.hall_processes import HallProcesses
from companion.files import write_atomically

STEPS_S = (3600.0, 86_400.0, 30 * 86_400.0, 9 * 365 * 86_400.0)
"""Steps of the clock, forward or back, in seconds: an hour, a day, a month, nine years."""


@contextmanager
def step_clock(venue: HallProcesses, rng: random.Random) -> Iterator[FaultAction]:
    """Yield the action that steps the hall's clock."""
    ahead = venue.folder / "ahead"
    ahead.write_text("0", "ascii")
    venue.runner = ("companion.drill.halls.wrong_clock", str(ahead))

    def act() -> FaultCounts:
        step_s = rng.choice((-1, 1)) * rng.choice(STEPS_S)
        write_atomically(ahead, f"{step_s}".encode("ascii"))
        return {"ahead" if step_s > 0 else "back": 1.0}

    yield act
