"""Tiles on a fixed board: the cells are the board's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.reading.board import CELLS, Board
from companion.reading.board.projective import inverse, projected
from companion.reading.find import Finds
from companion.reading.lattice import Group, Layout
from companion.reading.name import Names

REACH = 0.42
"""A tile may lie so far from its cell's middle, in cells, once the common shift is taken off."""
RIGHT, DOWN = np.array([1.0, 0.0]), np.array([0.0, 1.0])
SIZES = (0.6, 1.25)
"""Side of a tile against a cell's."""
BRIGHT = 0.75
"""A blank's face is at least so bright beside the faces of the other tiles, and at most the inverse."""


def on_board(finds: Finds, names: Names, board: Board) -> Layout:
    """Return the tiles on a board with their cells; of two tiles in one cell the surer stays and is in doubt."""
    places = projected(inverse(board.homography), finds.centres)
    cells = _cells_of(places)
    inside = (cells >= 0).all(1) & (cells < CELLS).all(1)
    shift = np.median((places - cells - 0.5)[inside], 0) if inside.any() else np.zeros(2)
    cells = _cells_of(places - shift)
    off = np.abs(places - shift - cells - 0.5).max(1)
    inside = (cells >= 0).all(1) & (cells < CELLS).all(1) & (off < REACH) & _sized(finds, board, places)
    sure = finds.scores * (1 - names.none)
    held: dict[tuple[int, int], int] = {}
    clashes: set[int] = set()
    for k in sorted(np.flatnonzero(inside), key=lambda k: -sure[k]):
        cell = (int(cells[k, 1]), int(cells[k, 0]))
        if cell in held:
            clashes.add(held[cell])
        else:
            held[cell] = int(k)
    quarters = _quarters(finds, board, places)
    group = Group(
        tuple(held.values()),
        {k: cell for cell, k in held.items()},
        {k: int(quarters[k]) for k in held.values()},
        CELLS,
    )
    return Layout((group,), frozenset(clashes))


def _cells_of(places: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return the column and row of board places, (n, 2)."""
    return np.floor(places).astype(int)


def _sized(finds: Finds, board: Board, places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which finds are about as large as a cell."""
    right, down = _way(board, places, RIGHT), _way(board, places, DOWN)
    cell = np.sqrt(np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]))
    ratio = finds.sides / np.maximum(cell, 1e-6)
    return np.asarray((ratio > SIZES[0]) & (ratio < SIZES[1]))


def _way(board: Board, places: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the way over one cell at each place in pixels, (n, 2)."""
    return projected(board.homography, places + step / 2) - projected(board.homography, places - step / 2)


def _quarters(finds: Finds, board: Board, places: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return how many quarters each find's own frame is turned clockwise against the board, (n,)."""
    way = _way(board, places, RIGHT)
    own = finds.vectors()[:, :, 0]
    angle = np.arctan2(own[:, 1], own[:, 0]) - np.arctan2(way[:, 1], way[:, 0])
    return np.round(angle / (np.pi / 2)).astype(int) % 4
