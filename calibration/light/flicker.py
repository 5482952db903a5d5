"""Bands that lamps on the mains leave in pictures whose rows are exposed one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.picture import Frame

FEWEST_FRAMES = 3
"""Frames of a still table without which nobody can tell a band from a stripe of the table."""

ROWS = 270
"""Rows that a frame is brought to: bands are broader by far."""

COLUMNS = 240

MOST_BANDS = 30
"""Bands from the first row to the last: 120 flickers a second in a quarter of a second."""


@dataclass(frozen=True, slots=True)
class Flicker:
    """How far the light swings about its mean from row to row (a share), and how many bands a frame shows."""

    swing: float
    bands: float


def flicker(frames: Sequence[Frame]) -> Flicker | None:
    """Return how the light flickers in grey frames of a still table, or None for fewer than three.

    What differs between frames in most columns of a row is light, for hands and noise differ in few.
    """
    if len(frames) < FEWEST_FRAMES:
        return None
    small = np.stack([cv2.resize(f, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA) for f in frames])
    stack = small.astype(np.float32)
    mean = stack.mean(0)
    told = (mean > 12) & (stack.max(0) < 250)  # too dark or burnt tells nothing
    ratios = np.where(told, stack / np.maximum(mean, 1.0), np.nan)
    known = told.mean(1) > 0.2
    if known.mean() < 0.5:
        return None
    light = np.nanmedian(ratios[:, known], axis=2) - 1
    return _strongest(light)


def _strongest(light: NDArray[np.float32]) -> Flicker:
    """Return the strongest wave down the rows, or all rows together, of frames' light, (frames, rows)."""
    rows = light.shape[1]
    whole = float(np.sqrt(2) * light.mean(1).std())
    spectrum = np.abs(np.fft.rfft(light - light.mean(1, keepdims=True), axis=1)) * 2 / rows
    power = np.sqrt((spectrum**2).mean(0))[1 : MOST_BANDS + 1]
    # neighbouring frequencies share a wave that does not end with the last row
    spread = np.sqrt(power**2 + np.append(power[1:], 0) ** 2 + np.append(0, power[:-1]) ** 2)
    strongest = int(power.argmax())
    if whole > spread[strongest]:
        return Flicker(whole, 0.0)
    return Flicker(float(spread[strongest]), float(strongest + 1))
