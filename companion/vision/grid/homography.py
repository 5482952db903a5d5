"""Homographies: fitting them, mapping points, and from the picture to the table and back.

Points are (x, y), shape (n, 2), float64: pixels of the upright picture,
columns and rows of a grid, or millimetres of the table's frame.  A homography
has shape (3, 3), float64.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.errors import BadProfile
from companion.model.phrases import phrase
from companion.model.profile import Lens, Profile, TableMap

Points = NDArray[np.float64]
Matrix3 = NDArray[np.float64]

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; the last two are not in it."""

UNDISTORTION = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 40, 1e-4)
"""Largest number of steps of undistortion, and the error in pixels at which it ends."""


def distances(points: Points, others: Points) -> NDArray[np.float64]:
    """Return the distances of points, (m, 2), from others, (n, 2): (m, n)."""
    x, y = (points[:, k, None] - others[:, k] for k in (0, 1))
    return np.asarray(np.sqrt(x * x + y * y))


def mutual_nearest(away: NDArray[np.float64], reach: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of places and others, (k,) each, that are mutually nearest, within ``reach``.

    ``away`` (m, n) are their distances.
    """
    if not away.size:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    number, there = np.arange(len(away)), away.argmin(1)
    near = (away.argmin(0)[there] == number) & (away[number, there] < reach)
    return number[near], there[near]


def unit_vectors(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return vectors, (n, d), scaled to length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))


def points_on(centres: Points, vectors: NDArray[np.float64], offsets: Points) -> Points:
    """Return places on tiles, (n, m, 2), at ``offsets``, (m, 2), in tile sides from their middles.

    ``centres`` and ``vectors`` are as for ``distances_in_tiles``.
    """
    return np.asarray(np.swapaxes(vectors @ offsets.T + centres[..., None], 1, 2))


def distances_in_tiles(places: Points, centres: Points, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances of places, (m, 2), from tiles, (m, n), each in the tile's own sides.

    Tiles are given by their middles, (n, 2), and side vectors as columns, (n, 2, 2): obliquely seen, one is
    shorter than the other.
    """
    (a, b), (c, d) = np.linalg.inv(vectors).transpose(1, 2, 0)
    x, y = (places[:, k, None] - centres[:, k] for k in (0, 1))
    return np.asarray(np.sqrt((a * x + b * y) ** 2 + (c * x + d * y) ** 2))


def project(matrix: Matrix3, points: Points) -> Points:
    """Return points, (..., 2), mapped by a homography."""
    if not points.size:
        return np.empty(points.shape)
    mapped = cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), matrix)
    return np.asarray(mapped, np.float64).reshape(points.shape)


def rotation_angles(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angle of the rotation nearest to each linear map, (n, 2, 2), in radians, (n,)."""
    return np.arctan2(linear[:, 1, 0] - linear[:, 0, 1], linear[:, 0, 0] + linear[:, 1, 1])


def affine_homography(linear: ArrayLike, offset: ArrayLike = (0, 0)) -> Matrix3:
    """Return the homography of an affine map, (2, 2) and (2,)."""
    return np.vstack([np.column_stack([linear, offset]), [0.0, 0.0, 1.0]])


def inverse(matrix: Matrix3) -> Matrix3:
    """Return the inverse of a homography."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def shift_homography(way: ArrayLike) -> Matrix3:
    """Return the homography of a shift, (2,) in pixels."""
    return affine_homography(np.eye(2), way)


def zoom_homography(times: float) -> Matrix3:
    """Return the homography from a picture's pixels to those of one enlarged by ``times``."""
    return affine_homography(times * np.eye(2), np.full(2, times / 2 - 0.5))


def depths(matrix: Matrix3, points: Points) -> NDArray[np.float64]:
    """Return the projective denominators of points, (..., 2): above zero before the horizon, (...)."""
    return np.asarray(points @ matrix[2, :2] + matrix[2, 2], dtype=np.float64)


def magnification(matrix: Matrix3, place: NDArray[np.float64]) -> float:
    """Return the factor by which a homography magnifies a small square at a place, (2,), side to side."""
    return float(np.sqrt(np.abs(np.linalg.det(matrix) / depths(matrix, place) ** 3)))


def fit_affine(source: Points, target: Points) -> Matrix3:
    """Return the affine map, (3, 3), from source to target points of least squared error."""
    design = np.column_stack([source, np.ones(len(source))])
    solution, *_ = np.linalg.lstsq(design, target, rcond=None)
    return affine_homography(solution[:2].T, solution[2])


def fit_homography(source: Points, target: Points) -> Matrix3 | None:
    """Return the homography from source to target points, at least 4, of least squared error.

    ``None`` where the points allow none.  No random draws: the same points always give the same matrix.
    """
    matrix: Matrix3 | None = cv2.findHomography(np.asarray(source, np.float64), target)[0]  # type: ignore[assignment]
    return matrix


def undistorted(points: Points, lens: Lens | None) -> Points:
    """Return undistorted pixels; unchanged without a known lens."""
    if lens is None or not len(points):
        return points
    matrix, distortion = matrices(lens)
    bent = points.reshape(-1, 1, 2)
    if lens.model == "fisheye":
        straight = cv2.fisheye.undistortPoints(bent, matrix, distortion, P=matrix)
    else:
        straight = cv2.undistortPoints(bent, matrix, distortion, P=matrix, criteria=UNDISTORTION)
    return np.asarray(straight, np.float64).reshape(-1, 2)


def distorted(points: Points, lens: Lens | None) -> Points:
    """Return the distorted pixels of undistorted ``points``; unchanged without a known lens."""
    if lens is None or not len(points):
        return points
    matrix, distortion = matrices(lens)
    ways = (points - matrix[:2, 2]) / np.diag(matrix)[:2]
    if lens.model == "fisheye":
        bent = cv2.fisheye.distortPoints(ways.reshape(-1, 1, 2), matrix, distortion)
    else:
        space = np.column_stack([ways, np.ones(len(ways))])
        bent, _ = cv2.projectPoints(space, np.zeros(3), np.zeros(3), matrix, distortion)
    return np.asarray(bent, np.float64).reshape(-1, 2)


def matrices(lens: Lens) -> tuple[Matrix3, NDArray[np.float64]]:
    """Return a lens's camera matrix, (3, 3), and its distortion coefficients, (n,)."""
    return np.array(lens.matrix).reshape(3, 3), np.array(lens.distortion)


def to_table(pixels: Points, profile: Profile) -> Points:
    """Return the table's points of pixels, in millimetres; raise BadProfile where no table is known."""
    return project(table_homography(profile), undistorted(pixels, profile.lens))


def to_picture(places: Points, profile: Profile) -> Points:
    """Return the pixels of places on the table, in mm; raise BadProfile where no table is known."""
    return distorted(project(inverse(table_homography(profile)), places), profile.lens)


def table_homography(profile: Profile) -> Matrix3:
    """Return the homography from undistorted pixels to millimetres; raise BadProfile where none is known."""
    return np.array(known_table(profile).homography).reshape(3, 3)


def known_table(profile: Profile) -> TableMap:
    """Return the table that a profile knows, or raise BadProfile."""
    if profile.table is None:
        raise BadProfile(
            phrase("the profile knows no table yet: companion calibrate table finds it in a picture")
        )
    return profile.table


def points_inside(points: Points, box: Box) -> NDArray[np.bool_]:
    """Return which points, (n, 2), lie in a box, (n,)."""
    return np.asarray(((points >= box[:2]) & (points < box[2:])).all(1))
