"""The premium squares of a board of 15 by 15, as on every Scrabble board."""

from __future__ import annotations

from companion.model.grid import Place

PREMIUM_SQUARES_QUARTER = (
    "W..l...W",
    ".w...L..",
    "..w...l.",
    "l..w...l",
    "....w...",
    ".L...L..",
    "..l...l.",
    "W..l...w",
)
"""The upper left quarter with the middle row and column; the others mirror it.

W triple word, w double word, L triple letter, l double letter.
"""

BOARD_SIDE_SQUARES = 15
"""Rows and columns of the board."""


def square(cell: Place) -> str:
    """Return what is printed on the square of a row and a column, each from 0."""
    row, col = (min(side, BOARD_SIDE_SQUARES - 1 - side) for side in cell)
    return PREMIUM_SQUARES_QUARTER[row][col]
