"""Lattices of equal cells, grown from one detection over its neighbours to a whole board."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.grid.homography import (
    Matrix3,
    Points,
    depths,
    fit_affine,
    fit_homography,
    inverse,
    project,
    shift_homography,
)

MAX_SEEDS = 40
"""Largest number of detections to grow a lattice from; bounds the time."""
MIN_CELLS_FOR_PERSPECTIVE = 11
"""Least number of cells of one board for a homography; with fewer an affine map is fitted."""
MAX_CELL_OFFSET = 0.3
"""Largest distance of a detection from its cell's middle, in cells."""
FIT_RADII = (1.6, 2.6, 4.6, 4.6, 7.0, 10.0, 14.5, 14.5, 14.5)
"""Largest distance from the first detection of those in each fit, in cells; the last that are less than a
board's side reach its far end.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Equal cells through the middles of detections; the board's place on it is still unknown.

    ``homography`` maps lattice coordinates to pixels, (3, 3); middles of cells are whole numbers; ``cells``
    (n, 2) is the column and row of each detection, and ``members`` the mask of those that take part.
    """

    homography: Matrix3
    cells: NDArray[np.int_]
    members: NDArray[np.bool_]

    @property
    def seen(self) -> NDArray[np.int_]:
        """The distinct cells with a detection, column and row, (m, 2)."""
        return np.unique(self.cells[self.members], axis=0)

    def board_homography(self, start: NDArray[np.int_]) -> Matrix3:
        """Return the homography from the board coordinates of a board that begins at a cell, (2,)."""
        return np.asarray(self.homography @ shift_homography(np.asarray(start - 0.5, np.float64)))

    def held(self, size: int) -> int:
        """Return how many cells of a board of ``size`` x ``size`` have a detection, at its best place."""
        return int(self.counts(size)[1].max())

    def counts(self, size: int) -> tuple[NDArray[np.int_], NDArray[np.float32]]:
        """Return how many cells of a board of ``size`` x ``size`` have a detection, at each of its places.

        The counts, (columns, rows), are of a board that begins at the returned cell, (2,), and of those that
        begin further right and down.
        """
        taken = self.cells[self.members]
        first, last = taken.min(0, initial=0) - size + 1, taken.max(0, initial=0)
        cells = np.zeros(last - first + 1, np.float32)
        cells[tuple((taken - first).T)] = 1
        border = cv2.BORDER_CONSTANT
        held = cv2.boxFilter(cells, -1, (size, size), anchor=(0, 0), normalize=False, borderType=border)
        return first, np.asarray(held, np.float32)


def grow_lattice(centres: Points, matrix: Matrix3, size: int) -> Lattice | None:
    """Return a lattice fitted to more and more detections around its first one; ``None`` where that fails.

    ``centres`` (n, 2) are the middles of the detections in pixels; ``matrix`` (3, 3) maps lattice coordinates
    to pixels near the first one, which lies at the origin.  A board has ``size`` x ``size`` cells.
    """
    lattice = None
    for reach in (radius for radius in FIT_RADII if radius < size):
        lattice = assigned(centres, matrix, reach)
        own = lattice.cells[lattice.members].astype(np.float64)
        if len(own) < 4 or np.linalg.matrix_rank(own - own.mean(0)) < 2:
            return None
        wide = np.ptp(own, axis=0).min() >= 2 and lattice.held(size) >= MIN_CELLS_FOR_PERSPECTIVE
        fitted = (fit_homography if wide else fit_affine)(own, centres[lattice.members])
        if fitted is None or not np.isfinite(fitted).all() or np.linalg.det(fitted) <= 0:
            return None
        matrix = fitted
    return lattice


def assigned(centres: Points, matrix: Matrix3, reach: float) -> Lattice:
    """Return the lattice of a map, (3, 3), with the detections that lie in its cells up to a distance."""
    back = inverse(matrix)
    ahead = depths(back, centres) * back[2, 2] > 0
    places = project(back, centres)
    cells = np.rint(places).astype(int)
    straight = np.abs(places - cells).max(1, initial=0.0) < MAX_CELL_OFFSET
    return Lattice(matrix, cells, ahead & (np.abs(places) < reach).all(1) & straight)
