"""Pictures for pages: a camera's frame, plain or with its reading drawn on it, and top views of tiles."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import Unanswered
from companion.model.grid import Place
from companion.model.phrases import phrase
from companion.model.reading import Point, Reading, Tile
from companion.model.status import CloseUp, Outline, PictureKind
from companion.model.verdicts import TableauVerdict
from companion.render.overlay import overlay
from companion.rules.state import Phase, State
from companion.table.camera_thread import ReadFrame
from companion.table.evidence import jpeg
from companion.vision.camera_frame import CameraFrame, Frame, Yuv420, bgr_of, downscaled, to_bgr
from companion.vision.grid.homography import inverse, project, zoom_homography

Judge = Callable[[Reading], Sequence[TableauVerdict]]
"""Returns the verdict on each tableau of a reading."""


class AnnotatedPictures:
    """Returns the newest frame as a picture; the last picture is cached.

    ``hide_words`` returns whether verdicts on words are hidden now: all players see these pictures, and a
    call may still have to be judged.
    """

    def __init__(self, judge: Judge, hide_words: Callable[[], bool] = lambda: False) -> None:
        self._judge, self._hide_words = judge, hide_words
        self._last: tuple[tuple[int, PictureKind, int, str, bool], bytes] | None = None

    def picture(self, read: ReadFrame, kind: PictureKind, width: int, title: str) -> bytes:
        """Return a frame as JPEG, at most ``width`` pixels wide."""
        asked = read.shot.at_ns, kind, width, title, self._hide_words()
        if self._last and self._last[0] == asked:
            return self._last[1]
        frame = read.shot.frame
        body = jpeg(frame if kind is PictureKind.PLAIN else self._drawn(read, width, title), width)
        self._last = asked, body
        return body

    def _drawn(self, read: ReadFrame, width: int, title: str) -> Frame:
        """Return the frame with its reading drawn on it."""
        frame, reading = read.shot.frame, read.reading.reading
        scale = min(1.0, width / frame.shape[1])
        verdicts = () if self._hide_words() else self._judge(reading)
        return overlay(to_bgr(downscaled(frame, scale)), scaled_reading(reading, scale), verdicts, title)


def words_hidden(state: State) -> bool:
    """Return whether verdicts on words are hidden: unless judging has begun or the policy is ``advise``."""
    return state.options["policy"] != "advise" and state.stage not in {Phase.JUDGING, Phase.OVER}


def scaled_reading(reading: Reading, scale: float) -> Reading:
    """Return a reading scaled to a smaller picture."""

    def scaled(at: Point) -> Point:
        return (at[0] + 0.5) * scale - 0.5, (at[1] + 0.5) * scale - 0.5

    tiles = tuple(
        replace(tile, corners=(scaled(a), scaled(b), scaled(c), scaled(d)))
        for tile in reading.tiles
        for a, b, c, d in [tile.corners]
    )
    tableaux = tuple(
        replace(one, unread=tuple(replace(place, at=scaled(place.at)) for place in one.unread))
        for one in reading.tableaux
    )
    pieces = tuple(replace(one, at=scaled(one.at)) if one.at else one for one in reading.pieces)
    width, height = round(reading.width * scale), round(reading.height * scale)
    return replace(reading, width=width, height=height, tiles=tiles, tableaux=tableaux, pieces=pieces)


Matrix = NDArray[np.float64]
PlacedTiles = Mapping[Place, Tile]
"""The tiles of a place, by their cells in its sighting."""

MIN_TILE_WIDTH_PX, MAX_TILE_WIDTH_PX = 24.0, 64.0
"""Bounds of a tile's width in a close-up, in pixels; within them it is as in the picture."""

CLOSE_UP_MARGIN_SIDES = 0.75
"""Margin around the tiles, in tile sides."""

MAX_CLOSE_UP_SIDE_CELLS = 40
"""Largest number of rows or columns that are shown."""

TILE_MARGIN_SIDES = 1.0
"""Margin around a single tile, in tile sides; its picture is a square of ``TILE_PICTURE_PX`` pixels."""

TILE_PICTURE_PX = 240

MIN_DETERMINANT = 1e-9
"""The smallest determinant of a usable homography."""

MAX_CORNER_FIT_TILES = 5
"""Largest number of tiles for which the homography is fitted to corners instead of centres."""

MAX_KEPT_CLOSE_UPS = 8
"""Largest number of close-ups whose pictures are kept for pages to fetch."""

BORDER_GREY = 60
"""Grey level around a frame in a close-up."""

NO_CHROMA = 128
"""Cr and Cb of grey."""

OUTLINE_BGR = (40, 40, 230)
"""Colour of the outline around the tile in question: blue, green, red."""

UNIT_SQUARE_CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
"""Corners of a cell, x then y, clockwise from its top left."""


@dataclass(frozen=True, slots=True)
class Rectified:
    """The homography from pixels to a top view, (3, 3), and the top view's width and height."""

    matrix: Matrix
    width: int
    height: int

    def of(self, frame: CameraFrame) -> Frame:
        """Return a frame rectified."""
        if isinstance(frame, Yuv420):
            halves = self.matrix @ zoom_homography(2)
            chroma = self._warped(frame.chroma, halves, NO_CHROMA)
            return bgr_of(self._warped(frame.luma, self.matrix, BORDER_GREY), chroma)
        return self._warped(frame, self.matrix, BORDER_GREY)

    def _warped(self, pixels: Frame, matrix: Matrix, border: int) -> Frame:
        """Return pixels mapped by a homography, with one value in each channel beyond them."""
        size = (self.width, self.height)
        seen = cv2.warpPerspective(pixels, matrix, size, flags=cv2.INTER_LINEAR, borderValue=(border,) * 3)
        return np.asarray(seen, np.uint8)

    def outline(self, tile: Tile) -> tuple[tuple[float, float], ...]:
        """Return a tile's corners in the rectified picture."""
        return tuple((round(x, 1), round(y, 1)) for x, y in project(self.matrix, np.array(tile.corners)))


class CloseUps:
    """Makes close-ups and keeps the newest pictures; for several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._next, self._lock = 0, Lock()

    def make(self, frame: CameraFrame, placed: PlacedTiles) -> CloseUp:
        """Return a close-up of a frame with the place of each tile; raise Unanswered if there are too few."""
        plane = rectified(placed)
        body = jpeg(plane.of(frame), plane.width)
        with self._lock:
            self._next += 1
            number = self._next
            self._kept[number] = body
            while len(self._kept) > MAX_KEPT_CLOSE_UPS:
                self._kept.popitem(last=False)
        outlines = tuple(Outline(*cell, plane.outline(tile)) for cell, tile in sorted(placed.items()))
        return CloseUp(number, plane.width, plane.height, outlines)

    def picture(self, number: int) -> bytes:
        """Return the picture of a close-up as JPEG; raise Unanswered if it is no longer kept."""
        with self._lock:
            if number not in self._kept:
                raise Unanswered(phrase("that picture is not kept any more; load the page again"))
            return self._kept[number]


def tile_picture(frame: CameraFrame, placed: PlacedTiles, cell: Place) -> bytes:
    """Return the picture of one tile and its surroundings as JPEG; raise Unanswered if it is not seen."""
    if cell not in placed:
        raise Unanswered(phrase("no tile is seen there any more"))
    side = TILE_PICTURE_PX / (1 + 2 * TILE_MARGIN_SIDES)
    tile = placed[cell]
    box = (UNIT_SQUARE_CORNERS + TILE_MARGIN_SIDES) * side
    matrix = cv2.getPerspectiveTransform(np.array(tile.corners, np.float32), np.asarray(box, np.float32))
    seen = Rectified(np.asarray(matrix, np.float64), TILE_PICTURE_PX, TILE_PICTURE_PX).of(frame)
    picture = to_bgr(seen)
    cv2.polylines(picture, [box.round().astype(np.int32)], True, OUTLINE_BGR, 3, cv2.LINE_AA)
    return jpeg(picture, TILE_PICTURE_PX, 90)


def rectified(placed: PlacedTiles) -> Rectified:
    """Return the top view of tiles, their rows level; raise Unanswered if too few are seen."""
    if not placed:
        raise Unanswered(phrase("the camera sees no tile there now"))
    onto = homography(placed)
    quads = np.array([tile.corners for tile in placed.values()], np.float64)
    side = float(np.median(np.hypot(*(quads[:, 1] - quads[:, 0]).T)))
    px = min(max(side, MIN_TILE_WIDTH_PX), MAX_TILE_WIDTH_PX)
    corners = project(inverse(onto), quads.reshape(-1, 2))
    middle = np.median(corners, 0)
    least = np.maximum(corners.min(0) - CLOSE_UP_MARGIN_SIDES, middle - MAX_CLOSE_UP_SIDE_CELLS / 2)
    most = np.minimum(corners.max(0) + CLOSE_UP_MARGIN_SIDES, middle + MAX_CLOSE_UP_SIDE_CELLS / 2)
    shown = np.array([[px, 0.0, -px * least[0]], [0.0, px, -px * least[1]], [0.0, 0.0, 1.0]])
    width, height = np.ceil((most - least) * px).astype(int).tolist()
    return Rectified(shown @ inverse(onto), width, height)


def homography(placed: PlacedTiles) -> Matrix:
    """Return the homography from columns and rows to pixels, (3, 3), that fits most tiles.

    It is fitted to their centres if these span a plane, else to their corners.
    """
    cells = np.array([(col, row) for row, col in placed], np.float64)
    quads = np.array([tile.corners for tile in placed.values()], np.float64)
    middles = cells + 0.5
    spans = (
        len(cells) > MAX_CORNER_FIT_TILES
        and np.linalg.svd(middles - middles.mean(0), compute_uv=False)[1] > 1.5
    )
    if spans:
        found, _ = cv2.findHomography(
            middles, quads.mean(1), cv2.RANSAC, float(np.ptp(quads[0], 0).max()) / 3
        )
    else:
        turned = np.array([bool(tile.symbol) for tile in placed.values()])  # a blank's rotation is unknown
        some = turned if turned.any() else ~turned
        source = (cells[some][:, None] + UNIT_SQUARE_CORNERS).reshape(-1, 2)
        found, _ = cv2.findHomography(source, quads[some].reshape(-1, 2))
    matrix = np.asarray(found, np.float64)
    if matrix.shape != (3, 3) or abs(np.linalg.det(matrix)) < MIN_DETERMINANT:
        raise Unanswered(phrase("the tiles lie so that they cannot be shown from above"))
    return matrix
