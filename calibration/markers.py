"""The printed ArUco markers: their numbers and sizes, and their detection.

All are of one dictionary.  Numbers 0 to 3 are the table's corners, clockwise from the top left in the
picture; 4 to 7 the corners of a board; those of the lens board begin at 20.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import Frame, downscale_to_fit

Points = NDArray[np.float64]

DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
MODULES = 7
"""Squares along a marker's side, including its black border."""

TABLE_MARKER_NUMBERS = (0, 1, 2, 3)
BOARD_MARKER_NUMBERS = (4, 5, 6, 7)
MARKER_SIDES_MM = dict.fromkeys(TABLE_MARKER_NUMBERS, 60.0) | dict.fromkeys(BOARD_MARKER_NUMBERS, 30.0)
"""The black side of each marker that lies on a table."""

LENS_SQUARES = (9, 6)
"""Squares across and down the lens board."""
LENS_SQUARE_MM, LENS_MARKER_MM = 24.0, 18.0
FIRST_LENS_MARKER_NUMBER = 20
"""Number of its first marker; it has 27."""

MAX_SEARCH_SIDE_PX = 1600
"""Longest side of the copy in which markers are searched; corners are then measured in the full picture."""

MIN_MARKER_SIDE_SHARE = 0.01
"""Least length of a marker's outline, as a share of the longer side of that copy."""

MIN_MARKER_DISTANCE_RATE = 0.05
"""Least distance of two candidate outlines, in their own perimeters (minMarkerDistanceRate of OpenCV).

On a dark table the edge of a marker's card is a candidate too, at a distance of 0.06; with OpenCV's default
of 0.125 it would replace the marker.
"""


def mean_side(corners: Points) -> float:
    """Return the mean side of an outline, (n, 2)."""
    return float(np.hypot(*(corners - np.roll(corners, 1, 0)).T).mean())


@dataclass(frozen=True, slots=True, eq=False)
class DetectedMarker:
    """A detected marker: its number, and its corners clockwise from its own top left, (4, 2) in pixels."""

    number: int
    corners: Points

    @property
    def side_px(self) -> float:
        """Its mean side."""
        return mean_side(self.corners)


def lens_board() -> cv2.aruco.CharucoBoard:
    """Return the lens board, a ChArUco board with lengths in millimetres."""
    count = LENS_SQUARES[0] * LENS_SQUARES[1] // 2
    numbers = np.arange(FIRST_LENS_MARKER_NUMBER, FIRST_LENS_MARKER_NUMBER + count)
    return cv2.aruco.CharucoBoard(LENS_SQUARES, LENS_SQUARE_MM, LENS_MARKER_MM, DICTIONARY, numbers)


def marker_pattern(number: int) -> NDArray[np.bool_]:
    """Return a mask of the black squares of a marker, (7, 7)."""
    return np.asarray(cv2.aruco.generateImageMarker(DICTIONARY, number, MODULES, borderBits=1) == 0)


def single_pass_detector() -> cv2.aruco.ArucoDetector:
    """Return a detector with a single threshold window and without corner refinement."""
    with_one = cv2.aruco.DetectorParameters()
    with_one.adaptiveThreshWinSizeMin = with_one.adaptiveThreshWinSizeMax = 23
    with_one.minMarkerPerimeterRate = 4 * MIN_MARKER_SIDE_SHARE
    with_one.errorCorrectionRate = 0.3
    with_one.minMarkerDistanceRate = MIN_MARKER_DISTANCE_RATE
    with_one.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    return cv2.aruco.ArucoDetector(DICTIONARY, with_one)


def find_markers(
    grey: Frame, numbers: Collection[int] = tuple(MARKER_SIDES_MM)
) -> tuple[DetectedMarker, ...]:
    """Return the markers of a grey picture, (h, w), in the order of their numbers, each once.

    Corners are accurate to a few pixels; ``calibration.edges`` measures them.  Of two markers with the same
    number the larger one is returned.
    """
    small, scale = downscale_to_fit(grey, MAX_SEARCH_SIDE_PX)
    quads, seen, _ = single_pass_detector().detectMarkers(small)
    best: dict[int, DetectedMarker] = {}
    for quad, number in zip(quads, map(int, np.ravel(seen)) if quads else (), strict=True):
        one = DetectedMarker(number, (quad.reshape(4, 2).astype(np.float64) + 0.5) / scale - 0.5)
        if number in numbers and (number not in best or best[number].side_px < one.side_px):
            best[number] = one
    return tuple(best[number] for number in sorted(best))
