"""Sub-pixel corners of printed markers, measured along their edges.

Each side of a black square is sampled by many short profiles across it; a line is fitted through the
positions where black ends, and a corner is the intersection of two lines.  Where the lens is known, its
distortion is removed first, so that the sides are straight.  Bright paper blooms over black in most pictures;
the correction is the width that the black border has lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.markers import MODULES, DetectedMarker, marker_pattern, mean_side
from companion.errors import BadProfile
from companion.model.phrases import phrase
from companion.model.profile import Lens
from companion.render.pen import Points
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import distorted, project, undistorted

Cuts = NDArray[np.float64]
"""Brightness profiles across an edge from the inside out, (profiles, samples)."""

PROFILES_PER_SIDE = 120
"""Profiles across each side; more of them reduce the noise."""

CORNER_MARGIN_SHARE = 0.14
"""Share of a side that is left out next to each corner: one module."""

STEP_PX = 0.25
FIRST_REACH_MODULES = 0.5
"""Half length of the first profiles, in modules, as the corners are known only roughly."""

MIN_REACH_PX = 5.0
REACH_PER_BLUR_WIDTH = 2.0
"""Half length of the next profiles, in widths of the blurred edge, at most that of the first."""

MIN_BLOOM_PROFILES = 6
"""Least number of profiles across the border's inner edge that give the bloom."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredMarker:
    """A marker with measured corners.

    ``corners`` are clockwise from its own top left, (4, 2) in pixels of the picture; ``straight`` the same
    without the lens distortion; ``blur_px`` is the width over which its edges turn from black to white.
    """

    number: int
    corners: Points
    straight: Points
    blur_px: float

    @property
    def side_px(self) -> float:
        """Its mean side."""
        return mean_side(self.corners)


def measure_marker(grey: Frame, found: DetectedMarker, lens: Lens | None) -> MeasuredMarker:
    """Return a marker of a grey picture, (h, w), with its corners measured along its edges.

    Raises BadProfile where the lens cannot be undone at the marker's place.
    """
    corners, straight, blur = found.corners, undistorted(found.corners, lens), 0.0
    reach = wide = max(MIN_REACH_PX, FIRST_REACH_MODULES * found.side_px / MODULES)
    for _ in range(3):
        edges, blur = _edges(grey, corners, reach)
        lines = np.array([_line(undistorted(edge, lens)) for edge in edges])
        try:
            straight = np.array([_meeting(lines[k - 1], lines[k]) for k in range(4)])
        except np.linalg.LinAlgError as error:  # all points of an edge were undistorted to one place
            raise BadProfile(
                phrase(
                    "the lens was not measured where marker %(number)s lies: measure it again, with the "
                    "board in the corners of the picture too",
                    number=found.number,
                )
            ) from error
        corners = distorted(straight, lens)
        reach = min(wide, MIN_REACH_PX + REACH_PER_BLUR_WIDTH * blur)
    wider = 1 + 2 * bloom(grey, corners, found.number)
    middle = straight.mean(0)
    straight = middle + (straight - middle) * wider
    return MeasuredMarker(found.number, distorted(straight, lens), straight, blur)


def bloom(grey: Frame, corners: Points, number: int) -> float:
    """Return the width by which white blooms over each edge of a marker's black border, in its sides.

    The border is one module wide and loses black at both edges: if it measures ``u`` of the measured side,
    (1 - 7 u) / 12 of the side is missing at each edge.
    """
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    into = cv2.getPerspectiveTransform(flat, corners.astype(np.float32)).astype(np.float64)
    module_px = mean_side(corners) / MODULES
    depths = np.linspace(0.45, 1.55, round(1.1 * module_px / STEP_PX) + 2) / MODULES
    places = []
    for turn in range(4):  # pattern and square are both turned, so that each side is the upper one once
        columns = np.flatnonzero(~np.rot90(marker_pattern(number), turn)[1, 1:-1]) + 1
        own = (columns[:, None] + (0.3, 0.5, 0.7)).ravel() / MODULES
        across, down = (side.ravel() - 0.5 for side in np.meshgrid(own, depths, indexing="ij"))
        for _ in range(turn):
            across, down = -down, across
        places.append(np.column_stack([across, down]) + 0.5)
    cuts = sample(grey, project(into, np.concatenate(places))).reshape(-1, len(depths))
    if len(cuts) < MIN_BLOOM_PROFILES:
        return 0.0
    white = whiteness(cuts)
    step = depths[1] - depths[0]
    ends = depths[-1] - (white.sum(1) - white[:, [0, -1]].sum(1) / 2) * step
    return (1 - MODULES * float(np.median(ends))) / 12


def _edges(grey: Frame, corners: Points, reach: float) -> tuple[Points, float]:
    """Return the points on each side where black ends, (4, profiles, 2), and the blur in pixels."""
    ways = np.roll(corners, -1, 0) - corners
    lengths = np.hypot(*ways.T)
    away = np.column_stack([ways[:, 1], -ways[:, 0]]) / lengths[:, None]
    depths = np.arange(-reach, reach + STEP_PX / 2, STEP_PX)
    along = np.linspace(CORNER_MARGIN_SHARE, 1 - CORNER_MARGIN_SHARE, PROFILES_PER_SIDE)
    stops = corners[:, None] + along[:, None] * ways[:, None]
    places = stops[:, :, None] + depths[:, None] * away[:, None, None]
    cuts = sample(grey, places.reshape(-1, 2)).reshape(4, PROFILES_PER_SIDE, len(depths))
    white = np.concatenate([whiteness(side) for side in cuts])
    ends = depths[-1] - (white.sum(1) - white[:, [0, -1]].sum(1) / 2) * STEP_PX
    return stops + ends.reshape(4, PROFILES_PER_SIDE, 1) * away[:, None], _blur(white, ends, depths)


def sample(grey: Frame, places: Points) -> NDArray[np.float64]:
    """Return a picture's brightness at sub-pixel places, bilinear, (n,)."""
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
    """Return the profiles across one side scaled from 0, the ink's brightness, to 1, the paper's."""
    end = max(1, cuts.shape[1] // 5)
    dark, bright = float(np.median(cuts[:, :end])), float(np.median(cuts[:, -end:]))
    return np.asarray(np.clip((cuts - dark) / max(1.0, bright - dark), -0.5, 1.5))


def _blur(white: Cuts, ends: NDArray[np.float64], depths: NDArray[np.float64]) -> float:
    """Return the width over which an edge rises from 20 % to 80 % white, in pixels."""
    fine = np.arange(-depths[-1] / 2, depths[-1] / 2 + 0.1, 0.1)
    mean = np.mean([np.interp(fine + e, depths, row) for row, e in zip(white, ends, strict=True)], 0)
    rising = np.maximum.accumulate(mean)
    low, high = np.interp((0.2, 0.8), rising + 1e-9 * np.arange(len(fine)), fine)
    return float(high - low)


def _line(points: Points) -> NDArray[np.float64]:
    """Return the line through points without outliers, (a, b, c) of a x + b y = c."""
    kept = points
    normal, middle = np.zeros(2), points.mean(0)
    for _ in range(3):
        middle = kept.mean(0)
        normal = np.linalg.svd(kept - middle, full_matrices=False)[2][1]
        off = np.abs((points - middle) @ normal)
        kept = points[off <= max(0.05, 2.5 * float(np.median(off)))]
    return np.array([*normal, normal @ middle])


def _meeting(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the intersection of two lines, (2,)."""
    return np.asarray(np.linalg.solve(np.array([one[:2], other[:2]]), [one[2], other[2]]))
