"""Which cells of a fixed board tiles lie in, and the layout of those on it and beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.grid import volcano
from companion.vision.grid.board import CELLS, Board
from companion.vision.grid.components import Component, Layout
from companion.vision.grid.volcano import Volcano

Mask = NDArray[np.bool_]

REACH = 0.42
"""Most distance of a tile from its cell's middle, in cells."""
SIZES = (0.6, 1.25)
"""Side of a tile against a cell's."""
VOLCANO_REACH = 0.36
"""Most distance of a tile from its cell's middle on a Volcano board, in cells."""
UNDER = 0.6
"""Distance from a pyramid beside the board, in tile sides, within which a detection is the pyramid."""


@dataclass(frozen=True, slots=True)
class CellAssignment:
    """Where detections lie on a board.

    ``cells`` (n, 2) column and row; ``inside`` (n,) lies on the playing area; ``fits`` (n,) lies in a
    cell as a tile does; ``quarters`` (n,) how far its own frame is turned clockwise against the board.
    """

    cells: NDArray[np.int_]
    inside: NDArray[np.bool_]
    fits: NDArray[np.bool_]
    quarters: NDArray[np.int_]


def assign_cells(detections: Detections, board: Board) -> CellAssignment:
    """Return where detections lie on a board."""
    places = board.places(detections.centres)
    sized = _sized(detections, board, places)
    cells = np.floor(places).astype(int)
    inside = np.asarray(((cells >= 0) & (cells < CELLS)).all(1))
    off = np.abs(places - cells - 0.5).max(1)
    return CellAssignment(cells, inside, inside & sized & (off < REACH), _quarters(detections, board, places))


def fits_board(detections: Detections, board: Board) -> NDArray[np.bool_]:
    """Return which detections are not print on the board, (n,): those in a cell or beside the board."""
    where = assign_cells(detections, board)
    return np.asarray(where.fits | ~where.inside)


def layout_on_board(detections: Detections, probabilities: ClassProbabilities, board: Board) -> Layout:
    """Return the tiles on a board with their cells; of two in one cell the surer stays, in doubt."""
    where = assign_cells(detections, board)
    sure = detections.scores * (1 - probabilities.p_background)
    cells, conflicts = _held(where.cells[:, ::-1], where.fits, sure)
    quarters = {k: int(where.quarters[k]) for k in cells}
    return Layout((Component(tuple(cells), cells, quarters, CELLS),), conflicts)


def _held(
    cells: NDArray[np.int_], fits: Mask, sure: NDArray[np.float64]
) -> tuple[dict[int, tuple[int, int]], frozenset[int]]:
    """Return the cell of each tile that fits one, the surest first, and the tiles in conflict.

    ``cells`` (n, 2) are row and column; of two tiles in one cell the surer, by ``sure`` (n,), keeps it.
    """
    held: dict[tuple[int, int], int] = {}
    conflicts: set[int] = set()
    for k in sorted(np.flatnonzero(fits).tolist(), key=lambda k: -sure[k]):
        cell = (int(cells[k, 0]), int(cells[k, 1]))
        conflicts |= {held[cell], k} if cell in held else set()
        held.setdefault(cell, k)
    return {k: cell for cell, k in held.items()}, frozenset(conflicts)


def _sized(detections: Detections, board: Board, places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which detections are about as large as a cell."""
    cell = np.sqrt(np.abs(np.linalg.det(board.cell_vectors(places))))
    ratio = detections.sides / np.maximum(cell, 1e-6)
    return np.asarray((ratio > SIZES[0]) & (ratio < SIZES[1]))


def _quarters(detections: Detections, board: Board, places: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return how many quarters each detection's own frame is turned clockwise against the board, (n,)."""
    way = board.cell_vectors(places)[:, :, 0]
    own = detections.vectors()[:, :, 0]
    angle = np.arctan2(own[:, 1], own[:, 0]) - np.arctan2(way[:, 1], way[:, 0])
    return np.round(angle / (np.pi / 2)).astype(int) % 4


def volcano_cells(detections: Detections, board: Volcano) -> tuple[NDArray[np.int_], Mask, Mask]:
    """Return each detection's (row, col), (n, 2), whether that is on the board, and whether it fits, (n,)."""
    places = board.places(detections.centres)
    cells = np.floor(places).astype(int)
    inside = ((cells >= 0) & (cells < volcano.CELLS)).all(1)
    fits = inside & (np.abs(places - cells - 0.5).max(1, initial=0.0) < VOLCANO_REACH)
    return cells[:, ::-1], np.asarray(inside), np.asarray(fits)


def is_no_pyramid(detections: Detections, board: Volcano) -> NDArray[np.bool_]:
    """Return which detections may be tiles: neither between cells nor a pyramid beside the board, (n,)."""
    _, inside, fits = volcano_cells(detections, board)
    beside = np.array(board.beside, np.float64).reshape(-1, 2)
    away = np.linalg.norm(detections.centres[:, None] - beside, axis=2).min(1, initial=np.inf)
    return np.asarray(fits | (~inside & (away > UNDER * detections.sides)))


def layout_on_volcano(
    detections: Detections, probabilities: ClassProbabilities, board: Volcano
) -> tuple[Component, frozenset[int], NDArray[np.intp]]:
    """Return the tiles on the board with their cells, those in doubt, and the numbers of all others.

    Of two in one cell the surer stays, in doubt.
    """
    cells, inside, fits = volcano_cells(detections, board)
    sure = detections.scores * (1 - probabilities.p_background)
    held, conflicts = _held(cells, fits, sure)
    return Component(tuple(held), held, {}, volcano.CELLS), conflicts, np.flatnonzero(~inside)


def merge_layouts(
    own: Component, conflicts: frozenset[int], others: Layout, numbers: NDArray[np.intp]
) -> Layout:
    """Return one layout of the board's component and of other tiles', whose ``numbers`` are given."""
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
    return Layout((own, *rest), conflicts | {of[k] for k in others.conflicts})
