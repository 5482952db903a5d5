"""A reorder buffer: inputs leave it in the order of their stamps, whatever order they arrived in.

A button's edge may arrive a little later than one that was stamped after it.  Every input therefore waits
for a fixed window, and late edges are sorted in.  An input that arrives even later is decided on arrival,
under its own stamp.
"""

from __future__ import annotations

from bisect import insort

from companion.model.calls import MILLISECOND, Input

REORDER_WINDOW_NS = 30 * MILLISECOND
"""How long an input waits: longer than a button's lock-out, too short for a player to notice."""


def sort_key(received: Input) -> tuple[int, str, int]:
    """Return the stamp, then kind and seat: with equal stamps the order of arrival makes no difference."""
    return received.at_ns, type(received).__name__, getattr(received, "seat", None) or 0


class ReorderBuffer:
    """Holds inputs for ``window_ns``, and releases them in the order of their stamps."""

    def __init__(self, window_ns: int = REORDER_WINDOW_NS) -> None:
        self.window_ns = window_ns
        self.waiting: list[Input] = []

    def add(self, received: Input) -> None:
        """Sort an input in."""
        insort(self.waiting, received, key=sort_key)

    def watermark_ns(self, now_ns: int) -> int:
        """Return the stamp before which no more input is expected: the game's clocks may run up to it."""
        return now_ns - self.window_ns

    def due_ns(self) -> int | None:
        """Return when the first waiting input can be released, or ``None`` if none waits."""
        return self.waiting[0].at_ns + self.window_ns if self.waiting else None

    def pop_ready(self, now_ns: int) -> list[Input]:
        """Remove and return, in order, the inputs that were stamped at least a window ago."""
        count = sum(received.at_ns + self.window_ns <= now_ns for received in self.waiting)
        ready, self.waiting = self.waiting[:count], self.waiting[count:]
        return ready

    def drain(self) -> list[Input]:
        """Remove and return all inputs, in order: no more will arrive."""
        ready, self.waiting = self.waiting, []
        return ready
