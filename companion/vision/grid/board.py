"""Boards of equal cells that were found in a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Corners
from companion.vision.grid.homography import Matrix3, Points, depths, inverse, project


@dataclass(frozen=True, slots=True, eq=False)
class GridBoard:
    """Where the ``size`` x ``size`` cells of a board lie in a picture.

    Board coordinates are (col, row): the cells span 0 to ``size`` in both,
    the cell in row r and column c from (c, r) to (c + 1, r + 1).

    Parameters
    ----------
    homography
        Board coordinates to pixels, shape (3, 3), float64; it never mirrors.

    Raises
    ------
    ValueError
        Where the homography mirrors the board or puts it behind the camera.
    """

    size: ClassVar[int]
    homography: Matrix3

    def __post_init__(self) -> None:
        if self.homography.shape != (3, 3) or not np.isfinite(self.homography).all():
            raise ValueError(f"a homography has 3x3 finite numbers, got {self.homography!r}")
        if np.linalg.det(self.homography) <= 0 or depths(self.homography, self.outline()).min() <= 0:
            raise ValueError("the homography mirrors the board or puts it behind the camera")
        own = np.asarray(self.homography / self.homography[2, 2], np.float64)
        own.setflags(write=False)
        object.__setattr__(self, "homography", own)

    @classmethod
    def outline(cls) -> Points:
        """Return the board's corners as (col, row), clockwise, shape (4, 2)."""
        return np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64) * cls.size

    def places(self, points: Points) -> Points:
        """Return pixel positions, (n, 2), as (col, row); whole parts name the cell, .5 is its middle."""
        return project(inverse(self.homography), points)

    def cell_vectors(self, places: Points) -> NDArray[np.float64]:
        """Return a cell's sides, right and down, around (col, row) places: columns in pixels, (n, 2, 2)."""
        ends = np.eye(2)[:, None] / 2
        here = (
            project(self.homography, places + end) - project(self.homography, places - end) for end in ends
        )
        return np.stack([*here], -1)

    def holds(self, points: Points) -> NDArray[np.bool_]:
        """Return which pixel positions, (n, 2), lie on the board, (n,)."""
        places = self.places(points)
        return np.asarray(((places >= 0) & (places < self.size)).all(1))

    def corners(self, row: int, col: int) -> Corners:
        """Return a cell's corners in pixels, clockwise from its top left on the board."""
        square = np.array([[col, row], [col + 1, row], [col + 1, row + 1], [col, row + 1]], dtype=np.float64)
        first, second, third, fourth = ((float(x), float(y)) for x, y in project(self.homography, square))
        return first, second, third, fourth

    @property
    def turn_deg(self) -> float:
        """How far the rows run turned clockwise from the picture's left to right, in degrees, 0 to 360."""
        middle = self.size / 2
        left, right = project(self.homography, np.array([[middle - 0.5, middle], [middle + 0.5, middle]]))
        across, down = right - left
        return float(np.degrees(np.arctan2(down, across)) % 360)


CELLS = 15
"""Cells along a side of the playing area."""

_QUARTER = np.array([[0.0, -1.0, CELLS], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Board(GridBoard):
    """Where the playing area lies in a picture.

    The pattern looks the same at every quarter turn, so a board as found is
    the one of its four turns whose rows run nearest to the picture's left
    to right.

    Parameters
    ----------
    quality
        How much of the premium squares' layout the cells' colours tell, 0
        to 1 (mutual information over the layout's entropy).
    margin
        By how much ``quality`` beats the next best placement of the same
        grid of cells, such as one a row further down.
    """

    size: ClassVar[int] = CELLS
    quality: float
    margin: float

    def turned(self, quarters: int) -> Board:
        """Return the same board read in a direction turned clockwise by quarter turns."""
        matrix = self.homography @ np.linalg.matrix_power(_QUARTER, quarters % 4)
        return replace(self, homography=matrix)
