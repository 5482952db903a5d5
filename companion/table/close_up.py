"""One player's tiles, or the board, as a photograph seen from straight above, each tile's outline known."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadLine
from companion.model.grid import Place
from companion.model.phrases import phrase
from companion.model.reading import Tile
from companion.model.status import CloseUp, Outline
from companion.table.evidence import jpeg
from companion.vision.grid.homography import inverse, project
from companion.vision.picture import Frame, coloured

Matrix = NDArray[np.float64]
Placed = Mapping[Place, Tile]
"""The tiles of a place, by the cell at which the rules see each."""

LEAST_PX, MOST_PX = 24.0, 64.0
"""How broad a tile is drawn: as in the picture, within these bounds."""

MARGIN = 0.75
"""What is shown around the tiles, in tile sides."""

MOST_CELLS = 40
"""Cells shown across and down."""

AROUND = 1.0
"""What is shown around one tile alone, in tile sides; a square of ``ALONE_PX``."""

ALONE_PX = 240

FLAT = 1e-9
"""A homography of a smaller determinant shows the table as a line."""

FEW = 5
"""Of so few tiles, or of a single row, the corners tell the plane."""

KEPT = 8
"""Close-ups whose pictures are kept until a page has fetched them."""

INK = (40, 40, 230)
"""Colour of the outline around the tile in question: blue, green, red."""

UNIT = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
"""Corners of a cell, x then y, clockwise from its top left."""


@dataclass(frozen=True, slots=True)
class Rectified:
    """What leads from pixels to a picture seen from above, (3, 3), and that picture's width and height."""

    matrix: Matrix
    width: int
    height: int

    def of(self, frame: Frame) -> Frame:
        """Return a frame rectified."""
        size = (self.width, self.height)
        seen = cv2.warpPerspective(frame, self.matrix, size, flags=cv2.INTER_LINEAR, borderValue=(60, 60, 60))
        return np.asarray(seen, np.uint8)

    def outline(self, tile: Tile) -> tuple[tuple[float, float], ...]:
        """Return a tile's corners in the rectified picture."""
        return tuple((round(x, 1), round(y, 1)) for x, y in project(self.matrix, np.array(tile.corners)))


class CloseUps:
    """Makes close-ups, and keeps the pictures of the newest until they are fetched; for several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._next, self._lock = 0, Lock()

    def make(self, frame: Frame, placed: Placed) -> CloseUp:
        """Return where each tile lies in a close-up of a frame; raise BadLine where too little is seen."""
        plane = rectified(placed)
        body = jpeg(plane.of(frame), plane.width)
        with self._lock:
            self._next += 1
            number = self._next
            self._kept[number] = body
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        outlines = tuple(Outline(*cell, plane.outline(tile)) for cell, tile in sorted(placed.items()))
        return CloseUp(number, plane.width, plane.height, outlines)

    def picture(self, number: int) -> bytes:
        """Return the picture of a close-up as JPEG; raise BadLine where it is not kept any more."""
        with self._lock:
            if number not in self._kept:
                raise BadLine(phrase("that picture is not kept any more; load the page again"))
            return self._kept[number]


def alone(frame: Frame, placed: Placed, cell: Place) -> bytes:
    """Return the picture of one tile and what lies around it as JPEG; raise BadLine where there is none."""
    if cell not in placed:
        raise BadLine(phrase("no tile is seen there any more"))
    side = ALONE_PX / (1 + 2 * AROUND)
    tile = placed[cell]
    box = (UNIT + AROUND) * side
    matrix = cv2.getPerspectiveTransform(np.array(tile.corners, np.float32), np.asarray(box, np.float32))
    seen = Rectified(np.asarray(matrix, np.float64), ALONE_PX, ALONE_PX).of(frame)
    picture = coloured(seen)
    cv2.polylines(picture, [box.round().astype(np.int32)], True, INK, 3, cv2.LINE_AA)
    return jpeg(picture, ALONE_PX, 90)


def rectified(placed: Placed) -> Rectified:
    """Return how tiles are seen from above, their rows level; raise BadLine where too few are seen."""
    if not placed:
        raise BadLine(phrase("the camera sees no tile there now"))
    onto = homography(placed)
    quads = np.array([tile.corners for tile in placed.values()], np.float64)
    side = float(np.median(np.hypot(*(quads[:, 1] - quads[:, 0]).T)))
    px = min(max(side, LEAST_PX), MOST_PX)
    corners = project(inverse(onto), quads.reshape(-1, 2))
    middle = np.median(corners, 0)
    least = np.maximum(corners.min(0) - MARGIN, middle - MOST_CELLS / 2)
    most = np.minimum(corners.max(0) + MARGIN, middle + MOST_CELLS / 2)
    shown = np.array([[px, 0.0, -px * least[0]], [0.0, px, -px * least[1]], [0.0, 0.0, 1.0]])
    width, height = np.ceil((most - least) * px).astype(int).tolist()
    return Rectified(shown @ inverse(onto), width, height)


def homography(placed: Placed) -> Matrix:
    """Return what leads from columns and rows to pixels, (3, 3), as the tiles lie, the most of them.

    Where they span a plane their middles tell it, whichever way each tile is turned; else their corners do.
    """
    cells = np.array([(col, row) for row, col in placed], np.float64)
    quads = np.array([tile.corners for tile in placed.values()], np.float64)
    middles = cells + 0.5
    spans = len(cells) > FEW and np.linalg.svd(middles - middles.mean(0), compute_uv=False)[1] > 1.5
    if spans:
        found, _ = cv2.findHomography(
            middles, quads.mean(1), cv2.RANSAC, float(np.ptp(quads[0], 0).max()) / 3
        )
    else:
        turned = np.array([bool(tile.symbol) for tile in placed.values()])  # a blank's own turn is not known
        some = turned if turned.any() else ~turned
        source = (cells[some][:, None] + UNIT).reshape(-1, 2)
        found, _ = cv2.findHomography(source, quads[some].reshape(-1, 2))
    matrix = np.asarray(found, np.float64)
    if matrix.shape != (3, 3) or abs(np.linalg.det(matrix)) < FLAT:
        raise BadLine(phrase("the tiles lie so that they cannot be shown from above"))
    return matrix
