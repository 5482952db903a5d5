"""What the hall's pages look at: the hall itself, looked at once for everybody."""

from __future__ import annotations

import time

from flask import current_app

from companion.hall.hall import Hall
from companion.web.live.watching import LOOK_S, Watching

PACE_S = 0.05
"""Seconds between two drawings of live pages, at least: a hundred tables change more often."""

SHARE = 2.0
"""How long live pages rest at least, as a multiple of the time that phones took to be served meanwhile."""

PAGE_S = 0.5
"""Seconds for which the wall, once opened, is good for others: the live stream brings what is newer."""


class HallWatching(Watching):
    """Wakes live pages when anything in the hall has changed; there is no single game to watch."""

    def __init__(self, hall: Hall) -> None:
        super().__init__(hall.folder / "no game", clock=time.monotonic_ns)
        self.hall, self.seen, self.rests_until_s = hall, -1, 0.0
        self.announced_s = 0.0
        self.opened, self.opened_s = -1, float("-inf")

    def look(self) -> bool:
        """Announce what has changed since.

        That is done at most every ``PACE_S``, and less often where phones take longer to be served: the look
        after an announcement comes as late as they take.
        """
        now_s = time.monotonic()
        if self.announced_s:
            took_s = now_s - self.announced_s - LOOK_S
            self.rests_until_s = self.announced_s + max(PACE_S, SHARE * took_s)
            self.announced_s = 0.0
        if self.hall.revision == self.seen or now_s < self.rests_until_s:
            return False
        self.seen, self.announced_s = self.hall.revision, now_s
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
