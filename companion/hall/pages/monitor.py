"""Wakes the hall's live pages when the hall has changed, and returns the hall of the running app."""

from __future__ import annotations

import time

from flask import current_app

from companion.hall.hall import Hall
from companion.web.live.monitor import TableMonitor

MIN_RENDER_INTERVAL_S = 0.05
"""Least seconds between two renderings of live pages: a hundred tables change more often."""

MAX_PAGE_AGE_S = 0.5
"""Seconds for which a rendered wall page is reused: the live stream brings newer changes."""


class HallMonitor(TableMonitor):
    """A monitor of the hall's revision instead of one table's log."""

    def __init__(self, hall: Hall) -> None:
        super().__init__(hall.folder / "no game", clock=time.monotonic_ns)
        self.hall, self.seen, self.drawn_s = hall, -1, 0.0
        self.opened, self.opened_s = -1, float("-inf")

    def poll_log(self) -> bool:
        """Notify live pages of changes, at most every ``MIN_RENDER_INTERVAL_S``; return whether it did."""
        now_s = time.monotonic()
        if self.hall.revision == self.seen or now_s - self.drawn_s < MIN_RENDER_INTERVAL_S:
            return False
        self.seen, self.drawn_s = self.hall.revision, now_s
        self.notify()
        return True

    def page(self) -> int:
        """Return the revision of the wall for a page that is opened now."""
        now_s = time.monotonic()
        if now_s - self.opened_s >= MAX_PAGE_AGE_S:
            self.opened, self.opened_s = self.revision, now_s
        return self.opened

    def now_ns(self) -> int:
        """Return the monotonic clock that the cards' clocks run by, in nanoseconds."""
        return self.clock()


def hall() -> Hall:
    """Return the hall of the app that handles the current request."""
    found: Hall = current_app.extensions["hall"]
    return found
