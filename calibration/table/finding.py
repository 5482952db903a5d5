"""The table found in one picture: by its markers, or by four tapped corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.edges import MeasuredMarker, measure_marker, sample
from calibration.markers import MARKER_SIDES_MM, TABLE_MARKER_NUMBERS, DetectedMarker, find_markers
from calibration.table.solving import TableSolution, solve_table
from companion.errors import BadCapture
from companion.model.phrases import joined, phrase
from companion.model.profile import Lens, Marker, TableMap
from companion.model.reading import Corners
from companion.render.pen import Points
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import undistorted

PLACES = (phrase("top left"), phrase("top right"), phrase("bottom right"), phrase("bottom left"))
"""Position in the picture of each of the table's markers, by its number."""

MIN_HIGHLIGHT_GREY, TEXTURE_STD_GREY = 25.0, 12.0
"""Least brightness of the brightest parts, and least standard deviation of a picture, in grey levels."""

MAX_MARKER_BLUR_SHARE = 0.045
"""Largest width of an edge, as a share of its marker's side; above it is too blurred."""

MAX_INK_TO_PAPER_RATIO = 0.5
"""Largest ratio of a marker's ink to its paper in brightness; above it is overexposed."""

NOMINAL_RULER_MM = 100.0
"""Length of the ruler on a sheet printed at true size, in mm."""

MAX_CORNER_ERROR_MM = 3.0
"""Largest error of a marker's corner, in mm; beyond it the picture is refused."""

LENGTH_TOLERANCE = 0.02
"""Largest relative difference of two lengths that should be equal."""


@dataclass(frozen=True, slots=True)
class KnownLengths:
    """Lengths that a person measured.

    ``size_mm`` is the table's width and depth between the outer corners of the markers, or ``None``;
    ``ruler_mm`` the length of the printed 100 mm ruler, or ``None``.
    """

    size_mm: tuple[float, float] | None = None
    ruler_mm: float | None = None

    @property
    def scale(self) -> float:
        """The scale at which the sheet was printed, 1 where the ruler was not measured."""
        return 1.0 if self.ruler_mm is None else self.ruler_mm / NOMINAL_RULER_MM


def table_by_markers(
    grey: Frame, lens: Lens | None, known: KnownLengths
) -> tuple[TableMap, tuple[MeasuredMarker, ...]]:
    """Return the table with markers 0 to 3 at its corners, and all measured markers.

    ``grey`` is uint8, (h, w).  Raises BadCapture with the fault of the picture and advice: dark, blurred, a
    marker missing, upside down, mirrored, or printed at the wrong scale.
    """
    found = find_markers(grey)
    marks = tuple(measure_marker(grey, one, lens) for one in found)
    check_sharp(grey, marks)  # first, as blur and glare hide markers
    check_complete(grey, found)
    check_upright(found)
    table = solve_table(marks)
    check_sides(table, lens)
    return scaled_map(table, known), marks


def check_complete(grey: Frame, found: Sequence[DetectedMarker]) -> None:
    """Raise BadCapture unless all of the table's markers were found."""
    seen = {one.number for one in found}
    missing = [number for number in TABLE_MARKER_NUMBERS if number not in seen]
    if not missing:
        return
    if len(missing) == len(TABLE_MARKER_NUMBERS):
        raise BadCapture(phrase("no marker is seen: %(why)s", why=_why_none(grey)))
    names = [
        phrase("marker %(number)s (%(place)s)", number=number, place=PLACES[number]) for number in missing
    ]
    raise BadCapture(
        phrase(
            "%(markers)s cannot be seen: all four must lie flat, uncovered and wholly in the picture, in "
            "even light",
            markers=joined(names, ", "),
        )
    )


def _why_none(grey: Frame) -> str:
    """Return the likeliest reason why no marker is found in a picture, with advice."""
    small = cv2.resize(grey, (400, 300), interpolation=cv2.INTER_AREA)
    if np.percentile(small, 99) < MIN_HIGHLIGHT_GREY or small.std() < TEXTURE_STD_GREY / 4:
        return phrase("the picture is nearly black or blank; take the lens cap off and light the table")
    mirrored = np.ascontiguousarray(grey[:, ::-1])
    if find_markers(mirrored):
        return phrase("the picture is mirrored; switch mirroring off in the camera's settings")
    if cv2.Laplacian(small, cv2.CV_64F).std() < TEXTURE_STD_GREY / 3:
        return phrase("the picture is blurred; focus the camera on the table and hold it still")
    return phrase(
        "lay the printed corner markers (companion sheets markers) on the table, or point at its corners"
    )


def check_upright(found: Sequence[DetectedMarker]) -> None:
    """Raise BadCapture unless the markers lie in the order that the picture should show."""
    middles = np.array([one.corners.mean(0) for one in found if one.number in TABLE_MARKER_NUMBERS])
    ways = middles - middles.mean(0)
    turns = np.degrees(np.arctan2(ways[:, 1], ways[:, 0]) - np.arctan2([-1, -1, 1, 1], [-1, 1, 1, -1]))
    turns = (turns + 180) % 360 - 180
    turn = np.degrees(np.angle(np.exp(1j * np.radians(turns)).mean()))
    off = (turns - turn + 180) % 360 - 180
    if np.abs(off).max() > 60:
        raise BadCapture(
            phrase(
                "the markers are not in order: lay number 0 where the picture shows the top left, "
                "then 1, 2 and 3 clockwise"
            )
        )
    if abs(turn) > 135:
        raise BadCapture(
            phrase(
                "the picture is upside down: turn it half round in the camera's settings, or give every "
                "marker the place of the one across"
            )
        )
    if abs(turn) > 50:
        way = phrase("clockwise") if turn > 0 else phrase("anticlockwise")
        raise BadCapture(
            phrase(
                "the picture is turned a quarter %(way)s: turn it in the camera's settings, or move each "
                "marker on by one corner",
                way=way,
            )
        )


def check_sharp(grey: Frame, marks: Sequence[MeasuredMarker]) -> None:
    """Raise BadCapture unless the edges of all markers can be measured."""
    for mark in marks:
        if mark.blur_px > MAX_MARKER_BLUR_SHARE * mark.side_px:
            raise BadCapture(
                phrase(
                    "marker %(number)s is blurred over %(blur)s of its %(side)s pixels: focus the camera on "
                    "the table, hold it still and give more light",
                    number=mark.number,
                    blur=f"{mark.blur_px:.1f}",
                    side=round(mark.side_px),
                )
            )
        middle = mark.corners.mean(0)
        ink, paper = (
            float(np.median(sample(grey, middle + share * (mark.corners - middle)))) for share in (0.86, 1.14)
        )
        if ink > MAX_INK_TO_PAPER_RATIO * paper:
            raise BadCapture(
                phrase(
                    "marker %(number)s is burnt out, its black as bright as %(share)s%% of its white: lower "
                    "the exposure, or keep lamps from shining on it",
                    number=mark.number,
                    share=round(100 * ink / max(paper, 1)),
                )
            )


def check_sides(table: TableSolution, lens: Lens | None) -> None:
    """Raise BadCapture where the markers do not fit together as squares of their printed sides."""
    sides = {number: table.side_mm(number) / MARKER_SIDES_MM[number] for number in table.corners_mm}
    low, high = min(sides, key=lambda k: sides[k]), max(sides, key=lambda k: sides[k])
    if sides[high] / sides[low] > 1 + LENGTH_TOLERANCE:
        bent = phrase("or the lens bends the picture: calibrate it first (companion calibrate lens)")
        large = phrase(
            "two known lengths disagree: marker %(high)s is %(share)s %% too large beside marker "
            "%(low)s: print all sheets at 100 %% ('actual size'), and lay the markers flat",
            high=high,
            share=round(100 * (sides[high] / sides[low] - 1)),
            low=low,
        )
        raise BadCapture(large if lens else joined([large, bent], "; "))
    if table.error_mm > MAX_CORNER_ERROR_MM:
        hint = (
            phrase("lay them flat")
            if lens
            else phrase("calibrate the lens first (companion calibrate lens), and lay them flat")
        )
        raise BadCapture(
            phrase(
                "the markers' corners are up to %(error)s mm from being squares: %(hint)s",
                error=f"{table.error_mm:.1f}",
                hint=hint,
            )
        )


def scaled_map(table: TableSolution, known: KnownLengths) -> TableMap:
    """Return the table's map in true millimetres; raise BadCapture where two known lengths disagree."""
    true = known.scale
    outer = np.array([table.corners_mm[number][number] for number in TABLE_MARKER_NUMBERS]) * true
    lengths = np.hypot(*(outer - np.roll(outer, -1, 0)).T)
    width, height = float(lengths[[0, 2]].mean()), float(lengths[[1, 3]].mean())
    if known.size_mm:
        shares = width / known.size_mm[0], height / known.size_mm[1]
        if max(abs(share - 1) for share in shares) > LENGTH_TOLERANCE:
            raise BadCapture(_disagree(width, height, known, shares))
    homography = np.diag([true, true, 1.0]) @ table.homography
    markers = tuple(Marker(number, _corners(corners * true)) for number, corners in table.corners_mm.items())
    return TableMap(tuple(homography.ravel().tolist()), width, height, table.error_mm * true, markers)


def _disagree(width: float, height: float, known: KnownLengths, shares: tuple[float, float]) -> str:
    """Return the message for markers and a tape measure that disagree."""
    wide, high = known.size_mm or (width, height)
    if abs(width / high - 1) < LENGTH_TOLERANCE and abs(height / wide - 1) < LENGTH_TOLERANCE:
        return phrase(
            "the table is %(wide)s mm broad and %(high)s mm deep as shown: swap breadth and depth "
            "(swap --size)",
            wide=round(width),
            high=round(height),
        )
    mean = f"{NOMINAL_RULER_MM * known.scale / (sum(shares) / 2):.1f}"
    way = (
        phrase(
            "the sheet was printed at about %(mean)s %%: print it again at 100 %% ('actual size'), or "
            "measure its ruler and say how long it is (--ruler %(mean)s)",
            mean=mean,
        )
        if abs(shares[0] / shares[1] - 1) < LENGTH_TOLERANCE
        else phrase("measure again, from the outer corners of the black squares")
    )
    return phrase(
        "two known lengths disagree: by its markers the table is %(wide)s x %(high)s mm, by your measure "
        "%(size)s mm: %(way)s",
        wide=round(width),
        high=round(height),
        size=f"{wide:.0f} x {high:.0f}",
        way=way,
    )


def table_by_taps(taps: Points, size_mm: tuple[float, float], lens: Lens | None) -> TableMap:
    """Return the table with four tapped corners, clockwise from the top left, (4, 2) in pixels.

    ``size_mm`` is its measured width and depth.  Raises BadCapture where the taps do not fit that size.
    """
    straight = undistorted(taps, lens)
    edges = np.roll(straight, -1, 0) - straight
    turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
    if not (turns > 0).all() or straight[:2, 1].mean() > straight[2:, 1].mean():
        raise BadCapture(
            phrase("tap the table's corners clockwise: top left, top right, bottom right, bottom left")
        )
    wide, high = size_mm
    flat = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    into = cv2.getPerspectiveTransform(straight.astype(np.float32), flat)
    if lens:
        check_rectangle(np.linalg.inv(into).astype(np.float64), lens, size_mm)
    return TableMap(tuple(np.asarray(into, np.float64).ravel().tolist()), wide, high, 0.0)


def check_rectangle(into: Points, lens: Lens, size_mm: tuple[float, float]) -> None:
    """Raise BadCapture where tapped corners, undistorted, are no rectangle of the measured sides."""
    matrix = np.array(lens.matrix).reshape(3, 3)
    across, down, _ = np.linalg.solve(matrix, into).T
    ratio = float(np.hypot.reduce(down) / np.hypot.reduce(across))  # 1 where the sides are as measured
    if abs(ratio - 1) > 5 * LENGTH_TOLERANCE:
        wide, high = size_mm
        raise BadCapture(
            phrase(
                "two known lengths disagree: a table %(wide)s mm broad would be %(tapped)s mm deep as "
                "tapped, not %(high)s: measure again, breadth first, or tap again",
                wide=round(wide),
                tapped=round(high * ratio),
                high=round(high),
            )
        )


def _corners(corners: Points) -> Corners:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d
