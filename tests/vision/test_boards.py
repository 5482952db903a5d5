"""Tiles on a fixed board take the board's own cells."""

from __future__ import annotations

import numpy as np

from companion.vision.grid.board import Board, fits_board, layout_on_board
from tests.vision.made_detections import detections_at, probabilities_of

BOARD = Board(np.array([[40.0, 0, 100], [0, 40.0, 50], [0, 0, 1]]))
"""Cells of 40 pixels, the first at (100, 50)."""


def middle(row: float, col: float) -> tuple[float, float]:
    """Return the pixel in the middle of a cell."""
    return 100 + 40 * (col + 0.5), 50 + 40 * (row + 0.5)


def test_tiles_get_the_row_and_column_of_the_board() -> None:
    detections = detections_at([middle(7, 6), middle(7, 7), middle(14, 0)], side=36)
    (group,) = layout_on_board(detections, probabilities_of("A", "T", "Z"), BOARD).components
    assert group.cells == {0: (7, 6), 1: (7, 7), 2: (14, 0)}


def test_a_shift_that_all_tiles_share_is_taken_off() -> None:
    detections = detections_at([middle(7.3, 6.3), middle(7.3, 7.3), middle(8.3, 7.3)], side=36)
    (group,) = layout_on_board(detections, probabilities_of("A", "T", "E"), BOARD).components
    assert group.cells == {0: (7, 6), 1: (7, 7), 2: (8, 7)}


def test_of_two_tiles_in_a_cell_the_surer_stays_and_both_are_in_doubt() -> None:
    detections = detections_at([middle(7, 6), middle(7, 7), middle(7.1, 7.1)], side=36)
    detections.scores[2] = 0.5
    layout = layout_on_board(detections, probabilities_of("A", "T", "E"), BOARD)
    assert layout.components[0].tiles == (0, 1)
    assert layout.conflicts == {1, 2}


def test_print_on_the_board_is_no_tile_and_a_rack_beside_it_is() -> None:
    detections = detections_at(
        [middle(7, 6), middle(7, 7), middle(7, 8), middle(3.5, 3.5), (20.0, 20.0)], side=36
    )
    assert fits_board(detections, BOARD).tolist() == [True, True, True, False, True]


def test_small_print_in_a_cell_is_no_tile() -> None:
    assert fits_board(detections_at([middle(7, 7)], side=15), BOARD).tolist() == [False]


def test_a_tile_turned_against_the_board_is_told_by_quarters() -> None:
    detections = detections_at([middle(7, 7)], side=36, turn_deg=90)
    (group,) = layout_on_board(detections, probabilities_of("A"), BOARD).components
    assert group.quarters == {0: 1}
