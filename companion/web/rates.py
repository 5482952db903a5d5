"""How often one phone may send something."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

BURST = 30.0
"""Things that a phone may send at once."""

A_SECOND = 5.0
"""Things that it may send every second on and on: faster than any finger."""

MOST_PHONES = 1000
"""Phones whose rate is remembered, the least recently heard of forgotten first."""


@dataclass(slots=True)
class Rates:
    """What every phone has left: a bucket that fills by itself."""

    clock: Callable[[], float] = time.monotonic
    left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allow(self, address: str) -> bool:
        """Return whether an address may send something now, and count it."""
        now_s = self.clock()
        left, at_s = self.left.pop(address, (BURST, now_s))
        left = min(BURST, left + (now_s - at_s) * A_SECOND)
        allowed = left >= 1
        self.left[address] = (left - allowed, now_s)
        if len(self.left) > MOST_PHONES:
            self.left.popitem(last=False)
        return allowed
