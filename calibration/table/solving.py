"""The homography of the table from measured markers.

The places of the markers on the table are unknown; only their sides are known.  The homography is fitted
together with each marker's pose, so that all markers are squares of their known sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import MeasuredMarker
from calibration.markers import MARKER_SIDES_MM, TABLE_MARKER_NUMBERS, mean_side
from companion.render.pen import Points
from companion.vision.grid.homography import project

Numbers = NDArray[np.float64]

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
MAX_ITERATIONS = 60
"""Most iterations of the fit; about ten suffice."""

UNIT_PX = 1000.0
"""Unit of pixels and millimetres in the fit, so that all unknowns are about 1."""


@dataclass(frozen=True, slots=True, eq=False)
class TableSolution:
    """The fitted map of the table.

    ``homography`` is from undistorted pixels to millimetres, (3, 3); ``corners_mm`` are the corners of each
    marker's fitted square, by its number; ``seen_mm`` the measured corners under the homography.
    """

    homography: Numbers
    corners_mm: dict[int, Points]
    seen_mm: dict[int, Points]

    @property
    def error_mm(self) -> float:
        """The largest distance between a measured corner and that of the fitted square."""
        return max(float(np.hypot(*(self.seen_mm[k] - self.corners_mm[k]).T).max()) for k in self.corners_mm)

    def side_mm(self, number: int) -> float:
        """Return the mean side of a measured marker under the homography."""
        return mean_side(self.seen_mm[number])


def solve_table(marks: Sequence[MeasuredMarker]) -> TableSolution:
    """Return the map under which the markers are squares of their known sides.

    Marker 0's first corner is its origin and marker 1's second corner lies on the x axis.  ``marks`` must
    hold the four of the table's corners; others take part as well.
    """
    marks = sorted(marks, key=lambda mark: mark.number)
    sides = np.array([MARKER_SIDES_MM[mark.number] for mark in marks]) / UNIT_PX
    pixels = np.concatenate([mark.straight for mark in marks]) / UNIT_PX

    def squares(unknown: Numbers) -> Points:
        poses = np.concatenate([np.zeros(3), unknown[8:]]).reshape(-1, 3)
        return np.concatenate([square(pose, side) for pose, side in zip(poses, sides, strict=True)])

    def off(unknown: Numbers) -> Numbers:
        into = np.append(unknown[:8], 1.0).reshape(3, 3)
        return np.asarray((project(into, squares(unknown)) - pixels).ravel())

    best = least_squares(off, _guess(marks, pixels, sides))
    back = np.linalg.inv(np.append(best[:8], 1.0).reshape(3, 3))
    level = _levelled(squares(best)[4:8])
    homography = np.diag([UNIT_PX, UNIT_PX, 1.0]) @ level @ back @ np.diag([1 / UNIT_PX, 1 / UNIT_PX, 1.0])
    ideal = project(level, squares(best)) * UNIT_PX
    seen = project(homography, pixels * UNIT_PX)
    numbers = [mark.number for mark in marks]
    return TableSolution(
        homography / homography[2, 2],
        dict(zip(numbers, ideal.reshape(-1, 4, 2), strict=True)),
        dict(zip(numbers, seen.reshape(-1, 4, 2), strict=True)),
    )


def square(pose: Numbers, side: float) -> Points:
    """Return the corners of a square, (4, 2), from its pose: x and y of the first corner, and rotation."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.asarray(pose[:2] + side * SQUARE @ np.array([[c, s], [-s, c]]))


def _guess(marks: Sequence[MeasuredMarker], pixels: Points, sides: Numbers) -> Numbers:
    """Return initial unknowns: the homography of the outer corners as a rectangle, and the markers' poses."""
    own = {mark.number: pixels[4 * k : 4 * k + 4] for k, mark in enumerate(marks)}
    outer = np.array([own[k][k] for k in TABLE_MARKER_NUMBERS])
    side = np.mean([mean_side(quad) for quad in own.values()]) / sides.mean()
    lengths = np.hypot(*(outer - np.roll(outer, -1, 0)).T) / side
    wide, high = (lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2
    into = cv2.getPerspectiveTransform((SQUARE * (wide, high)).astype(np.float32), outer.astype(np.float32))
    poses = []
    for quad in own.values():
        flat = project(np.linalg.inv(into).astype(np.float64), quad)
        x, y = (flat[1] - flat[0]) + (flat[2] - flat[3])
        poses.append([*flat[0], np.arctan2(y, x)])
    start = square(np.array(poses[0]), 1.0)
    level = np.linalg.inv(_frame(start[0], start[1])).astype(np.float64)  # marker 0 itself becomes the frame
    turned = [[*project(level, np.array([[x, y]]))[0], t - poses[0][2]] for x, y, t in poses]
    guess = into @ np.linalg.inv(level)
    return np.concatenate([(guess / guess[2, 2]).ravel()[:8], np.ravel(turned[1:])])


def _levelled(second: Points) -> Numbers:
    """Return the rotation of marker 0's frame that puts marker 1's second corner on the x axis, (3, 3)."""
    return np.asarray(np.linalg.inv(_frame(np.zeros(2), second[1])))


def _frame(origin: Numbers, ahead: Numbers) -> Numbers:
    """Return the rigid transform from a frame at ``origin`` with its x axis towards ``ahead``, (3, 3)."""
    x, y = (ahead - origin) / np.hypot(*(ahead - origin))
    return np.array([[x, -y, origin[0]], [y, x, origin[1]], [0.0, 0.0, 1.0]])


def least_squares(off: Callable[[Numbers], Numbers], start: Numbers) -> Numbers:
    """Return the minimum of the squared residuals ``off`` near ``start`` (Levenberg-Marquardt)."""
    at, damping = start, 1e-3
    now = off(at)
    for _ in range(MAX_ITERATIONS):
        slopes = np.column_stack([(off(at + step) - now) / 1e-6 for step in np.eye(len(at)) * 1e-6])
        normal_matrix = slopes.T @ slopes
        move = np.linalg.solve(
            normal_matrix + damping * np.diag(np.diag(normal_matrix) + 1e-12), -slopes.T @ now
        )
        then = off(at + move)
        if then @ then < now @ now:
            done = now @ now - then @ then < 1e-12 * (now @ now) + 1e-24
            at, now, damping = at + move, then, damping / 5
            if done:
                break
        else:
            damping *= 5
    return at
