"""A board that was found: where its 15x15 cells lie in the picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from companion.model.reading import Corners, Point
from companion.vision.grid.homography import Matrix3, depths, inverse, project

CELLS = 15
"""Cells along a side of the playing area."""

_QUARTER = np.array([[0.0, -1.0, CELLS], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Where the playing area lies in a picture.

    Board coordinates are (col, row): the playing area spans 0 to 15 in
    both, the cell in row r and column c from (c, r) to (c + 1, r + 1).  The
    pattern looks the same at every quarter turn, so a board as found is
    the one of its four turns whose rows run nearest to the picture's left
    to right.

    Parameters
    ----------
    homography
        Board coordinates to pixels, shape (3, 3), float64; it never mirrors.
    quality
        How much of the premium squares' layout the cells' colours tell, 0
        to 1 (mutual information over the layout's entropy).
    margin
        By how much ``quality`` beats the next best placement of the same
        grid of cells, such as one a row further down.
    """

    homography: Matrix3
    quality: float
    margin: float

    def __post_init__(self) -> None:
        if self.homography.shape != (3, 3) or not np.isfinite(self.homography).all():
            raise ValueError(f"a homography has 3x3 finite numbers, got {self.homography!r}")
        ends = np.array([[0, 0], [CELLS, 0], [CELLS, CELLS], [0, CELLS]], dtype=np.float64)
        if np.linalg.det(self.homography) <= 0 or depths(self.homography, ends).min() <= 0:
            raise ValueError("the homography mirrors the board or puts it behind the camera")
        own = self.homography.astype(np.float64)
        own.setflags(write=False)
        object.__setattr__(self, "homography", own)

    def cell_of(self, point: Point) -> tuple[float, float]:
        """Return (row, col) of a pixel position; whole parts name the cell, .5 is its middle."""
        col, row = project(inverse(self.homography), np.array([point], dtype=np.float64))[0]
        return float(row), float(col)

    def corners(self, row: int, col: int) -> Corners:
        """Return a cell's corners in pixels, clockwise from its top left on the board."""
        square = np.array([[col, row], [col + 1, row], [col + 1, row + 1], [col, row + 1]], dtype=np.float64)
        first, second, third, fourth = ((float(x), float(y)) for x, y in project(self.homography, square))
        return first, second, third, fourth

    def turned(self, quarters: int) -> Board:
        """Return the same board read in a direction turned clockwise by quarter turns."""
        matrix = self.homography @ np.linalg.matrix_power(_QUARTER, quarters % 4)
        return replace(self, homography=matrix / matrix[2, 2])
