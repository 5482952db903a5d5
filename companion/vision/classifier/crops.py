"""Crops of tiles, rectified."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE, TILE = 32, 28
"""Side of the classifier's crops, and of the tile in their middle, in pixels."""
FINE_CROP = (48, 36)
"""Side of the fine classifier's crops, and of the tile in their middle, in pixels."""
TTA_OFFSETS = (
    (0.06, 0.0, 1.0),
    (-0.06, 0.0, 1.0),
    (0.0, 0.06, 1.0),
    (0.0, -0.06, 1.0),
    (0.0, 0.0, 1.09),
    (0.0, 0.0, 0.92),
)
"""Test-time augmentation: offsets right and down, in tile sides, and scale."""


def crops(
    frame: NDArray[np.uint8], quads: NDArray[np.float64], side: int = SIDE, tile: int = TILE
) -> NDArray[np.uint8]:
    """Return rectified crops of tiles.

    Parameters
    ----------
    frame
        Grey picture, shape (h, w), in which a tile is 14 to 60 pixels broad:
        larger ones would alias, so shrink the picture first.
    quads
        Corners in pixels, clockwise from the crop's top left, shape (n, 4, 2).
    side
        Side of the crops, in pixels.
    tile
        Side of the tile in the middle of each, in pixels.

    Returns
    -------
    Shape (n, side, side), uint8.
    """
    middle = frame_of(side, tile).astype(np.float32)
    out = np.empty((len(quads), side, side), np.uint8)
    for k, quad in enumerate(np.ascontiguousarray(quads, np.float32)):
        matrix = cv2.getPerspectiveTransform(quad, middle)
        cv2.warpPerspective(frame, matrix, (side, side), dst=out[k], borderMode=cv2.BORDER_REPLICATE)
    return out


def frame_of(side: int, tile: int) -> NDArray[np.float64]:
    """Return the corners of a tile in the middle of its crop, clockwise from the top left, (4, 2)."""
    return np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float) * tile + (side - tile) / 2 - 0.5


def augmented_quads(
    quads: NDArray[np.float64], right: float, down: float, scale: float
) -> NDArray[np.float64]:
    """Return quads, (n, 4, 2), moved by shares of their sides and scaled."""
    middle = quads.mean(1, keepdims=True)
    u, v = quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    return np.asarray((quads - middle) * scale + middle + (right * u + down * v)[:, None])


def standardised(cut: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return crops (n, h, w), each standardised, as float32 (n, 1, h, w); flat ones stay near 0."""
    x = cut.astype(np.float32)
    x -= x.mean((1, 2), keepdims=True)
    x /= x.std((1, 2), keepdims=True) + 6.0
    return x[:, None]
