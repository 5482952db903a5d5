"""Translucent pyramids drawn over the table: anew only where one has been moved."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import View, camera
from calibration.drawing.pyramids import COLOURS, Plastic, Standing, draw_pyramids
from hardware.simulated.world import Pyramid, Spot

Bytes = NDArray[np.uint8]

CLEAR = Plastic(
    tints={name: np.array(tint) ** 0.7 for name, tint in COLOURS.items()},
    deep=0.2,
    milky=0.2,
    bent=0.05,
    ridge=0.3,
    gloss=14.0,
)
"""Plastic that letters are to be seen through, as the game asks for."""


def stand(picture: Bytes, pyramids: Sequence[Pyramid], middle: Spot, broad: float, tile_px: float) -> None:
    """Draw pyramids on a part of a picture: ``broad`` tile sides about a place of the table."""
    half = round(broad * tile_px / 2)
    x, y = round(middle[0] * tile_px), round(middle[1] * tile_px)
    height, width = picture.shape[:2]
    left, top = max(0, x - half), max(0, y - half)
    part = picture[top : min(height, y + half), left : min(width, x + half)]
    # the camera of this part looks straight down on its middle
    seen = camera(View(part.shape[1], part.shape[0], tile_px, 0.0, 0.0, focal=2.2))
    at = (left + part.shape[1] / 2) / tile_px, (top + part.shape[0] / 2) / tile_px
    standing = [
        Standing(one.x - at[0], one.y - at[1], one.turn, one.base, one.size, one.colour) for one in pyramids
    ]
    blue, green, red = (np.asarray(plane, np.float32) for plane in cv2.split(part))
    draw_pyramids((blue, green, red), standing, CLEAR, seen, np.random.default_rng(1))
    part[:] = np.clip(cv2.merge([blue, green, red]), 0, 255).astype(np.uint8)
