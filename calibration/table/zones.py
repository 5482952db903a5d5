"""Who sits where: the parts of a table, made from the number of its seats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from calibration.markers import BOARD_NUMBERS
from companion.errors import UsageError
from companion.model.profile import MOST_SEATS, Marker, Zone, ZoneKind
from companion.model.reading import Point

SIDES = {
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
}
"""Seats at the near, left, far and right side of a table, clockwise, by how many there are."""

Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom, in mm."""

POOL = 0.28
"""Breadth and depth of the pool in the middle, in those of the table."""


def default_zones(
    seats: int,
    width_mm: float,
    height_mm: float,
    middle: tuple[float, float] | None = None,
    heap: Rectangle | None = None,
) -> tuple[Zone, ...]:
    """Return a zone for each seat, clockwise from the near side's right end, and the middle's.

    Every place of the table belongs to one of them; where a heap lies, the pool comes before the seats.

    Parameters
    ----------
    seats
        1 to 12; raises UsageError otherwise.
    width_mm, height_mm
        The table, its near side broad.
    middle
        Breadth and depth of a board that lies in the middle; without it the pool is there.
    heap
        Where the face-down tiles lie, if they are seen: the pool is there, and the seats share the rest.
    """
    if seats not in SIDES:
        raise UsageError(f"a table has 1 to {MOST_SEATS} seats; got {seats}")
    wide, deep = middle or (POOL * width_mm, POOL * height_mm)
    if heap and not middle:
        wide = deep = 0.0
    left, right, far, near = _rectangle(width_mm / 2, wide / 2) + _rectangle(height_mm / 2, deep / 2)
    at_near, at_left, at_far, at_right = SIDES[seats]
    # a side where nobody sits leaves its corner to its neighbours: their zones reach to the edge there
    x0, x1 = (left if at_left else 0.0), (right if at_right else width_mm)
    inner = [(x0, near), (x0, far), (x1, far), (x1, near)]
    edge = [(0.0, height_mm), (0.0, 0.0), (width_mm, 0.0), (width_mm, height_mm)]
    if not at_far:
        inner[1], inner[2] = (x0, 0.0), (x1, 0.0)
    numbers = count(1)
    zones = []
    order = ((at_near, 3, 0), (at_left, 0, 1), (at_far, 1, 2), (at_right, 2, 3))
    for side, (there, a, b) in enumerate(order):
        # from the player's right to the left: clockwise round the table
        for part in range(there):
            shares = part / there, (part + 1) / there
            outer = [_between(edge[a], edge[b], share) for share in shares]
            within = [_between(inner[a], inner[b], share) for share in shares]
            corners = (outer[0], outer[1], within[1], within[0])
            zones.append(Zone(ZoneKind.SEAT, next(numbers), corners, 90.0 * side))
    if heap and not middle:
        x0, y0, x1, y1 = heap
        return (*zones, Zone(ZoneKind.POOL, None, ((x0, y0), (x1, y0), (x1, y1), (x0, y1))))
    kind = ZoneKind.BOARD if middle else ZoneKind.POOL
    return (*zones, Zone(kind, None, tuple(inner[k] for k in (1, 2, 3, 0))))


def with_board(zones: tuple[Zone, ...], markers: Sequence[Marker]) -> tuple[Zone, ...]:
    """Return zones of which the middle one is the board whose corners markers 4 to 7 show, if all four lie.

    They lie outside the board's corners, so their inner corners are the board's.
    """
    seen = {marker.number: marker.corners_mm for marker in markers}
    if not set(BOARD_NUMBERS) <= seen.keys():
        return zones
    corners = tuple(seen[number][(place + 2) % 4] for place, number in enumerate(BOARD_NUMBERS))
    return (*zones[:-1], Zone(ZoneKind.BOARD, None, corners))


def _rectangle(middle: float, half: float) -> tuple[float, float]:
    return middle - half, middle + half


def _between(a: Point, b: Point, share: float) -> Point:
    x, y = (1 - share) * np.array(a) + share * np.array(b)
    return float(x), float(y)
