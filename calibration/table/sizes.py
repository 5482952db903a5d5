"""How large a tile is in the picture."""

from __future__ import annotations

import numpy as np

from companion.model.profile import Profile
from companion.model.reading import Tile
from companion.model.tiles import TileSet
from companion.reading.picture import Frame
from companion.reading.plane import known_table, to_picture
from companion.reading.reader import Reader

ENOUGH = 4


def tile_px(grey: Frame, profile: Profile, tiles: TileSet, tile_mm: float | None) -> float | None:
    """Return a tile's breadth in pixels, or ``None`` where nothing tells it.

    Parameters
    ----------
    grey
        A picture, uint8, (h, w).  Without a known breadth in mm, tiles that lie in it are measured, if
        ``ENOUGH`` of them are read beyond doubt: patterns and markers may look like single ones.
    profile
        Says how many pixels a millimetre is, where it knows the table.
    tiles
        Which tiles may lie there.
    tile_mm
        Their breadth, where somebody measured it.
    """
    if tile_mm is not None and profile.table is not None:
        return tile_mm * px_per_mm(profile)
    sides = [side_px(tile) for tile in Reader(tiles).read(grey).tiles if tile.symbol and not tile.doubt]
    return float(np.median(sides)) if len(sides) >= ENOUGH else None


def side_px(tile: Tile) -> float:
    """Return the mean of a tile's sides."""
    corners = np.array(tile.corners)
    return float(np.hypot(*(corners - np.roll(corners, 1, 0)).T).mean())


def px_per_mm(profile: Profile) -> float:
    """Return how many pixels a millimetre is in the middle of the table."""
    table = known_table(profile)
    x, y = table.width_mm / 2, table.height_mm / 2
    around = np.array([[x - 10, y], [x + 10, y], [x, y - 10], [x, y + 10]])
    a, b, c, d = to_picture(around, profile)
    return float(np.hypot(*(b - a)) + np.hypot(*(d - c))) / 40
