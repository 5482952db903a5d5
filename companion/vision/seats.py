"""The seat of each tableau, on a table with a profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.model.profile import Profile, Zone, ZoneKind
from companion.model.reading import Reading, Tableau, Tile
from companion.vision.grid.homography import Points, to_table

MIN_ZONE_SHARE = 0.25
"""Least share of a tableau's tiles in the zone of its seat."""

MAX_TURN_DEG = 50.0
"""Largest angle of a tableau to its player's reading direction, in degrees."""


def assign_seats(reading: Reading, profile: Profile) -> Reading:
    """Return a reading whose tableaux have the seats that they belong to, ``"1"`` and up.

    A tableau in one seat's zone is that seat's.  One across several zones belongs to the seat that it faces;
    where that is unclear it has none.  Raises BadProfile where the profile has no table.
    """
    places = [to_table(np.array([tile.centre, *tile.corners[:2]]), profile) for tile in reading.tiles]
    tableaux = []
    for number, tableau in enumerate(reading.tableaux):
        own = [at for tile, at in zip(reading.tiles, places, strict=True) if tile.tableau == number]
        marked = [tile for tile in reading.tiles if tile.tableau == number]
        tableaux.append(replace(tableau, seat=_seat(tableau, marked, own, profile.zones)))
    return replace(reading, tableaux=tuple(tableaux))


def _seat(
    tableau: Tableau, tiles: Sequence[Tile], places: Sequence[Points], zones: Sequence[Zone]
) -> str | None:
    """Return the seat of a tableau; ``places`` are each tile's centre and first two corners in mm."""
    if not places:
        return tableau.seat
    pools = [zone for zone in zones if zone.kind is ZoneKind.POOL]
    drawn = [at for at in places if not any(zone_contains(pool, at[0]) for pool in pools)]
    within = Counter(zone.seat for at in drawn for zone in zones if zone.seat and zone_contains(zone, at[0]))
    likely = [zone for zone in zones if zone.seat and within[zone.seat] >= MIN_ZONE_SHARE * len(places)]
    if len(likely) > 1:
        ways = np.sum([at[2] - at[1] for tile, at in zip(tiles, places, strict=True) if tile.symbol], axis=0)
        turn = float(np.degrees(np.arctan2(ways[1], ways[0]))) if np.any(ways) else None
        likely = [
            zone
            for zone in likely
            if turn is not None and angle_between(turn, zone.facing_deg) < MAX_TURN_DEG
        ]
    return str(likely[0].seat) if len(likely) == 1 else None


def zone_contains(zone: Zone, place: Points) -> bool:
    """Return whether a place, (2,) in mm, lies in a zone."""
    corners = np.array(zone.corners_mm, np.float32)
    return cv2.pointPolygonTest(corners, (float(place[0]), float(place[1])), False) >= 0


def angle_between(one_deg: float, other_deg: float) -> float:
    """Return the angle between two directions, 0 to 180 degrees."""
    return abs((one_deg - other_deg + 180) % 360 - 180)
