"""A lattice of equal cells, grown from one zone over its neighbours to a whole board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from companion.vision.grid.scrabble.board import CELLS
from companion.vision.grid.scrabble.zones import Zones

Bounds = tuple[float, float]

LEAST_CELLS = 16
MOST_SEEDS = 40
MOST_ASKEW = 0.1
_MOST_ONE_PARITY = 0.93  # four of five premium squares alone are of one
_PITCH_OVER_SIDE = 1.06
_REACHES = (2.6, 4.0, 6.0, 9.0, 13.0) + (15.5,) * 8  # cells from the seed; a board's far end at last
_BOARD = (-0.5, CELLS - 0.5)
_ENDS = np.array([[0, 0], [CELLS, 0], [CELLS, CELLS], [0, CELLS]], dtype=np.float64) - 0.5
_MOST_FITS = 10


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


def settled(zones: Zones, lattice: Lattice, col: int, row: int) -> Lattice | None:
    """Return a lattice fitted anew to the zones within a board that starts at a given cell.

    That cell becomes the origin.  ``None`` where too few cells are seen, or
    too many zones of a cell's size lie askew: then a part of the board is
    not where the lattice has it.
    """
    matrix = lattice.homography @ np.array([[1.0, 0.0, col], [0.0, 1.0, row], [0.0, 0.0, 1.0]])
    fit = _at_rest(zones, matrix, (_BOARD,) * _MOST_FITS, _in_sight)
    return _lattice(*fit) if fit is not None and fit[1].askew < MOST_ASKEW else None


def _in_sight(matrix: Matrix3) -> bool:
    """Return whether the whole board lies before the horizon, not mirrored."""
    return float(area_scales(matrix, _ENDS).min()) > 0


def _grown(zones: Zones, seed: int) -> Lattice | None:
    """Return the lattice that spreads from one zone, or ``None`` where it finds too few cells."""
    matrix = np.eye(3)
    matrix[:2, :2] = zones.sides[seed] * _PITCH_OVER_SIDE
    matrix[:2, 2] = zones.centres[seed]
    least, most = zones.areas[seed] * 0.8, zones.areas[seed] * 3.0

    def keeps_size(fitted: Matrix3) -> bool:
        return bool(least < area_scales(fitted, np.zeros((1, 2)))[0] < most)

    fit = _at_rest(zones, matrix, tuple((-reach, reach) for reach in _REACHES), keeps_size)
    return _lattice(*fit) if fit is not None else None


def _at_rest(
    zones: Zones, matrix: Matrix3, steps: tuple[Bounds, ...], holds: Callable[[Matrix3], bool]
) -> tuple[Matrix3, _Seated] | None:
    """Return a map fitted again and again, within one step's bounds after the other.

    It ends early where the last bounds bring no change, and with ``None``
    where too few zones fit or a fitted map does not hold.
    """
    seated = _seated(zones, matrix, steps[0], tolerance=0.3)
    for bounds in steps:
        fitted = _fitted(seated, zones)
        if fitted is None or not holds(fitted):
            return None
        matrix, before = fitted, seated
        seated = _seated(zones, matrix, bounds, tolerance=0.22)
        if bounds == steps[-1] and (seated.members == before.members).all():
            break
    return matrix, seated


def _lattice(matrix: Matrix3, seated: _Seated) -> Lattice | None:
    """Return a lattice, or ``None`` where too few cells were seen or a coarser lattice has them all."""
    seen = np.unique(seated.cells[seated.members], axis=0).astype(np.int_)
    if len(seen) < LEAST_CELLS:
        return None
    parities = np.column_stack([seen, seen.sum(axis=1)]) % 2
    shares = parities.mean(axis=0)
    if np.maximum(shares, 1.0 - shares).max() > _MOST_ONE_PARITY:
        return None
    return Lattice(matrix, seen, seated.members)


@dataclass(frozen=True, slots=True, eq=False)
class _Seated:
    """Each zone's nearest cell, shape (n, 2), which fit it, and the share of the large ones that do not."""

    cells: Points
    members: NDArray[np.bool_]
    askew: float


def _seated(zones: Zones, matrix: Matrix3, bounds: Bounds, tolerance: float) -> _Seated:
    """Return how the zones fit the cells that lie between two bounds in both coordinates."""
    back = inverse(matrix)
    places = project(back, zones.centres)
    cells = np.rint(places)
    share = zones.areas / np.abs(area_scales(matrix, places))
    ahead = depths(back, zones.centres) * back[2, 2] > 0
    within = ahead & ((places > bounds[0]) & (places < bounds[1])).all(axis=1) & (share < 1.25)
    straight = np.abs(places - cells).max(axis=1) < tolerance
    large = within & (share > 0.5)
    askew = 1.0 - float((large & straight).sum()) / max(1, int(large.sum()))
    return _Seated(cells, within & straight & (share > 0.35), askew)


def _fitted(seated: _Seated, zones: Zones) -> Matrix3 | None:
    """Return the map from cells to centres: a homography where the cells allow, else affine."""
    cells, centres = seated.cells[seated.members], zones.centres[seated.members]
    if len(cells) < 4 or np.ptp(cells, axis=0).min() < 1:
        return None
    if len(np.unique(cells, axis=0)) >= 9 and np.ptp(cells, axis=0).min() >= 3:
        return fit_homography(cells, centres)
    return fit_affine(cells, centres)
