"""The light of a frame against that of what is known."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

PICKED = 1000
"""Samples by which the light is told."""

ROUNDS = 2
"""Refinements a frame; what a sudden change of the light leaves over, the next frame takes up."""

STRONGEST = 3.0
"""The most by which frames may be brighter or darker."""

HARDLY = 0.5
"""Less than so many grey levels are no other light."""

FLAT = 50.0
"""A picture whose brightness spreads by this, squared grey levels, tells half of how its contrast changed."""

MOST_OFFSET = 60.0
"""The most by which all of a frame may be brighter or darker, in grey levels, whatever its contrast."""

PLAIN = 12.0
"""And by this, beside its noise, it tells nothing."""

LEAST_ALIKE = 0.5
"""Correlation with what is known up to which a frame shows something else, and not another light."""

Light = tuple[float, float]
"""Gain and offset."""


def subsampled(small: Picture) -> NDArray[np.float32]:
    """Return about a thousand evenly spread samples of a small picture, (n,)."""
    every = max(1, int((small.size / PICKED) ** 0.5))
    return small[::every, ::every].astype(np.float32).ravel()


def fit_light(seen: NDArray[np.float32], known: NDArray[np.float32], noise: float, start: Light) -> Light:
    """Return gain and offset that bring seen samples to the known ones, from those of the frame before on.

    Least squares with Welsch's weights: what covers less than three quarters of the picture weighs nothing.
    Where brightness hardly spreads, the light is taken to have changed in proportion, without an offset.
    A frame that shows something else altogether is left in the light of the one before.  ``noise`` is by how
    much a sample differs from frame to frame.
    """
    gain, offset = start
    for _ in range(ROUNDS):
        off = np.abs(gain * seen + offset - known)
        quarter = float(np.partition(off, len(off) // 4)[len(off) // 4])
        weight = np.exp(-((off / (4 * quarter + 2)) ** 2))
        weight /= weight.sum()
        x, y = float(weight @ seen), float(weight @ known)
        aside, beside = seen - x, known - y
        heavy = weight * aside
        along, across, spread = float(heavy @ beside), float(heavy @ aside), float(weight @ beside**2)
        if spread > PLAIN + 2 * noise**2 and along <= LEAST_ALIKE * (across * spread) ** 0.5:
            return start
        gain = (along + FLAT * y / max(x, 1.0)) / (across + FLAT)
        gain = min(max(gain, 1 / STRONGEST), STRONGEST)
        offset = y - gain * x
        if abs(offset) > MOST_OFFSET:
            return start
    return gain, offset


def relit(small: Picture, light: Light) -> Picture:
    """Return a small picture with its brightness changed by a gain and an offset."""
    gain, offset = light
    if abs(gain - 1) * 255 + abs(offset) < HARDLY:
        return small
    table = np.clip(np.arange(256) * gain + offset + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(small, table), np.uint8)
