"""What the hall's pages look at: the hall itself, looked at once for everybody."""

from __future__ import annotations

import time

from flask import current_app

from companion.hall.hall import Hall
from companion.web.live.watching import Watching

PACE_S = 0.05
"""Seconds between two drawings of live pages, at least: a hundred tables change more often."""

PAGE_S = 0.5
"""Seconds for which the wall, once opened, is good for others: the live stream brings what is newer."""


class HallWatching(Watching):
    """Wakes live pages when anything in the hall has changed; there is no single game to watch."""

    def __init__(self, hall: Hall) -> None:
        super().__init__(hall.folder / "no game", clock=time.monotonic_ns)
        self.hall, self.seen, self.drawn_s = hall, -1, 0.0
        self.opened, self.opened_s = -1, float("-inf")

    def look(self) -> bool:
        """Announce what has changed since, at most every ``PACE_S``."""
        now_s = time.monotonic()
        if self.hall.revision == self.seen or now_s - self.drawn_s < PACE_S:
            return False
        self.seen, self.drawn_s = self.hall.revision, now_s
        self.announce()
        return True

    def page(self) -> int:
        """Return the revision of the wall for whoever opens it now."""
        now_s = time.monotonic()
        if now_s - self.opened_s >= PAGE_S:
            self.opened, self.opened_s = self.revision, now_s
        return self.opened

    def now_ns(self) -> int:
        """Return the clock that the hall's cards count by."""
        return self.clock()


def hall() -> Hall:
    """Return the hall whose pages answer now."""
    found: Hall = current_app.extensions["hall"]
    return found
