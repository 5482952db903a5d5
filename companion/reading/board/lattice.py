"""A lattice of equal cells, grown from one zone over its neighbours to a whole board."""

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
from companion.reading.board.zones import Zones

LEAST_CELLS = 16
MOST_SEEDS = 24
_PITCH_OVER_SIDE = 1.06
_FIRST_REACH = 2.6
_WHOLE_REACH = 20.0
_REACHES = (2.6, 4.0, 6.0, 9.0, 13.0) + (_WHOLE_REACH,) * 8


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A grid of cells whose origin is not yet known.

    Parameters
    ----------
    homography
        Lattice coordinates to pixels, shape (3, 3); whole numbers are the
        middles of cells.
    cells
        The distinct cells in which a zone was seen, shape (n, 2), int,
        column then row.
    members
        Which zones take part, shape (zones,), bool.
    """

    homography: Matrix3
    cells: NDArray[np.int_]
    members: NDArray[np.bool_]


def lattices(zones: Zones, most: int) -> Iterator[Lattice]:
    """Yield up to ``most`` lattices, from the zone with the most equals around it on."""
    if len(zones) < LEAST_CELLS:
        return
    company = _equals_around(zones)
    free = company.sum(axis=1) >= 3
    order = np.argsort(-company.sum(axis=1), kind="stable")
    seeds = 0
    for seed in order:
        if not free[seed]:
            continue
        if seeds == MOST_SEEDS or most == 0:
            return
        seeds += 1
        lattice = _grown(zones, int(seed))
        if lattice is None:
            free &= ~company[seed]
            continue
        free &= ~lattice.members
        most -= 1
        yield lattice


def _equals_around(zones: Zones) -> NDArray[np.bool_]:
    """Return which zones of like area lie within three sides of each, shape (n, n)."""
    x, y = zones.centres.T
    near = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2 < 9.0 * zones.areas[:, None]
    ratio = zones.areas[:, None] / zones.areas
    return np.asarray(near & (ratio > 0.6) & (ratio < 1.6))


def _grown(zones: Zones, seed: int) -> Lattice | None:
    """Return the lattice that spreads from one zone, or ``None`` where it finds too few cells."""
    matrix = np.eye(3)
    matrix[:2, :2] = zones.sides[seed] * _PITCH_OVER_SIDE
    matrix[:2, 2] = zones.centres[seed]
    members, cells = _members(zones, matrix, _FIRST_REACH)
    for reach in _REACHES:
        fitted = _fitted(cells[members], zones.centres[members])
        if fitted is None or not _keeps_size(fitted, float(zones.areas[seed])):
            return None
        matrix, before = fitted, members
        members, cells = _members(zones, matrix, reach)
        if reach == _WHOLE_REACH and (members == before).all():
            break
    seen = np.unique(cells[members], axis=0).astype(np.int_)
    return Lattice(matrix, seen, members) if len(seen) >= LEAST_CELLS else None


def _members(zones: Zones, matrix: Matrix3, reach: float) -> tuple[NDArray[np.bool_], Points]:
    """Return which zones lie on the lattice within reach of its origin, and each zone's nearest cell."""
    back = inverse(matrix)
    ahead = depths(back, zones.centres) * back[2, 2] > 0
    places = projected(back, zones.centres)
    cells = np.rint(places)
    tolerance = 0.3 if reach == _FIRST_REACH else 0.22
    share = zones.areas / np.abs(area_scales(matrix, places))
    members = ahead & (np.abs(places).max(axis=1) < reach) & (np.abs(places - cells).max(axis=1) < tolerance)
    return members & (share > 0.35) & (share < 1.25), cells


def _keeps_size(matrix: Matrix3, area: float) -> bool:
    """Return whether a cell at the lattice's origin is still about as large as the zone it grew from."""
    return 0.8 * area < float(area_scales(matrix, np.zeros((1, 2)))[0]) < 3.0 * area


def _fitted(cells: Points, centres: Points) -> Matrix3 | None:
    """Return the map from cells to centres: a homography where the cells allow, else affine."""
    if len(cells) < 4 or np.ptp(cells, axis=0).min() < 1:
        return None
    if len(np.unique(cells, axis=0)) >= 9 and np.ptp(cells, axis=0).min() >= 3:
        return fitted_homography(cells, centres)
    return fitted_affine(cells, centres)
