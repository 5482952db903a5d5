"""Faces without a clear symbol are of the same plastic as the others: what is much darker is no tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.reading.find import Finds

ALONG = np.linspace(-0.3, 0.3, 7)
"""Where a face is probed, in tile sides from its middle."""
NEAREST = 5
"""So many of the nearest tiles with symbols tell how bright a face should be."""
DARKEST = 0.75
"""A face without a clear symbol is at least so bright beside them, and at most the inverse."""


def all_over(centres: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places all over the middle of faces, (n, m, 2), in pixels.

    ``centres`` (n, 2) are their middles, the columns of ``vectors`` (n, 2, 2) their sides.
    """
    unit = np.stack(np.meshgrid(ALONG, ALONG), -1).reshape(-1, 2)
    return np.asarray(centres[:, None] + unit @ np.swapaxes(vectors, 1, 2))


def shown_at(frame: NDArray[np.uint8], places: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return what a picture, grey or in colour, shows at places, (..., 2); outside of it, its edge."""
    x, y = (np.clip(np.round(places[..., k]), 0, frame.shape[1 - k] - 1).astype(int) for k in (0, 1))
    return np.asarray(frame[y, x])


def shades(grey: NDArray[np.uint8], finds: Finds) -> NDArray[np.float64]:
    """Return how bright each find's face is, ink left out, 0 to 255, (n,)."""
    seen = shown_at(grey, all_over(finds.centres, finds.vectors()))
    return np.asarray(np.percentile(seen, 70, axis=1)) if len(finds) else np.zeros(0)


def same_plastic(grey: NDArray[np.uint8], finds: Finds, vague: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which finds may be of one set, (n,): the clear ones, and the vague ones as bright as those."""
    printed = np.flatnonzero(~vague)
    if not len(printed) or not vague.any():
        return np.ones(len(finds), bool)
    shade = shades(grey, finds)
    away = np.linalg.norm(finds.centres[:, None] - finds.centres[None, printed], axis=-1)
    nearest = printed[np.argsort(away, axis=1)[:, :NEAREST]]
    ratio = shade / np.maximum(np.median(shade[nearest], axis=1), 1.0)
    return np.asarray(~vague | ((ratio > DARKEST) & (ratio < 1 / DARKEST)))
