"""Exposures that lamps cannot flicker in.

Lamps on the mains brighten twice in each period of the current: 100 or 120 times a second.  Rows of a picture
that are exposed for whole flickers get the same light each; others show bands.
"""

from __future__ import annotations

MOST_BLUR_MS = 100.0
"""Longest exposure that is chosen: a tile that is pushed smears beyond reading anyway."""


def flicker_ms(mains_hz: int) -> float:
    """Return how long one flicker of a lamp lasts, in ms: 10 at 50 Hz, 8.3 at 60 Hz."""
    return 1000 / (2 * mains_hz)


def whole_flickers_ms(exposure_ms: float, mains_hz: int, most_ms: float = MOST_BLUR_MS) -> float:
    """Return the exposure next to one in ms that lasts whole flickers, at least one and at most ``most_ms``.

    In light so bright that one flicker is too long (``exposure_ms`` under half of it) the exposure is
    returned as it is: that is daylight, which does not flicker.
    """
    flicker = flicker_ms(mains_hz)
    if exposure_ms < flicker / 2 or most_ms < flicker:
        return min(exposure_ms, most_ms)
    flickers = min(round(exposure_ms / flicker), int(most_ms / flicker + 1e-9))
    return max(1, flickers) * flicker


def gain_for(gain: float, exposure_ms: float, chosen_ms: float, most: float) -> float:
    """Return the gain, 1 to ``most``, that keeps a picture as bright at the exposure ``chosen_ms``."""
    return min(max(1.0, gain * exposure_ms / chosen_ms), most)
