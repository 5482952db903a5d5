"""Tiles on a fixed board take the board's own cells."""

from __future__ import annotations

import numpy as np

from companion.vision.grid.scrabble import Board
from companion.vision.layout.on_board import no_print, on_board
from tests.vision.made_detections import finds_at, named

BOARD = Board(np.array([[40.0, 0, 100], [0, 40.0, 50], [0, 0, 1]]), 0.9, 0.5)
"""Cells of 40 pixels, the first at (100, 50)."""


def middle(row: float, col: float) -> tuple[float, float]:
    """Return the pixel in the middle of a cell."""
    return 100 + 40 * (col + 0.5), 50 + 40 * (row + 0.5)


def test_tiles_get_the_row_and_column_of_the_board() -> None:
    finds = finds_at([middle(7, 6), middle(7, 7), middle(14, 0)], side=36)
    (group,) = on_board(finds, named("A", "T", "Z"), BOARD).groups
    assert group.cells == {0: (7, 6), 1: (7, 7), 2: (14, 0)}


def test_a_shift_that_all_tiles_share_is_taken_off() -> None:
    finds = finds_at([middle(7.3, 6.3), middle(7.3, 7.3), middle(8.3, 7.3)], side=36)
    (group,) = on_board(finds, named("A", "T", "E"), BOARD).groups
    assert group.cells == {0: (7, 6), 1: (7, 7), 2: (8, 7)}


def test_of_two_tiles_in_a_cell_the_surer_stays_and_both_are_in_doubt() -> None:
    finds = finds_at([middle(7, 6), middle(7, 7), middle(7.1, 7.1)], side=36)
    finds.scores[2] = 0.5
    layout = on_board(finds, named("A", "T", "E"), BOARD)
    assert layout.groups[0].tiles == (0, 1)
    assert layout.clashes == {1, 2}


def test_print_on_the_board_is_no_tile_and_a_rack_beside_it_is() -> None:
    finds = finds_at([middle(7, 6), middle(7, 7), middle(7, 8), middle(3.5, 3.5), (20.0, 20.0)], side=36)
    assert no_print(finds, BOARD).tolist() == [True, True, True, False, True]


def test_small_print_in_a_cell_is_no_tile() -> None:
    assert no_print(finds_at([middle(7, 7)], side=15), BOARD).tolist() == [False]


def test_a_tile_turned_against_the_board_is_told_by_quarters() -> None:
    finds = finds_at([middle(7, 7)], side=36, turn_deg=90)
    (group,) = on_board(finds, named("A"), BOARD).groups
    assert group.quarters == {0: 1}
