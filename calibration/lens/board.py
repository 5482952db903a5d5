"""Detection of the lens board in a picture: its inner corners to sub-pixel accuracy, and their sharpness."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import sample, whiteness
from calibration.markers import LENS_SQUARES, MAX_SEARCH_SIDE_PX, lens_board
from companion.vision.camera_frame import Frame, downscale_to_fit

Points = NDArray[np.float64]

MIN_CORNERS = 8
"""Least number of inner corners of a detection."""

REFINEMENT_REACH_SQUARES = 0.12
"""Half size of the refinement window in squares; no marker is nearer to a corner."""

MAX_SHARP_EDGE_SQUARES = 0.05
"""Largest width of a sharp edge, as a share of a square's side."""

SUBPIXEL_CRITERIA = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 40, 0.001)

CORNERS_PER_ROW = LENS_SQUARES[0] - 1
"""Inner corners in a row of the board."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardDetection:
    """The board in one picture.

    ``numbers``, (n,), are the indices of the detected inner corners, row by row; ``corners``, (n, 2), their
    pixels; ``size`` the picture's width and height; ``blur_px`` the 20-80 % width of its edges.
    """

    numbers: NDArray[np.int64]
    corners: Points
    size: tuple[int, int]
    blur_px: float

    @property
    def sharp(self) -> bool:
        """Whether its edges are sharp enough for calibration."""
        return self.blur_px <= min(
            max_sharp_edge_px(self.size), MAX_SHARP_EDGE_SQUARES * square_px(self.numbers, self.corners)
        )

    @property
    def places(self) -> Points:
        """The places of the corners on the board, (n, 2) in mm."""
        return np.asarray(lens_board().getChessboardCorners(), np.float64)[self.numbers, :2]


def max_sharp_edge_px(size: tuple[int, int]) -> float:
    """Return the largest width of a sharp edge in pixels, which grows with the size of the picture."""
    return 2.0 + max(size) / 1500


def find_board(grey: Frame) -> BoardDetection | None:
    """Return the lens board in a grey picture, (h, w), ``None`` where too few corners are detected."""
    size = (grey.shape[1], grey.shape[0])
    small, scale = downscale_to_fit(grey, MAX_SEARCH_SIDE_PX)
    found, numbers, _, _ = charuco_detector().detectBoard(small)
    known = np.ravel(numbers)  # None where none was found
    if len(known) < MIN_CORNERS:
        return None
    order = np.argsort(known)
    seen = np.asarray(known[order], np.int64)
    corners = (np.asarray(found, np.float64).reshape(-1, 2)[order] + 0.5) / scale - 0.5
    pitch = square_px(seen, corners)
    half = int(np.clip(round(REFINEMENT_REACH_SQUARES * pitch), 2, 14))
    inside = ((corners > half + 2) & (corners < np.array(size) - half - 3)).all(1)
    if pitch < 2 * half or np.count_nonzero(inside) < MIN_CORNERS:
        return None
    seen, corners = seen[inside], corners[inside]
    fine = cv2.cornerSubPix(
        grey, corners.astype(np.float32).reshape(-1, 1, 2), (half, half), (-1, -1), SUBPIXEL_CRITERIA
    )
    corners = np.asarray(fine, np.float64).reshape(-1, 2)
    return BoardDetection(seen, corners, size, edge_blur(grey, seen, corners))


def is_mirrored(grey: Frame) -> bool:
    """Return whether the board is found in the mirrored picture."""
    return find_board(np.ascontiguousarray(grey[:, ::-1])) is not None


def charuco_detector() -> cv2.aruco.CharucoDetector:
    """Return the detector of the board."""
    with_one = cv2.aruco.DetectorParameters()
    with_one.adaptiveThreshWinSizeMin, with_one.adaptiveThreshWinSizeMax = 7, 47
    with_one.adaptiveThreshWinSizeStep = 20
    with_one.minMarkerPerimeterRate = 0.03
    with_one.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    return cv2.aruco.CharucoDetector(lens_board(), cv2.aruco.CharucoParameters(), with_one)


def neighbours(numbers: NDArray[np.int64], step: int) -> NDArray[np.int64]:
    """Return index pairs of neighbouring corners, (n, 2); ``step`` is 1 or ``CORNERS_PER_ROW`` (down)."""
    at = {int(number): row for row, number in enumerate(numbers)}
    pairs = [
        (row, at[number + step])
        for number, row in at.items()
        if number + step in at and (step != 1 or number % CORNERS_PER_ROW != CORNERS_PER_ROW - 1)
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


def square_px(numbers: NDArray[np.int64], corners: Points) -> float:
    """Return the 20th percentile of the sides of the board's squares in pixels, 0 without neighbours.

    A tilted board, or the edge of a fisheye picture, shows squares of many sizes.
    """
    pairs = np.concatenate([neighbours(numbers, 1), neighbours(numbers, CORNERS_PER_ROW)])
    lengths = np.hypot(*(corners[pairs[:, 1]] - corners[pairs[:, 0]]).T)
    return float(np.percentile(lengths, 20)) if len(pairs) else 0.0


def edge_blur(grey: Frame, numbers: NDArray[np.int64], corners: Points) -> float:
    """Return the 20-80 % width of the squares' edges, in pixels."""
    pairs = np.concatenate([neighbours(numbers, 1), neighbours(numbers, CORNERS_PER_ROW)])
    ways = corners[pairs[:, 1]] - corners[pairs[:, 0]]
    lengths = np.hypot(*ways.T)
    normals = np.column_stack([-ways[:, 1], ways[:, 0]]) / lengths[:, None]
    far = max(3.0, REFINEMENT_REACH_SQUARES * float(np.median(lengths)))
    depths = np.linspace(-far, far, 41)
    stops = corners[pairs[:, 0]][:, None] + np.array([0.35, 0.5, 0.65])[:, None] * ways[:, None]
    places = stops[:, :, None] + depths[:, None] * normals[:, None, None]
    cuts = sample(grey, places.reshape(-1, 2)).reshape(-1, len(depths))
    falls = cuts[:, :8].mean(1) > cuts[:, -8:].mean(1)
    cuts[falls] = cuts[falls][:, ::-1]
    mean = np.maximum.accumulate(np.median(whiteness(cuts), 0))
    low, high = np.interp((0.2, 0.8), mean + 1e-9 * np.arange(len(mean)), depths)
    return float(high - low)
