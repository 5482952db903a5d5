"""Honest phones at the pages of a hall while its evening goes on."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.drill.crowd import Crowd
from companion.drill.halls.venue import Venue
from companion.drill.hostile import ARRIVAL_S, LATE_MS, STAY_S, outcome
from companion.drill.outcome import Outcome

PAGES = ("/", "/standings", "/rounds", "/screen", "/players", "/players/p3", "/papers/standings.json")
"""What phones ask for while an evening goes on."""

LIVES = ("/live/wall", "/live/standings", "/live/rounds", "/live/screen")
"""What they listen to."""


def phones(count: int, seed: int, *, late_ms: float = LATE_MS, stay_s: float = STAY_S) -> Outcome:
    """Let so many phones look at the wall of tables and at other pages; return how long answers took."""
    with TemporaryDirectory(prefix="drill-") as place:
        with closing(Venue(Path(place) / "venue", Path(place) / "hall", seed)) as venue:
            venue.prepare()
            venue.start()
            found = Crowd(venue.port, seed, PAGES, LIVES)
            found.play(count, ARRIVAL_S, stay_s)
        return outcome("hall: honest phones while an evening goes on", count, found, late_ms)
