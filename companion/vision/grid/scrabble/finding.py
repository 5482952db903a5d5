"""From a picture to the board in it: zones, lattice, placement."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from companion.errors import BadPicture
from companion.vision.grid.homography import project
from companion.vision.grid.scrabble.board import CELLS, Board
from companion.vision.grid.scrabble.lattice import Lattice, lattices, settled
from companion.vision.grid.scrabble.premium import Placement, placed
from companion.vision.grid.scrabble.zones import NO_ZONES, Picture, Zones, contrast, flat_zones

LEAST_QUALITY = {2: 0.15, 3: 0.22}  # by the frame's dimensions: grey tells less of the layout than colour
LEAST_MARGIN = {2: 0.065, 3: 0.11}
LEAST_CELLS = 24
_THRESHOLDS = (8, 5, 13, 20, 32)
_AREAS_PX = (0.5e6, 1.5e6)
_ENOUGH_CELLS = 60
_LEAST_SPAN = 9  # cells between the outermost ones seen, each way
_MOST_LATTICES = 12  # a chequered cloth has several, as large as a board


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
    _check(frame)
    frame = np.ascontiguousarray(frame)
    for factor in _factors(frame):
        found = _found(_resized(frame, factor))
        if found is not None:
            return _board(*found, factor)
    return None


def _check(frame: Picture) -> None:
    """Raise ``BadPicture`` unless the frame is grey or BGR."""
    channels = frame.shape[2:]
    if frame.dtype != np.uint8 or frame.ndim not in (2, 3) or channels not in ((), (3,)) or frame.size == 0:
        raise BadPicture(
            f"a picture is uint8 of shape (h, w) or (h, w, 3), got {frame.dtype} of shape {frame.shape}; "
            "convert it to grey or BGR first"
        )


def _factors(frame: Picture) -> list[float]:
    """Return by which factors to shrink a frame, the smallest picture first; 0.5 doubles a small one."""
    area = frame.shape[0] * frame.shape[1]
    ratios = [(area / target) ** 0.5 for target in _AREAS_PX]
    factors = {0.5 if ratio < 0.6 else max(1.0, round(ratio)) for ratio in ratios}
    return sorted(factors, reverse=True)


def _resized(frame: Picture, factor: float) -> Picture:
    """Return a frame shrunk by a whole factor, each pixel the mean of a square, or doubled by 0.5."""
    if factor == 1:
        return frame
    height, width = int(frame.shape[0] // factor), int(frame.shape[1] // factor)
    whole = frame[: int(height * factor), : int(width * factor)]
    how = cv2.INTER_AREA if factor > 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(whole, (width, height), interpolation=how), dtype=np.uint8)


def _found(picture: Picture) -> tuple[Lattice, Placement] | None:
    """Return the sure placement that rests on the most cells, or ``None``."""
    change, zones = contrast(picture), NO_ZONES
    best: tuple[Lattice, Placement] | None = None
    for threshold in _THRESHOLDS:
        zones = zones.and_also(flat_zones(change, threshold))
        for lattice, placement in _sure(picture, zones):
            if best is None or len(lattice.cells) > len(best[0].cells):
                best = lattice, placement
            if len(lattice.cells) >= _ENOUGH_CELLS:
                return best
    return best


def _sure(picture: Picture, zones: Zones) -> Iterator[tuple[Lattice, Placement]]:
    """Yield the lattices that surely are a board, their origin in the middle of its first cell."""
    for lattice in lattices(zones, _MOST_LATTICES):
        first = placed(picture, lattice)
        if first.quality < LEAST_QUALITY[picture.ndim] / 2:
            continue
        board = settled(zones, lattice, first.col, first.row)
        if board is not None and _is_wide(board):
            again = placed(picture, board)
            if _is_certain(again, picture.ndim):
                yield board, again


def _is_wide(lattice: Lattice) -> bool:
    """Return whether enough cells were seen, far enough apart, to say where the others are."""
    return len(lattice.cells) >= LEAST_CELLS and int(np.ptp(lattice.cells, axis=0).min()) >= _LEAST_SPAN


def _is_certain(placement: Placement, dimensions: int) -> bool:
    """Return whether the layout is told well enough at the origin, and nowhere else nearly as well."""
    at_origin = (placement.col, placement.row) == (0, 0)
    told = placement.quality >= LEAST_QUALITY[dimensions]
    return at_origin and told and placement.margin >= LEAST_MARGIN[dimensions]


def _board(lattice: Lattice, placement: Placement, factor: float) -> Board:
    """Return the board in the frame's own pixels, its rows nearest to left to right."""
    half = (factor - 1) / 2
    grown = np.array([[factor, 0.0, half], [0.0, factor, half], [0.0, 0.0, 1.0]])
    matrix = grown @ lattice.homography @ np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])
    board = Board(matrix / matrix[2, 2], placement.quality, placement.margin)
    return min((board.turned(quarters) for quarters in range(4)), key=_slant)


def _slant(board: Board) -> float:
    """Return the angle between the board's middle row and the picture's left to right, in radians."""
    middle = CELLS / 2
    left, right = project(board.homography, np.array([[middle - 1, middle], [middle + 1, middle]]))
    across, down = right - left
    return float(abs(np.arctan2(down, across)))
