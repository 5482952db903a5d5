"""Tiles cut out of a picture and straightened."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE = 32
"""Side of a crop, in pixels."""

TILE = 28
"""Side of the tile inside its crop, in pixels: a margin of two pixels shows what lies beside it."""

FRAME = (np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * TILE + (SIDE - TILE) / 2 - 0.5).astype(
    np.float32
)


def crops(frame: NDArray[np.uint8], quads: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the tiles inside four-cornered outlines, straightened.

    Parameters
    ----------
    frame
        Grey picture, shape (h, w), in which a tile is 14 to 60 pixels broad:
        larger ones would alias, so shrink the picture first.
    quads
        Corners in pixels, clockwise from the crop's top left, shape (n, 4, 2).

    Returns
    -------
    Shape (n, 32, 32), uint8; the tile fills the middle 28 pixels.
    """
    out = np.empty((len(quads), SIDE, SIDE), np.uint8)
    corners = np.ascontiguousarray(quads, np.float32)
    for k, quad in enumerate(corners):
        matrix = cv2.getPerspectiveTransform(quad, FRAME)
        cv2.warpPerspective(frame, matrix, (SIDE, SIDE), dst=out[k], borderMode=cv2.BORDER_REPLICATE)
    return out


def standardised(cut: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return crops with mean 0 and unit spread each, shape (n, 1, 32, 32), float32; flat ones stay near 0."""
    x = cut.astype(np.float32)
    x -= x.mean((1, 2), keepdims=True)
    x /= x.std((1, 2), keepdims=True) + 6.0
    return x[:, None]
