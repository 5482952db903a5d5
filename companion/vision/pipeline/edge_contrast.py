"""Faces that look like the table beside them: a gap between tiles or a print on the cloth may seem a tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.picture import Frame
from companion.vision.pipeline.face_brightness import sample_grid, sample_pixels, side_vectors

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
BELOW = np.stack(np.meshgrid(np.linspace(-0.32, 0.32, 9), np.linspace(0.34, 0.66, 9), indexing="ij"), -1)
ACROSS = np.stack([BELOW, BELOW[..., ::-1], BELOW * (1, -1), BELOW[..., ::-1] * (-1, 1)])
"""Where the four sides are looked at for a step in brightness, (4, along, outwards, 2), in tile sides off the
middle."""
STEP = 0.07
"""Along its sides a tile differs from the table by more, in grey or in one of the colours, as logarithms: its
own colour, an edge, a shadow."""
NEXT, TOUCHED = 1.5, 2
"""A neighbour nearer than this, in tile sides, may hide one side's step; at most so many sides are hidden."""
TURN = np.pi * (3 - np.sqrt(5))
"""The golden angle: places turned by it spread evenly."""


def matches_surface(picture: Grey, quads: Floats, some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of ``some`` tiles, (n,), are as bright as the table beside them.

    ``quads`` (n, 4, 2) are the outlines of all tiles in a grey picture, in pixels.
    """
    told = np.zeros(len(quads), bool)
    middles, sides = quads.mean(1), side_vectors(quads)
    faces = np.log(np.median(sample_pixels(picture, sample_grid(middles, sides)), axis=1) + 8.0)
    for k in np.flatnonzero(some).tolist():
        table, face = surface_samples(picture, middles, sides, k), faces[k]
        told[k] = len(table) >= FEWEST and (np.abs(np.log(table + 8.0) - face) < ALIKE).mean() > SHARE
    return told


def has_no_edge(picture: Frame, quads: Floats, some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of ``some`` tiles, (n,), end nowhere: what seems their outline is no step in any colour.

    Arguments as for ``matches_surface``, but the picture may be in colour.
    """
    return np.asarray(some & (weakest_edge(picture, quads) < STEP))


def weakest_edge(picture: Frame, quads: Floats) -> Floats:
    """Return the step across the weakest side of each tile that must show one, as logarithms, (n,).

    A side that touches another tile need not show one, nor need one more; of what the picture cuts off
    nothing is known, so it is as large as can be.  Arguments as for ``has_no_edge``.
    """
    middles, sides = quads.mean(1), side_vectors(quads)
    away = np.linalg.norm(middles[:, None] - middles, axis=-1)
    near = away < NEXT * np.linalg.norm(sides[:, :, 0], axis=1)[:, None]
    hidden = np.minimum(near.sum(1) - 1, TOUCHED)
    return np.asarray(np.sort(edge_steps(picture, middles, sides), axis=1)[np.arange(len(quads)), 1 + hidden])


def edge_steps(picture: Frame, middles: Floats, sides: Floats) -> Floats:
    """Return by how much a picture changes across each side of outlines, as logarithms, (n, 4).

    ``middles`` (n, 2) are their middles in pixels, the columns of ``sides`` (n, 2, 2) their sides.  Of
    colours it is the one that changes most; across a side that lies out of the picture it is infinite.
    """
    spots = middles[:, None] + ACROSS.reshape(-1, 2) @ np.swapaxes(sides, 1, 2)
    planes = picture.reshape(*picture.shape[:2], -1)
    seen = sample_pixels(planes, spots).reshape(-1, *ACROSS.shape[:3], planes.shape[2])
    across = np.ptp(np.log(np.median(seen, axis=2) + 8.0), axis=2).max(-1)
    within = ((spots >= 0) & (spots < planes.shape[1::-1])).all(-1).reshape(-1, *ACROSS.shape[:3])
    return np.where(within.all(axis=(2, 3)), across, np.inf)


def surface_samples(picture: Grey, middles: Floats, sides: Floats, tile: int) -> Floats:
    """Return how bright the table is around a tile, at places where no tile lies, (m,)."""
    way, far = np.arange(PLACES) * TURN, np.linspace(FROM, UNTIL, PLACES)[:, None]
    spots = middles[tile] + (np.column_stack([np.cos(way), np.sin(way)]) * far) @ sides[tile].T
    off = np.abs(np.linalg.inv(sides) @ np.swapaxes(spots - middles[:, None], 1, 2)).max(1)
    seen = (spots >= 0).all(1) & (spots <= np.array(picture.shape[::-1]) - 1).all(1)
    return sample_pixels(picture, spots[(off > OUTSIDE).all(0) & seen]).astype(np.float64)
