"""Motion of the camera during a game by the tiles, where nothing else of the table is found again."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table.drift import Drift, classify_drift
from calibration.table.sizes import median_tile_px, px_per_mm
from companion.model.phrases import phrase
from companion.model.profile import Profile
from companion.model.reading import Tile
from companion.vision.grid.homography import Points, distances, mutual_nearest, table_homography, to_table

MIN_TILES = 8
"""Least number of tiles that fit one motion: more than a word that somebody pushes."""

MIN_SHARE = 0.6
"""Least share of the tiles known before that stay, or fit one motion; hands may hide the others."""

MAX_STAYED_SHARE = 0.2
"""Largest number of tiles that are seen where they were, as a share of those that fit the motion.

Where people moved most tiles, some still stay; equal letters come to lie at each other's places by chance.
"""

MAX_MISFIT_SIDES = 0.4
"""Largest distance of a tile from where the motion takes it, in tile sides."""


def drift_by_tiles(before: Sequence[Tile], now: Sequence[Tile], profile: Profile) -> Drift | None:
    """Return the drift of a camera, or ``None`` where the tiles neither stay nor all move as one.

    The profile was right when the tiles ``before`` were seen; those of ``now`` are seen after.  The motion is
    a similarity in the table's plane: that of a camera which is pushed aside or turned.
    """
    known, seen = lettered(before), lettered(now)
    side_px = median_tile_px(known)
    if side_px is None or min(len(known), len(seen)) < MIN_TILES:
        return None
    old, new = places(known, profile), places(seen, profile)
    same = np.array([[one.symbol == other.symbol for other in seen] for one in known])
    reach = MAX_MISFIT_SIDES * side_px / px_per_mm(profile)
    least, stayed = max(MIN_TILES, MIN_SHARE * len(known)), matching(old, new, same, reach)
    if len(stayed) >= least:
        return classify_drift(profile, table_homography(profile), phrase("by the tiles"))
    i, j = np.nonzero(same)
    motion, _ = cv2.estimateAffinePartial2D(old[i], new[j], ransacReprojThreshold=reach, maxIters=5000)
    if motion is None:
        return None
    moved = matching(old @ motion[:, :2].T + motion[:, 2], new, same, reach)
    if len(moved) < least or len(stayed) > MAX_STAYED_SHARE * len(moved):
        return None
    i, j = moved.T
    motion, _ = cv2.estimateAffinePartial2D(old[i], new[j], method=cv2.LMEDS)
    back = np.linalg.inv(np.vstack([motion, (0.0, 0.0, 1.0)]))
    return classify_drift(profile, back @ table_homography(profile), phrase("by the tiles"))


def lettered(tiles: Sequence[Tile]) -> list[Tile]:
    """Return the tiles whose symbol is read without doubt."""
    return [tile for tile in tiles if tile.symbol and not tile.doubt]


def places(tiles: Sequence[Tile], profile: Profile) -> Points:
    """Return the middles of tiles in mm, (n, 2)."""
    return to_table(np.array([tile.centre for tile in tiles]), profile)


def matching(old: Points, new: Points, same: NDArray[np.bool_], reach: float) -> NDArray[np.intp]:
    """Return the index pairs, (m, 2), of equal tiles that are mutually nearest, within ``reach``."""
    return np.stack(mutual_nearest(np.where(same, distances(old, new), np.inf), reach), 1)
