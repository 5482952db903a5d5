"""From a picture to the board in it: zones, lattice, placement."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from companion.errors import BadPicture
from companion.reading.board.lattice import Lattice, lattices
from companion.reading.board.premium import Placement, placed
from companion.reading.board.projective import Matrix3, projected
from companion.reading.board.value import CELLS, Board
from companion.reading.board.zones import NO_ZONES, Picture, contrast, flat_zones

LEAST_QUALITY = 0.2
LEAST_MARGIN = 0.1
_THRESHOLDS = (8, 5, 13, 20)
_AREAS_PX = (0.5e6, 2e6)
_ENOUGH_CELLS = 60
_MOST_LATTICES = 3


def find_board(frame: Picture) -> Board | None:
    """Return the 15x15 board in a picture, or ``None`` where none is certain.

    Cells, premium squares and tiles all show as flat four-sided zones.
    Neighbouring zones of like size give a lattice; how well the colours of
    its cells tell the layout of the premium squares gives the place on it.

    Parameters
    ----------
    frame
        Grey, shape (h, w), or BGR, shape (h, w, 3); uint8.

    Raises
    ------
    BadPicture
        If the frame has another shape or type.
    """
    if frame.dtype != np.uint8 or frame.ndim not in (2, 3) or (frame.ndim == 3 and frame.shape[2] != 3):
        raise BadPicture(
            f"a picture is uint8 of shape (h, w) or (h, w, 3), got {frame.dtype} of shape {frame.shape}"
        )
    for factor in _factors(frame):
        found = _found(_shrunk(frame, factor))
        if found is not None:
            lattice, placement = found
            return _board(lattice, placement, factor)
    return None


def _factors(frame: Picture) -> list[int]:
    """Return by which whole factors to shrink a frame, the smallest picture first."""
    area = frame.shape[0] * frame.shape[1]
    factors = [max(1, round((area / target) ** 0.5)) for target in _AREAS_PX]
    return sorted(set(factors), reverse=True)


def _shrunk(frame: Picture, factor: int) -> Picture:
    """Return a frame shrunk by a whole factor, each pixel the mean of a square; the rest is cut off."""
    if factor == 1:
        return frame
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    whole = frame[: height * factor, : width * factor]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _found(picture: Picture) -> tuple[Lattice, Placement] | None:
    """Return the sure placement that rests on the most cells, or ``None``."""
    change, zones = contrast(picture), NO_ZONES
    best: tuple[Lattice, Placement] | None = None
    for threshold in _THRESHOLDS:
        zones = zones.and_also(flat_zones(change, threshold))
        for lattice, placement in _sure(picture, lattices(zones, _MOST_LATTICES)):
            if best is None or len(lattice.cells) > len(best[0].cells):
                best = lattice, placement
            if len(lattice.cells) >= _ENOUGH_CELLS:
                return best
    return best


def _sure(picture: Picture, candidates: Iterator[Lattice]) -> Iterator[tuple[Lattice, Placement]]:
    """Yield the lattices on which the layout's place is certain."""
    for lattice in candidates:
        placement = placed(picture, lattice)
        if placement and placement.quality >= LEAST_QUALITY and placement.margin >= LEAST_MARGIN:
            yield lattice, placement


def _board(lattice: Lattice, placement: Placement, factor: int) -> Board:
    """Return the board in the frame's own pixels, its rows nearest to left to right."""
    half = (factor - 1) / 2
    grown = np.array([[factor, 0.0, half], [0.0, factor, half], [0.0, 0.0, 1.0]])
    moved = np.array([[1.0, 0.0, placement.col - 0.5], [0.0, 1.0, placement.row - 0.5], [0.0, 0.0, 1.0]])
    matrix: Matrix3 = grown @ lattice.homography @ moved
    board = Board(matrix / matrix[2, 2], placement.quality, placement.margin)
    return min((board.turned(quarters) for quarters in range(4)), key=_slant)


def _slant(board: Board) -> float:
    """Return the angle between the board's middle row and the picture's left to right, in radians."""
    middle = CELLS / 2
    left, right = projected(board.homography, np.array([[middle - 1, middle], [middle + 1, middle]]))
    across, down = right - left
    return float(abs(np.arctan2(down, across)))
