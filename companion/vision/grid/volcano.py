"""A Volcano board: its 5x5 cells, the pyramids on it and beside it, and its detection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece
from companion.vision.detector.detections import NMS_DISTANCE, Detections
from companion.vision.grid.board import GridBoard, cell_centres
from companion.vision.grid.homography import (
    Matrix3,
    Points,
    affine_homography,
    distances,
    magnification,
    project,
)
from companion.vision.grid.lattice import MAX_SEEDS, Lattice, grow_lattice

CELLS_PER_SIDE = 5
"""Cells along a side of the board."""
CELL_CENTRES = cell_centres(CELLS_PER_SIDE)
"""The middle of every cell as (col, row), row by row."""

SAME_PLACE_CELLS = 0.5
"""Largest distance of a pyramid beside the board in two pictures, in cells: two small ones touch at 0.56."""

CELL_DISTANCES = (0.9, 3.0)
"""Least and greatest distance of the next cell's tile, in tile sides, or in cells where a cell is taken for a
tile.
"""
MAX_PYRAMIDS_PER_COLOUR = 5
"""Number of pyramids of one colour that a game puts on the board."""
MIN_CELLS_WITH_TILE = 8
"""Least number of a lattice's cells with a tile."""
FACE_SHARE = 0.55
"""Side of the central part of a cell that gives the colour of its face, in cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """The colours of a board from an earlier pass, with which a part of it is read without the rest.

    ``face`` and ``ground`` (3,) are the colours of bare tiles and of bare squares in log-chroma; ``shifts``
    (k, 2) the change of a face's tone by the pyramids of each colour, measured on a number of ``pyramids``;
    ``large`` is the side of a large pyramid's base, 0 where none was detected, and ``side`` that of a tile,
    in cells.
    """

    face: NDArray[np.float64]
    ground: NDArray[np.float64]
    shifts: NDArray[np.float64]
    pyramids: int
    large: float
    side: float


@dataclass(frozen=True, slots=True, eq=False)
class Volcano(GridBoard):
    """The place of the letters' cells in a picture, and the pyramids.

    Board coordinates continue beyond the board, so a pyramid beside it lies in a row or column below 0 or
    above 4.  A board looks the same from four sides; of its turns the detected one has the rows nearest to
    the picture's left to right.  ``pieces`` are the pyramids in reading order, ``palette`` their colours and
    the board's, if measured, and ``holes`` the row and column of the cells that are surely empty.
    """

    size: ClassVar[int] = CELLS_PER_SIDE
    reach: ClassVar[float] = 0.36
    pieces: tuple[Piece, ...] = ()
    palette: Palette | None = None
    holes: tuple[tuple[int, int], ...] = ()

    @property
    def standing(self) -> Counter[str]:
        """The number of pyramids on the board by their colour."""
        return Counter(one.colour for one in self.pieces if on_board(one.row, one.col))

    @property
    def counted_pieces(self) -> tuple[Piece, ...]:
        """The pyramids; all on the board are in doubt of a colour of which a game has fewer there."""
        many = {colour for colour, count in self.standing.items() if count > MAX_PYRAMIDS_PER_COLOUR}
        return tuple(
            replace(one, doubt=True) if one.colour in many and on_board(one.row, one.col) else one
            for one in self.pieces
        )

    @property
    def beside(self) -> tuple[Piece, ...]:
        """The pyramids beside the board whose places are known."""
        return tuple(one for one in self.pieces if one.at and not on_board(one.row, one.col))

    @property
    def middles_beside(self) -> Points:
        """The middles of those in pixels, (n, 2)."""
        return np.array([one.at for one in self.beside], np.float64).reshape(-1, 2)

    def with_hidden(self, pieces: Sequence[Piece]) -> Volcano:
        """Return the board with known pyramids beside it that are not seen now, unless one is seen there."""
        known = replace(self, pieces=tuple(pieces)).middles_beside
        apart = distances(self.places(known), self.places(self.middles_beside)).min(1, initial=np.inf)
        hidden = (one for one, far in zip(pieces, apart, strict=True) if far > SAME_PLACE_CELLS)
        return replace(self, pieces=tuple(sorted((*self.pieces, *hidden), key=place_of)))

    def kept_from(self, before: Volcano, cells: NDArray[np.bool_]) -> Volcano:
        """Return the board with the state of some cells, (25,), taken from ``before``."""
        some = {divmod(k, CELLS_PER_SIDE) for k in np.flatnonzero(cells).tolist()}
        here = [one for one in self.pieces if (one.row, one.col) not in some]
        there = [one for one in before.pieces if (one.row, one.col) in some]
        pieces = sorted((*here, *there), key=place_of)
        holes = (set(self.holes) - some) | (set(before.holes) & some)
        return replace(self, pieces=tuple(pieces), holes=tuple(sorted(holes)))

    def mask(self, places: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
        """Return a mask of the cells at some rows and columns, (25,); places beside the board are ignored."""
        found = np.zeros(CELLS_PER_SIDE**2, np.bool_)
        found[[row * CELLS_PER_SIDE + col for row, col in places if on_board(row, col)]] = True
        return found

    def covered(self) -> NDArray[np.bool_]:
        """Return a mask of the cells with a pyramid on them, (25,), row by row."""
        return self.mask((one.row, one.col) for one in self.pieces)

    def lie_in(self, cells: NDArray[np.bool_], detections: Detections) -> NDArray[np.bool_]:
        """Return which detections lie in some of the cells, a mask of these, (25,); (n,)."""
        number, inside, _ = self.cells(detections)
        return np.asarray(inside & cells[number])


def is_no_pyramid(detections: Detections, board: Volcano) -> NDArray[np.bool_]:
    """Return a mask of possible tiles, (n,): neither between cells nor a pyramid beside the board."""
    _, inside, fits = board.cells(detections)
    away = distances(detections.centres, board.middles_beside).min(1, initial=np.inf)
    return np.asarray(fits | (~inside & (away > NMS_DISTANCE * detections.sides)))


def place_of(piece: Piece) -> tuple[int, int, str]:
    """Return the sort key of a pyramid: its row, column and colour."""
    return piece.row, piece.col, piece.colour


def on_board(row: int, col: int) -> bool:
    """Return whether a cell is one of the board's."""
    return 0 <= row < CELLS_PER_SIDE and 0 <= col < CELLS_PER_SIDE


def find_lattice(tiles: Detections, pyramids: Detections) -> Lattice | None:
    """Return the lattice with the most tiles and pyramids, of equals the one of smaller cells.

    It grows from tiles, whose size is known; ``None`` where each has too few.
    """
    centres = np.concatenate([tiles.centres, pyramids.centres])
    seeds = _seed_lattices(tiles.centres, tiles.shapes)
    grown = (grow_lattice(centres, seed, CELLS_PER_SIDE) for seed in seeds)
    sure = (one for one in grown if one and one.held(CELLS_PER_SIDE) >= MIN_CELLS_WITH_TILE)
    return max(
        sure,
        key=lambda one: (one.held(CELLS_PER_SIDE), -magnification(one.homography, np.zeros(2))),
        default=None,
    )


def _seed_lattices(centres: Points, shapes: NDArray[np.float64]) -> Iterator[Matrix3]:
    """Yield the lattices that a tile and one of its neighbours span, upright and at right angles."""
    if len(centres) < MIN_CELLS_WITH_TILE:
        return
    flat = np.linalg.inv(shapes)
    ways = np.einsum("nij,nmj->nmi", flat, centres[None] - centres[:, None])
    far = np.linalg.norm(ways, axis=2)
    near = (far > CELL_DISTANCES[0]) & (far < CELL_DISTANCES[1])
    for seed in np.argsort(-near.sum(1), kind="stable")[:MAX_SEEDS].tolist():
        for other in np.flatnonzero(near[seed]).tolist():
            across = ways[seed, other]
            if across[0] <= abs(across[1]) and not across[0] == -across[1] > 0:
                continue  # one of four neighbours at right angles is enough
            ways_of_cell = np.column_stack([across, [-across[1], across[0]]])
            yield affine_homography(shapes[seed] @ ways_of_cell, centres[seed])


def find_volcano(tiles: Detections, pyramids: Detections, size: tuple[int, int]) -> Volcano | None:
    """Return the bare Volcano board in a picture of a width and height, ``None`` where none is certain.

    The board is where most of the ``tiles`` that surely show a symbol, and of the pyramids, lie on a lattice.
    """
    lattice = find_lattice(tiles, pyramids)
    if lattice is None:
        return None
    first, counts = lattice.counts(CELLS_PER_SIDE)
    places = np.argwhere(counts >= counts.max() - 1)
    boards = [(counts[*place], lattice.board_homography(first + place)) for place in places]
    shown = [(count, matrix) for count, matrix in boards if is_in_view(matrix, size)]
    most = max((count for count, _ in shown), default=0)
    best = [matrix for count, matrix in shown if count == most]
    return Volcano(best[0]) if len(best) == 1 else None


def is_in_view(matrix: Matrix3, size: tuple[int, int]) -> bool:
    """Return whether the middles of all cells of a board lie in a picture of a size, before the horizon."""
    if not Volcano.is_visible(matrix):
        return False
    inner = project(matrix, np.clip(Volcano.outline(), 0.5, CELLS_PER_SIDE - 0.5))
    return bool(((inner >= 0) & (inner < size)).all())
