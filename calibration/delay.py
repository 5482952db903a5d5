"""The delay of a camera's pictures, measured by a screen before it that is bright and dark by turns.

Stamps are in seconds of one clock; a picture's is that of its arrival, or a better guess of its exposure.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadCapture
from companion.vision.camera_frame import Frame

SWITCHES = 24
"""Number of times that the screen switches."""

SHORTEST_S, LONGEST_S = 0.3, 0.7
"""Least and greatest time between two switches, in seconds: uneven, so that only one delay fits."""

MAX_DELAY_S = 3.0
"""Greatest delay that is looked for, in seconds."""

STEP_S = 0.005
"""Step of the search, in seconds."""

MIN_CORRELATION = 0.8
"""Least correlation of a part's brightness with the screen's: a drawn faint screen had 0.73 at a wrong delay,
a bright one 0.86 and more at the right one."""

CELLS = 24
"""Columns and rows of parts of the picture whose brightness is followed: the screen may fill but one."""

Floats = NDArray[np.float64]


def switch_intervals(rng: np.random.Generator) -> Floats:
    """Return the times in seconds to wait before each switch of the screen."""
    return rng.uniform(SHORTEST_S, LONGEST_S, SWITCHES)


def cell_brightness(frame: Frame) -> NDArray[np.float32]:
    """Return the mean brightness of each part of a grey picture, float32 (CELLS squared,)."""
    return cv2.resize(frame, (CELLS, CELLS), interpolation=cv2.INTER_AREA).ravel().astype(np.float32)


def fit_delay(pictures: Sequence[tuple[float, NDArray[np.float32]]], switched_s: Floats) -> float:
    """Return the delay, in seconds, by which the pictures follow the screen.

    Parameters
    ----------
    pictures
        The stamp of each, and its brightness as of ``cell_brightness``.
    switched_s
        Times at which the screen switched: to bright at first, then to dark, and so on.

    Raises
    ------
    BadCapture
        Where no part of the pictures follows the screen, or there are too few.
    """
    if len(pictures) < SWITCHES:
        raise BadCapture(f"only {len(pictures)} pictures came: see to the camera's rate and its network")
    stamps = np.array([stamp for stamp, _ in pictures])
    seen = standardised(np.array([cells for _, cells in pictures], float))
    delays = np.arange(-MAX_DELAY_S, MAX_DELAY_S, STEP_S)
    shown = standardised(np.searchsorted(switched_s, np.subtract.outer(stamps, delays)) % 2)
    correlations = np.abs(shown.T @ seen) / len(stamps)
    quality = correlations.max(1)
    best = float(quality.max())
    if best < MIN_CORRELATION:
        raise BadCapture(
            "the camera does not see the terminal flash: hold it closer and still, and make the window larger"
        )
    return float(np.mean(delays[quality > best - 1e-9]))


def standardised(series: NDArray[np.number]) -> Floats:
    """Return series over time, (n, m), each with mean 0 and variance 1; 0 where it never changes."""
    off = series - series.mean(0)
    return np.asarray(off / np.maximum(off.std(0), 1e-6))
