"""Brightness of tiles' faces, and contrast at their edges.

A gap between tiles or a print on the cloth may look like a tile: its face is darker than theirs, as bright as
the table beside it, or ends without an edge.  Quads are (n, 4, 2), clockwise; a face is also given by its
middle, (n, 2), and its side vectors, right then down, as the columns of (n, 2, 2); all in pixels, float64.
Contrasts are differences of logarithms of grey levels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import Detections
from companion.vision.picture import Frame

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

ALONG = np.linspace(-0.3, 0.3, 7)
"""Sample points of a face, in tile sides from its middle."""
RIM = 0.4
"""Distance from its middle at which a face shows no ink, in tile sides."""
NEAREST = 5
"""Nearest tiles with symbols to whose median brightness a face is compared."""
DARKEST = 0.75
"""Least brightness, against them, of a face without a clear symbol; at most it is the inverse."""
PLACES, FROM, UNTIL = 200, 0.8, 4.0
"""Samples of the table around a face, and their distance from its middle, in tile sides."""
OUTSIDE = 0.68
"""Distance from the middle of every tile, in its sides, from which a sample shows the table."""
FEWEST = 8
"""Fewest such samples that tell how bright the table is."""
ALIKE, SHARE = 0.1, 0.25
"""Contrast up to which brightness is alike, and the share of alike samples of a face like the table."""
BELOW = np.stack(np.meshgrid(np.linspace(-0.32, 0.32, 9), np.linspace(0.34, 0.66, 9), indexing="ij"), -1)
ACROSS = np.stack([BELOW, BELOW[..., ::-1], BELOW * (1, -1), BELOW[..., ::-1] * (-1, 1)])
"""Samples across the four sides, (4, along, outwards, 2), in tile sides from the middle."""
NEXT, TOUCHED = 1.5, 2
"""Distance of a neighbour, in tile sides, that may hide one side's edge; and most sides so hidden."""
TURN = np.pi * (3 - np.sqrt(5))
"""The golden angle: samples turned by it spread evenly."""


def side_vectors(quads: Floats) -> Floats:
    """Return the side vectors of quads."""
    return np.stack([quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]], -1)


def sample_grid(centres: Floats, vectors: Floats) -> Floats:
    """Return sample points all over the middle of faces, (n, m, 2)."""
    unit = np.stack(np.meshgrid(ALONG, ALONG), -1).reshape(-1, 2)
    return np.asarray(centres[:, None] + unit @ np.swapaxes(vectors, 1, 2))


def sample_pixels(frame: NDArray[np.uint8], places: Floats) -> NDArray[np.uint8]:
    """Return a picture's nearest pixels to places, (..., 2); outside of it, its edge's."""
    x, y = (np.clip(np.round(places[..., k]), 0, frame.shape[1 - k] - 1).astype(int) for k in (0, 1))
    return np.asarray(frame[y, x])


def rim_brightness(grey: NDArray[np.uint8], centres: Floats, vectors: Floats) -> Floats:
    """Return the median brightness of faces beside their ink, 0 to 255, (n,)."""
    along = ALONG * RIM / ALONG.max()
    across = np.full(len(along), RIM)
    edges = [(along, -across), (along, across), (-across, along), (across, along)]
    rim = np.concatenate([np.column_stack(edge) for edge in edges])
    seen = sample_pixels(grey, centres[:, None] + rim @ np.swapaxes(vectors, 1, 2))
    return np.asarray(np.median(seen, axis=1), np.float64)


def brightness_ratio(shade: Floats, centres: Floats, some: NDArray[np.intp]) -> Floats:
    """Return the brightness of faces, ``shade``, over that of the nearest of some of them, (n,)."""
    away = np.linalg.norm(centres[:, None] - centres[None, some], axis=-1)
    nearest = some[np.argsort(away, axis=1)[:, :NEAREST]]
    return np.asarray(shade / np.maximum(np.median(shade[nearest], axis=1), 1.0))


def similar_brightness(
    grey: NDArray[np.uint8], detections: Detections, vague: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which detections may be of one set, (n,): the clear ones, and vague ones as bright as those."""
    printed = np.flatnonzero(~vague)
    if not len(printed) or not vague.any():
        return np.ones(len(detections), bool)
    ratio = brightness_ratio(
        rim_brightness(grey, detections.centres, detections.vectors()), detections.centres, printed
    )
    return np.asarray(~vague | ((ratio > DARKEST) & (ratio < 1 / DARKEST)))


def matches_surface(picture: Grey, quads: Floats, some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of ``some`` tiles, (n,), are as bright as the table beside them, (n,)."""
    told = np.zeros(len(quads), bool)
    middles, sides = quads.mean(1), side_vectors(quads)
    faces = np.log(np.median(sample_pixels(picture, sample_grid(middles, sides)), axis=1) + 8.0)
    for k in np.flatnonzero(some).tolist():
        table, face = surface_samples(picture, middles, sides, k), faces[k]
        told[k] = len(table) >= FEWEST and (np.abs(np.log(table + 8.0) - face) < ALIKE).mean() > SHARE
    return told


def weakest_edge(picture: Frame, quads: Floats) -> Floats:
    """Return the contrast across the weakest side of each tile that must show an edge, (n,).

    Sides that touch other tiles need not show one, nor need one more; a side that the picture cuts off
    counts as infinite.
    """
    middles, sides = quads.mean(1), side_vectors(quads)
    away = np.linalg.norm(middles[:, None] - middles, axis=-1)
    near = away < NEXT * np.linalg.norm(sides[:, :, 0], axis=1)[:, None]
    hidden = np.minimum(near.sum(1) - 1, TOUCHED)
    return np.asarray(np.sort(edge_steps(picture, middles, sides), axis=1)[np.arange(len(quads)), 1 + hidden])


def edge_steps(picture: Frame, middles: Floats, sides: Floats) -> Floats:
    """Return the contrast across each side of faces, (n, 4).

    Of colours it is the one that changes most; across a side that lies out of the picture it is infinite.
    """
    spots = middles[:, None] + ACROSS.reshape(-1, 2) @ np.swapaxes(sides, 1, 2)
    planes = picture.reshape(*picture.shape[:2], -1)
    seen = sample_pixels(planes, spots).reshape(-1, *ACROSS.shape[:3], planes.shape[2])
    across = np.ptp(np.log(np.median(seen, axis=2) + 8.0), axis=2).max(-1)
    within = ((spots >= 0) & (spots < planes.shape[1::-1])).all(-1).reshape(-1, *ACROSS.shape[:3])
    return np.where(within.all(axis=(2, 3)), across, np.inf)


def surface_samples(picture: Grey, middles: Floats, sides: Floats, tile: int) -> Floats:
    """Return the brightness of the table around a tile, at samples where no tile lies, (m,)."""
    way, far = np.arange(PLACES) * TURN, np.linspace(FROM, UNTIL, PLACES)[:, None]
    spots = middles[tile] + (np.column_stack([np.cos(way), np.sin(way)]) * far) @ sides[tile].T
    off = np.abs(np.linalg.inv(sides) @ np.swapaxes(spots - middles[:, None], 1, 2)).max(1)
    seen = (spots >= 0).all(1) & (spots <= np.array(picture.shape[::-1]) - 1).all(1)
    return sample_pixels(picture, spots[(off > OUTSIDE).all(0) & seen]).astype(np.float64)
