"""Picture sizes that fit a machine's memory, and exposures that lamps do not flicker in.

Lamps on the mains brighten twice in each period of the current: 100 or 120 times a second.  Rows of a picture
that are exposed for whole flickers get the same light each; others show bands.
"""

from __future__ import annotations

import math
import os

MIN_FULL_SIZE_MEMORY_BYTES = 700_000_000
"""Least memory for full-size pictures, in bytes: between a Pi Zero 2 W's 512 MB and the next Pi's 1 GB."""

LOW_MEMORY_PICTURE_SIZE = 2304, 1296
"""Picture size on a machine with less: half of Camera Module 3's sensor each way, 3 megapixels."""

MAX_EXPOSURE_MS = 100.0
"""Longest exposure that is chosen, in ms: beyond it a moving tile is unreadable."""


def memory_bytes() -> int:
    """Return the memory of this machine, in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def is_low_memory(memory: int) -> bool:
    """Return whether a memory, in bytes, is too small for full-size pictures."""
    return memory < MIN_FULL_SIZE_MEMORY_BYTES


def picture_size(full: tuple[int, int], memory: int) -> tuple[int, int]:
    """Return the size of full-view pictures that fits a machine, in pixels.

    The aspect ratio is kept, as another one would crop the view; both sides are even, as YUV420 needs.

    Parameters
    ----------
    full
        Width and height of the sensor, in pixels.
    memory
        Memory of the machine, in bytes.
    """
    ratio = math.sqrt(math.prod(LOW_MEMORY_PICTURE_SIZE) / math.prod(full))
    if not is_low_memory(memory) or ratio >= 1:
        return full
    width, height = (2 * int(side * ratio / 2) for side in full)
    return width, height


def flicker_period_ms(mains_hz: int) -> float:
    """Return the period of a lamp's flicker, in ms: 10 at 50 Hz, 8.3 at 60 Hz."""
    return 1000 / (2 * mains_hz)


def flicker_free_exposure_ms(exposure_ms: float, mains_hz: int, most_ms: float = MAX_EXPOSURE_MS) -> float:
    """Return the whole number of flicker periods nearest to an exposure, in ms, at most ``most_ms``.

    An exposure under half a period is returned unchanged: light that bright is daylight without flicker.
    """
    flicker = flicker_period_ms(mains_hz)
    if exposure_ms < flicker / 2 or most_ms < flicker:
        return min(exposure_ms, most_ms)
    flickers = min(round(exposure_ms / flicker), int(most_ms / flicker + 1e-9))
    return max(1, flickers) * flicker


def gain_for(gain: float, exposure_ms: float, chosen_ms: float, most: float) -> float:
    """Return the gain, 1 to ``most``, that keeps the brightness when the exposure becomes ``chosen_ms``."""
    return min(max(1.0, gain * exposure_ms / chosen_ms), most)
