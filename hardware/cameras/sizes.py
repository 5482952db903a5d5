"""How large a picture a machine's memory can hold, where the host has set no size."""

from __future__ import annotations

import math
import os

SMALL_BYTES = 700_000_000
"""A Pi Zero 2 W has 512 MB of memory, the next larger 64-bit Pi 1 GB (their data sheets)."""

SMALL_SIZE = 2304, 1296
"""Pictures on a machine of less: half of Camera Module 3's sensor each way, still 3 megapixels."""


def memory_bytes() -> int:
    """Return the memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def is_small(memory: int) -> bool:
    """Return whether a machine of so many bytes of memory cannot hold the pictures of a whole sensor."""
    return memory < SMALL_BYTES


def held(full: tuple[int, int], memory: int) -> tuple[int, int]:
    """Return the size of the pictures that a machine can hold of a sensor's whole view, in pixels.

    The shape stays, as a picture of another shape would not show the whole view; both sides are even, as
    YUV420 needs them.

    Parameters
    ----------
    full
        Width and height of the sensor, in pixels.
    memory
        Of the machine, in bytes.
    """
    ratio = math.sqrt(math.prod(SMALL_SIZE) / math.prod(full))
    if not is_small(memory) or ratio >= 1:
        return full
    width, height = (2 * int(side * ratio / 2) for side in full)
    return width, height
