"""The colours of a board's squares, by kind, and of the tiles on it.

Colours are in log-chroma, 3 channels of a colour frame, 1 of a grey one; so are their distances.  The tone of
a colour is its last two channels.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame
from companion.vision.colour import NEIGHBOURS, face_colours, local_medians
from companion.vision.detector.detections import Detections
from companion.vision.grid.board import CELLS_PER_SIDE, Board, cell_centres
from companion.vision.grid.homography import distances, project
from companion.vision.grid.scrabble import LAYOUT
from companion.vision.pipeline.frame import FrameDetections

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Squares = tuple[Floats, Floats]
"""The colour of every square, (225, channels), and its middle in pixels, (225, 2), row by row."""

MAX_EMPTY_DISTANCE = 0.06
"""Largest distance of a clearly empty square from the colour of its kind, in log-chroma: sensor noise."""
WIDE_NEIGHBOURS = 25
"""Number of nearest empty squares of a kind, or free cells, whose median shows what an empty one looks like:
a lamp's reflection hides fewer.
"""
CELL_CENTRES = cell_centres(CELLS_PER_SIDE)
"""The middle of every square as (col, row), row by row."""
SQUARE_KINDS = LAYOUT.reshape(-1)


@dataclass(frozen=True, slots=True, eq=False)
class TileColours:
    """The colours of detections: ``tiles`` (n, channels), of which ``sure`` (n,) are tiles with a symbol."""

    detections: Detections
    tiles: Floats
    sure: Mask

    def as_tiles(self, places: Floats, but: NDArray[np.int_]) -> Floats:
        """Return the expected colours of tiles at places, (m, channels), each without the tile of a number.

        They are those of the nearest sure tiles, NaN where there is none.
        """
        others = self.sure & (np.arange(len(self.detections)) != but[:, None])
        return local_medians(self.tiles, self.detections.centres, others, places)

    def tone_spread(self) -> float:
        """Return the RMS distance of sure tiles' tones from those expected at their places."""
        sure = np.flatnonzero(self.sure)
        ways = self.tiles[sure] - self.as_tiles(self.detections.centres[sure], sure)
        squared = (ways[:, 1:] ** 2).sum(1)
        return float(np.sqrt(np.mean([*squared[np.isfinite(squared)], MAX_EMPTY_DISTANCE**2])))

    def as_squares(self, cells: NDArray[np.int_]) -> Floats:
        """Return the colours expected of empty squares, (m, channels): NaN on a table without squares."""
        return np.full((len(cells), self.tiles.shape[1]), np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class CellColours(TileColours):
    """The colours of a table without a board: of tiles, and of the free cells beside them, (m, channels).

    Most of those show the table: what is nearest to a cell is expected there.
    """

    cells: Detections
    free: Floats

    @classmethod
    def of(cls, frame: CameraFrame, tiles: FrameDetections, cells: Detections) -> CellColours:
        """Return the colours of tiles and of the free cells beside them."""
        own, free = (face_colours(frame, some.centres, some.vectors()) for some in (tiles.detections, cells))
        return cls(tiles.detections, own, tiles.shows_symbol, cells, free)

    def as_squares(self, cells: NDArray[np.int_], count: int = NEIGHBOURS) -> Floats:
        """Return the expected colours of the table in cells, (m, channels), NaN where no other is free.

        They are medians of the ``count`` nearest free cells.
        """
        places = self.cells.centres[cells]
        away = distances(places, self.cells.centres)
        others = away > self.cells.sides[cells, None] / 2
        return local_medians(self.free, self.cells.centres, others, places, count)

    def outliers(self, some: Mask) -> Mask:
        """Return which of some cells, (m,), have another colour than the table around, (m,)."""
        cells = np.flatnonzero(some)
        away = self.free[cells] - self.as_squares(cells, WIDE_NEIGHBOURS)
        odd = some.copy()
        odd[cells] = np.linalg.norm(away, axis=1) > MAX_EMPTY_DISTANCE
        return odd


@dataclass(frozen=True, slots=True, eq=False)
class SquareColours(TileColours):
    """The colours of a board's squares and of the tiles on it.

    ``squares`` (225, channels) and ``spots`` (225, 2) are each square's colour and middle in pixels, ``free``
    (225,) those in the picture without a detection, and ``bare`` those without a symbol; ``tiles`` (n,
    channels) are the detections' colours, ``sure`` (n,) which surely are tiles with a symbol, ``cells`` (n,)
    the square that each lies on, and ``fits`` (n,) whether it lies within it.
    """

    squares: Floats
    spots: Floats
    free: Mask
    bare: Mask
    cells: NDArray[np.int_]
    fits: Mask

    @classmethod
    def of(cls, frame: CameraFrame, detected: FrameDetections, board: Board, empty: Squares) -> SquareColours:
        """Return the colours of a board and its tiles; ``empty`` as ``square_colours`` returns it."""
        detections, probabilities = detected.detections, detected.probabilities
        cells, inside, fits = board.cells(detections)
        shown = probabilities.p_best_symbol() > probabilities.p_blank
        bare = np.asarray(((empty[1] >= 0) & (empty[1] < frame.shape[1::-1])).all(1))
        free = bare.copy()
        free[cells[inside]] = False
        bare[cells[inside & shown]] = False
        tiles = face_colours(frame, detections.centres, detections.vectors())
        return cls(detections, tiles, detected.shows_symbol, *empty, free, bare, cells, fits)

    def as_squares(self, cells: NDArray[np.int_], count: int = NEIGHBOURS) -> Floats:
        """Return the expected colours of empty squares, (m, channels), NaN where none of its kind is free.

        They are medians of the ``count`` nearest ones, NaN for a cell of -1, too, on no square.  Where all
        squares of a kind have a detection, those without a symbol count: no set has that many blanks.
        """
        others = SQUARE_KINDS[cells][:, None] == SQUARE_KINDS
        others &= (np.arange(CELLS_PER_SIDE**2) != cells[:, None]) & (cells >= 0)[:, None]
        free = others & self.free
        alike = np.where(free.any(1, keepdims=True), free, others & self.bare)
        return local_medians(self.squares, self.spots, alike, self.spots[cells], count)

    @property
    def held(self) -> Mask:
        """Which squares have a detection that fits, (225,)."""
        held = np.zeros(CELLS_PER_SIDE**2, np.bool_)
        held[self.cells[self.fits]] = True
        return held

    def beside_tiles(self) -> Mask:
        """Return which squares hold no tile but lie beside one, (225,); some may lie beyond the picture."""
        return with_neighbours(self.held) & ~self.held

    def joined_to_tiles(self, some: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers of those of some free squares from which others of them lead to a tile."""
        either = self.held
        either[some] = True
        parts = cv2.connectedComponents(as_image(either), connectivity=4)[1].ravel()
        return some[np.isin(parts[some], parts[self.held])]

    def outliers(self, some: Mask | bool = True) -> NDArray[np.intp]:
        """Return the numbers of the squares without a detection whose colour is not that of their kind.

        Only ``some`` of the squares, (225,), are tested, by default all.  Without a sure tile there are none.
        """
        asked = np.flatnonzero(self.free & some & self.sure.any())
        away = np.linalg.norm(self.squares[asked] - self.as_squares(asked, WIDE_NEIGHBOURS), axis=1)
        return np.asarray(asked[away > MAX_EMPTY_DISTANCE])


def with_neighbours(some: Mask) -> Mask:
    """Return some squares, (225,), with those on their four sides."""
    cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    return np.asarray(cv2.dilate(as_image(some), cross).ravel() > 0)


def as_image(some: Mask) -> NDArray[np.uint8]:
    """Return some squares, (225,), as the ones of an image, (15, 15)."""
    return some.reshape(CELLS_PER_SIDE, CELLS_PER_SIDE).astype(np.uint8)


def square_colours(frame: CameraFrame, board: Board) -> Squares:
    """Return the colour of every square, (225, channels), and its middle in pixels, (225, 2), row by row."""
    spots = project(board.homography, CELL_CENTRES)
    return face_colours(frame, spots, board.cell_vectors(CELL_CENTRES)), spots
