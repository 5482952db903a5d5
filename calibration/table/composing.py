"""From a table that was found in a picture to a profile that knows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from calibration.table.heap import heap
from calibration.table.landmarks import landmarks
from calibration.table.zones import default_zones, with_board
from companion.model.profile import Profile, TableMap
from companion.model.reading import Tile
from companion.vision.grid.homography import known_table
from companion.vision.picture import Frame

SAME = 0.02
"""A table that is measured anew is the same one where its sides differ by less than this share."""

Size = tuple[float, float]


def with_table(
    grey: Frame,
    profile: Profile,
    table: TableMap,
    seats: int,
    board_mm: Size | None = None,
    tiles: Sequence[Tile] = (),
) -> Profile:
    """Return a profile with the table that a grey picture, uint8 (h, w), shows.

    It is shared among so many seats, with a board of that breadth and depth in its middle or none; where it
    is the same table as before its zones stay as they were arranged.
    ``tiles`` are those in the picture: the pool is where most of them lie face down.  Raises UsageError for a
    number of seats that no table has.
    """
    before = profile.zones if same(profile.table, table) else ()
    known = replace(profile, table=table, zones=before, landmarks=landmarks(grey))
    return known if before else with_seats(known, seats, board_mm, tiles)


def with_seats(
    profile: Profile, seats: int, board_mm: Size | None = None, tiles: Sequence[Tile] = ()
) -> Profile:
    """Return a profile with its table shared anew; raise UsageError as ``with_table`` does."""
    table = known_table(profile)
    zones = default_zones(seats, table.width_mm, table.height_mm, board_mm, heap(tiles, profile))
    return replace(profile, zones=with_board(zones, table.markers))


def same(old: TableMap | None, new: TableMap) -> bool:
    """Return whether two measures are of one table, so that its zones still hold."""
    if old is None:
        return False
    sides = ((old.width_mm, new.width_mm), (old.height_mm, new.height_mm))
    return all(abs(a - b) < SAME * b for a, b in sides)
