"""Plane projective maps, fitted to points by linear least squares.

The fit is the normalised direct linear transform (Hartley and Zisserman,
Multiple View Geometry, algorithm 4.2).  No random draws: the same points
always give the same map.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Matrix3 = NDArray[np.float64]


def projected(matrix: Matrix3, points: Points) -> Points:
    """Return points moved by a homography, shape (n, 2), from shape (n, 2)."""
    moved = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(moved[:, :2] / moved[:, 2:], dtype=np.float64)


def inverse(matrix: Matrix3) -> Matrix3:
    """Return the map back, shape (3, 3)."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def depths(matrix: Matrix3, points: Points) -> NDArray[np.float64]:
    """Return the projective denominators, shape (n,): above zero before the horizon."""
    return np.asarray(points @ matrix[2, :2] + matrix[2, 2], dtype=np.float64)


def area_scales(matrix: Matrix3, points: Points) -> NDArray[np.float64]:
    """Return by how much a homography magnifies areas at each point, shape (n,), signed."""
    return np.asarray(np.linalg.det(matrix) / depths(matrix, points) ** 3, dtype=np.float64)


def _to_unit(points: Points) -> Matrix3:
    """Return the map that centres points and brings their mean distance to about one."""
    centre = points.mean(axis=0)
    scale = 1.0 / max(float(np.abs(points - centre).mean()), 1e-9)
    return np.array([[scale, 0.0, -centre[0] * scale], [0.0, scale, -centre[1] * scale], [0.0, 0.0, 1.0]])


def fitted_affine(source: Points, target: Points) -> Matrix3:
    """Return the affine map, shape (3, 3), that best takes source points to target points."""
    design = np.column_stack([source, np.ones(len(source))])
    solution, *_ = np.linalg.lstsq(design, target, rcond=None)
    return np.vstack([solution.T, [0.0, 0.0, 1.0]])


def fitted_homography(source: Points, target: Points) -> Matrix3:
    """Return the homography that best takes source points to target points.

    Parameters
    ----------
    source, target
        Shape (n, 2), n at least 4, not all on a line.
    """
    before, after = _to_unit(source), _to_unit(target)
    x, y = projected(before, source).T
    u, v = projected(after, target).T
    one, zero = np.ones_like(x), np.zeros_like(x)
    rows = np.concatenate(
        [
            np.stack([x, y, one, zero, zero, zero, -u * x, -u * y, -u], axis=1),
            np.stack([zero, zero, zero, x, y, one, -v * x, -v * y, -v], axis=1),
        ]
    )
    _, vectors = np.linalg.eigh(rows.T @ rows)
    matrix = np.linalg.solve(after, vectors[:, 0].reshape(3, 3) @ before)
    return np.asarray(matrix / matrix[2, 2], dtype=np.float64)
