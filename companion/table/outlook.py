"""What cameras see of the same places of a table, put together to what the rules see there."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from companion.errors import BadConfig
from companion.model.grid import Place
from companion.model.profile import Profile, Zone, ZoneKind
from companion.model.reading import Point, Reading, Tile
from companion.model.sightings import Board, Sighting
from companion.table.facing import around, overlap
from companion.table.merging import merged
from companion.table.standpoint import Standpoint
from companion.table.views import SHARED, SeatsView, View
from companion.vision.grid.homography import Points
from companion.vision.pipeline.frame import Box, FrameDetections
from companion.vision.tracking import TrackedReading

Readings = Mapping[str, TrackedReading]
"""What each camera knows of the table, by the camera's name."""


SAME_MM = 20.0
"""The corners of one zone lie at most so far apart in the profiles of two cameras."""


class Groups(Protocol):
    """What groups the tiles of a look, as a ``Reader`` does."""

    def reading(self, look: FrameDetections) -> Reading:
        """Return what the tiles of a look say together."""
        ...


class Outlook(Protocol):
    """What some cameras see together."""

    @property
    def places(self) -> tuple[int, ...]:
        """The seats that they see, or ``SHARED``."""
        ...

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Board]:
        """Return what the rules see at each place, as those cameras know it."""
        ...

    def loose(self, readings: Readings, place: int) -> Sequence[Tile]:
        """Return the loose tiles of a place that are plainly in sight now, with the table around them."""
        ...

    @property
    def view(self) -> View:
        """What is seen in what they know together: of the first camera's, where each sees by itself."""
        ...

    def placed(self, place: int, name: str, seen: TrackedReading, /) -> Mapping[Place, Tile]:
        """Return the tiles of a place in what a camera has seen, by the cells at which the rules see them."""
        ...

    def covered(self, names: Collection[str]) -> set[int]:
        """Return the places of which cameras of these names see all that all cameras see."""
        ...


class FirstOf:
    """Cameras that see the same, each by itself: the first that can is believed."""

    def __init__(self, views: Mapping[str, View]) -> None:
        self._views = views

    @property
    def places(self) -> tuple[int, ...]:
        """The places that the first camera sees."""
        return next(iter(self._views.values())).places

    @property
    def view(self) -> View:
        """What the first camera sees."""
        return next(iter(self._views.values()))

    def placed(self, place: int, name: str, _seen: TrackedReading, /) -> Mapping[Place, Tile]:
        """Return the tiles of a place by the camera's own cells."""
        return self._views[name].placed(place)

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Board]:
        """Return what the first camera sees."""
        name = next((name for name in self._views if name in readings), None)
        return self._views[name].seen(readings[name].reading) if name else {}

    def loose(self, readings: Readings, place: int) -> Sequence[Tile]:
        """Return the loose tiles of a place that the first camera sees plainly."""
        name = next((name for name in self._views if name in readings), None)
        if name is None:
            return ()
        tiles, veiled = loose_tiles(self._views[name], place), readings[name].veiled
        return [tile for tile in tiles if not touches(around([tile]), veiled)] if veiled else tiles

    def covered(self, names: Collection[str]) -> set[int]:
        """Return all places where there is any camera."""
        return set(self.places) if names else set()


class Together:
    """Cameras over one calibrated table, whose pictures may overlap; ``places`` are those that any sees.

    Parameters
    ----------
    standpoints
        Where each camera stands, by its name.
    zones
        Where each place lies: the seats, or ``SHARED``.
    view
        What is to be seen there in a reading in mm.
    groups
        Groups the tiles that the cameras know together.
    """

    def __init__(
        self, standpoints: Mapping[str, Standpoint], zones: Mapping[int, Zone], view: View, groups: Groups
    ) -> None:
        self._standpoints, self.view, self._groups = standpoints, view, groups
        in_view = {
            place: {name: one.in_view(zone) for name, one in standpoints.items()}
            for place, zone in sorted(zones.items())
        }
        self._in_view = {place: views for place, views in in_view.items() if np.any(list(views.values()))}
        self.places = tuple(self._in_view)

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Board]:
        """Return what is seen at each place, from what all cameras know."""
        parts = [one.part(readings[name]) for name, one in self._standpoints.items() if name in readings]
        seen = self.view.seen(self._groups.reading(merged(parts))) if parts else {}
        return {place: what for place, what in seen.items() if place in self.places}

    def loose(self, readings: Readings, place: int) -> Sequence[Tile]:
        """Return the loose tiles of a place that any camera sees plainly, with all around them."""
        seeing = [(one, readings[name].veiled) for name, one in self._standpoints.items() if name in readings]
        return [
            tile
            for tile in loose_tiles(self.view, place)
            if any(one.plainly(veiled, with_neighbours(tile)).all() for one, veiled in seeing)
        ]

    def placed(self, place: int, name: str, seen: TrackedReading) -> Mapping[Place, Tile]:
        """Return which of a camera's tiles are those that all know of at a place."""
        return self._standpoints[name].own(self.view.placed(place), seen.reading.tiles)

    def covered(self, names: Collection[str]) -> set[int]:
        """Return the places of whose zones cameras of these names see all that all cameras see."""
        return {place for place in self.places if names and self._covers(place, names)}

    def _covers(self, place: int, names: Collection[str]) -> bool:
        """Return whether some cameras see all of a place's zone that all cameras see."""
        views = self._in_view[place]
        these = np.any([views[name] for name in names], 0)
        return bool((these == np.any(list(views.values()), 0)).all())


def loose_tiles(view: View, place: int) -> Sequence[Tile]:
    """Return the loose tiles of a place in the reading seen last; what lies beside a board is nobody's."""
    return view.loose(place) if isinstance(view, SeatsView) else ()


def touches(box: Box | None, others: Iterable[Box]) -> bool:
    """Return whether a part of the picture has anything in common with one of some others."""
    return box is not None and any(overlap(box, other) for other in others)


def with_neighbours(tile: Tile) -> Points:
    """Return places spread over a tile and what may lie beside it, (n, 2), in its reading's frame."""
    corners = np.array(tile.corners)
    steps = np.linspace(-1, 2, 3 * ACROSS + 1)
    right, down = corners[1] - corners[0], corners[3] - corners[0]
    x, y = np.meshgrid(steps, steps)
    return np.asarray(corners[0] + x.reshape(-1, 1) * right + y.reshape(-1, 1) * down)


ACROSS = 4
"""A tile is looked at in so many places across and down: nothing that hides one fits between."""

POOL = -1
"""Stands for the pool, beside the seats' numbers and ``SHARED``."""


def zones_of(profiles: Sequence[Profile]) -> dict[int, Zone]:
    """Return the zones of the seats, the board and the pool; raise BadConfig where two profiles do not agree.

    Where the pool lies, the first profile says.
    """
    found: dict[int, Zone] = {}
    for profile in profiles:
        for zone in profile.zones:
            if zone.kind is ZoneKind.POOL:
                found.setdefault(POOL, zone)
                continue
            known = found.setdefault(zone.seat or SHARED, zone)
            if not alike(known.corners_mm, zone.corners_mm):
                whose = f"zone of seat {zone.seat}" if zone.seat else "board"
                raise BadConfig(
                    f"cameras: the profile of {profile.camera.name} has the {whose} "
                    "elsewhere than another camera's: calibrate all with the same --seats, --size and --board"
                )
    return found


def alike(some: Sequence[Point], others: Sequence[Point]) -> bool:
    """Return whether two zones have the same corners, but for what two measurements differ by."""
    return len(some) == len(others) and all(
        math.dist(one, other) < SAME_MM for one, other in zip(some, others, strict=True)
    )


def as_they_are(points: Points) -> Points:
    """Return places that are in mm already."""
    return points
