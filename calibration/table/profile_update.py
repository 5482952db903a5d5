"""Profiles updated with a calibrated table: its zones, and the pool where face-down tiles lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.table.drift import landmarks
from calibration.table.sizes import side_px
from calibration.table.zones import Rectangle, default_zones, with_board
from companion.errors import BadCapture
from companion.model.phrases import phrase
from companion.model.profile import Profile, TableMap
from companion.model.reading import Face, Tile
from companion.render.pen import Points
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import distances, known_table, to_table

MIN_POOL_TILES = 8
"""Least number of face-down tiles of a pool."""

MAX_NEIGHBOUR_DISTANCE_TILES = 3.0
"""Largest distance of neighbouring tiles of one group, in tile sides."""

POOL_MARGIN_TILES = 1.5
"""Margin of a pool around its tiles, in tile sides, as hands spread them."""

STRAY_RANK = 3
"""Rank of the outermost tile that bounds the pool; the tiles beyond it have strayed from the group."""

MAX_POOL_TABLE_SHARE = 0.5
"""Share of the table above which a group of face-down tiles is not a pool."""

MAX_SAME_TABLE_DEVIATION = 0.02
"""Relative difference of the sides below which two measured tables are the same."""

Size = tuple[float, float]


def pool_rectangle(tiles: Sequence[Tile], profile: Profile) -> Rectangle | None:
    """Return the rectangle of a known table with the group of face-down tiles, ``None`` without one."""
    table = known_table(profile)
    down = [tile for tile in tiles if tile.face is Face.DOWN]
    if len(down) < MIN_POOL_TILES:
        return None
    places = to_table(np.array([tile.centre for tile in down]), profile)
    side = float(np.median([side_px(tile) for tile in down])) * mm_per_px(down, profile)
    largest = places[largest_group(places, MAX_NEIGHBOUR_DISTANCE_TILES * side)]
    if len(largest) < MIN_POOL_TILES:
        return None
    least, most = np.sort(largest, 0)[[STRAY_RANK - 1, -STRAY_RANK]]
    left, top = np.maximum(least - POOL_MARGIN_TILES * side, 0.0)
    right, bottom = np.minimum(most + POOL_MARGIN_TILES * side, (table.width_mm, table.height_mm))
    if (right - left) * (bottom - top) > MAX_POOL_TABLE_SHARE * table.width_mm * table.height_mm:
        return None
    return float(left), float(top), float(right), float(bottom)


def mm_per_px(tiles: Sequence[Tile], profile: Profile) -> float:
    """Return the size of a pixel at the places of tiles, in mm."""
    corners = np.array([tile.corners[:2] for tile in tiles])
    ends = to_table(corners.reshape(-1, 2), profile).reshape(-1, 2, 2)
    long_mm, long_px = (np.hypot(*(each[:, 1] - each[:, 0]).T) for each in (ends, corners))
    return float(np.median(long_mm / long_px))


def largest_group(places: Points, near: float) -> Points:
    """Return the mask of the largest connected group of places, (n, 2), linked by a distance of ``near``."""
    linked = distances(places, places) <= near
    group, before = np.arange(len(places)), np.full(len(places), -1)
    while (group != before).any():
        before, group = group, np.where(linked, group, len(places)).min(1)
    return np.asarray(group == np.bincount(group).argmax())


def with_table(
    grey: Frame,
    profile: Profile,
    table: TableMap,
    seats: int,
    board_mm: Size | None = None,
    tiles: Sequence[Tile] = (),
) -> Profile:
    """Return a profile with the table that a grey picture, uint8 (h, w), shows.

    It is divided among ``seats``, with a board of a given width and depth in its middle or none; where it is
    the same table as before, its zones stay.  ``tiles`` are those in the picture: the pool is where most of
    them lie face down.  Raises UsageError for a number of seats that no table has, and BadCapture for a board
    that is larger than the table.
    """
    before = profile.zones if is_same_table(profile.table, table) else ()
    known = replace(profile, table=table, zones=before, landmarks=landmarks(grey))
    return known if before else with_seats(known, seats, board_mm, tiles)


def with_seats(
    profile: Profile, seats: int, board_mm: Size | None = None, tiles: Sequence[Tile] = ()
) -> Profile:
    """Return a profile with new zones for a number of seats.

    Raises UsageError as ``with_table`` does, and BadCapture where the board is larger than the table.
    """
    table = known_table(profile)
    if board_mm and not (0 < board_mm[0] < table.width_mm and 0 < board_mm[1] < table.height_mm):
        raise BadCapture(
            phrase(
                "the board must be smaller than the table, %(wide)s x %(high)s mm",
                wide=round(table.width_mm),
                high=round(table.height_mm),
            )
        )
    zones = default_zones(seats, table.width_mm, table.height_mm, board_mm, pool_rectangle(tiles, profile))
    return replace(profile, zones=with_board(zones, table.markers))


def is_same_table(old: TableMap | None, new: TableMap) -> bool:
    """Return whether two maps are of one table, so that its zones stay valid."""
    if old is None:
        return False
    sides = ((old.width_mm, new.width_mm), (old.height_mm, new.height_mm))
    return all(abs(a - b) < MAX_SAME_TABLE_DEVIATION * b for a, b in sides)
