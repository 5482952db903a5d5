"""Lattices grow over points that lie on one, seen at a slant, with others around."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.grid.homography import Matrix3, Points, project
from companion.vision.grid.lattice import Lattice, grow_lattice

SLANTED = np.array([[30.0, 8.0, 300.0], [-6.0, 26.0, 250.0], [0.004, 0.006, 1.0]])
"""Cells to pixels."""
CELLS = np.array([[col, row] for row in range(-3, 4) for col in range(-3, 4)])


def seed(matrix: Matrix3) -> Matrix3:
    """Return the map of the cell at the origin alone, as its own detection tells it."""
    middle, right, below = project(matrix, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    out = np.eye(3)
    out[:2] = np.column_stack([right - middle, below - middle, middle])
    return out


def grown(points: Points) -> Lattice | None:
    return grow_lattice(points, seed(SLANTED), 7)


def test_a_lattice_grows_from_one_cell_over_a_whole_board_at_a_slant() -> None:
    lattice = grown(project(SLANTED, CELLS.astype(float)))
    assert lattice is not None
    assert lattice.members.all()
    assert (lattice.cells == CELLS).all()
    assert lattice.homography / lattice.homography[2, 2] == pytest.approx(SLANTED, rel=1e-5)
    assert lattice.held(7) == 49
    assert lattice.held(5) == 25


def test_points_between_cells_take_no_part() -> None:
    stray = project(SLANTED, np.array([[0.5, 0.5], [1.5, 2.0], [-2.4, 0.0]]))
    lattice = grown(np.concatenate([project(SLANTED, CELLS.astype(float)), stray]))
    assert lattice is not None
    assert not lattice.members[len(CELLS) :].any()
    assert len(lattice.seen) == len(CELLS)


@pytest.mark.parametrize("cells", [CELLS[CELLS[:, 1] == 0], np.array([[0, 0], [1, 0], [0, 1]])])
def test_a_row_or_three_points_are_no_lattice(cells: np.ndarray) -> None:
    assert grown(project(SLANTED, cells.astype(float))) is None


def test_a_lattice_without_points_holds_nothing() -> None:
    empty = Lattice(np.eye(3), np.zeros((0, 2), int), np.zeros(0, bool))
    assert empty.held(5) == 0
