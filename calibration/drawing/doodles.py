"""Random made-up signs of a few strokes, so that few-shot training does not memorise alphabets."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.drawing.fonts import CANVAS, CAPITAL, Mask
from calibration.drawing.rng import Rng

STROKES = (1, 4)
"""Strokes of a sign, at least and at most."""
THICK = (5.0, 13.0)
"""Breadth of the pen in mask pixels."""
FINE = 3
"""Binary digits after the point of a place in a mask."""


def doodle(rng: Rng) -> Mask:
    """Return the mask of a sign made up, shape (96, 96), uint8, 255 where ink is, as large as a capital."""
    mask = np.zeros((CANVAS, CANVAS), np.uint8)
    thick = round(float(rng.uniform(*THICK)))
    for _ in range(int(rng.integers(STROKES[0], STROKES[1] + 1))):
        places = (np.round(_stroke(rng) * 2**FINE)).astype(np.int32)
        cv2.polylines(mask, [places], False, 255, thick, cv2.LINE_AA, FINE)
    return mask


def _stroke(rng: Rng) -> np.ndarray:
    """Return the places along one stroke, straight, bent, or round, (n, 2) in mask pixels."""
    half = CAPITAL / 2
    start, end = rng.uniform(-half, half, (2, 2))
    if rng.random() < 0.2:
        radius = float(rng.uniform(0.2, 0.7)) * half
        angle = np.linspace(0, float(rng.uniform(3.5, 6.5)), 24) + float(rng.uniform(0, 6.3))
        places = start * 0.5 + radius * np.stack([np.cos(angle), np.sin(angle)], -1)
    else:
        vector = end - start
        if np.hypot(*vector) < half:  # a dot tells little: make it a stroke
            vector *= half / max(float(np.hypot(*vector)), 1.0)
        side = np.array([-vector[1], vector[0]]) * float(rng.normal(0, 0.35) if rng.random() < 0.6 else 0)
        t = np.linspace(0, 1, 24)[:, None]
        places = start + vector * t + side * np.sin(np.pi * t)
    return np.asarray(np.clip(places, -0.45 * CANVAS, 0.45 * CANVAS) + (CANVAS - 1) / 2)
