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

SCALE = 0.04
"""A tile's breadth by markers and by a ruler may differ by this share: drawn ones are read up to 3 % off."""


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
    return seen_px(grey, tiles)


def seen_px(grey: Frame, tiles: TileSet) -> float | None:
    """Return how broad the tiles in a picture are, in pixels; ``None`` where too few are read for sure."""
    sides = [side_px(tile) for tile in Reader(tiles).read(grey).tiles if tile.symbol and not tile.doubt]
    return float(np.median(sides)) if len(sides) >= ENOUGH else None


def contradiction(grey: Frame, profile: Profile, tiles: TileSet, tile_mm: float) -> str | None:
    """Return what to say where a tile's measured breadth and the markers disagree, ``None`` where they agree.

    A sheet that was printed at another scale makes the whole table larger or smaller alike, which its markers
    cannot tell; tiles that lie in the picture can.  Arguments as for ``tile_px``.
    """
    if profile.table is None or not profile.table.markers or (side := seen_px(grey, tiles)) is None:
        return None
    seen_mm = side / px_per_mm(profile)
    if abs(seen_mm / tile_mm - 1) < SCALE:
        return None
    return (
        f"two known lengths disagree: by the markers the tiles are {seen_mm:.1f} mm broad, by your measure "
        f"{tile_mm:g} mm; perhaps the sheet was not printed at 100 %: measure its ruler, and say --ruler "
        f"{100 * tile_mm / seen_mm:.0f} if it is so long"
    )


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
