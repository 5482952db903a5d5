"""Overlay of a calibrated table: its outline, a grid, markers and zones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import cv2
import numpy as np

from calibration.caption import QUIET, captioned, dimmed, resized_for_display
from calibration.edges import MeasuredMarker
from companion.model.profile import Profile, Zone, ZoneKind
from companion.render.pen import (
    DOUBT,
    INK,
    LOOSE,
    MUTED,
    PAPER,
    VALID,
    Pen,
    Points,
    bgr,
    resample_line,
    tableau_ink,
)
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import known_table, to_picture

GRID_MM = 100.0
BRIGHTNESS_FACTOR = 0.75

ZONE_NAMES: Mapping[ZoneKind, str] = {ZoneKind.SEAT: "seat", ZoneKind.POOL: "pool", ZoneKind.BOARD: "board"}
"""Default names of zones in a picture; a seat's number follows."""

Seen = Callable[[Points], Points]
"""Projects places on the table, in mm, to pixels of the drawing."""


def table_preview(picture: Frame, profile: Profile, marks: Sequence[MeasuredMarker], title: str) -> Frame:
    """Return the picture with the table of a profile drawn on it, and a caption below.

    Parameters
    ----------
    picture
        uint8, (h, w, 3) BGR; it is not changed.
    profile
        A profile with a table; raises BadProfile without one.
    marks
        Markers as measured in this picture.
    title
        Title of the caption.
    """
    return captioned(draw_preview(picture, profile, marks), title, [(fact, QUIET) for fact in facts(profile)])


def draw_preview(
    picture: Frame,
    profile: Profile | None,
    marks: Sequence[MeasuredMarker],
    names: Mapping[ZoneKind, str] = ZONE_NAMES,
) -> Frame:
    """Return the picture, resized, with markers and, where the profile has one, its table.

    ``names`` are those of the zones in the viewer's language.
    """
    sized, scale = resized_for_display(picture)
    frame = dimmed(sized, BRIGHTNESS_FACTOR)
    pen = Pen(frame, max(1.0, max(frame.shape) / 900))
    if profile is not None and profile.table is not None:
        draw_table(pen, profile, scale, names)
    for mark in marks:
        own = (mark.corners + 0.5) * scale - 0.5
        pen.line(np.vstack([own, own[:1]]), VALID, 1.2)
        middle = own.mean(0)
        pen.label(str(mark.number), (middle[0], middle[1]), 26 * pen.width, INK, VALID)
    return frame


def draw_table(pen: Pen, profile: Profile, scale: float, names: Mapping[ZoneKind, str]) -> None:
    """Draw a table's outline, grid and zones on a picture enlarged by ``scale``; raise BadProfile."""
    table = known_table(profile)

    def seen(places: Points) -> Points:
        return np.asarray((to_picture(places, profile) + 0.5) * scale - 0.5)

    draw_tints(pen.frame, profile.zones, seen)
    for line in grid(table.width_mm, table.height_mm):
        pen.stroke([np.round(seen(resample_line(line, 20.0)) * 16).astype(np.int32)], LOOSE, 1)
    for number, zone in enumerate(profile.zones):
        draw_zone(pen, zone, number, seen)
        draw_label(pen, zone, names[zone.kind], seen)
    wide, high = table.width_mm, table.height_mm
    pen.line(seen(rim(np.array([[0.0, 0.0], [wide, 0.0], [wide, high], [0.0, high]]))), LOOSE, 1.5)


def grid(wide: float, high: float) -> list[Points]:
    """Return lines a known distance apart over a table, in mm."""
    across = [np.array([[x, 0.0], [x, high]]) for x in np.arange(GRID_MM, wide, GRID_MM)]
    return across + [np.array([[0.0, y], [wide, y]]) for y in np.arange(GRID_MM, high, GRID_MM)]


def rim(corners: Points) -> Points:
    """Return a closed outline with intermediate points, as a lens may distort its sides."""
    ends = zip(corners, np.roll(corners, -1, 0), strict=True)
    return np.concatenate([*(resample_line(np.array(side), 20.0) for side in ends), corners[:1]])


def draw_tints(frame: Frame, zones: Sequence[Zone], seen: Seen) -> None:
    """Tint each zone with its colour."""
    wash = frame.copy()
    for number, zone in enumerate(zones):
        edge = seen(rim(np.array(zone.corners_mm)))
        cv2.fillPoly(
            wash, [np.round(edge * 16).astype(np.int32)], bgr(zone_colour(zone, number)), cv2.LINE_AA, 4
        )
    cv2.addWeighted(wash, 0.28, frame, 0.72, 0, dst=frame)


def zone_colour(zone: Zone, number: int) -> str:
    """Return the colour of a zone."""
    return tableau_ink(number) if zone.kind is ZoneKind.SEAT else MUTED


def draw_zone(pen: Pen, zone: Zone, number: int, seen: Seen) -> None:
    """Draw a zone's edge, a seat's with an arrow in its player's reading direction."""
    corners = np.array(zone.corners_mm)
    pen.line(seen(rim(corners)), zone_colour(zone, number))
    middle = corners.mean(0)
    if zone.kind is ZoneKind.SEAT:
        turn = np.radians(zone.facing_deg)
        way, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        foot, tip = middle + 80 * down - 45 * way, middle + 80 * down + 45 * way
        barbs = [tip - 14 * way + side * 9 * down for side in (-1, 1)]
        pen.line(seen(np.array([foot, tip])), DOUBT, 1.2)
        pen.line(seen(np.array([barbs[0], tip, barbs[1]])), DOUBT, 1.2)


def draw_label(pen: Pen, zone: Zone, name: str, seen: Seen) -> None:
    """Write a zone's name at its centre, a seat's with its number."""
    at = seen(np.array(zone.corners_mm).mean(0)[None])[0]
    text = f"{name} {zone.seat}" if zone.seat else name
    pen.label(text, (at[0], at[1]), 22 * pen.width, PAPER, INK)


def facts(profile: Profile) -> list[str]:
    """Return the lines of a table's caption."""
    table = known_table(profile)
    known = f"{table.width_mm:.0f} × {table.height_mm:.0f} mm, one square of the grid {GRID_MM:.0f} mm"
    way = (
        f"{len(table.markers)} markers, their corners within {table.error_mm:.2f} mm"
        if table.markers
        else "four taps: nothing to check them by, so compare the grid with a ruler"
    )
    lens = (
        f"lens: {profile.lens.model}"
        if profile.lens
        else "lens: not measured, so lines near the edge may bend"
    )
    return [known, way, lens]
