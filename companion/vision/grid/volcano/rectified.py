"""The table as from straight above: every cell of a lattice as large as the others, in colour."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import halved
from companion.vision.grid.homography import Matrix3, Points, area_scales

Picture = NDArray[np.uint8]

CELL_PX = 24
"""Side of a cell in a plan, in pixels."""

FACE = 0.16
"""Reach of what is looked at of a face, in cells from its middle."""

BRIGHT = (0.5, 0.9)
"""Share of a face's pixels, from the darkest on, between which its plastic shows: no ink, no glare."""

DARK = 4.0
"""Added to brightness before its logarithm is taken, so that black is not without bounds."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Part of a table from above.

    ``colours`` is float32 of shape (rows, cols, 3): the logarithms of blue
    against green and of red against green, and of the brightness, so that a
    see-through side moves all that lies under it alike; ``low`` (2,) is the
    column and row where it begins, ``visible`` which pixels lie in the picture.
    """

    colours: NDArray[np.float32]
    low: NDArray[np.float64]
    visible: NDArray[np.bool_]

    @property
    def cells(self) -> tuple[int, int]:
        """Columns and rows that it shows."""
        high, wide = self.visible.shape
        return wide // CELL_PX, high // CELL_PX

    def patch(self, place: Points, reach: float) -> NDArray[np.float64]:
        """Return the colours around a place (col, row) up to ``reach`` cells away, shape (n, 3).

        Empty where the place lies out of the plan or of the picture.
        """
        col, row = (np.asarray(place) - self.low) * CELL_PX
        half = reach * CELL_PX
        left, right = round(col - half), round(col + half)
        top, low = round(row - half), round(row + half)
        if left < 0 or top < 0 or low > len(self.visible) or right > self.visible.shape[1]:
            return np.empty((0, 3))
        area = (slice(top, max(low, top + 1)), slice(left, max(right, left + 1)))
        return np.asarray(self.colours[area][self.visible[area]], np.float64).reshape(-1, 3)


def plan_of(frame: Picture, homography: Matrix3, low: NDArray[np.int_], high: NDArray[np.int_]) -> Plan:
    """Return the plan of the cells from ``low`` to just before ``high``, both (col, row).

    ``frame`` is blue, green, red, shape (h, w, 3); ``homography`` takes (col, row) to its pixels.
    """
    middle = np.add(low, high)[None] / 2
    side = float(np.sqrt(np.abs(area_scales(homography, middle)[0])))
    times = max(0, int(np.log2(max(side / CELL_PX, 1.0))))
    small = halved(frame, times)
    shrink = np.diag([0.5**times, 0.5**times, 1.0])
    shrink[:2, 2] = 0.5 ** (times + 1) - 0.5
    size = int(high[0] - low[0]) * CELL_PX, int(high[1] - low[1]) * CELL_PX
    step = 1.0 / CELL_PX
    pixels = np.array([[step, 0.0, low[0] + step / 2], [0.0, step, low[1] + step / 2], [0.0, 0.0, 1.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(small, shrink @ homography @ pixels, size, flags=flags)
    inside = np.full(small.shape[:2], 255, np.uint8)
    visible = cv2.warpPerspective(inside, shrink @ homography @ pixels, size, flags=flags) > 250
    return Plan(log_colours(np.asarray(flat, np.uint8)), np.array(low, np.float64), visible)


def log_colours(picture: Picture) -> NDArray[np.float32]:
    """Return a picture's colours as a plan has them, float32 of shape (h, w, 3)."""
    blue, green, red = cv2.split(np.log(picture.astype(np.float32) + np.float32(DARK)))
    return np.asarray(cv2.merge([blue - green, red - green, (blue + green + red) / 3]), np.float32)


def face_colour(plan: Plan, place: Points, reach: float = FACE) -> NDArray[np.float64]:
    """Return the colour of the face at a place (col, row), (3,), NaN where it is out of view."""
    pixels = plan.patch(place, reach)
    if not len(pixels):
        return np.full(3, np.nan)
    first, last = (len(pixels) * np.array(BRIGHT)).astype(int)
    order = np.argsort(pixels[:, 2])
    return np.asarray(np.median(pixels[order[first : max(last, first + 1)]], 0))
