"""Faces that look like the table beside them: a gap between tiles or a print on the cloth may seem a tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.reading.face import all_over, shown_at, sides_of

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

PLACES, FROM, UNTIL = 200, 0.8, 4.0
"""Places around a face where the table is looked at, and how far they are from its middle, in tile sides."""
OUTSIDE = 0.68
"""A place is on the table where it is farther than this from the middle of every tile, in its sides."""
FEWEST = 8
"""So many places must show the table to tell how bright it is."""
ALIKE, SHARE = 0.1, 0.25
"""Shades are alike that differ by less, as logarithms; a face is like the table where so much of that is."""
TURN = np.pi * (3 - np.sqrt(5))
"""The golden angle: places turned by it spread evenly."""


def like_ground(picture: Grey, quads: Floats, some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of ``some`` tiles, (n,), are as bright as the table beside them.

    ``quads`` (n, 4, 2) are the outlines of all tiles in a grey picture, in pixels.
    """
    told = np.zeros(len(quads), bool)
    middles, sides = quads.mean(1), sides_of(quads)
    faces = np.log(np.median(shown_at(picture, all_over(middles, sides)), axis=1) + 8.0)
    for k in np.flatnonzero(some).tolist():
        table, face = beside(picture, middles, sides, k), faces[k]
        told[k] = len(table) >= FEWEST and (np.abs(np.log(table + 8.0) - face) < ALIKE).mean() > SHARE
    return told


def beside(picture: Grey, middles: Floats, sides: Floats, tile: int) -> Floats:
    """Return how bright the table is around a tile, at places where no tile lies, (m,)."""
    way, far = np.arange(PLACES) * TURN, np.linspace(FROM, UNTIL, PLACES)[:, None]
    spots = middles[tile] + (np.column_stack([np.cos(way), np.sin(way)]) * far) @ sides[tile].T
    off = np.abs(np.linalg.inv(sides) @ np.swapaxes(spots - middles[:, None], 1, 2)).max(1)
    seen = (spots >= 0).all(1) & (spots <= np.array(picture.shape[::-1]) - 1).all(1)
    return shown_at(picture, spots[(off > OUTSIDE).all(0) & seen]).astype(np.float64)
