"""The clock of devices, which may run faster than real time on a simulated table."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """CLOCK_MONOTONIC in ns, ``speed`` times as fast since ``begun_ns``; at speed 1 the kernel's own time."""

    speed: float = 1.0
    begun_ns: int = field(default_factory=time.monotonic_ns)

    def now_ns(self) -> int:
        """Return the time, in ns."""
        now_ns = time.monotonic_ns()
        return now_ns if self.speed == 1 else self.begun_ns + round((now_ns - self.begun_ns) * self.speed)

    def wait_s(self, until_ns: int) -> float:
        """Return the real time until ``until_ns``, in seconds; 0 where it is past."""
        return max(0.0, (until_ns - self.now_ns()) / SECOND / self.speed)
