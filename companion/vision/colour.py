"""Colour that shadow and the light's strength hardly change."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

DARK = 8.0
"""Grey levels added before a logarithm is taken, so that noise in the dark counts little."""
LOGARITHMS = np.log(np.arange(256) + DARK).astype(np.float32)


def log_chroma(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return colours in log-chroma: half their lightness, blue against green, red against green.

    ``colours`` are blue, green, red of 0 to 255, shape (n, 3); or grey, (n, 1), of which the result is the
    logarithm.
    """
    logs = np.log(colours + DARK)
    if logs.shape[1] == 1:
        return np.asarray(logs)
    blue, green, red = logs.T
    return np.column_stack([logs.mean(1) / 2, blue - green, red - green])


def back_project(frame: NDArray[np.uint8], colour: NDArray[np.float64], spread: float) -> NDArray[np.uint8]:
    """Return how near each pixel's colour is to one, 0 to 255, uint8 (h, w).

    ``frame`` is BGR, (h, w, 3); ``colour`` (3,) in log-chroma; ``spread`` the standard deviation in it at
    which a pixel gets 155.
    """
    blue, green, red = cv2.split(np.asarray(cv2.LUT(frame, LOGARITHMS), np.float32))
    tone, cool, warm = (np.float32(value) for value in colour)
    squared = ((blue + green + red) / 6 - tone) ** 2 + (blue - green - cool) ** 2 + (red - green - warm) ** 2
    return np.asarray(255 * np.exp(squared / np.float32(-2 * spread**2)), np.uint8)
