"""Detected boards of equal cells, and the cells of the tiles on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities, p_tile
from companion.vision.detector.detections import Detections
from companion.vision.grid.components import Component, Layout
from companion.vision.grid.homography import Matrix3, Points, depths, inverse, project

Mask = NDArray[np.bool_]

TILE_TO_CELL_RATIOS = (0.6, 1.25)
"""Least and largest ratio of a tile's side to a cell's, on a board whose tiles fill the cells."""


def cell_centres(size: int) -> Points:
    """Return the middle of every cell of a board as (col, row), row by row, (size ** 2, 2)."""
    steps = np.arange(size) + 0.5
    return np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)


def quarter_turns(size: int, quarters: int) -> Matrix3:
    """Return the homography to a board's (col, row) from those turned clockwise by quarter turns."""
    turn = np.array([[0.0, -1.0, size], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return np.linalg.matrix_power(turn, quarters % 4)


@dataclass(frozen=True, slots=True, eq=False)
class GridBoard:
    """The place of the ``size`` x ``size`` cells of a board in a picture.

    Board coordinates are (col, row): the cells span 0 to ``size`` in both, the cell in row r and column c
    from (c, r) to (c + 1, r + 1).  ``reach`` is the largest distance of a tile from its cell's middle, in
    cells; ``homography`` (3, 3), float64, maps board coordinates to pixels.  ValueError is raised where it
    mirrors the board or puts it behind the camera.
    """

    size: ClassVar[int]
    reach: ClassVar[float]
    homography: Matrix3

    def __post_init__(self) -> None:
        if self.homography.shape != (3, 3) or not np.isfinite(self.homography).all():
            raise ValueError(f"a homography has 3x3 finite numbers, got {self.homography!r}")
        if not self.is_visible(self.homography):
            raise ValueError("the homography mirrors the board or puts it behind the camera")
        own = np.asarray(self.homography / self.homography[2, 2], np.float64)
        own.setflags(write=False)
        object.__setattr__(self, "homography", own)

    @classmethod
    def outline(cls) -> Points:
        """Return the board's corners as (col, row), clockwise, shape (4, 2)."""
        return np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64) * cls.size

    @classmethod
    def is_visible(cls, homography: Matrix3) -> bool:
        """Return whether a homography shows the whole board before the camera, and not mirrored."""
        sign = np.sign(homography[2, 2])
        ahead = depths(homography, cls.outline()) * sign > 0
        return bool(np.linalg.det(homography) * sign > 0 and ahead.all())

    def places(self, points: Points) -> Points:
        """Return pixel positions, (n, 2), as (col, row); whole parts name the cell, .5 is its middle."""
        return project(inverse(self.homography), points)

    def distance(self, other: GridBoard) -> float:
        """Return how far the farthest corner lies from that of another board, in its cells."""
        away = other.places(project(self.homography, self.outline())) - other.outline()
        return float(np.linalg.norm(away, axis=1).max())

    def cell_vectors(self, places: Points) -> NDArray[np.float64]:
        """Return cells' side vectors at (col, row) places, right and down, as columns, (n, 2, 2) in px."""
        middles, ends = places[:, None], np.eye(2) / 2
        ways = project(self.homography, middles + ends) - project(self.homography, middles - ends)
        return np.swapaxes(ways, 1, 2)

    @property
    def middle_side(self) -> float:
        """Side of a square as large as a cell in the middle of the board, in pixels."""
        (vectors,) = self.cell_vectors(np.full((1, 2), self.size / 2))
        return float(np.sqrt(np.abs(np.linalg.det(vectors))))

    def cell_sides(self, points: Points) -> NDArray[np.float64]:
        """Return the side of a square as large as a cell around pixel positions, (n, 2), in pixels, (n,)."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.cell_vectors(self.places(points))))))

    def holds(self, points: Points) -> NDArray[np.bool_]:
        """Return a mask, (n,), of the pixel positions, (n, 2), on the board."""
        places = self.places(points)
        return np.asarray(((places >= 0) & (places < self.size)).all(1))

    def cells(self, detections: Detections) -> tuple[NDArray[np.int_], Mask, Mask]:
        """Return each detection's cell, a mask of those on the board and one of those that fit, (n,) each.

        Cells are numbered row by row; beside the board the number is any.  A detection fits that lies in a
        cell like a tile.
        """
        places = self.places(detections.centres)
        cells = np.floor(places).astype(int)
        inside = ((cells >= 0) & (cells < self.size)).all(1)
        near = np.abs(places - cells - 0.5).max(1, initial=0.0) < self.reach
        numbers = np.clip(cells[:, 1] * self.size + cells[:, 0], 0, self.size**2 - 1)
        return numbers, np.asarray(inside), np.asarray(inside & near)

    def squares(self) -> Points:
        """Return the corners of all cells in pixels, row by row, clockwise from the top left, (n, 4, 2)."""
        top_left = cell_centres(self.size) - 0.5
        return project(self.homography, top_left[:, None] + self.outline() / self.size)

    @property
    def turn_deg(self) -> float:
        """Clockwise angle of the rows from the picture's left to right, in degrees, 0 to 360."""
        across, down = self.cell_vectors(np.full((1, 2), self.size / 2))[0, :, 0]
        return float(np.degrees(np.arctan2(down, across)) % 360)


CELLS_PER_SIDE = 15
"""Cells along a side of the playing area."""


@dataclass(frozen=True, slots=True, eq=False)
class Board(GridBoard):
    """The place of the playing area in a picture.

    The pattern looks the same at every quarter turn, so of a board's four turns the detected one has the rows
    nearest to the picture's left to right.
    """

    size: ClassVar[int] = CELLS_PER_SIDE
    reach: ClassVar[float] = 0.42

    def cells(self, detections: Detections) -> tuple[NDArray[np.int_], Mask, Mask]:
        """Return as ``GridBoard.cells`` does; a detection that fits is also about as large as a cell."""
        cells, inside, fits = GridBoard.cells(self, detections)
        least, most = np.outer(TILE_TO_CELL_RATIOS, self.cell_sides(detections.centres))
        return cells, inside, np.asarray(fits & (detections.sides > least) & (detections.sides < most))

    def quarters(self, detections: Detections) -> NDArray[np.int_]:
        """Return the clockwise quarter turns of each detection's own frame relative to the board, (n,)."""
        way = self.cell_vectors(self.places(detections.centres))[:, :, 0]
        own = detections.vectors()[:, :, 0]
        angle = np.arctan2(own[:, 1], own[:, 0]) - np.arctan2(way[:, 1], way[:, 0])
        return np.round(angle / (np.pi / 2)).astype(int) % 4

    def turned(self, quarters: int) -> Board:
        """Return the same board read in a direction turned clockwise by quarter turns."""
        return replace(self, homography=self.homography @ quarter_turns(self.size, quarters))


def fits_board(detections: Detections, board: Board) -> Mask:
    """Return a mask of the detections that are not print on the board, (n,): in a cell or beside it."""
    _, inside, fits = board.cells(detections)
    return fits | ~inside


def layout_on_board(detections: Detections, probabilities: ClassProbabilities, board: GridBoard) -> Layout:
    """Return the tiles on a board with their cells; of two in one cell the surer one stays, in doubt.

    On a Volcano board tiles may be turned any way.
    """
    cells, _, fits = board.cells(detections)
    sure = p_tile(detections, probabilities)
    held: dict[tuple[int, int], int] = {}
    conflicts: set[int] = set()
    for k in sorted(np.flatnonzero(fits).tolist(), key=lambda k: -sure[k]):
        if (surest := held.setdefault(divmod(int(cells[k]), board.size), k)) != k:
            conflicts |= {surest, k}
    turned = board.quarters(detections) if isinstance(board, Board) else None
    quarters = {} if turned is None else {k: int(turned[k]) for k in held.values()}
    component = Component(tuple(held.values()), {k: cell for cell, k in held.items()}, quarters, board.size)
    return Layout((component,), frozenset(conflicts))


def merge_layouts(on_board: Layout, others: Layout, numbers: NDArray[np.intp]) -> Layout:
    """Return one layout of the tiles on a board and of others, whose ``numbers`` are given."""
    of = numbers.tolist()
    rest = [
        replace(
            one,
            tiles=tuple(of[k] for k in one.tiles),
            cells={of[k]: cell for k, cell in one.cells.items()},
            quarters={of[k]: turn for k, turn in one.quarters.items()},
        )
        for one in others.components
    ]
    conflicts = on_board.conflicts | {of[k] for k in others.conflicts}
    return Layout((*on_board.components, *rest), conflicts)
