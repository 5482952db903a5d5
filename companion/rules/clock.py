"""Clocks that are computed from stamps; they never read the time themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.model.calls import SECOND

MINUTE = 60 * SECOND


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that runs or is stopped.

    ``used_ns`` are the nanoseconds used before it was last started; ``since_ns`` is the stamp at which it was
    started, or ``None`` while it is stopped; ``warned`` is how many of its warnings were given.
    """

    used_ns: int = 0
    since_ns: int | None = None
    warned: int = 0

    def elapsed(self, at_ns: int) -> int:
        """Return the nanoseconds used by a stamp."""
        return self.used_ns if self.since_ns is None else self.used_ns + at_ns - self.since_ns

    def started(self, at_ns: int) -> Clock:
        """Return the clock running from a stamp on; a running one is unchanged."""
        return self if self.since_ns is not None else replace(self, since_ns=at_ns)

    def stopped(self, at_ns: int) -> Clock:
        """Return the clock stopped at a stamp."""
        return self if self.since_ns is None else replace(self, used_ns=self.elapsed(at_ns), since_ns=None)

    def corrected(self, by_ns: int, at_ns: int, limit_s: int, warn_s: Sequence[int]) -> Clock:
        """Return the clock with ``by_ns`` more used, and the warnings counted that this time has passed.

        ``limit_s`` is its limit in seconds, 0 for none; each minute begun beyond it counts as a warning too.
        """
        clock = replace(self, used_ns=self.used_ns + by_ns)
        if not limit_s:
            return clock
        spent = clock.elapsed(at_ns)
        passed = sum(spent > (limit_s - left) * SECOND for left in marks(limit_s, warn_s))
        return replace(clock, warned=passed + max(0, overtime(spent, limit_s) - 1))

    def reaches(self, spent_ns: int) -> int | None:
        """Return the stamp at which ``spent_ns`` will be used, or ``None`` while the clock is stopped."""
        return None if self.since_ns is None else self.since_ns + spent_ns - self.used_ns


def marks(limit_s: int, warn_s: Sequence[int]) -> list[int]:
    """Return the seconds left at each warning, the longest first, and 0 for the end."""
    return [*sorted({left for left in warn_s if left < limit_s}, reverse=True), 0]


def overtime(spent_ns: int, limit_s: int) -> int:
    """Return how many minutes have begun beyond a limit."""
    return max(0, -((limit_s * SECOND - spent_ns) // MINUTE))
