"""From what calibration knows of a camera to what is seen through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from companion.config.table import BoardConfig
from companion.errors import BadConfig
from companion.model.profile import Profile, Zone, ZoneKind
from companion.model.reading import Point
from companion.reading.plane import through, to_table
from companion.table.facing import Facing, evenly
from companion.table.outlook import FirstOf, Groups, Outlook, Together
from companion.table.standpoint import Standpoint
from companion.table.views import SHARED, BoardView, SeatsView, ToSquares, View
from companion.table.zones import ToTable, Zoned


def view(
    profile: Profile | None, board: BoardConfig | None, facing_deg: Sequence[float], *, alone: bool = True
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
    alone
        Whether it is the only camera of its table.

    Raises
    ------
    BadConfig
        Where one of several cameras has no profile with seats, or sees none of them.
    """
    if board is not None:
        zone = zone_of(profile, ZoneKind.BOARD)
        if board.kind != "squares" or profile is None or zone is None:
            return BoardView(board)
        return BoardView(board, onto_squares(profile, zone, board))
    many = len(facing_deg)
    if profile is None or zone_of(profile, ZoneKind.SEAT) is None:
        if not alone:
            raise BadConfig("cameras: each of several needs a profile with the seats that sit there")
        return SeatsView(Facing(facing_deg or evenly(many)))
    seats = [zone for zone in profile.zones if zone.seat and zone.seat <= many]
    if not alone:
        seats = [zone for zone in seats if Standpoint(profile).in_view(zone).any()]
    if not seats:
        raise BadConfig(f"cameras: the profile of {profile.camera.name} has no seat that the camera sees")
    return SeatsView(Zoned(profile.zones, onto_table(profile)), [zone.seat for zone in seats if zone.seat])


def outlook(
    views: Mapping[str, View], profiles: Mapping[str, Profile | None], seats: int, groups: Groups
) -> Outlook:
    """Return what several cameras, by their names, see together.

    ``seats`` is how many sit there; ``groups`` groups the tiles of all.  Raises BadConfig where the profiles
    do not agree.  A board that all share is read by each camera for itself.
    """
    if SHARED in {place for one in views.values() for place in one.places}:
        return FirstOf(views)
    placed = {name: Standpoint(profile) for name, profile in profiles.items() if profile}
    return Together(placed, seats, groups)


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
