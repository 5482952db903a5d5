"""What was understood of a table, drawn on the picture: its outline, a grid, markers, zones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import cv2
import numpy as np

from calibration.caption import QUIET, captioned, dimmed, handy
from calibration.edges import Measured
from companion.model.profile import Profile, Zone, ZoneKind
from companion.render.pen import DOUBT, INK, LOOSE, MUTED, PAPER, VALID, Pen, Points, bgr, spaced, tableau_ink
from companion.vision.grid.homography import known_table, to_picture
from companion.vision.picture import Frame

GRID_MM = 100.0
DIM = 0.75

NAMES: Mapping[ZoneKind, str] = {ZoneKind.SEAT: "seat", ZoneKind.POOL: "pool", ZoneKind.BOARD: "board"}
"""What zones are called in a picture for whoever says nothing else; a seat's number follows."""

Seen = Callable[[Points], Points]
"""Gives the place on the drawing of places on the table in mm."""


def table_preview(picture: Frame, profile: Profile, marks: Sequence[Measured], title: str) -> Frame:
    """Return the picture with the table of a profile drawn on it, and a caption below.

    Parameters
    ----------
    picture
        uint8, (h, w, 3) BGR; it stays as it is.
    profile
        Knows the table; raises BadProfile where it does not.
    marks
        Markers as measured in this picture.
    title
        What the caption says first.
    """
    return captioned(drawn(picture, profile, marks), title, [(fact, QUIET) for fact in facts(profile)])


def drawn(
    picture: Frame,
    profile: Profile | None,
    marks: Sequence[Measured],
    names: Mapping[ZoneKind, str] = NAMES,
) -> Frame:
    """Return the picture, handy in size, with a profile's table drawn on it, if it knows one, and markers.

    ``names`` say what the zones are called in the language of whoever looks.
    """
    sized, scale = handy(picture)
    frame = dimmed(sized, DIM)
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
    """Draw a table's outline, grid and zones on a picture that was enlarged so; raise BadProfile."""
    table = known_table(profile)

    def seen(places: Points) -> Points:
        return np.asarray((to_picture(places, profile) + 0.5) * scale - 0.5)

    tint(pen.frame, profile.zones, seen)
    for line in grid(table.width_mm, table.height_mm):
        pen.stroke([np.round(seen(spaced(line, 20.0)) * 16).astype(np.int32)], LOOSE, 1)
    for number, zone in enumerate(profile.zones):
        outline(pen, zone, number, seen)
        label(pen, zone, names[zone.kind], seen)
    wide, high = table.width_mm, table.height_mm
    pen.line(seen(rim(np.array([[0.0, 0.0], [wide, 0.0], [wide, high], [0.0, high]]))), LOOSE, 1.5)


def grid(wide: float, high: float) -> list[Points]:
    """Return lines a known distance apart over a table, in mm."""
    across = [np.array([[x, 0.0], [x, high]]) for x in np.arange(GRID_MM, wide, GRID_MM)]
    return across + [np.array([[0.0, y], [wide, y]]) for y in np.arange(GRID_MM, high, GRID_MM)]


def rim(corners: Points) -> Points:
    """Return a closed outline with points all along it, as a lens may bend its sides; its corners stay."""
    ends = zip(corners, np.roll(corners, -1, 0), strict=True)
    return np.concatenate([*(spaced(np.array(side), 20.0) for side in ends), corners[:1]])


def tint(frame: Frame, zones: Sequence[Zone], seen: Seen) -> None:
    """Lay each zone's colour thinly over it."""
    wash = frame.copy()
    for number, zone in enumerate(zones):
        edge = seen(rim(np.array(zone.corners_mm)))
        cv2.fillPoly(wash, [np.round(edge * 16).astype(np.int32)], bgr(ink(zone, number)), cv2.LINE_AA, 4)
    cv2.addWeighted(wash, 0.28, frame, 0.72, 0, dst=frame)


def ink(zone: Zone, number: int) -> str:
    """Return the colour of a zone."""
    return tableau_ink(number) if zone.kind is ZoneKind.SEAT else MUTED


def outline(pen: Pen, zone: Zone, number: int, seen: Seen) -> None:
    """Draw a zone's edge, a seat's with an arrow the way its player reads."""
    corners = np.array(zone.corners_mm)
    pen.line(seen(rim(corners)), ink(zone, number))
    middle = corners.mean(0)
    if zone.kind is ZoneKind.SEAT:
        turn = np.radians(zone.facing_deg)
        way, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        foot, tip = middle + 80 * down - 45 * way, middle + 80 * down + 45 * way
        barbs = [tip - 14 * way + side * 9 * down for side in (-1, 1)]
        pen.line(seen(np.array([foot, tip])), DOUBT, 1.2)
        pen.line(seen(np.array([barbs[0], tip, barbs[1]])), DOUBT, 1.2)


def label(pen: Pen, zone: Zone, name: str, seen: Seen) -> None:
    """Write a zone's name into its middle, a seat's with its number."""
    at = seen(np.array(zone.corners_mm).mean(0)[None])[0]
    text = f"{name} {zone.seat}" if zone.seat else name
    pen.label(text, (at[0], at[1]), 22 * pen.width, PAPER, INK)


def facts(profile: Profile) -> list[str]:
    """Return what the caption says of a table."""
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
