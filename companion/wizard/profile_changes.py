"""Changes of a camera's profile from a picture of the table; zones that were moved by hand stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.table.finding import KnownLengths, table_by_markers, table_by_taps
from calibration.table.profile_update import with_seats as shared
from calibration.table.profile_update import with_table
from calibration.table.sizes import tile_px
from companion.errors import BadCapture
from companion.model.phrases import phrase
from companion.model.profile import Profile, Zone, ZoneKind
from companion.model.reading import Tile
from companion.model.set_up import ZoneAt
from companion.render.pen import Points
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import to_picture, to_table

Spot = tuple[float, float]

NO_TABLE = phrase("find the table's corners first: nobody knows the table yet")

MIN_ZONE_AREA_MM2 = 2500.0
"""Smallest area of a zone, in mm²: room for four tiles; a smaller one was drawn by mistake."""


def with_markers(
    frame: Frame, profile: Profile, lengths: KnownLengths, seats: int, tiles: Sequence[Tile] = ()
) -> Profile:
    """Return the profile with the table that a grey picture's markers show, and the ``tiles`` in it.

    Raises
    ------
    BadCapture
        With the fault of the picture and its remedy.
    """
    table, _ = table_by_markers(frame, profile.lens, lengths)
    return with_table(frame, profile, table, seats, tiles=tiles)


def with_taps(
    frame: Frame,
    profile: Profile,
    taps: Sequence[Spot],
    size_mm: Spot,
    seats: int,
    tiles: Sequence[Tile] = (),
) -> Profile:
    """Return the profile with the table whose corners were tapped; raise BadCapture."""
    return with_table(
        frame, profile, table_by_taps(np.array(taps), size_mm, profile.lens), seats, tiles=tiles
    )


def with_tile(profile: Profile, known_mm: float | None, seen: float | None) -> Profile:
    """Return the profile with a tile's size from ``tile_px``; raise BadCapture where that returns none."""
    side = tile_px(profile, known_mm, seen)
    if side is None:
        raise BadCapture(
            phrase(
                "too few tiles are seen: lay a dozen face up, apart, in even light, or say how "
                "broad a tile is"
            )
        )
    return replace(profile, tile_px=side)


def with_seats(profile: Profile, seats: int, board_mm: Spot | None, tiles: Sequence[Tile] = ()) -> Profile:
    """Return the profile with its table divided among seats; raise BadCapture where it has no table yet."""
    if profile.table is None:
        raise BadCapture(NO_TABLE)
    return shared(profile, seats, board_mm, tiles)


def with_zones(profile: Profile, zones: Sequence[ZoneAt]) -> Profile:
    """Return the profile with zones as they were moved in the picture.

    Raises
    ------
    BadCapture
        For one that crosses itself or is too small, with its name.
    """
    if profile.table is None:
        raise BadCapture(NO_TABLE)
    return replace(profile, zones=tuple(zone_of(profile, one) for one in zones))


def zone_of(profile: Profile, at: ZoneAt) -> Zone:
    """Return a zone of the table from its place in the picture; raise BadCapture for an invalid one."""
    corners = to_table(np.array(at.corners, np.float64).reshape(-1, 2), profile)
    part = phrase("seat %(seat)s", seat=at.seat) if at.seat else at.kind
    if len(corners) < 3 or crosses_itself(corners):
        raise BadCapture(
            phrase("%(part)s: its edge crosses itself; move its corners so that they go round it", part=part)
        )
    if polygon_area(corners) < MIN_ZONE_AREA_MM2:
        raise BadCapture(phrase("%(part)s is too small for tiles; make it larger", part=part))
    if at.kind not in set(ZoneKind):
        raise BadCapture(f"a zone is a {', '.join(ZoneKind)}; got {at.kind[:20]!r}")
    return Zone(ZoneKind(at.kind), at.seat, tuple((float(x), float(y)) for x, y in corners), at.facing_deg)


def zones_at(profile: Profile) -> tuple[ZoneAt, ...]:
    """Return the zones of a profile as they lie in the picture."""
    return tuple(
        ZoneAt(zone.kind.value, zone.seat, pixels(profile, np.array(zone.corners_mm)), zone.facing_deg)
        for zone in profile.zones
    )


def pixels(profile: Profile, places: Points) -> tuple[tuple[float, float], ...]:
    """Return points of the table, (n, 2) in mm, in pixels of the picture, rounded to 0.1."""
    return tuple((round(x, 1), round(y, 1)) for x, y in to_picture(places, profile).tolist())


def polygon_area(corners: Points) -> float:
    """Return the area of a polygon, (n, 2), with corners clockwise or anticlockwise."""
    x, y = corners.T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def crosses_itself(corners: Points) -> bool:
    """Return whether two edges of a polygon, (n, 2), cross each other."""
    many = len(corners)
    edges = [(corners[k], corners[(k + 1) % many]) for k in range(many)]
    return any(
        segments_cross(*edges[a], *edges[b])
        for a in range(many)
        for b in range(a + 2, many)
        if (b + 1) % many != a
    )


def segments_cross(a: Points, b: Points, c: Points, d: Points) -> bool:
    """Return whether the segments from a to b and from c to d cross."""

    def side(p: Points, q: Points, r: Points) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
