"""Printed squares told from tiles by their colour, on a board painted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.reading.board import CELLS, Board
from companion.reading.board.premium import LAYOUT
from companion.reading.find import Finds
from companion.reading.look import Look
from companion.reading.name import Names
from companion.reading.squares import no_squares

SIDE = 20
PAPER = ((150, 180, 190), (60, 60, 200), (170, 150, 230), (160, 90, 40), (220, 190, 140))
"""Blue, green, red of a plain square, a triple and a double word, a triple and a double letter."""
WOOD = (120, 175, 215)

BOARD = Board(np.diag([float(SIDE), float(SIDE), 1.0]), 1.0, 1.0)


def painted(tiles: list[tuple[int, int]]) -> NDArray[np.uint8]:
    """Return a board's picture with wooden tiles in some cells (row, col), each with a stroke of ink."""
    frame = np.array(PAPER, np.uint8)[LAYOUT].repeat(SIDE, 0).repeat(SIDE, 1)
    for row, col in tiles:
        face = frame[row * SIDE + 1 : (row + 1) * SIDE - 1, col * SIDE + 1 : (col + 1) * SIDE - 1]
        face[:] = WOOD
        face[4:14, 8:10] = (20, 20, 30)
    return np.ascontiguousarray(frame)


def look(cells: list[tuple[int, int]], chances: list[float]) -> Look:
    """Return finds in cells, each thought to be a 1 with some chance."""
    n = len(cells)
    centres = (np.array(cells, np.float64)[:, ::-1] + 0.5) * SIDE
    finds = Finds(centres, np.tile(np.eye(2) * 18.0, (n, 1, 1)), np.zeros(n), np.full(n, 0.95))
    chance = np.zeros((n, 1, 4))
    chance[:, 0, 0] = chances
    names = Names(("1",), chance, np.zeros(n), np.zeros(n), np.zeros(n))
    return Look((CELLS * SIDE, CELLS * SIDE), finds, names, 1.0, BOARD)


TILES = [(7, 5), (7, 6), (7, 7), (7, 8)]


def test_a_printed_square_is_no_tile_and_tiles_on_any_square_stay() -> None:
    seen = look([*TILES, (4, 4), (3, 7)], [0.99, 0.99, 0.99, 0.5, 0.5, 0.6])
    assert no_squares(painted(TILES), seen, BOARD).tolist() == [True, True, True, True, False, False]


def test_print_that_reads_like_a_symbol_is_print_all_the_same() -> None:
    seen = look([*TILES, (0, 0)], [0.99, 0.99, 0.99, 0.99, 0.97])
    assert no_squares(painted(TILES), seen, BOARD).tolist() == [True] * 4 + [False]


def test_a_tile_in_shade_is_a_tile() -> None:
    frame = painted([*TILES, (4, 4)])
    frame[: 6 * SIDE] = frame[: 6 * SIDE] // 2
    assert no_squares(frame, look([*TILES, (4, 4)], [0.99] * 4 + [0.5]), BOARD).all()


def test_nothing_is_doubted_where_no_tile_is_sure() -> None:
    assert no_squares(painted(TILES), look(TILES, [0.5] * 4), BOARD).all()


@pytest.mark.parametrize("chance", [0.95, 0.99])
def test_in_grey_nothing_sure_is_taken_for_print(chance: float) -> None:
    grey = painted(TILES)[..., 1].copy()
    assert no_squares(grey, look([*TILES, (4, 4)], [0.99] * 4 + [chance]), BOARD).all()
