"""Letters that lie five by five: a lattice through the middles of tiles that are laid by hand, with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.grid.homography import (
    Matrix3,
    Points,
    area_scales,
    depths,
    fit_affine,
    fit_homography,
    inverse,
    project,
)
from companion.vision.grid.volcano.board import CELLS

STEPS = ((1.15, 3.0), (0.9, 1.15))
"""How far the next cell's tile may lie, in tile sides; tiles of a word lie nearer.  Where cells are hardly
broader than tiles and a cell may be taken for one, nearer ones are tried too."""
SEEDS = 10
"""Tiles from which a lattice is grown, those with the most neighbours first."""
LEAST = 8
"""Cells with a tile that a lattice rests on at least."""
_REACHES = (1.6, 2.6, 4.6, 4.6)
_PLENTY = 11
"""With a tile in so many cells the lattice is seen aslant; before that its lines are taken as parallel."""
_STRAIGHT = 0.3
"""How far a tile may lie off its cell's middle, in cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Equal cells through the middles of tiles; where the board begins on it is not known yet.

    ``homography`` takes lattice coordinates to pixels, (3, 3), whole numbers the middles of cells;
    ``cells`` (n, 2) is the column and row of each tile, and ``members`` (n,) which tiles take part.
    """

    homography: Matrix3
    cells: NDArray[np.int_]
    members: NDArray[np.bool_]

    def cells_of(self, points: Points) -> NDArray[np.int_]:
        """Return the column and row of those of some pixels that lie near a cell's middle, (m, 2)."""
        places = project(inverse(self.homography), points)
        cells = np.rint(places).astype(int)
        return np.asarray(cells[np.abs(places - cells).max(1, initial=0.0) < _STRAIGHT])

    @property
    def held(self) -> int:
        """How many cells of a board hold a tile, wherever on the lattice it holds the most."""
        seen = np.unique(self.cells[self.members], axis=0)
        inside = (seen >= seen[:, None]) & (seen < seen[:, None] + CELLS)
        across, down = inside[..., 0], inside[..., 1]
        return int((across[:, None] & down[None]).sum(2).max(initial=0))


def lattices(centres: Points, shapes: NDArray[np.float64]) -> Iterator[Lattice]:
    """Yield the lattices that most tiles lie on: of those as wide as cells mostly are, then of others.

    Parameters
    ----------
    centres
        Middles of tiles in pixels, shape (n, 2).
    shapes
        What takes a circle as broad as a tile to the picture, shape (n, 2, 2).
    """
    for step in STEPS:
        grown = (_grown(centres, matrix) for matrix in _starts(centres, shapes, step))
        found = max((one for one in grown if one and one.held >= LEAST), key=_merit, default=None)
        if found:
            yield found


def _merit(lattice: Lattice) -> tuple[int, float]:
    """Return what makes one lattice better than another: more cells on a board, then smaller ones."""
    return lattice.held, -float(np.abs(area_scales(lattice.homography, np.zeros((1, 2)))[0]))


def _starts(centres: Points, shapes: NDArray[np.float64], step: tuple[float, float]) -> Iterator[Matrix3]:
    """Yield the lattices that a tile and one of its neighbours span, upright and at right angles."""
    if len(centres) < LEAST:
        return
    flat = np.linalg.inv(shapes)
    ways = np.einsum("nij,nmj->nmi", flat, centres[None] - centres[:, None])
    far = np.linalg.norm(ways, axis=2)
    near = (far > step[0]) & (far < step[1])
    for seed in np.argsort(-near.sum(1), kind="stable")[:SEEDS].tolist():
        for other in np.flatnonzero(near[seed]).tolist():
            across = ways[seed, other]
            if across[0] <= abs(across[1]) and not across[0] == -across[1] > 0:
                continue  # one of each four neighbours at right angles is enough
            matrix = np.eye(3)
            matrix[:2, :2] = shapes[seed] @ np.column_stack([across, [-across[1], across[0]]])
            matrix[:2, 2] = centres[seed]
            yield matrix


def _grown(centres: Points, matrix: Matrix3) -> Lattice | None:
    """Return a lattice fitted to ever more tiles around its first one, or ``None`` where that fails."""
    seated = None
    for reach in _REACHES:
        back = inverse(matrix)
        ahead = depths(back, centres) * back[2, 2] > 0
        places = project(back, np.where(ahead[:, None], centres, matrix[:2, 2] / matrix[2, 2]))
        cells = np.rint(places).astype(int)
        straight = np.abs(places - cells).max(1) < _STRAIGHT
        members = ahead & (np.abs(places) < reach).all(1) & straight
        seated = Lattice(matrix, cells, members)
        own = cells[members].astype(np.float64)
        if len(own) < 4 or np.ptp(own, axis=0).min() < 1 or np.linalg.matrix_rank(own - own.mean(0)) < 2:
            return None
        wide = seated.held >= _PLENTY and np.ptp(own, axis=0).min() >= 2
        fitted = (fit_homography if wide else fit_affine)(own, centres[members])
        if fitted is None or not np.isfinite(fitted).all() or np.linalg.det(fitted) <= 0:
            return None
        matrix = fitted
    return seated
