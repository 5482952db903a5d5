"""From what calibration knows of a camera to what is seen through it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.config.table import BoardConfig
from companion.errors import BadConfig
from companion.model.profile import Profile, Zone, ZoneKind
from companion.model.reading import Point
from companion.reading.plane import through, to_table
from companion.table.facing import Facing, evenly
from companion.table.views import BoardView, SeatsView, ToSquares, View
from companion.table.zones import ToTable, Zoned


def view(
    profile: Profile | None, board: BoardConfig | None, facing_deg: Sequence[float], taken: Sequence[int]
) -> View:
    """Return what one camera sees for the game.

    Parameters
    ----------
    profile
        What calibration knows of the camera, or ``None``.
    board
        The board that all share, or ``None`` where every seat has tiles of its own.
    facing_deg
        How far each seat is turned, for a table that is not calibrated.
    taken
        The seats that another camera sees already.

    Raises
    ------
    BadConfig
        Where a camera would see no seat that is left.
    """
    if board is not None:
        zone = zone_of(profile, ZoneKind.BOARD)
        if board.kind != "squares" or profile is None or zone is None:
            return BoardView(board)
        return BoardView(board, onto_squares(profile, zone, board))
    many = len(facing_deg)
    if profile is None or zone_of(profile, ZoneKind.SEAT) is None:
        if taken:
            raise BadConfig("cameras: a second camera needs a profile with the seats that it sees")
        return SeatsView(Facing(facing_deg or evenly(many)))
    zoned = Zoned(profile.zones, onto_table(profile))
    left = [seat for seat in zoned.seats if seat <= many and seat not in taken]
    if not left:
        raise BadConfig(f"cameras: the profile of {profile.camera.name} has no seat that is left to be seen")
    return SeatsView(zoned, left)


def zone_of(profile: Profile | None, kind: ZoneKind) -> Zone | None:
    """Return the first zone of a kind, or ``None``."""
    return next((zone for zone in profile.zones if zone.kind is kind), None) if profile else None


def onto_table(profile: Profile) -> ToTable:
    """Return what leads from pixels to mm."""

    def placed(points: Sequence[Point]) -> Sequence[Point]:
        return [(float(x), float(y)) for x, y in to_table(np.array(points, np.float64), profile)]

    return placed


def onto_squares(profile: Profile, zone: Zone, board: BoardConfig) -> ToSquares:
    """Return what leads from pixels to columns and rows of a board; raise BadConfig for a crooked one."""
    if len(zone.corners_mm) != 4:
        raise BadConfig(f"cameras: a board's zone has four corners; got {len(zone.corners_mm)}")
    rows, cols = board.size
    corners = np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(zone.corners_mm, np.float32), corners)

    def placed(points: Sequence[Point]) -> Sequence[Point]:
        on_table = to_table(np.array(points, np.float64), profile)
        return [(float(x), float(y)) for x, y in through(np.asarray(matrix, np.float64), on_table)]

    return placed
