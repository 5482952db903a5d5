"""The hall's wall clock stepped, as by a time server that is reached late."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from companion.drill.halls.evening import Act, Done
from companion.drill.halls.venue import Venue

STEPS_S = (3600.0, 86_400.0, 30 * 86_400.0, 9 * 365 * 86_400.0)
"""Steps of the clock, ahead or back: an hour, a day, a month, nine years."""


@contextmanager
def stepped(venue: Venue, rng: random.Random) -> Iterator[Act]:
    """Yield what steps the clock of the hall."""
    ahead = venue.folder / "ahead"
    ahead.write_text("0", "ascii")
    venue.runner = ("companion.drill.halls.clocked", str(ahead))

    def act() -> Done:
        step_s = rng.choice((-1, 1)) * rng.choice(STEPS_S)
        new = ahead.with_suffix(".new")
        new.write_text(f"{step_s}", "ascii")
        new.replace(ahead)
        return {"ahead" if step_s > 0 else "back": 1.0}

    yield act
