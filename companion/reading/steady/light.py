"""The light of a frame against that of what is known."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

PICKED = 1000
"""Samples by which the light is told."""

ROUNDS = 3
STRONGEST = 3.0
"""The most by which frames may be brighter or darker."""

SETTLED = 4.0
"""Spread of brightness, squared grey levels, below which a picture tells nothing of the contrast."""


def picked(small: Picture) -> NDArray[np.float32]:
    """Return about a thousand evenly spread samples of a small picture, (n,)."""
    every = max(1, int((small.size / PICKED) ** 0.5))
    return small[::every, ::every].astype(np.float32).ravel()


def light(seen: NDArray[np.float32], known: NDArray[np.float32]) -> tuple[float, float]:
    """Return gain and offset that bring seen samples to the known ones.

    Cauchy-weighted least squares: what covers less than half of the picture weighs little.
    """
    gain, offset = 1.0, 0.0
    for _ in range(ROUNDS):
        off = np.abs(gain * seen + offset - known)
        weight = 1 / (1 + (off / (2.5 * float(np.median(off)) + 1)) ** 2)
        total = float(weight.sum())
        x, y = float(weight @ seen) / total, float(weight @ known) / total
        across, along = weight @ ((seen - x) * (known - y)), weight @ (seen - x) ** 2
        gain = float((across + SETTLED * total) / (along + SETTLED * total))
        gain = min(max(gain, 1 / STRONGEST), STRONGEST)
        offset = y - gain * x
    return gain, offset


def relit(small: Picture, known: Picture) -> Picture:
    """Return a small picture in the light of a known one."""
    gain, offset = light(picked(small), picked(known))
    table = np.clip(np.arange(256) * gain + offset + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(small, table), np.uint8)
