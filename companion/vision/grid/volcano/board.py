"""A Volcano board that was found: where its 5x5 cells lie, and the pyramids on it and beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece, Point
from companion.vision.grid.homography import Matrix3, Points, depths, inverse, project

CELLS = 5
"""Cells along a side of the board."""
BESIDE = 2.0
"""So far beyond the board, in cells, it tells how the table is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Volcano:
    """Where the letters' cells lie in a picture, and the pyramids.

    Board coordinates are (col, row): the cells span 0 to 5 in both.  They go
    on beyond the board, so a pyramid beside it lies in a row or column below
    0 or above 4.  A board looks the same from four sides; as found, its rows
    run nearest to the picture's left to right.

    Parameters
    ----------
    homography
        Board coordinates to pixels, shape (3, 3), float64; it never mirrors.
    pieces
        The pyramids, in reading order.
    """

    homography: Matrix3
    pieces: tuple[Piece, ...] = ()

    def __post_init__(self) -> None:
        if self.homography.shape != (3, 3) or not np.isfinite(self.homography).all():
            raise ValueError(f"a homography has 3x3 finite numbers, got {self.homography!r}")
        if np.linalg.det(self.homography) <= 0 or depths(self.homography, corners()).min() <= 0:
            raise ValueError("the homography mirrors the board or puts it behind the camera")
        own = self.homography / self.homography[2, 2]
        own.setflags(write=False)
        object.__setattr__(self, "homography", own)

    def places(self, points: Points) -> Points:
        """Return pixel positions as (col, row), shape (n, 2); whole parts name the cell, .5 is its middle."""
        return project(inverse(self.homography), points)

    def clamped_places(self, points: Points) -> Points:
        """Return the (col, row) nearest to pixel positions at which the board tells how the table is seen.

        Far from the board a small error of its place would grow.  Shape (n, 2).
        """
        return np.clip(self.places(points), -BESIDE, CELLS + BESIDE)

    def holds(self, points: Points) -> NDArray[np.bool_]:
        """Return which pixel positions lie on the board, (n,)."""
        places = self.places(points)
        return np.asarray(((places >= 0) & (places < CELLS)).all(1))

    def cell_of(self, point: Point) -> tuple[float, float]:
        """Return (row, col) of a pixel position."""
        col, row = self.places(np.array([point], dtype=np.float64))[0]
        return float(row), float(col)

    @property
    def turn_deg(self) -> float:
        """How far the rows run turned clockwise from the picture's left to right, 0 to 360."""
        left, right = project(self.homography, np.array([[2.0, 2.5], [3.0, 2.5]]))
        across, down = right - left
        return float(np.degrees(np.arctan2(down, across)) % 360)

    @property
    def beside(self) -> list[Point]:
        """About where pyramids stand beside the board, in pixels."""
        return [one.at for one in self.pieces if one.at and not on_board(one.row, one.col)]

    def covered(self) -> NDArray[np.bool_]:
        """Return which cells have a pyramid on them, shape (5, 5), row by row."""
        stands = np.zeros((CELLS, CELLS), np.bool_)
        for piece in self.pieces:
            if on_board(piece.row, piece.col):
                stands[piece.row, piece.col] = True
        return stands


def corners() -> Points:
    """Return the board's corners as (col, row), clockwise, shape (4, 2)."""
    return np.array([[0, 0], [CELLS, 0], [CELLS, CELLS], [0, CELLS]], dtype=np.float64)


def on_board(row: int, col: int) -> bool:
    """Return whether a cell is one of the board's."""
    return 0 <= row < CELLS and 0 <= col < CELLS
