"""How long a switch bounces: what the doctor shows, so that a worn button is found before it fails."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

BOUNDS_NS = (1, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
"""Where the bins of the histogram end, each without its end; the last bin has none."""

LABELS = ("none", "< 0.1 ms", "< 0.5 ms", "< 1 ms", "< 2 ms", "< 5 ms", "< 10 ms", "longer")


@dataclass(frozen=True, slots=True)
class Bounces:
    """A histogram over the presses of one button: from the leading edge to the last bounce."""

    counts: tuple[int, ...] = (0,) * len(LABELS)
    longest_ns: int = 0
    total_ns: int = 0

    def with_one(self, lasted_ns: int) -> Bounces:
        """Return the histogram with one more press."""
        bin_ = bisect_right(BOUNDS_NS, lasted_ns)
        counts = tuple(count + (n == bin_) for n, count in enumerate(self.counts))
        return replace(
            self,
            counts=counts,
            longest_ns=max(self.longest_ns, lasted_ns),
            total_ns=self.total_ns + lasted_ns,
        )

    @property
    def presses(self) -> int:
        """How many presses it holds."""
        return sum(self.counts)

    @property
    def mean_ns(self) -> float:
        """How long a press bounces on average; 0 without presses."""
        return self.total_ns / self.presses if self.presses else 0.0

    def __str__(self) -> str:
        some = [f"{label} {count}" for label, count in zip(LABELS, self.counts, strict=True) if count]
        longest = f"; longest {self.longest_ns / 1e6:.2f} ms" if self.longest_ns else ""
        presses = f"{self.presses} press{'es' if self.presses > 1 else ''}"
        return f"{presses}: {', '.join(some)}{longest}" if some else "not pressed yet"
