"""Seating plans: the sighting of each place from the readings of all cameras."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

import cv2
import numpy as np

from companion.config.table import BoardConfig, TableConfig
from companion.errors import BadConfig
from companion.model.grid import Place
from companion.model.profile import Profile, Zone, ZoneKind
from companion.model.reading import Point, Reading, Tile
from companion.model.sightings import Board, Sighting
from companion.table.board_fusion import BoardPlan
from companion.table.facing_seats import FacingSeats, even_facing_deg
from companion.table.fusion import CameraPose, Grouper, Readings, fused_detections
from companion.table.views import SHARED_BOARD, BoardView, ToSquares, View, bounding_box, overlap
from companion.table.zoned_seats import ZonedSeats
from companion.vision.grid.homography import Box, Points, project
from companion.vision.tracking import TrackedReading

MAX_CORNER_DISTANCE_MM = 20.0
"""Largest distance between one zone's corners in the profiles of two cameras."""


class SeatingPlan(Protocol):
    """Combines the readings of a table's cameras into sightings."""

    @property
    def places(self) -> tuple[int, ...]:
        """The seats that the cameras see, or ``SHARED_BOARD``."""
        ...

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Board]:
        """Return the sighting of each place, from the readings of those cameras."""
        ...

    def loose(self, readings: Readings, place: int, /) -> Sequence[Tile]:
        """Return the loose tiles of a place that are wholly seen now, with the table around them."""
        ...

    @property
    def view(self) -> View:
        """The view of the fused reading, or of the first camera's reading if they are not fused."""
        ...

    def placed(self, place: int, name: str, seen: TrackedReading, /) -> Mapping[Place, Tile]:
        """Return the tiles of a place in a camera's reading, by their cells in the sighting."""
        ...

    def covered(self, names: Collection[str]) -> set[int]:
        """Return the places that the named cameras see as completely as all cameras do."""
        ...


class FirstCameraPlan:
    """Cameras with the same view: the first one with a reading is used.

    ``view`` and ``places`` are those of the first camera; without one there is no place.
    """

    def __init__(self, views: Mapping[str, View]) -> None:
        self._views = views
        self.view = next(iter(views.values()), FacingSeats(()))
        self.places = self.view.places

    def placed(self, place: int, name: str, _seen: TrackedReading, /) -> Mapping[Place, Tile]:
        """Return the tiles of a place by the camera's own cells."""
        return self._views[name].placed(place)

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Board]:
        """Return the sightings of the first camera."""
        name = next((name for name in self._views if name in readings), None)
        return self._views[name].seen(readings[name].reading) if name else {}

    def loose(self, readings: Readings, place: int) -> Sequence[Tile]:
        """Return the loose tiles of a place that the first camera sees and that are not occluded."""
        name = next((name for name in self._views if name in readings), None)
        if name is None:
            return ()
        tiles, obscured = self._views[name].loose(place), readings[name].obscured
        return (
            [tile for tile in tiles if not overlaps_any(bounding_box([tile]), obscured)]
            if obscured
            else tiles
        )

    def covered(self, names: Collection[str]) -> set[int]:
        """Return all places if there is any camera."""
        return set(self.places) if names else set()


class FusedPlan:
    """Cameras over one calibrated table, whose pictures may overlap; ``places`` are those that any sees.

    Parameters
    ----------
    poses
        The pose of each camera, by its name.
    zones
        The zone of each place: the seats, or ``SHARED_BOARD``.
    view
        The view of a reading in mm.
    groups
        Groups the fused tiles into a reading.
    """

    def __init__(
        self, poses: Mapping[str, CameraPose], zones: Mapping[int, Zone], view: View, groups: Grouper
    ) -> None:
        self._poses, self.view, self._groups = poses, view, groups
        in_view = {
            place: {name: one.in_view(zone) for name, one in poses.items()}
            for place, zone in sorted(zones.items())
        }
        self._in_view = {place: views for place, views in in_view.items() if np.any(list(views.values()))}
        self.places = tuple(self._in_view)

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Board]:
        """Return the sighting of each place, from the fused readings."""
        parts = [one.observation(readings[name]) for name, one in self._poses.items() if name in readings]
        seen = self.view.seen(self._groups.reading(fused_detections(parts))) if parts else {}
        return {place: what for place, what in seen.items() if place in self.places}

    def loose(self, readings: Readings, place: int) -> Sequence[Tile]:
        """Return the loose tiles of a place that any camera sees wholly, with their surroundings."""
        seeing = [(one, readings[name].obscured) for name, one in self._poses.items() if name in readings]
        return [
            tile
            for tile in self.view.loose(place)
            if any(one.visible(obscured, neighbourhood_samples(tile)).all() for one, obscured in seeing)
        ]

    def placed(self, place: int, name: str, seen: TrackedReading) -> Mapping[Place, Tile]:
        """Return a camera's tiles that match the fused tiles of a place."""
        return self._poses[name].match_tiles(self.view.placed(place), seen.reading.tiles)

    def covered(self, names: Collection[str]) -> set[int]:
        """Return the places whose zones the named cameras see as completely as all cameras do."""
        return {place for place in self.places if names and self._covers(place, names)}

    def _covers(self, place: int, names: Collection[str]) -> bool:
        """Return whether some cameras see a place's zone as completely as all cameras do."""
        views = self._in_view[place]
        these = np.any([views[name] for name in names], 0)
        return bool((these == np.any(list(views.values()), 0)).all())


def overlaps_any(box: Box | None, others: Iterable[Box]) -> bool:
    """Return whether a box overlaps any of some others."""
    return box is not None and any(overlap(box, other) for other in others)


def neighbourhood_samples(tile: Tile) -> Points:
    """Return sample points of a tile and its neighbourhood, (n, 2), in its reading's frame."""
    corners = np.array(tile.corners)
    steps = np.linspace(-1, 2, 3 * SAMPLES_PER_TILE_SIDE + 1)
    right, down = corners[1] - corners[0], corners[3] - corners[0]
    x, y = np.meshgrid(steps, steps)
    return np.asarray(corners[0] + x.reshape(-1, 1) * right + y.reshape(-1, 1) * down)


SAMPLES_PER_TILE_SIDE = 4
"""Sample points across and down a tile: nothing that hides one fits between them."""

POOL = -1
"""The key of the pool's zone, beside the seats' numbers and ``SHARED_BOARD``."""


def zones_of(profiles: Sequence[Profile]) -> dict[int, Zone]:
    """Return the zones of the seats, the board and the pool; raise BadConfig if two profiles disagree.

    The pool's zone is that of the first profile that has one.
    """
    found: dict[int, Zone] = {}
    for profile in profiles:
        for zone in profile.zones:
            if zone.kind is ZoneKind.POOL:
                found.setdefault(POOL, zone)
                continue
            known = found.setdefault(zone.seat or SHARED_BOARD, zone)
            if not same_corners(known.corners_mm, zone.corners_mm):
                whose = f"zone of seat {zone.seat}" if zone.seat else "board"
                raise BadConfig(
                    f"cameras: the profile of {profile.camera.name} has the {whose} "
                    "elsewhere than another camera's: calibrate all with the same --seats, --size and --board"
                )
    return found


def same_corners(some: Sequence[Point], others: Sequence[Point]) -> bool:
    """Return whether two zones have the same corners, within ``MAX_CORNER_DISTANCE_MM``."""
    return len(some) == len(others) and all(
        math.dist(one, other) < MAX_CORNER_DISTANCE_MM for one, other in zip(some, others, strict=True)
    )


def unchanged(points: Points) -> Points:
    """Return the points, which are in mm already."""
    return points


def camera_view(
    pose: CameraPose | None, board: BoardConfig | None, facing_deg: Sequence[float], *, alone: bool = True
) -> View:
    """Return the view of one camera.

    Parameters
    ----------
    pose
        The camera's pose, or ``None`` without a calibrated table.
    board
        The shared board, or ``None`` if every seat has tiles of its own.
    facing_deg
        The facing of each seat in degrees, for a table that is not calibrated.
    alone
        Whether it is the only camera of its table.

    Raises
    ------
    BadConfig
        If one of several cameras has no profile with seats, or sees none of them.
    """
    if board is not None:
        zone = zone_of(pose, ZoneKind.BOARD)
        if board.kind != "squares" or pose is None or zone is None:
            return BoardView(board)
        return BoardView(board, pixels_to_squares(pose, zone, board))
    many = len(facing_deg)
    if pose is None or zone_of(pose, ZoneKind.SEAT) is None:
        if not alone:
            raise BadConfig("cameras: each of several needs a profile with the seats that sit there")
        return FacingSeats(facing_deg or even_facing_deg(many))
    zones, name = pose.profile.zones, pose.profile.camera.name
    seats = [zone for zone in zones if zone.seat and zone.seat <= many]
    if not alone:
        seats = [zone for zone in seats if pose.in_view(zone).any()]
    if not seats:
        raise BadConfig(f"cameras: the profile of {name} has no seat that the camera sees")
    return ZonedSeats(zones, pose.to_table, [zone.seat for zone in seats if zone.seat])


def seating_plan(
    views: Mapping[str, View], poses: Mapping[str, CameraPose | None], config: TableConfig, groups: Grouper
) -> SeatingPlan:
    """Return the seating plan of several cameras, by their names.

    ``groups`` groups the fused tiles.  Raises BadConfig if the profiles disagree.  A board of plain squares
    that lacks a zone in a profile is not fused: the first camera with a reading is used.
    """
    board = config.board
    boards = {name: one for name, one in views.items() if isinstance(one, BoardView)}
    if board and board.kind != "squares":
        return BoardPlan(board, boards, poses, groups)
    if board and not all(zone_of(pose, ZoneKind.BOARD) for pose in poses.values()):
        return FirstCameraPlan(views)
    placed = {name: pose for name, pose in poses.items() if pose}
    zones = zones_of([one.profile for one in placed.values()])
    if board:
        return FusedPlan(
            placed,
            {SHARED_BOARD: zones[SHARED_BOARD]},
            BoardView(board, table_to_squares(zones[SHARED_BOARD], board)),
            groups,
        )
    seats = {seat: zone for seat, zone in zones.items() if 0 < seat <= len(config.seats)}
    return FusedPlan(placed, seats, ZonedSeats(list(zones.values()), unchanged), groups)


def zone_of(pose: CameraPose | None, kind: ZoneKind) -> Zone | None:
    """Return the first zone of a kind, or ``None``."""
    return next((zone for zone in pose.profile.zones if zone.kind is kind), None) if pose else None


def with_seats(reading: Reading, profile: Profile) -> Reading:
    """Return a reading of one picture whose tableaux have the seats of a profile's zones.

    Raises BadProfile where the profile has no table.
    """
    return ZonedSeats(profile.zones, CameraPose(profile).to_table).with_seats(reading)


def pixels_to_squares(pose: CameraPose, zone: Zone, board: BoardConfig) -> ToSquares:
    """Return the mapping from pixels to a board's columns and rows; raise BadConfig without four corners."""
    across = table_to_squares(zone, board)
    return lambda points: across(pose.to_table(points))


def table_to_squares(zone: Zone, board: BoardConfig) -> ToSquares:
    """Return the mapping from mm to a board's columns and rows; raise BadConfig without four corners."""
    if len(zone.corners_mm) != 4:
        raise BadConfig(f"cameras: a board's zone has four corners; got {len(zone.corners_mm)}")
    rows, cols = board.size
    corners = np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(zone.corners_mm, np.float32), corners)

    return partial(project, np.asarray(matrix, np.float64))
