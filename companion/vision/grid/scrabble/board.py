"""A 15x15 board that was found in a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from companion.vision.grid.board import GridBoard

CELLS = 15
"""Cells along a side of the playing area."""

_QUARTER = np.array([[0.0, -1.0, CELLS], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Board(GridBoard):
    """Where the playing area lies in a picture.

    The pattern looks the same at every quarter turn, so a board as found is
    the one of its four turns whose rows run nearest to the picture's left
    to right.

    Parameters
    ----------
    quality
        How much of the premium squares' layout the cells' colours tell, 0
        to 1 (mutual information over the layout's entropy).
    margin
        By how much ``quality`` beats the next best placement of the same
        grid of cells, such as one a row further down.
    """

    size: ClassVar[int] = CELLS
    quality: float
    margin: float

    def turned(self, quarters: int) -> Board:
        """Return the same board read in a direction turned clockwise by quarter turns."""
        matrix = self.homography @ np.linalg.matrix_power(_QUARTER, quarters % 4)
        return replace(self, homography=matrix)
