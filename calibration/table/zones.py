"""Default zones of a table: seats by their number, and the pool or a board in the middle."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.markers import BOARD_MARKER_NUMBERS
from companion.errors import UsageError
from companion.model.phrases import phrase
from companion.model.profile import Marker, Zone, ZoneKind
from companion.model.reading import Point
from companion.model.seats import MAX_SEATS

SEATS_PER_SIDE = {
    1: (1, 0, 0, 0),
    2: (1, 0, 1, 0),
    3: (1, 1, 1, 0),
    4: (1, 1, 1, 1),
    5: (2, 1, 1, 1),
    6: (2, 1, 2, 1),
    7: (3, 1, 2, 1),
    8: (3, 1, 3, 1),
    9: (3, 2, 3, 1),
    10: (3, 2, 3, 2),
    11: (4, 2, 3, 2),
    12: (4, 2, 4, 2),
    13: (4, 3, 4, 2),
}
"""Seats at the near, left, far and right side of a table, clockwise, by the number of seats."""

Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom, in mm."""

LAYING_DISTANCE_SHARE = 1 / 3
"""Distance from the table's edge at which players lay tiles, as a share of the distance to its middle."""

POOL_SIDE_SHARE = 0.28
"""Width and depth of the pool in the middle, as a share of the table's."""


def default_zones(
    seats: int,
    width_mm: float,
    height_mm: float,
    middle: tuple[float, float] | None = None,
    heap: Rectangle | None = None,
) -> tuple[Zone, ...]:
    """Return the seats' zones, clockwise from the near side's right end, then that of the middle.

    Every place of the table belongs to the seat whose player is likely to lay tiles nearest to it; the pool,
    or the board, has priority over the seats.

    Parameters
    ----------
    seats
        1 to ``MAX_SEATS``; raises UsageError otherwise.
    width_mm, height_mm
        Width (along the near side) and depth of the table.
    middle
        Width and depth of a board in the middle; without it the pool is there.
    heap
        The rectangle of the face-down tiles, if detected: the pool is there.
    """
    if seats not in SEATS_PER_SIDE:
        raise UsageError(
            phrase("a table has 1 to %(most)s seats; got %(seats)s", most=MAX_SEATS, seats=seats)
        )
    whole, places = (0.0, 0.0, width_mm, height_mm), dict(laying_places(seats, width_mm, height_mm))
    zones = [
        Zone(ZoneKind.SEAT, number, voronoi_cell(spot, tuple(places), whole), facing_deg)
        for number, (spot, facing_deg) in enumerate(places.items(), 1)
    ]
    if heap and not middle:
        return (*zones, Zone(ZoneKind.POOL, None, corners_of(heap)))
    wide, deep = middle or (POOL_SIDE_SHARE * width_mm, POOL_SIDE_SHARE * height_mm)
    left, top = (width_mm - wide) / 2, (height_mm - deep) / 2
    kind = ZoneKind.BOARD if middle else ZoneKind.POOL
    return (*zones, Zone(kind, None, corners_of((left, top, left + wide, top + deep))))


def laying_places(seats: int, width_mm: float, height_mm: float) -> Iterator[tuple[Point, float]]:
    """Yield the place where each player is likely to lay tiles, and the player's reading direction in
    degrees.

    Players share a side evenly and reach a part of the way from it to the middle of the table.
    """
    corners = [(width_mm, height_mm), (0.0, height_mm), (0.0, 0.0), (width_mm, 0.0)]
    inwards = [(0.0, -height_mm), (width_mm, 0.0), (0.0, height_mm), (-width_mm, 0.0)]
    for side, there in enumerate(SEATS_PER_SIDE[seats]):
        for part in range(there):
            x, y = _between(corners[side], corners[(side + 1) % 4], (part + 0.5) / there)
            across, down = inwards[side]
            yield (x + LAYING_DISTANCE_SHARE * across / 2, y + LAYING_DISTANCE_SHARE * down / 2), 90.0 * side


def voronoi_cell(spot: Point, spots: Sequence[Point], within: Rectangle) -> tuple[Point, ...]:
    """Return the corners of the Voronoi cell of ``spot`` among ``spots`` within a rectangle."""
    cell: tuple[Point, ...] = corners_of(within)
    for other in spots:
        if other != spot:
            cell = _nearer(cell, spot, other)
    return cell


def corners_of(rectangle: Rectangle) -> tuple[Point, Point, Point, Point]:
    """Return the corners of a rectangle, clockwise from the left far one."""
    left, top, right, bottom = rectangle
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _nearer(corners: Sequence[Point], spot: Point, other: Point) -> tuple[Point, ...]:
    """Return the part of a convex polygon that is nearer to one place than to another."""
    beyond = [math.dist(corner, spot) ** 2 - math.dist(corner, other) ** 2 for corner in corners]
    found: list[Point] = []
    for k, (corner, off) in enumerate(zip(corners, beyond, strict=True)):
        if off <= 0:
            found.append(corner)
        if off * (following := beyond[(k + 1) % len(beyond)]) < 0:
            found.append(_between(corner, corners[(k + 1) % len(corners)], off / (off - following)))
    return tuple(found)


def with_board(zones: tuple[Zone, ...], markers: Sequence[Marker]) -> tuple[Zone, ...]:
    """Return zones whose middle one is the board between markers 4 to 7, if all four are known.

    The markers lie outside the board's corners, so their inner corners are the board's.
    """
    seen = {marker.number: marker.corners_mm for marker in markers}
    if not set(BOARD_MARKER_NUMBERS) <= seen.keys():
        return zones
    corners = tuple(seen[number][(place + 2) % 4] for place, number in enumerate(BOARD_MARKER_NUMBERS))
    return (*zones[:-1], Zone(ZoneKind.BOARD, None, corners))


def _between(a: Point, b: Point, share: float) -> Point:
    x, y = (1 - share) * np.array(a) + share * np.array(b)
    return float(x), float(y)
