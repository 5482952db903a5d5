"""Flat zones of a picture, and lattices of equal cells grown over them.

A zone is a cell, a premium square or a tile's face; a lattice is fitted from one
zone over its neighbours to a whole board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.grid.board import CELLS_PER_SIDE
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

Picture = NDArray[np.uint8]

MIN_ZONE_AREA_PX = 36
"""Area of the smallest zone, in square pixels."""
MAX_ZONES = 900
"""Largest number of zones kept of a picture, the largest ones: it bounds the time."""
_KERNEL = np.ones((3, 3), np.uint8)
_BORDER_PX = 3.0
"""Reduction of a zone's width by smoothing and the 3x3 gradient, in pixels."""
MIN_ZONE_CELLS = 16
"""Least number of a lattice's cells with a zone."""
MAX_SEEDS = 40
"""Largest number of zones from which a lattice is grown: it bounds the time."""
_PITCH_OVER_SIDE = 1.06
"""Initial ratio of the pitch of cells to a zone's side."""
_FIT_RADII = (2.6, 4.0, 6.0, 9.0, 13.0) + (15.5,) * 8
"""Largest distance from the seed of the zones in each fit, in cells; the last reaches a board's far end."""
_BOARD_RANGE = (-0.5, CELLS_PER_SIDE - 0.5)
"""First and last lattice coordinate of a board, its origin in the middle of its first cell."""
_BOARD_CORNERS = (
    np.array(
        [[0, 0], [CELLS_PER_SIDE, 0], [CELLS_PER_SIDE, CELLS_PER_SIDE], [0, CELLS_PER_SIDE]], dtype=np.float64
    )
    - 0.5
)
_MAX_FITS = 10
"""Largest number of fits of a whole board until it no longer changes."""

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Zones:
    """Flat zones, roughly four-sided and at most twice as long as wide.

    Parameters
    ----------
    centres
        Centres of mass in pixels, shape (n, 2), x then y.
    sides
        The smallest rectangle's two sides, shape (n, 2, 2), as column
        vectors in pixels, the second a quarter turn clockwise on screen
        from the first.
    areas
        Square pixels, shape (n,).
    """

    centres: Points
    sides: NDArray[np.float64]
    areas: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.areas)

    def and_also(self, other: Zones) -> Zones:
        """Return the zones of both, the first ones at most ``MAX_ZONES``."""
        pairs = ((self.centres, other.centres), (self.sides, other.sides), (self.areas, other.areas))
        return Zones(*(np.concatenate(pair)[:MAX_ZONES] for pair in pairs))


NO_ZONES = Zones(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0))


def contrast(picture: Picture) -> Picture:
    """Return the largest change of any channel among a pixel's neighbours, shape (h, w)."""
    smooth = cv2.GaussianBlur(picture, (3, 3), 0)
    change = cv2.morphologyEx(smooth, cv2.MORPH_GRADIENT, _KERNEL)
    if change.ndim == 3:
        blue, green, red = cv2.split(change)
        change = cv2.max(cv2.max(blue, green), red)
    return np.asarray(change, dtype=np.uint8)


def flat_zones(change: Picture, threshold: int) -> Zones:
    """Return the zones in which the contrast stays at or below a threshold, 0 to 255, the largest first."""
    _, flat = cv2.threshold(change, threshold, 255, cv2.THRESH_BINARY_INV)
    flat = cv2.morphologyEx(flat, cv2.MORPH_OPEN, _KERNEL)
    outlines, _ = cv2.findContours(flat, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    most_area = change.size / 200
    found = [zone for line in outlines if len(line) >= 4 and (zone := _zone(line, most_area)) is not None]
    if not found:
        return NO_ZONES
    table = np.array(sorted(found, key=lambda zone: -zone[-1])[:MAX_ZONES])
    return Zones(table[:, :2], table[:, 2:6].reshape(-1, 2, 2), table[:, 6])


def _zone(outline: NDArray[Any], most_area: float) -> tuple[float, ...] | None:
    """Return centre, side matrix and area of an outline, or ``None`` for a hole or an odd shape."""
    inner = -cv2.contourArea(outline, oriented=True)  # holes have the opposite orientation
    if not MIN_ZONE_AREA_PX <= inner <= most_area:
        return None
    _, (width, height), turn_deg = cv2.minAreaRect(outline)
    if max(width, height) > 2.0 * min(width, height) + 2.0 or inner < 0.62 * width * height:
        return None
    moments = cv2.moments(outline)
    width, height = width + _BORDER_PX, height + _BORDER_PX
    cos, sin = np.cos(np.deg2rad(turn_deg)), np.sin(np.deg2rad(turn_deg))
    filled = inner + cv2.arcLength(outline, closed=True) * _BORDER_PX / 2
    return (
        moments["m10"] / moments["m00"],
        moments["m01"] / moments["m00"],
        width * cos,
        -height * sin,
        width * sin,
        height * cos,
        filled,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A grid of cells whose origin is not yet known.

    Parameters
    ----------
    homography
        Lattice coordinates to pixels, shape (3, 3); whole numbers are the
        middles of cells.
    cells
        The distinct cells with a zone, shape (n, 2), int, column then row.
    members
        Mask of the zones that take part, shape (zones,).
    """

    homography: Matrix3
    cells: NDArray[np.int_]
    members: NDArray[np.bool_]


def lattices(zones: Zones, most: int) -> Iterator[Lattice]:
    """Yield up to ``most`` lattices, first that of the zone with the most equal neighbours."""
    if len(zones) < MIN_ZONE_CELLS:
        return
    company = _equal_neighbours(zones)
    free = company.sum(axis=1) >= 3
    order = np.argsort(-company.sum(axis=1), kind="stable")
    seeds = 0
    for seed in order:
        if not free[seed]:
            continue
        if seeds == MAX_SEEDS or most == 0:
            return
        seeds += 1
        lattice = _grow_lattice(zones, int(seed))
        if lattice is None:
            free &= ~company[seed]
            continue
        free &= ~lattice.members
        most -= 1
        yield lattice


def _equal_neighbours(zones: Zones) -> NDArray[np.bool_]:
    """Return which zones of similar area lie within three sides of each, shape (n, n)."""
    x, y = zones.centres.T
    near = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2 < 9.0 * zones.areas[:, None]
    ratio = zones.areas[:, None] / zones.areas
    return np.asarray(near & (ratio > 0.6) & (ratio < 1.6))


def refit(zones: Zones, lattice: Lattice, col: int, row: int) -> Lattice | None:
    """Refit a lattice to the zones within a board that starts at a given cell.

    That cell becomes the origin.  ``None`` where too few cells have a zone.
    """
    matrix = lattice.homography @ np.array([[1.0, 0.0, col], [0.0, 1.0, row], [0.0, 0.0, 1.0]])
    fit = _iterate_fit(zones, matrix, (_BOARD_RANGE,) * _MAX_FITS, _is_in_view)
    return _lattice(*fit) if fit is not None else None


def _is_in_view(matrix: Matrix3) -> bool:
    """Return whether the whole board lies before the horizon, not mirrored."""
    return float(area_scales(matrix, _BOARD_CORNERS).min()) > 0


def _grow_lattice(zones: Zones, seed: int) -> Lattice | None:
    """Return the lattice that spreads from one zone, or ``None`` where it has too few cells."""
    matrix = np.eye(3)
    matrix[:2, :2] = zones.sides[seed] * _PITCH_OVER_SIDE
    matrix[:2, 2] = zones.centres[seed]
    least, most = zones.areas[seed] * 0.8, zones.areas[seed] * 3.0

    def keeps_size(fitted: Matrix3) -> bool:
        return bool(least < area_scales(fitted, np.zeros((1, 2)))[0] < most)

    fit = _iterate_fit(zones, matrix, tuple((-reach, reach) for reach in _FIT_RADII), keeps_size)
    return _lattice(*fit) if fit is not None else None


def _iterate_fit(
    zones: Zones, matrix: Matrix3, steps: tuple[Bounds, ...], holds: Callable[[Matrix3], bool]
) -> tuple[Matrix3, _Assignment] | None:
    """Return a map after repeated fits, one within the bounds of each step.

    It ends early where the last bounds bring no change, and with ``None`` where too few zones fit or a fitted
    map is invalid.
    """
    assigned = _assign(zones, matrix, steps[0], tolerance=0.3)
    for bounds in steps:
        fitted = _fit_lattice(assigned, zones)
        if fitted is None or not holds(fitted):
            return None
        matrix, before = fitted, assigned
        assigned = _assign(zones, matrix, bounds, tolerance=0.22)
        if bounds == steps[-1] and (assigned.members == before.members).all():
            break
    return matrix, assigned


def _lattice(matrix: Matrix3, assigned: _Assignment) -> Lattice | None:
    """Return a lattice, or ``None`` where too few cells have a zone."""
    seen = np.unique(assigned.cells[assigned.members], axis=0).astype(np.int_)
    if len(seen) < MIN_ZONE_CELLS:
        return None
    return Lattice(matrix, seen, assigned.members)


@dataclass(frozen=True, slots=True, eq=False)
class _Assignment:
    """Each zone's nearest cell, shape (n, 2), and a mask of the zones that fit it, (n,)."""

    cells: Points
    members: NDArray[np.bool_]


def _assign(zones: Zones, matrix: Matrix3, bounds: Bounds, tolerance: float) -> _Assignment:
    """Return the assignment of zones to the cells between two bounds in both coordinates."""
    back = inverse(matrix)
    places = project(back, zones.centres)
    cells = np.rint(places)
    share = zones.areas / np.abs(area_scales(matrix, places))
    ahead = depths(back, zones.centres) * back[2, 2] > 0
    within = ahead & ((places > bounds[0]) & (places < bounds[1])).all(axis=1) & (share < 1.25)
    straight = np.abs(places - cells).max(axis=1) < tolerance
    return _Assignment(cells, within & straight & (share > 0.35))


def _fit_lattice(assigned: _Assignment, zones: Zones) -> Matrix3 | None:
    """Return the map from cells to centres: a homography where the cells allow, else affine."""
    cells, centres = assigned.cells[assigned.members], zones.centres[assigned.members]
    if len(cells) < 4 or np.ptp(cells, axis=0).min() < 1:
        return None
    if len(np.unique(cells, axis=0)) >= 9 and np.ptp(cells, axis=0).min() >= 3:
        return fit_homography(cells, centres)
    return fit_affine(cells, centres)
