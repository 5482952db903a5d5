"""A Volcano board: where its 5x5 cells lie, the pyramids on it and beside it, and where one may lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece, Point
from companion.vision.grid.board import GridBoard
from companion.vision.grid.homography import (
    Matrix3,
    Points,
    area_scales,
    depths,
    fit_affine,
    fit_homography,
    inverse,
    project,
)

CELLS = 5
"""Cells along a side of the board."""
SPREAD = np.array([0.125, 0.375, 0.625, 0.875])
"""Where along a cell's side the points are that stand for it."""
MIDDLES = np.array([(col + 0.5, row + 0.5) for row in range(CELLS) for col in range(CELLS)])
"""The middle of every cell as (col, row), row by row."""

STEPS = ((1.15, 3.0), (0.9, 1.15))
"""How far the next cell's tile may lie, in tile sides; tiles of a word lie nearer.  Where cells are hardly
broader than tiles and a cell may be taken for one, nearer ones are tried too."""
SEEDS = 10
"""Tiles from which a lattice is grown, those with the most neighbours first."""
LEAST = 8
"""Cells with a tile that a lattice rests on at least."""
_REACHES = (1.6, 2.6, 4.6, 4.6)
_PLENTY = 11
"""With a tile in so many cells the lattice is seen aslant; before that its lines are taken as parallel."""
_STRAIGHT = 0.3
"""How far a tile may lie off its cell's middle, in cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """The colours of a board, as once seen: by these a part of it is told without the rest.

    Parameters
    ----------
    face, ground
        Of bare tiles and of bare squares, (3,), in log-chroma.
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

    @property
    def beside(self) -> list[Point]:
        """About where pyramids stand beside the board, in pixels."""
        return [one.at for one in self.pieces if one.at and not on_board(one.row, one.col)]

    def squares(self) -> Points:
        """Return the corners of the 25 cells in pixels, row by row, clockwise, (25, 4, 2)."""
        quads = (MIDDLES - 0.5)[:, None] + self.outline() / CELLS
        return project(self.homography, quads.reshape(-1, 2)).reshape(-1, 4, 2)

    def points(self) -> Points:
        """Return sixteen points spread over each of the 25 cells, in pixels, (25, 16, 2)."""
        inner = np.stack(np.meshgrid(SPREAD, SPREAD), -1).reshape(-1, 2)
        places = (MIDDLES - 0.5)[:, None] + inner
        return project(self.homography, places.reshape(-1, 2)).reshape(-1, 16, 2)

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


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Equal cells through the middles of tiles; where the board begins on it is not known yet.

    ``homography`` takes lattice coordinates to pixels, (3, 3), whole numbers the middles of cells;
    ``cells`` (n, 2) is the column and row of each tile, and ``members`` (n,) which tiles take part.
    """

    homography: Matrix3
    cells: NDArray[np.int_]
    members: NDArray[np.bool_]

    def cells_of(self, points: Points) -> NDArray[np.int_]:
        """Return the column and row of those of some pixels that lie near a cell's middle, (m, 2)."""
        places = project(inverse(self.homography), points)
        cells = np.rint(places).astype(int)
        return np.asarray(cells[np.abs(places - cells).max(1, initial=0.0) < _STRAIGHT])

    @property
    def held(self) -> int:
        """How many cells of a board hold a tile, wherever on the lattice it holds the most."""
        seen = np.unique(self.cells[self.members], axis=0)
        inside = (seen >= seen[:, None]) & (seen < seen[:, None] + CELLS)
        across, down = inside[..., 0], inside[..., 1]
        return int((across[:, None] & down[None]).sum(2).max(initial=0))


def lattices(centres: Points, shapes: NDArray[np.float64]) -> Iterator[Lattice]:
    """Yield the lattices that most tiles lie on: of those as wide as cells mostly are, then of others.

    Parameters
    ----------
    centres
        Middles of tiles in pixels, shape (n, 2).
    shapes
        What takes a circle as broad as a tile to the picture, shape (n, 2, 2).
    """
    for step in STEPS:
        grown = (_grown(centres, matrix) for matrix in _starts(centres, shapes, step))
        found = max((one for one in grown if one and one.held >= LEAST), key=_merit, default=None)
        if found:
            yield found


def _merit(lattice: Lattice) -> tuple[int, float]:
    """Return what makes one lattice better than another: more cells on a board, then smaller ones."""
    return lattice.held, -float(np.abs(area_scales(lattice.homography, np.zeros((1, 2)))[0]))


def _starts(centres: Points, shapes: NDArray[np.float64], step: tuple[float, float]) -> Iterator[Matrix3]:
    """Yield the lattices that a tile and one of its neighbours span, upright and at right angles."""
    if len(centres) < LEAST:
        return
    flat = np.linalg.inv(shapes)
    ways = np.einsum("nij,nmj->nmi", flat, centres[None] - centres[:, None])
    far = np.linalg.norm(ways, axis=2)
    near = (far > step[0]) & (far < step[1])
    for seed in np.argsort(-near.sum(1), kind="stable")[:SEEDS].tolist():
        for other in np.flatnonzero(near[seed]).tolist():
            across = ways[seed, other]
            if across[0] <= abs(across[1]) and not across[0] == -across[1] > 0:
                continue  # one of each four neighbours at right angles is enough
            matrix = np.eye(3)
            matrix[:2, :2] = shapes[seed] @ np.column_stack([across, [-across[1], across[0]]])
            matrix[:2, 2] = centres[seed]
            yield matrix


def _grown(centres: Points, matrix: Matrix3) -> Lattice | None:
    """Return a lattice fitted to ever more tiles around its first one, or ``None`` where that fails."""
    seated = None
    for reach in _REACHES:
        back = inverse(matrix)
        ahead = depths(back, centres) * back[2, 2] > 0
        places = project(back, np.where(ahead[:, None], centres, matrix[:2, 2] / matrix[2, 2]))
        cells = np.rint(places).astype(int)
        straight = np.abs(places - cells).max(1) < _STRAIGHT
        members = ahead & (np.abs(places) < reach).all(1) & straight
        seated = Lattice(matrix, cells, members)
        own = cells[members].astype(np.float64)
        if len(own) < 4 or np.ptp(own, axis=0).min() < 1 or np.linalg.matrix_rank(own - own.mean(0)) < 2:
            return None
        wide = seated.held >= _PLENTY and np.ptp(own, axis=0).min() >= 2
        fitted = (fit_homography if wide else fit_affine)(own, centres[members])
        if fitted is None or not np.isfinite(fitted).all() or np.linalg.det(fitted) <= 0:
            return None
        matrix = fitted
    return seated
