"""A Volcano board that was found: where its 5x5 cells lie, and the pyramids on it and beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece, Point
from companion.vision.grid.board import GridBoard
from companion.vision.grid.homography import Points, project

CELLS = 5
"""Cells along a side of the board."""
SPREAD = np.array([0.125, 0.375, 0.625, 0.875])
"""Where along a cell's side the points are that stand for it."""
BESIDE = 2.0
"""So far beyond the board, in cells, it tells how the table is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """The colours of a board, as once seen: by these a part of it is told without the rest.

    Parameters
    ----------
    face, ground
        Of bare tiles and of bare squares, (3,), as a ``Plan`` has colours.
    shifts
        By how much the pyramids of each colour change the tone of a face, (k, 2).
    told
        Pyramids by which that is known.
    large
        The area that a large pyramid shows, in cells; 0 where none was seen.
    side
        The side of a tile, in cells.
    """

    face: NDArray[np.float64]
    ground: NDArray[np.float64]
    shifts: NDArray[np.float64]
    told: int
    large: float
    side: float


@dataclass(frozen=True, slots=True, eq=False)
class Volcano(GridBoard):
    """Where the letters' cells lie in a picture, and the pyramids.

    Board coordinates go on beyond the board, so a pyramid beside it lies in a
    row or column below 0 or above 4.  A board looks the same from four sides;
    as found, its rows run nearest to the picture's left to right.

    Parameters
    ----------
    pieces
        The pyramids, in reading order.
    palette
        The colours of the board and of its pyramids, where they were looked at.
    holes
        Row and column of the cells that surely hold nothing.
    """

    size: ClassVar[int] = CELLS
    pieces: tuple[Piece, ...] = ()
    palette: Palette | None = None
    holes: tuple[tuple[int, int], ...] = ()

    def clamped_places(self, points: Points) -> Points:
        """Return the (col, row) nearest to pixel positions at which the board tells how the table is seen.

        Far from the board a small error of its place would grow.  Shape (n, 2).
        """
        return np.clip(self.places(points), -BESIDE, CELLS + BESIDE)

    @property
    def beside(self) -> list[Point]:
        """About where pyramids stand beside the board, in pixels."""
        return [one.at for one in self.pieces if one.at and not on_board(one.row, one.col)]

    def shifted(self, way: Points) -> Volcano:
        """Return the board as it lies in a picture whose pixels are moved by a way right and down, (2,)."""
        matrix = np.eye(3)
        matrix[:2, 2] = way
        x, y = way.tolist()
        pieces = tuple(
            replace(one, at=(one.at[0] + x, one.at[1] + y)) if one.at else one for one in self.pieces
        )
        return replace(self, homography=matrix @ self.homography, pieces=pieces)

    def squares(self) -> Points:
        """Return the corners of the 25 cells in pixels, row by row, clockwise, (25, 4, 2)."""
        cells = np.array([(col, row) for row in range(CELLS) for col in range(CELLS)], np.float64)
        quads = cells[:, None] + self.outline() / CELLS
        return project(self.homography, quads.reshape(-1, 2)).reshape(-1, 4, 2)

    def points(self) -> Points:
        """Return sixteen points spread over each of the 25 cells, in pixels, (25, 16, 2)."""
        inner = np.stack(np.meshgrid(SPREAD, SPREAD), -1).reshape(-1, 2)
        cells = np.array([(col, row) for row in range(CELLS) for col in range(CELLS)], np.float64)
        return project(self.homography, (cells[:, None] + inner).reshape(-1, 2)).reshape(-1, 16, 2)

    def kept_from(self, before: Volcano, cells: NDArray[np.bool_]) -> Volcano:
        """Return the board with what was known ``before`` of some cells, (25,)."""
        here = [one for one in self.pieces if not on_some((one.row, one.col), cells)]
        there = [one for one in before.pieces if on_some((one.row, one.col), cells)]
        pieces = sorted((*here, *there), key=lambda one: (one.row, one.col, one.colour))
        bare = [one for one in self.holes if not on_some(one, cells)]
        holes = sorted((*bare, *(one for one in before.holes if on_some(one, cells))))
        return replace(self, pieces=tuple(pieces), holes=tuple(holes))

    def mask(self, places: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
        """Return which of the 25 cells some rows and columns name, (25,); others lie beside the board."""
        found = np.zeros(CELLS**2, np.bool_)
        found[[row * CELLS + col for row, col in places if on_board(row, col)]] = True
        return found

    def covered(self) -> NDArray[np.bool_]:
        """Return which cells have a pyramid on them, shape (5, 5), row by row."""
        return self.mask((one.row, one.col) for one in self.pieces).reshape(CELLS, CELLS)


def on_some(place: tuple[int, int], cells: NDArray[np.bool_]) -> bool:
    """Return whether a row and column are one of some cells, (25,) row by row."""
    return on_board(*place) and bool(cells[place[0] * CELLS + place[1]])


def on_board(row: int, col: int) -> bool:
    """Return whether a cell is one of the board's."""
    return 0 <= row < CELLS and 0 <= col < CELLS
