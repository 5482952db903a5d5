"""Where on a lattice of letters the board's five rows and columns lie."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from companion.reading.board.projective import Matrix3, depths, projected
from companion.reading.volcano.lattice import Lattice
from companion.reading.volcano.plan import Picture, Plan, face_colour, plan_of
from companion.reading.volcano.value import CELLS, Volcano, corners

Floats = NDArray[np.float64]
Cells = NDArray[np.int_]

BEYOND = 3
"""Cells looked at beyond the board on each side: they tell what the table looks like."""
STRANGE = (0.1, 0.4)
"""A colour that differs less from those beside the board may be the table's; one that differs more is not."""
ALIKE = 3
"""So many places beside the board must look like a cell before it is thought to be table."""
SURER = 0.1
"""By so much the place of the board must be told better than the next best, 0 to 1."""
WEIGHTS = np.array([1.0, 1.0, 0.4])
"""How much each part of a colour counts: brightness less than tone, for the light falls off."""


def placed(frame: Picture, lattice: Lattice) -> Volcano | None:
    """Return the bare board at the place on a lattice that tiles and colours tell best, if surely.

    A cell of the board holds a letter or a pyramid, and pyramids look like nothing beside the board.
    """
    held = np.unique(lattice.cells[lattice.members], axis=0)
    starts = [low for low in origins(held) if in_sight(lattice.homography, low, frame)]
    if not starts:
        return None
    low, high = np.min(starts, axis=0) - BEYOND, np.max(starts, axis=0) + CELLS + BEYOND
    plan = plan_of(frame, _to_board(lattice.homography, np.zeros(2, int)), low, high)
    rates = [told(plan, held, start) for start in starts]
    order = np.argsort(rates)[::-1]
    if len(order) > 1 and rates[order[0]] - rates[order[1]] < SURER:
        return None
    return Volcano(_to_board(lattice.homography, starts[order[0]]))


def origins(held: Cells) -> list[Cells]:
    """Return the first cells of the boards that hold nearly the most tiles; ``held`` (n, 2)."""
    least, most = held.min(0) - CELLS + 1, held.max(0)
    starts = [
        np.array(start) for start in product(*(range(a, b + 1) for a, b in zip(least, most, strict=True)))
    ]
    counts = [int(within(held, start).sum()) for start in starts]
    return [start for start, count in zip(starts, counts, strict=True) if count >= max(counts) - 1]


def within(cells: Cells, start: Cells) -> NDArray[np.bool_]:
    """Return which cells lie on a board that begins at a cell, (n,)."""
    return np.asarray(((cells >= start) & (cells < start + CELLS)).all(1))


def in_sight(homography: Matrix3, start: Cells, frame: Picture) -> bool:
    """Return whether the middles of all cells of a board lie in the picture, before the horizon."""
    matrix = _to_board(homography, start)
    if np.linalg.det(matrix) <= 0 or (depths(matrix, corners()) / matrix[2, 2] <= 0).any():
        return False
    inner = projected(matrix, np.clip(corners(), 0.5, CELLS - 0.5))
    return bool(((inner >= 0) & (inner < frame.shape[1::-1])).all())


def told(plan: Plan, held: Cells, start: Cells) -> float:
    """Return how well letters and pyramids tell that the board begins at a cell, 0 to 1."""
    wide, high = plan.cells
    first = plan.low.astype(int)
    every = np.array([(col, row) for row in range(high) for col in range(wide)]) + first
    colours = np.array([face_colour(plan, cell + 0.5) for cell in every]) * WEIGHTS
    seen = np.isfinite(colours).all(1)
    own = within(every, start)
    beside = colours[seen & ~own]
    lettered = (every[:, None] == held).all(2).any(1)
    bare = colours[own & ~lettered & seen]
    if not len(beside):
        return float((own & lettered).sum()) / CELLS**2
    away = np.sort(np.linalg.norm(bare[:, None] - beside, axis=2), axis=1)
    least, most = STRANGE
    strange = np.clip((away[:, min(ALIKE, len(beside)) - 1] - least) / (most - least), 0.0, 1.0)
    return float((own & lettered).sum() + strange.sum()) / CELLS**2


def _to_board(homography: Matrix3, start: Cells) -> Matrix3:
    """Return the map from board coordinates, cells one broad from 0 on, of a board that begins at a cell."""
    shift = np.eye(3)
    shift[:2, 2] = start - 0.5
    return np.asarray(homography @ shift)
