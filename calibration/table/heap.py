"""Where the face-down tiles lie that nobody has drawn yet: the pool, as it is seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.table.sizes import side_px
from calibration.table.zones import Rectangle
from companion.model.profile import Profile
from companion.model.reading import Face, Tile
from companion.render.pen import Points
from companion.vision.grid.homography import known_table, to_table

FEWEST = 8
"""So many face-down tiles together are a pool."""

TOGETHER = 3.0
"""Tiles at most so far from each other are of one heap, in tile sides."""

MARGIN = 1.5
"""How far a pool reaches beyond the tiles of its heap, in tile sides: hands spread it."""

ROW = 3
"""Fewer tiles than so many that reach beyond all others make no row of the heap: they have spilt from it."""

MOST = 0.5
"""A heap over more than this share of the table is spread over it, and shows no pool."""


def heap(tiles: Sequence[Tile], profile: Profile) -> Rectangle | None:
    """Return the part of a known table on which the heap of face-down tiles lies, or ``None`` without one."""
    table = known_table(profile)
    down = [tile for tile in tiles if tile.face is Face.DOWN]
    if len(down) < FEWEST:
        return None
    places = to_table(np.array([tile.centre for tile in down]), profile)
    side = float(np.median([side_px(tile) for tile in down])) * mm_per_px(down, profile)
    largest = places[biggest(places, TOGETHER * side)]
    if len(largest) < FEWEST:
        return None
    least, most = np.sort(largest, 0)[[ROW - 1, -ROW]]
    left, top = np.maximum(least - MARGIN * side, 0.0)
    right, bottom = np.minimum(most + MARGIN * side, (table.width_mm, table.height_mm))
    if (right - left) * (bottom - top) > MOST * table.width_mm * table.height_mm:
        return None
    return float(left), float(top), float(right), float(bottom)


def mm_per_px(tiles: Sequence[Tile], profile: Profile) -> float:
    """Return how many millimetres a pixel is where some tiles lie."""
    corners = np.array([tile.corners[:2] for tile in tiles])
    ends = to_table(corners.reshape(-1, 2), profile).reshape(-1, 2, 2)
    long_mm, long_px = (np.hypot(*(each[:, 1] - each[:, 0]).T) for each in (ends, corners))
    return float(np.median(long_mm / long_px))


def biggest(places: Points, near: float) -> Points:
    """Return which of some places, (n, 2), make the largest group of places that are near each other."""
    linked = np.linalg.norm(places[:, None] - places[None], axis=-1) <= near
    group, before = np.arange(len(places)), np.full(len(places), -1)
    while (group != before).any():
        before, group = group, np.where(linked, group, len(places)).min(1)
    return np.asarray(group == np.bincount(group).argmax())
