"""The seeded random generator of drawn pictures, and a uniform choice from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Rng = np.random.Generator
T = TypeVar("T")


def choose(rng: Rng, options: Sequence[T]) -> T:
    """Return a random element, all equally likely; raise IndexError for an empty sequence."""
    if not len(options):
        raise IndexError("nothing to choose from")
    return options[int(rng.integers(len(options)))]
