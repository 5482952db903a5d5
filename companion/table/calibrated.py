"""From what calibration knows of a camera to what is seen through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import cv2
import numpy as np

from companion.config.table import BoardConfig, TableConfig
from companion.errors import BadConfig
from companion.model.profile import Profile, Zone, ZoneKind
from companion.table.facing import Facing, evenly
from companion.table.one_board import OneBoard
from companion.table.outlook import FirstOf, Groups, Outlook, Together, as_they_are, zones_of
from companion.table.standpoint import Standpoint
from companion.table.views import SHARED, BoardView, SeatsView, ToSquares, View
from companion.table.zones import ToTable, Zoned
from companion.vision.grid.homography import project, to_table


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
    views: Mapping[str, View], profiles: Mapping[str, Profile | None], config: TableConfig, groups: Groups
) -> Outlook:
    """Return what several cameras of a table, by their names, see together.

    ``groups`` groups the tiles of all.  Raises BadConfig where the profiles do not agree.  A board of plain
    squares that has no zone in all profiles is read by each camera for itself.
    """
    board = config.board
    boards = {name: one for name, one in views.items() if isinstance(one, BoardView)}
    if board and board.kind != "squares":
        return OneBoard(board, boards, profiles, groups)
    if board and not all(zone_of(profile, ZoneKind.BOARD) for profile in profiles.values()):
        return FirstOf(views)
    placed = {name: Standpoint(profile) for name, profile in profiles.items() if profile}
    zones = zones_of([one.profile for one in placed.values()])
    if board:
        return Together(
            placed, {SHARED: zones[SHARED]}, BoardView(board, squares(zones[SHARED], board)), groups
        )
    seats = {seat: zone for seat, zone in zones.items() if 0 < seat <= len(config.seats)}
    return Together(placed, seats, SeatsView(Zoned(list(zones.values()), as_they_are)), groups)


def zone_of(profile: Profile | None, kind: ZoneKind) -> Zone | None:
    """Return the first zone of a kind, or ``None``."""
    return next((zone for zone in profile.zones if zone.kind is kind), None) if profile else None


def onto_table(profile: Profile) -> ToTable:
    """Return what leads from pixels to mm."""
    return partial(to_table, profile=profile)


def onto_squares(profile: Profile, zone: Zone, board: BoardConfig) -> ToSquares:
    """Return what leads from pixels to columns and rows of a board; raise BadConfig for a crooked one."""
    onto, across = onto_table(profile), squares(zone, board)
    return lambda points: across(onto(points))


def squares(zone: Zone, board: BoardConfig) -> ToSquares:
    """Return what leads from mm to columns and rows of a board; raise BadConfig for a crooked one."""
    if len(zone.corners_mm) != 4:
        raise BadConfig(f"cameras: a board's zone has four corners; got {len(zone.corners_mm)}")
    rows, cols = board.size
    corners = np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(zone.corners_mm, np.float32), corners)

    return partial(project, np.asarray(matrix, np.float64))
