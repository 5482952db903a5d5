"""The order of what is heard: by its stamp, whatever way it came.

An edge may reach the table a little later than one that was stamped after
it.  What is heard therefore waits for the settle window, and late edges are
sorted in; the decision is then the same in whatever order they arrived.  What
comes later still is decided when it comes, under its own stamp.
"""

from __future__ import annotations

from bisect import insort

from companion.model.calls import MILLISECOND, Heard

WINDOW_NS = 30 * MILLISECOND
"""How long anything waits: longer than a button's lock-out, shorter than anybody notices."""


def order(heard: Heard) -> tuple[int, str, int]:
    """Return what sorts before what: the stamp, then kind and seat, so that no order of arrival matters."""
    return heard.at_ns, type(heard).__name__, getattr(heard, "seat", None) or 0


class Settling:
    """What has been heard and still waits for anything stamped before it."""

    def __init__(self, window_ns: int = WINDOW_NS) -> None:
        self.window_ns = window_ns
        self.waiting: list[Heard] = []

    def add(self, heard: Heard) -> None:
        """Sort in something heard."""
        insort(self.waiting, heard, key=order)

    def told_until(self, now_ns: int) -> int:
        """Return the stamp up to which nothing more is expected: the clocks may run so far."""
        return now_ns - self.window_ns

    def due_ns(self) -> int | None:
        """Return when what waits is ready, or ``None`` where nothing waits."""
        return self.waiting[0].at_ns + self.window_ns if self.waiting else None

    def settled(self, now_ns: int) -> list[Heard]:
        """Return, and wait no longer for, everything stamped a window ago or earlier, in order."""
        count = sum(heard.at_ns + self.window_ns <= now_ns for heard in self.waiting)
        ready, self.waiting = self.waiting[:count], self.waiting[count:]
        return ready

    def rest(self) -> list[Heard]:
        """Return everything that still waits, in order: nothing more will come."""
        ready, self.waiting = self.waiting, []
        return ready
