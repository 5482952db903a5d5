"""The clock that devices stamp by, and how long to wait by it: a simulated table may run faster than life."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """CLOCK_MONOTONIC in nanoseconds; ``speed`` times as fast from the moment the clock was made.

    The real table's runs at speed 1, where its time is the kernel's own.
    """

    speed: float = 1.0
    begun_ns: int = field(default_factory=time.monotonic_ns)

    def now_ns(self) -> int:
        """Return the time."""
        now_ns = time.monotonic_ns()
        return now_ns if self.speed == 1 else self.begun_ns + round((now_ns - self.begun_ns) * self.speed)

    def wait_s(self, until_ns: int) -> float:
        """Return how many seconds of real life it is until a time; 0 where it is over."""
        return max(0.0, (until_ns - self.now_ns()) / SECOND / self.speed)
