"""The calibration profile of one camera over one table.

Pixels are those of the upright picture: x to the right, y down, the centre
of the top left pixel at (0, 0).  The table's frame is in millimetres, x to
the right and y down as the picture shows the table, its origin at the corner
of marker 0, or at the first of four tapped corners.  Several
cameras over one table share that frame and have a profile each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from companion.errors import BadProfile
from companion.model.phrases import Message, phrase
from companion.model.reading import Corners, Point
from companion.model.seats import MAX_SEATS

MAX_PICTURE_SIDE_PX = 32_766
"""Longest side of a picture, in pixels."""

MAX_TABLE_SIDE_MM = 5000.0
"""Longest side of a table, in millimetres."""

MAX_ZONES = 32
MAX_MARKERS = 64
MAX_LANDMARKS = 1000
DISTORTION_COEFFICIENT_COUNTS = {"ordinary": (4, 5, 8, 12, 14), "fisheye": (4,)}
"""How many numbers OpenCV takes for the distortion of each kind of lens."""

DISTORTION_COUNT_REASONS = {
    "ordinary": phrase("an ordinary lens has 4 or 5 or 8 or 12 or 14 distortion numbers"),
    "fisheye": phrase("a fisheye lens has 4 distortion numbers"),
}


class ZoneKind(StrEnum):
    """The kind of a zone of the table."""

    SEAT = "seat"
    POOL = "pool"
    BOARD = "board"


def _require(fine: bool, what: Message) -> None:
    """Raise BadProfile unless a condition holds."""
    if not fine:
        raise BadProfile(phrase("the profile is not usable: %(what)s; calibrate again", what=what))


def _finite(*numbers: float) -> bool:
    return all(math.isfinite(number) for number in numbers)


@dataclass(frozen=True, slots=True)
class CameraId:
    """The camera of a profile: its name, and its picture's width and height in pixels."""

    name: str
    width: int
    height: int

    def __post_init__(self) -> None:
        _require(
            0 < len(self.name) <= 80 and self.name.isprintable(),
            phrase("the camera's name must be 1 to 80 signs"),
        )
        _require(
            0 < self.width <= MAX_PICTURE_SIDE_PX and 0 < self.height <= MAX_PICTURE_SIDE_PX,
            phrase(
                "a picture is 1 to %(most)s pixels a side, not %(width)s x %(height)s",
                most=MAX_PICTURE_SIDE_PX,
                width=self.width,
                height=self.height,
            ),
        )


@dataclass(frozen=True, slots=True)
class Lens:
    """The distortion of a lens, in OpenCV's parameters for its model.

    ``model`` is ``"ordinary"`` or ``"fisheye"``; ``matrix`` the camera's 3x3
    matrix row by row, in pixels; ``distortion`` its 4, 5, 8, 12 or 14 numbers
    (a fisheye's are 4); ``error_px`` the typical (root mean square) distance between
    a point as seen and as the lens model projects it.
    """

    model: str
    matrix: tuple[float, ...]
    distortion: tuple[float, ...]
    error_px: float

    def __post_init__(self) -> None:
        _require(
            self.model in DISTORTION_COEFFICIENT_COUNTS,
            phrase("a lens is ordinary or fisheye, not %(model)s", model=repr(self.model)),
        )
        _require(
            len(self.matrix) == 9 and _finite(*self.matrix), phrase("the lens's matrix must be nine numbers")
        )
        _require(
            self.matrix[0] > 0 and self.matrix[4] > 0, phrase("the lens's focal lengths must be above 0")
        )
        _require(
            len(self.distortion) in DISTORTION_COEFFICIENT_COUNTS[self.model] and _finite(*self.distortion),
            DISTORTION_COUNT_REASONS[self.model],
        )
        _require(_finite(self.error_px) and self.error_px >= 0, phrase("the lens's error must be 0 or more"))


@dataclass(frozen=True, slots=True)
class Marker:
    """A printed marker that stays on the table: its number and its corners, clockwise, in millimetres."""

    number: int
    corners_mm: Corners

    def __post_init__(self) -> None:
        _require(
            0 <= self.number < 1000,
            phrase("a marker's number is 0 to 999, not %(number)s", number=self.number),
        )
        _require(
            _within(*self.corners_mm) and len(self.corners_mm) == 4, phrase("a marker has four corners in mm")
        )


@dataclass(frozen=True, slots=True)
class TableMap:
    """The mapping from pixels to the table.

    ``homography`` leads from undistorted pixels to millimetres, 3x3 row by
    row; ``error_mm`` is the largest distance between a measured
    corner's true place on the table and its mapped place (0 where only four
    points were given, which leaves nothing to check).
    """

    homography: tuple[float, ...]
    width_mm: float
    height_mm: float
    error_mm: float
    markers: tuple[Marker, ...] = ()

    def __post_init__(self) -> None:
        _require(
            len(self.homography) == 9 and _finite(*self.homography),
            phrase("the table's map must be nine numbers"),
        )
        a, b, c, d, e, f, g, h, i = self.homography
        _require(
            a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) != 0,
            phrase("the table's map is flat"),
        )
        _require(
            0 < self.width_mm <= MAX_TABLE_SIDE_MM and 0 < self.height_mm <= MAX_TABLE_SIDE_MM,
            phrase(
                "a table is up to %(most)s mm a side, not %(width)s x %(height)s",
                most=f"{MAX_TABLE_SIDE_MM:.0f}",
                width=self.width_mm,
                height=self.height_mm,
            ),
        )
        _require(_finite(self.error_mm) and self.error_mm >= 0, phrase("the table's error must be 0 or more"))
        numbers = [marker.number for marker in self.markers]
        _require(
            len(numbers) <= MAX_MARKERS, phrase("a table has at most %(most)s markers", most=MAX_MARKERS)
        )
        _require(len(set(numbers)) == len(numbers), phrase("a marker's number stands there twice"))


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the table with straight edges, its corners clockwise in millimetres.

    ``seat`` counts from 1 and is given for a seat's zone alone;
    ``facing_deg`` is the clockwise rotation of its player's reading direction
    from the table's x axis: 0 for a player at the lower edge.
    """

    kind: ZoneKind
    seat: int | None
    corners_mm: tuple[Point, ...]
    facing_deg: float = 0.0

    def __post_init__(self) -> None:
        known = self.seat is not None and 1 <= self.seat <= MAX_SEATS
        _require(
            known if self.kind is ZoneKind.SEAT else self.seat is None,
            phrase("each seat's zone must name its seat"),
        )
        _require(
            3 <= len(self.corners_mm) <= 32 and _within(*self.corners_mm),
            phrase("a zone has 3 to 32 corners in mm"),
        )
        _require(_finite(self.facing_deg), phrase("a zone's facing must be a number of degrees"))


@dataclass(frozen=True, slots=True)
class Landmark:
    """A feature of the table's background: its pixel, and its descriptor in hexadecimal."""

    at_px: Point
    code: str

    def __post_init__(self) -> None:
        _require(_finite(*self.at_px), phrase("a landmark has a pixel"))
        _require(
            len(self.code) == 64 and set(self.code) <= set("0123456789abcdef"),
            phrase("a landmark is 64 hex digits"),
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """A calibration profile; what was not measured yet is ``None`` or empty.

    ``made_at`` is the date and time of the last change, ISO 8601 with its
    offset; ``tile_px`` a tile's width in the picture at the table's middle,
    in pixels; ``landmarks`` show whether the camera was bumped if no
    markers lie on the table.
    """

    camera: CameraId
    made_at: str
    lens: Lens | None = None
    table: TableMap | None = None
    tile_px: float | None = None
    zones: tuple[Zone, ...] = ()
    landmarks: tuple[Landmark, ...] = ()

    def __post_init__(self) -> None:
        _require(
            0 < len(self.made_at) <= 40 and self.made_at.isprintable(), phrase("it must say when it was made")
        )
        _require(
            self.tile_px is None or 2 <= self.tile_px <= 2000, phrase("a tile is 2 to 2000 pixels broad")
        )
        _require(len(self.zones) <= MAX_ZONES, phrase("a table has at most %(most)s zones", most=MAX_ZONES))
        _require(
            len(self.landmarks) <= MAX_LANDMARKS,
            phrase("there are at most %(most)s landmarks", most=MAX_LANDMARKS),
        )
        seats = [zone.seat for zone in self.zones if zone.seat is not None]
        _require(len(set(seats)) == len(seats), phrase("a seat has two zones"))

    def of_picture(self, width: int, height: int) -> None:
        """Raise BadProfile unless pictures of that width and height in pixels are this camera's."""
        camera = self.camera
        if (width, height) != (camera.width, camera.height):
            raise BadProfile(
                phrase(
                    "the profile is of %(camera)s at %(size)s pixels, the picture has %(width)s x "
                    "%(height)s: set the camera to that size, or calibrate anew with this picture",
                    camera=repr(camera.name),
                    size=f"{camera.width} x {camera.height}",
                    width=width,
                    height=height,
                )
            )


def _within(*points: Point) -> bool:
    """Return whether points are finite and at most two largest table sides from the origin."""
    return all(_finite(*p) and max(map(abs, p)) <= 2 * MAX_TABLE_SIDE_MM for p in points)
