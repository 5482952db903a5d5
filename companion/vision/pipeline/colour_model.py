"""What the colours of a board's squares say: print is no tile, and a square like a tile holds one."""

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
Paper = tuple[Floats, Floats]
"""The colour of every square and its middle in pixels, row by row."""

BRIGHT = 70
"""Percentile of the brightness there that shows the ground, not the ink."""
NEAREST = 5
"""So many of the nearest tiles, and of the nearest squares of a kind, tell how they look."""
SURE = 0.9
"""A detection that shows a symbol with more than this probability is a tile, unless plainly print."""
LEGIBLE, SHOWN = 0.05, 0.85
"""What is no tile with less than this chance, and shows a symbol with more than that, is rather a doubt than
nothing."""
WEAK, FOREIGN = 0.4, 0.15
"""What is a tile with less than this chance, and so far from a tile's colour beside the board, is none."""
STRANGE, SPREAD, MOST = 0.06, 2.5, 90
"""In colour, so is an unsure one whose tone is farther than this from a tile's, and than so many times that
of most sure ones, by percentile."""
EDGED = 0.25
"""What ends in steps larger than this, as logarithms, is rather a tile in a light of its own than a print."""
NEARER = {3: (0.75, 0.35), 2: (0.3, 0.0)}
"""By dimensions of the frame: a detection is print where its colour is so much nearer to a square's than to a
tile's, an unsure one and a sure one.  Grey tells so little that nothing sure is doubted for it."""
APART = (0.12, 0.35)
"""Where tiles and squares of a kind differ less, colour tells nothing of an unsure detection, and of a
sure one."""
PLAINLY, WELL_APART = 0.5, 0.25
"""What is so much nearer to a tile's colour than to a square's is a tile, where these differ so much; what is
unsure but shows a symbol is print only where it is so much nearer to a square's."""
MIDDLES = np.array([(col + 0.5, row + 0.5) for row in range(CELLS) for col in range(CELLS)])
"""The middle of every square as (col, row), row by row."""
KINDS = LAYOUT.reshape(-1)


class ColourEvidence(StrEnum):
    """What colour says of something on a square."""

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
    def of(cls, frame: NDArray[np.uint8], look: FrameDetections, board: Board, paper: Paper) -> SquareColours:
        """Return what a picture shows of a board, whose ``paper`` is as ``square_colours`` on it.

        ``frame`` is grey or in colour.
        """
        detections, probabilities = look.detections, look.probabilities
        where = assign_cells(detections, board)
        there = detections.scores * (1 - probabilities.p_background)
        shown = probabilities.p_best_symbol() > probabilities.p_blank
        legible = (probabilities.p_best_symbol() > SHOWN) & (probabilities.p_background < LEGIBLE)
        cells = np.clip(where.cells[:, 1] * CELLS + where.cells[:, 0], 0, CELLS**2 - 1)
        bare = np.asarray(((paper[1] >= 0) & (paper[1] < frame.shape[1::-1])).all(1))
        free = bare.copy()
        free[cells[where.inside]] = False
        bare[cells[where.inside & shown]] = False
        tiles = face_colours(frame, detections.centres, detections.vectors())
        sure = (probabilities.p_best_symbol() > SURE) & (there > SURE / 2)
        return cls(
            detections, *paper, free, bare, tiles, sure, there < WEAK, shown, legible, cells, where.fits
        )

    def as_tile(self, at: Floats, but: int = -1) -> Floats | None:
        """Return the colour of the sure tiles nearest to a place, one left out; ``None`` where none is."""
        others = np.flatnonzero(self.sure & (np.arange(len(self.detections)) != but))
        return local_median(self.tiles, self.detections.centres, others, at) if len(others) else None

    def farthest_tone(self) -> float:
        """Return how far the tone of a tile may be from that of the sure tiles nearest to it."""
        sure = np.flatnonzero(self.sure).tolist()
        nearest = ((k, self.as_tile(self.detections.centres[k], k)) for k in sure)
        far = [colour_distance(self.tiles[k, 1:], tile[1:]) for k, tile in nearest if tile is not None]
        return max(STRANGE, SPREAD * float(np.percentile(far, MOST))) if far else STRANGE

    def as_square(self, cell: int) -> Floats | None:
        """Return the colour of the nearest free squares of the kind of one; ``None`` where none is.

        Where every one looks like a tile they are bare ones: no box has blanks for them all.
        """
        others = (KINDS[cell] == KINDS) & (np.arange(CELLS**2) != cell)
        alike = np.flatnonzero(self.free & others)
        alike = alike if len(alike) else np.flatnonzero(self.bare & others)
        return local_median(self.squares, self.spots, alike, self.spots[cell]) if len(alike) else None


def colour_evidence(
    ground: SquareColours, detection: int, dimensions: int, farthest: float, step: float
) -> ColourEvidence:
    """Return what colour says of a detection, in a frame of so many dimensions, where tones lie so far apart.

    ``step`` is how plainly it ends, as ``weakest_steps`` tells it.
    """
    own, sure = ground.tiles[detection], int(ground.sure[detection])
    tile = ground.as_tile(ground.detections.centres[detection], detection)
    if not ground.fits[detection]:
        return (
            ColourEvidence.NOTHING
            if tile is None
            else evidence_off_board(ground, detection, tile, farthest, step)
        )
    square = ground.as_square(int(ground.cells[detection]))
    if tile is None or square is None:
        return ColourEvidence.NOTHING
    apart = colour_distance(tile, square)
    if apart < APART[0]:
        return ColourEvidence.EITHER
    shown = dimensions > 2 and not sure and ground.legible[detection]
    nearer = PLAINLY if shown else NEARER[dimensions][sure]
    if apart >= APART[sure] and colour_distance(own, square) < nearer * colour_distance(own, tile):
        return ColourEvidence.PRINT
    if dimensions > 2 and colour_distance(own, square) < colour_distance(own, tile):
        return (
            ColourEvidence.PRINT
            if not shown and is_off_colour(ground, detection, tile, farthest)
            else ColourEvidence.ODD
        )
    return (
        ColourEvidence.TILE
        if dimensions > 2 and is_clearly_tile(own, tile, square)
        else ColourEvidence.NOTHING
    )


def evidence_off_board(
    ground: SquareColours, detection: int, tile: Floats, farthest: float, step: float
) -> ColourEvidence:
    """Return what is said of something beside the board, where a tile's colour is ``tile``.

    What is unsure or hardly a tile has a tile's colour, or is none; what shows a symbol and ends nowhere is a
    print on the cloth.
    """
    sure, off = bool(ground.sure[detection]), colour_distance(ground.tiles[detection][1:], tile[1:])
    if ground.shown[detection] and step < STEP:
        return ColourEvidence.ODD if sure and off <= farthest else ColourEvidence.PRINT
    foreign = bool(ground.weak[detection]) and colour_distance(ground.tiles[detection], tile) > FOREIGN
    against = foreign + is_off_colour(ground, detection, tile, farthest)
    if not against:
        return ColourEvidence.NOTHING
    likely = ground.legible[detection] or step > EDGED
    return ColourEvidence.ODD if likely and against == 1 else ColourEvidence.PRINT


def is_off_colour(ground: SquareColours, detection: int, tile: Floats, farthest: float) -> bool:
    """Return whether what is not surely a tile has another tone than tiles, farther off than they are."""
    return not ground.sure[detection] and colour_distance(ground.tiles[detection][1:], tile[1:]) > farthest


def is_clearly_tile(own: Floats, tile: Floats, square: Floats) -> bool:
    """Return whether a colour plainly is a tile's and not a square's."""
    return colour_distance(tile, square) > WELL_APART and colour_distance(
        own, tile
    ) < PLAINLY * colour_distance(own, square)


def colour_distance(one: Floats, other: Floats) -> float:
    """Return how far two colours are from each other."""
    return float(np.linalg.norm(one - other))


def local_median(colours: Floats, spots: Floats, some: NDArray[np.intp], at: Floats) -> Floats:
    """Return the median colour of those of some places that are nearest to one."""
    far = np.linalg.norm(spots[some] - at, axis=1)
    return np.asarray(np.median(colours[some[np.argsort(far)[:NEAREST]]], axis=0))


def square_colours(frame: NDArray[np.uint8], board: Board) -> Paper:
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
    return log_chroma(np.percentile(seen, BRIGHT, axis=1).reshape(len(centres), -1))
