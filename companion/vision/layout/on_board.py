"""Tiles on a fixed board: the cells are the board's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.grid.components import Component, Layout
from companion.vision.grid.homography import inverse, project
from companion.vision.grid.scrabble import CELLS, Board

REACH = 0.42
"""A tile may lie so far from its cell's middle, in cells, once the common shift is taken off."""
ENOUGH = 12
"""From so many tiles on that shift may change over the board."""
STIFF = np.diag([0.0, 1.0, 1.0])
"""Keeps it from changing much on the word of a few."""
RIGHT, DOWN = np.array([1.0, 0.0]), np.array([0.0, 1.0])
SIZES = (0.6, 1.25)
"""Side of a tile against a cell's."""


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
    """Return where detections lie on a board; the shift that all tiles have in common is taken off first."""
    places = project(inverse(board.homography), detections.centres)
    sized = _sized(detections, board, places)
    likely = ((places > 0) & (places < CELLS)).all(1) & sized
    places = places - _shift(places, likely)
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
    held: dict[tuple[int, int], int] = {}
    clashes: set[int] = set()
    for k in sorted(np.flatnonzero(where.fits).tolist(), key=lambda k: -sure[k]):
        cell = (int(where.cells[k, 1]), int(where.cells[k, 0]))
        if cell in held:
            clashes |= {held[cell], k}
        else:
            held[cell] = k
    tiles = tuple(held.values())
    group = Component(
        tiles, {k: cell for cell, k in held.items()}, {k: int(where.quarters[k]) for k in tiles}, CELLS
    )
    return Layout((group,), frozenset(clashes))


def _shift(places: NDArray[np.float64], likely: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return by how much tiles lie off their cells' middles at each place, (n, 2): most have it in common.

    Tiles stand above the board, so seen aslant they are moved, and across the board by a little more or less.
    """
    if not likely.any():
        return np.zeros_like(places)
    common = np.median((places - np.floor(places) - 0.5)[likely], 0)
    off = places - common - np.floor(places - common) - 0.5
    near = likely & (np.abs(off).max(1) < REACH)
    if near.sum() < ENOUGH:
        return np.broadcast_to(common, places.shape)
    line = np.column_stack([np.ones(len(places)), places / CELLS - 0.5])
    slopes = np.linalg.solve(line[near].T @ line[near] + STIFF, line[near].T @ off[near])
    return np.asarray(common + line @ slopes)


def _sized(detections: Detections, board: Board, places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which detections are about as large as a cell."""
    right, down = _way(board, places, RIGHT), _way(board, places, DOWN)
    cell = np.sqrt(np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]))
    ratio = detections.sides / np.maximum(cell, 1e-6)
    return np.asarray((ratio > SIZES[0]) & (ratio < SIZES[1]))


def _way(board: Board, places: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the way over one cell at each place in pixels, (n, 2)."""
    return project(board.homography, places + step / 2) - project(board.homography, places - step / 2)


def _quarters(detections: Detections, board: Board, places: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return how many quarters each detection's own frame is turned clockwise against the board, (n,)."""
    way = _way(board, places, RIGHT)
    own = detections.vectors()[:, :, 0]
    angle = np.arctan2(own[:, 1], own[:, 0]) - np.arctan2(way[:, 1], way[:, 0])
    return np.round(angle / (np.pi / 2)).astype(int) % 4
