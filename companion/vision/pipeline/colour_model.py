"""A colour model of a board: its squares by kind, its tiles, and what that tells of each detection.

Colours are in log-chroma, 3 channels of a colour frame, 1 of a grey one; so are their distances.  The tone of
a colour is its last two channels.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from companion.vision.colour import log_chroma
from companion.vision.detector.detections import Detections
from companion.vision.grid.homography import project
from companion.vision.grid.scrabble import CELLS, Board
from companion.vision.grid.scrabble.finding import LAYOUT
from companion.vision.layout.boards import assign_cells
from companion.vision.pipeline.contrast import STEP, sample_grid, sample_pixels
from companion.vision.pipeline.frame import FrameDetections

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Squares = tuple[Floats, Floats]
"""The colour of every square, (225, channels), and its middle in pixels, (225, 2), row by row."""

BRIGHT = 70
"""Percentile of a face's samples, channel by channel, that shows the face, not the ink."""
NEAREST = 5
"""Nearest tiles, and nearest squares of a kind, whose median colour is expected at a place."""
SURE = 0.9
"""A detection that shows a symbol with more than this probability is a tile, unless plainly print."""
LEGIBLE, SHOWN = 0.05, 0.85
"""Most probability of no tile, and least of a symbol, of what is doubted rather than dropped."""
WEAK, FOREIGN = 0.4, 0.15
"""Probability of a tile, and distance from tiles' colour, of what is dropped beside the board."""
STRANGE, SPREAD, MOST = 0.06, 2.5, 90
"""Tolerance of a tile's tone: at least the first, else so many times a percentile of the sure tiles'."""
EDGED = 0.25
"""Edge contrast from which something is rather a tile in a light of its own than a print."""
NEARER = {3: (0.75, 0.35), 2: (0.3, 0.0)}
"""Distance from a square's colour over that from a tile's, below which a detection is print: an unsure and a
sure one, by the frame's dimensions.  Grey tells so little that nothing sure is doubted for it."""
APART = (0.12, 0.35)
"""Distance of tiles' and squares' colours below which it tells nothing of an unsure, and of a sure one."""
PLAINLY, WELL_APART = 0.5, 0.25
"""Distance from a tile's colour over that from a square's below which a detection is a tile, and the least
distance of the two colours then."""
MIDDLES = np.array([(col + 0.5, row + 0.5) for row in range(CELLS) for col in range(CELLS)])
"""The middle of every square as (col, row), row by row."""
KINDS = LAYOUT.reshape(-1)


class ColourEvidence(StrEnum):
    """What colour tells of a detection: a tile, print, either of them, an odd tile to doubt, or nothing."""

    TILE = "tile"
    PRINT = "print"
    EITHER = "either"
    ODD = "odd"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, eq=False)
class SquareColours:
    """The colours of a board's squares and of the tiles on it.

    ``squares`` (225, channels) and ``spots`` (225, 2) are each square's colour and middle in pixels,
    ``free`` (225,) those in the picture without a detection and ``bare`` without one that shows a symbol;
    ``tiles`` (n, channels) are the detections' colours, ``sure`` (n,) which surely are tiles that show a
    symbol, ``weak`` which hardly are tiles, ``shown`` which likelier show one than not and ``legible`` which
    surely do, ``cells`` (n,) the square that each lies on and ``fits`` (n,) whether it lies in it.
    """

    detections: Detections
    squares: Floats
    spots: Floats
    free: Mask
    bare: Mask
    tiles: Floats
    sure: Mask
    weak: Mask
    shown: Mask
    legible: Mask
    cells: NDArray[np.int_]
    fits: Mask

    @classmethod
    def of(
        cls, frame: NDArray[np.uint8], look: FrameDetections, board: Board, empty: Squares
    ) -> SquareColours:
        """Return the colours of a board and its tiles; ``empty`` as ``square_colours`` returns it."""
        detections, probabilities = look.detections, look.probabilities
        where = assign_cells(detections, board)
        there = detections.scores * (1 - probabilities.p_background)
        shown = probabilities.p_best_symbol() > probabilities.p_blank
        legible = (probabilities.p_best_symbol() > SHOWN) & (probabilities.p_background < LEGIBLE)
        cells = np.clip(where.cells[:, 1] * CELLS + where.cells[:, 0], 0, CELLS**2 - 1)
        bare = np.asarray(((empty[1] >= 0) & (empty[1] < frame.shape[1::-1])).all(1))
        free = bare.copy()
        free[cells[where.inside]] = False
        bare[cells[where.inside & shown]] = False
        tiles = face_colours(frame, detections.centres, detections.vectors())
        sure = (probabilities.p_best_symbol() > SURE) & (there > SURE / 2)
        return cls(
            detections, *empty, free, bare, tiles, sure, there < WEAK, shown, legible, cells, where.fits
        )

    def as_tile(self, at: Floats, but: int = -1) -> Floats | None:
        """Return the colour expected of a tile at a place, one left out; ``None`` where no tile is sure."""
        others = np.flatnonzero(self.sure & (np.arange(len(self.detections)) != but))
        return local_median(self.tiles, self.detections.centres, others, at) if len(others) else None

    def farthest_tone(self) -> float:
        """Return the tolerance of a tile's tone: its distance from that expected there."""
        sure = np.flatnonzero(self.sure).tolist()
        nearest = ((k, self.as_tile(self.detections.centres[k], k)) for k in sure)
        far = [colour_distance(self.tiles[k, 1:], tile[1:]) for k, tile in nearest if tile is not None]
        return max(STRANGE, SPREAD * float(np.percentile(far, MOST))) if far else STRANGE

    def as_square(self, cell: int) -> Floats | None:
        """Return the colour expected of an empty square; ``None`` where no square of its kind is free.

        Where every one holds a detection, those count that show no symbol: no box has blanks for them all.
        """
        others = (KINDS[cell] == KINDS) & (np.arange(CELLS**2) != cell)
        alike = np.flatnonzero(self.free & others)
        alike = alike if len(alike) else np.flatnonzero(self.bare & others)
        return local_median(self.squares, self.spots, alike, self.spots[cell]) if len(alike) else None


def colour_evidence(
    colours: SquareColours, detection: int, dimensions: int, farthest: float, step: float
) -> ColourEvidence:
    """Return what colour tells of a detection.

    ``dimensions`` are the frame's, ``farthest`` is the tolerance of a tile's tone, and ``step`` the
    detection's edge contrast by ``weakest_edge``.
    """
    own, sure = colours.tiles[detection], int(colours.sure[detection])
    tile = colours.as_tile(colours.detections.centres[detection], detection)
    if not colours.fits[detection]:
        return (
            ColourEvidence.NOTHING
            if tile is None
            else evidence_off_board(colours, detection, tile, farthest, step)
        )
    square = colours.as_square(int(colours.cells[detection]))
    if tile is None or square is None:
        return ColourEvidence.NOTHING
    contrast = colour_distance(tile, square)
    if contrast < APART[0]:
        return ColourEvidence.EITHER
    shown = dimensions > 2 and not sure and colours.legible[detection]
    nearer = PLAINLY if shown else NEARER[dimensions][sure]
    if contrast >= APART[sure] and colour_distance(own, square) < nearer * colour_distance(own, tile):
        return ColourEvidence.PRINT
    if dimensions > 2 and colour_distance(own, square) < colour_distance(own, tile):
        return (
            ColourEvidence.PRINT
            if not shown and is_off_colour(colours, detection, tile, farthest)
            else ColourEvidence.ODD
        )
    return (
        ColourEvidence.TILE
        if dimensions > 2 and is_clearly_tile(own, tile, square)
        else ColourEvidence.NOTHING
    )


def evidence_off_board(
    colours: SquareColours, detection: int, tile: Floats, farthest: float, step: float
) -> ColourEvidence:
    """Return what colour tells of a detection beside the board, where ``tile`` is a tile's colour.

    What is unsure or hardly a tile must have a tile's colour; what shows a symbol without an edge around it
    is a print on the cloth.
    """
    sure, off = bool(colours.sure[detection]), colour_distance(colours.tiles[detection][1:], tile[1:])
    if colours.shown[detection] and step < STEP:
        return ColourEvidence.ODD if sure and off <= farthest else ColourEvidence.PRINT
    foreign = bool(colours.weak[detection]) and colour_distance(colours.tiles[detection], tile) > FOREIGN
    against = foreign + is_off_colour(colours, detection, tile, farthest)
    if not against:
        return ColourEvidence.NOTHING
    likely = colours.legible[detection] or step > EDGED
    return ColourEvidence.ODD if likely and against == 1 else ColourEvidence.PRINT


def is_off_colour(colours: SquareColours, detection: int, tile: Floats, farthest: float) -> bool:
    """Return whether an unsure detection has another tone than tiles, beyond the tolerance."""
    return not colours.sure[detection] and colour_distance(colours.tiles[detection][1:], tile[1:]) > farthest


def is_clearly_tile(own: Floats, tile: Floats, square: Floats) -> bool:
    """Return whether a colour clearly is a tile's and not a square's."""
    return colour_distance(tile, square) > WELL_APART and colour_distance(
        own, tile
    ) < PLAINLY * colour_distance(own, square)


def colour_distance(one: Floats, other: Floats) -> float:
    """Return the Euclidean distance of two colours."""
    return float(np.linalg.norm(one - other))


def local_median(values: Floats, spots: Floats, some: NDArray[np.intp], at: Floats) -> Floats:
    """Return the median of ``values`` at those of ``some`` spots that are nearest to a place."""
    far = np.linalg.norm(spots[some] - at, axis=1)
    return np.asarray(np.median(values[some[np.argsort(far)[:NEAREST]]], axis=0))


def square_colours(frame: NDArray[np.uint8], board: Board) -> Squares:
    """Return the colour of every square, (225, channels), and its middle in pixels, (225, 2), row by row."""
    sides = [
        project(board.homography, MIDDLES + way) - project(board.homography, MIDDLES - way)
        for way in np.eye(2) / 2
    ]
    spots = project(board.homography, MIDDLES)
    return face_colours(frame, spots, np.stack(sides, -1)), spots


def face_colours(frame: NDArray[np.uint8], centres: Floats, vectors: Floats) -> Floats:
    """Return the colours of faces in log-chroma, (n, 3), or of a grey frame as logarithms, (n, 1).

    ``centres`` (n, 2) are their middles in pixels, the columns of ``vectors`` (n, 2, 2) their sides.
    """
    seen = sample_pixels(frame, sample_grid(centres, vectors)).astype(np.float64)
    channels = seen.shape[2] if seen.ndim == 3 else 1
    return log_chroma(np.percentile(seen, BRIGHT, axis=1).reshape(len(centres), channels))
