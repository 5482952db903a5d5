"""Letters that lie five by five: a lattice through the middles of tiles that are laid by hand, with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.reading.board.projective import (
    Matrix3,
    Points,
    area_scales,
    depths,
    fitted_affine,
    fitted_homography,
    inverse,
    projected,
)

STEP = (1.15, 3.0)
"""How far the next cell's tile may lie, in tile sides; tiles of a word lie nearer."""
SEEDS = 8
"""Tiles from which a lattice is grown, those with the most neighbours first."""
LEAST = 8
"""Cells with a tile that a lattice rests on at least."""
_REACHES = (1.6, 2.6, 4.6, 4.6)
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
        places = projected(inverse(self.homography), points)
        cells = np.rint(places).astype(int)
        return np.asarray(cells[np.abs(places - cells).max(1, initial=0.0) < _STRAIGHT])

    @property
    def held(self) -> int:
        """How many cells hold a tile."""
        return len(np.unique(self.cells[self.members], axis=0))


def lattice_of(centres: Points, shapes: NDArray[np.float64]) -> Lattice | None:
    """Return the lattice that most tiles lie on, the finest of these, or ``None``.

    Parameters
    ----------
    centres
        Middles of tiles in pixels, shape (n, 2).
    shapes
        What takes a circle as broad as a tile to the picture, shape (n, 2, 2).
    """
    best: Lattice | None = None
    for matrix in _starts(centres, shapes):
        found = _grown(centres, matrix)
        if found and (best is None or _merit(found) > _merit(best)):
            best = found
    return best if best and best.held >= LEAST else None


def _merit(lattice: Lattice) -> tuple[int, float]:
    """Return what makes one lattice better than another: more cells, then smaller ones."""
    return lattice.held, -float(np.abs(area_scales(lattice.homography, np.zeros((1, 2)))[0]))


def _starts(centres: Points, shapes: NDArray[np.float64]) -> Iterator[Matrix3]:
    """Yield the lattices that a tile and one of its neighbours span, upright and at right angles."""
    if len(centres) < LEAST:
        return
    flat = np.linalg.inv(shapes)
    ways = np.einsum("nij,nmj->nmi", flat, centres[None] - centres[:, None])
    far = np.linalg.norm(ways, axis=2)
    near = (far > STEP[0]) & (far < STEP[1])
    for seed in np.argsort(-near.sum(1), kind="stable")[:SEEDS].tolist():
        for other in np.flatnonzero(near[seed]).tolist():
            across = ways[seed, other]
            if across[0] <= abs(across[1]) and not across[0] == -across[1] > 0:
                continue  # one of each four neighbours at right angles is enough
            step = shapes[seed] @ np.column_stack([across, [-across[1], across[0]]])
            matrix = np.eye(3)
            matrix[:2, :2], matrix[:2, 2] = step, centres[seed]
            yield matrix


def _grown(centres: Points, matrix: Matrix3) -> Lattice | None:
    """Return a lattice fitted to ever more tiles around its first one, or ``None`` where that fails."""
    seated = None
    for reach in _REACHES:
        back = inverse(matrix)
        if (depths(back, centres) * back[2, 2] <= 0).any():
            return None
        places = projected(back, centres)
        cells = np.rint(places).astype(int)
        members = (np.abs(places) < reach).all(1) & (np.abs(places - cells).max(1) < _STRAIGHT)
        seated = Lattice(matrix, cells, members)
        own = cells[members].astype(np.float64)
        if len(own) < 4 or np.ptp(own, axis=0).min() < 1 or np.linalg.matrix_rank(own - own.mean(0)) < 2:
            return None
        wide = seated.held >= 9 and np.ptp(own, axis=0).min() >= 2
        matrix = (fitted_homography if wide else fitted_affine)(own, centres[members])
        if not np.isfinite(matrix).all() or np.linalg.det(matrix) <= 0:
            return None
    return seated
