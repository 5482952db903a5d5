"""Shapes of detections, fitted over the picture: all tiles of a set are alike, seen in perspective."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import Detections

ENOUGH = 8
"""Tiles from which the shape may change over the picture, as it does where the camera is tilted."""

STIFF = 1e-9
"""Keeps a fit level across tiles that lie in one row, as a share of their weight."""

LARGEST, SMALLEST = 1.45, 0.62
"""Side of a detection over the fitted one at its place, outside of which it is no tile."""


def fit_shapes(detections: Detections, weights: NDArray[np.float64] | None = None) -> Detections:
    """Return detections whose shapes follow one smooth fit; those of quite another size are left out.

    ``weights`` (n,) are those of the fit, by default the scores.
    """
    weights = detections.scores if weights is None else weights
    for _ in range(2):
        if len(detections) < 2:
            return detections
        fitted = _fit(detections, weights)
        ratio = detections.sides / np.sqrt(np.maximum(np.linalg.det(fitted), 1e-6))
        keep = (ratio < LARGEST) & (ratio > SMALLEST)
        if keep.all():
            break
        detections, weights = detections.kept(keep), weights[keep]
    return Detections(detections.centres, _fit(detections, weights), detections.turns, detections.scores)


def weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return the weighted median of values, (n,)."""
    order = np.argsort(values)
    share = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(share, share[-1] / 2)])


def _fit(detections: Detections, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fitted shape at each detection, (n, 2, 2): a plane for each entry, robust to outliers."""
    entries = np.stack(
        [detections.shapes[:, 0, 0], detections.shapes[:, 1, 1], detections.shapes[:, 0, 1]], -1
    )
    middle = np.array([weighted_median(entry, weights) for entry in entries.T])
    base = np.ones((len(detections), 1))
    if len(detections) >= ENOUGH:
        spread = np.maximum(detections.centres.std(0), 1.0)
        base = np.column_stack([base, (detections.centres - detections.centres.mean(0)) / spread])
    fitted = np.broadcast_to(middle, entries.shape)
    level = np.diag(STIFF * weights.sum() * (np.arange(base.shape[1]) > 0))
    for _ in range(4):
        off = np.abs(entries - fitted).max(1) / max(float(middle[:2].mean()), 1.0)
        weighted = base.T * (weights / (1 + (off / 0.08) ** 2))
        fitted = base @ np.linalg.solve(weighted @ base + level, weighted @ entries)
    return np.stack(
        [np.stack([fitted[:, 0], fitted[:, 2]], -1), np.stack([fitted[:, 2], fitted[:, 1]], -1)], -2
    )
