"""Faces without a clear symbol are of the same plastic as the others: what is much darker is no tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import Detections

ALONG = np.linspace(-0.3, 0.3, 7)
"""Where a face is probed, in tile sides from its middle."""
RIM = 0.4
"""So far from its middle a face shows no ink, be it dark or bright."""
NEAREST = 5
"""So many of the nearest tiles with symbols tell how bright a face should be."""
DARKEST = 0.75
"""A face without a clear symbol is at least so bright beside them, and at most the inverse."""


def side_vectors(quads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sides of outlines, (n, 4, 2), right and down, as columns, (n, 2, 2)."""
    return np.stack([quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]], -1)


def sample_grid(centres: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places all over the middle of faces, (n, m, 2), in pixels.

    ``centres`` (n, 2) are their middles, the columns of ``vectors`` (n, 2, 2) their sides.
    """
    unit = np.stack(np.meshgrid(ALONG, ALONG), -1).reshape(-1, 2)
    return np.asarray(centres[:, None] + unit @ np.swapaxes(vectors, 1, 2))


def sample_pixels(frame: NDArray[np.uint8], places: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return what a picture, grey or in colour, shows at places, (..., 2); outside of it, its edge."""
    x, y = (np.clip(np.round(places[..., k]), 0, frame.shape[1 - k] - 1).astype(int) for k in (0, 1))
    return np.asarray(frame[y, x])


def rim_brightness(
    grey: NDArray[np.uint8], centres: NDArray[np.float64], vectors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how bright faces are beside their ink, 0 to 255, (n,); arguments as for ``sample_grid``."""
    along = ALONG * RIM / ALONG.max()
    across = np.full(len(along), RIM)
    edges = [(along, -across), (along, across), (-across, along), (across, along)]
    rim = np.concatenate([np.column_stack(edge) for edge in edges])
    seen = sample_pixels(grey, centres[:, None] + rim @ np.swapaxes(vectors, 1, 2))
    return np.asarray(np.median(seen, axis=1), np.float64)


def brightness_ratio(
    shade: NDArray[np.float64], centres: NDArray[np.float64], some: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return how many times brighter faces are than the nearest of some of them, (n,)."""
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
