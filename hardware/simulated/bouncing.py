"""How contacts bounce: trains of edges as long as measured ones.

Ganssle (A Guide to Debouncing, 2004) pressed 18 kinds of switches 300 times each: bounces last 1.56 ms on
average, 6.2 ms at most (one switch out of order left aside).  Their lengths are drawn from a gamma
distribution with that mean, cut off there.
"""

from __future__ import annotations

import random

MEAN_NS, LONGEST_NS = 1_560_000, 6_200_000
SHAPE = 1.2
"""Of the gamma distribution: most bounces are short, few are long."""

SHORTEST_NS = 5_000
"""What a contact stays open or closed at least."""


def bounce_ns(chance: random.Random) -> int:
    """Return how long one press or release bounces."""
    return min(LONGEST_NS, round(chance.gammavariate(SHAPE, MEAN_NS / SHAPE)))


def train(chance: random.Random, lasts_ns: int | None = None) -> list[int]:
    """Return when the edges of one press or release come, in ns after the leading one, which is the first.

    Their number is odd, so that the contact ends up changed.
    """
    lasts_ns = bounce_ns(chance) if lasts_ns is None else lasts_ns
    most = min(20, lasts_ns // (2 * SHORTEST_NS))
    pairs = min(most, chance.randint(1, 10)) if lasts_ns else 0
    if pairs == 0:
        return [0]
    inner = sorted(
        chance.sample(range(1, lasts_ns // SHORTEST_NS), min(2 * pairs - 1, lasts_ns // SHORTEST_NS - 1))
    )
    return [0, *(at * SHORTEST_NS for at in inner), lasts_ns]
