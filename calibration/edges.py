"""Corners of printed markers, measured along their edges.

A black square's corner cannot be seen sharply, but each of its sides can:
many small cuts across a side tell where black ends, a line is laid through
them, and the corner is where two lines meet.  Where the lens is known its
bend is taken off first, so that the sides are straight.  Bright paper spills
over black in most pictures, from the pattern inside as well as from outside:
by how much the black border is thinner than it should be tells how far.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.markers import MODULES, Found, pattern
from companion.model.profile import Lens
from companion.render.pen import Points
from companion.vision.grid.homography import distorted, project, undistorted
from companion.vision.picture import Frame

Cuts = NDArray[np.float64]
"""Brightness along cuts across an edge from the inside out, (cuts, samples)."""

CUTS = 120
"""Cuts across each side: the more, the less the picture's noise matters."""

CLEAR = 0.14
"""Share of a side next to each corner that is left out: one module."""

STEP_PX = 0.25
WIDE = 0.5
"""How far the first cuts reach to both sides, in modules, as the corners are known roughly."""

LEAST_REACH_PX = 5.0
CLOSE = 2.0
"""How far the next ones reach, in the edge's breadth, and no farther than the first: the rest is noise."""

LEAST_CUTS = 6
"""Cuts across the border's inner edge that must tell how far white spills over."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A marker whose corners were measured.

    ``corners`` are clockwise from its own top left, (4, 2) in pixels of the
    picture; ``straight`` the same without the lens's bend; ``blur_px`` the
    breadth over which its edges turn from black to white.
    """

    number: int
    corners: Points
    straight: Points
    blur_px: float

    @property
    def side_px(self) -> float:
        """Its mean side."""
        return float(np.hypot(*(self.corners - np.roll(self.corners, 1, 0)).T).mean())


def measured(grey: Frame, found: Found, lens: Lens | None) -> Measured:
    """Return a marker of a grey picture, (h, w), with its corners measured along its edges."""
    corners, straight, blur = found.corners, undistorted(found.corners, lens), 0.0
    reach = wide = max(LEAST_REACH_PX, WIDE * found.side_px / MODULES)
    for _ in range(3):
        edges, blur = _edges(grey, corners, reach)
        lines = np.array([_line(undistorted(edge, lens)) for edge in edges])
        straight = np.array([_meeting(lines[k - 1], lines[k]) for k in range(4)])
        corners = distorted(straight, lens)
        reach = min(wide, LEAST_REACH_PX + CLOSE * blur)
    wider = 1 + 2 * spilt(grey, corners, found.number)
    middle = straight.mean(0)
    straight = middle + (straight - middle) * wider
    return Measured(found.number, distorted(straight, lens), straight, blur)


def spilt(grey: Frame, corners: Points, number: int) -> float:
    """Return how far white spills over the edges of a marker's black, in its sides.

    Black is lost at both edges of its border, one module broad: of a border that seems to be ``u`` of
    the seeming side broad, (1 - 7 u) / 12 of it is missing at each edge.
    """
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    into = cv2.getPerspectiveTransform(flat, corners.astype(np.float32)).astype(np.float64)
    module_px = float(np.hypot(*(corners - np.roll(corners, 1, 0)).T).mean()) / MODULES
    depths = np.linspace(0.45, 1.55, round(1.1 * module_px / STEP_PX) + 2) / MODULES
    places = []
    for turn in range(4):  # the pattern and the square both turned until each side was the upper one
        columns = np.flatnonzero(~np.rot90(pattern(number), turn)[1, 1:-1]) + 1
        own = (columns[:, None] + (0.3, 0.5, 0.7)).ravel() / MODULES
        across, down = (side.ravel() - 0.5 for side in np.meshgrid(own, depths, indexing="ij"))
        for _ in range(turn):
            across, down = -down, across
        places.append(np.column_stack([across, down]) + 0.5)
    cuts = sampled(grey, project(into, np.concatenate(places))).reshape(-1, len(depths))
    if len(cuts) < LEAST_CUTS:
        return 0.0
    white = whiteness(cuts)
    step = depths[1] - depths[0]
    ends = depths[-1] - (white.sum(1) - white[:, [0, -1]].sum(1) / 2) * step
    return (1 - MODULES * float(np.median(ends))) / 12


def _edges(grey: Frame, corners: Points, reach: float) -> tuple[Points, float]:
    """Return points on each side where black ends, (4, cuts, 2), and how blurred it ends, in pixels."""
    ways = np.roll(corners, -1, 0) - corners
    lengths = np.hypot(*ways.T)
    away = np.column_stack([ways[:, 1], -ways[:, 0]]) / lengths[:, None]
    depths = np.arange(-reach, reach + STEP_PX / 2, STEP_PX)
    along = np.linspace(CLEAR, 1 - CLEAR, CUTS)
    stops = corners[:, None] + along[:, None] * ways[:, None]
    places = stops[:, :, None] + depths[:, None] * away[:, None, None]
    cuts = sampled(grey, places.reshape(-1, 2)).reshape(4, CUTS, len(depths))
    white = np.concatenate([whiteness(side) for side in cuts])
    ends = depths[-1] - (white.sum(1) - white[:, [0, -1]].sum(1) / 2) * STEP_PX
    return stops + ends.reshape(4, CUTS, 1) * away[:, None], _blur(white, ends, depths)


def sampled(grey: Frame, places: Points) -> NDArray[np.float64]:
    """Return a picture's brightness at places between its pixels, (n,)."""
    left, top = np.floor(places.min(0)).astype(int) - 1
    right, bottom = np.ceil(places.max(0)).astype(int) + 2
    top, left = max(0, top), max(0, left)
    part = np.ascontiguousarray(grey[top:bottom, left:right], np.float32)
    at = (places - (left, top)).astype(np.float32)
    rows = np.array_split(at, max(1, len(at) // 30_000 + 1))
    done = [
        cv2.remap(part, row[:, 0], row[:, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for row in rows
    ]
    return np.concatenate([one.ravel() for one in done]).astype(np.float64)


def whiteness(cuts: Cuts) -> Cuts:
    """Return cuts across one side from 0, dark as the ink beside it, to 1, bright as the paper there."""
    end = max(1, cuts.shape[1] // 5)
    dark, bright = float(np.median(cuts[:, :end])), float(np.median(cuts[:, -end:]))
    return np.asarray(np.clip((cuts - dark) / max(1.0, bright - dark), -0.5, 1.5))


def _blur(white: Cuts, ends: NDArray[np.float64], depths: NDArray[np.float64]) -> float:
    """Return the breadth over which an edge turns from a fifth white to four fifths, in pixels."""
    fine = np.arange(-depths[-1] / 2, depths[-1] / 2 + 0.1, 0.1)
    mean = np.mean([np.interp(fine + e, depths, row) for row, e in zip(white, ends, strict=True)], 0)
    rising = np.maximum.accumulate(mean)
    low, high = np.interp((0.2, 0.8), rising + 1e-9 * np.arange(len(fine)), fine)
    return float(high - low)


def _line(points: Points) -> NDArray[np.float64]:
    """Return the line through points but for those that lie off it: a x + b y = c, (3,)."""
    kept = points
    normal, middle = np.zeros(2), points.mean(0)
    for _ in range(3):
        middle = kept.mean(0)
        normal = np.linalg.svd(kept - middle, full_matrices=False)[2][1]
        off = np.abs((points - middle) @ normal)
        kept = points[off <= max(0.05, 2.5 * float(np.median(off)))]
    return np.array([*normal, normal @ middle])


def _meeting(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where two lines meet, (2,)."""
    return np.asarray(np.linalg.solve(np.array([one[:2], other[:2]]), [one[2], other[2]]))
