"""Drawing lots: every choice that a drawn picture makes comes from one seeded generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Rng = np.random.Generator
T = TypeVar("T")


def one_of(rng: Rng, some: Sequence[T]) -> T:
    """Return one of some, each as likely; raise IndexError where there is none."""
    if not len(some):
        raise IndexError("nothing to choose from")
    return some[int(rng.integers(len(some)))]
