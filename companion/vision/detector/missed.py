"""Detections on a board re-scored by its colour model: printed squares rejected, missed tiles added."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, crop_source
from companion.vision.colour import DARK
from companion.vision.detector.detections import Detections
from companion.vision.grid.scrabble import Board
from companion.vision.picture import grey
from companion.vision.pipeline.colour_model import (
    APART,
    NEAREST,
    PLAINLY,
    SURE,
    WELL_APART,
    ColourEvidence,
    Floats,
    Mask,
    SquareColours,
    Squares,
    colour_distance,
    colour_evidence,
    square_colours,
)
from companion.vision.pipeline.contrast import weakest_edge
from companion.vision.pipeline.frame import FrameDetections, concatenated

UNTOLD = 0.8
"""Factor on a blank of which colour tells nothing, and on a symbol on the colour of print."""
SCORE = 0.5
"""Score of a tile detected by its colour alone."""
ODD_SCORE = 0.3
"""The same where the colour is not clearly a tile's: a doubt."""
BARELY = 0.33
"""Distance from a tile's colour over that from a square's below which a square may hold a blank."""
LEAST_SHOWN = 0.1
"""Probability of a symbol below which a face shows none."""
BURNT = np.log(245 + DARK) / 2
"""Lightness in log-chroma above which a face is overexposed: its colour tells nothing."""
A_LITTLE = 0.06
"""Distance from the colour of its kind up to which a square is empty."""
ROUNDS = 4
"""Rounds in which missed tiles may lead to others, as light changes over the board."""
NONE = 0.97
"""Probability of no tile above which colour alone adds none."""
SAME = 0.1
"""Distance from a tile's colour over that of the squares' below which a square holds a tile in any case."""
BLANK = 0.51
"""Probability given to a blank: just more than one half."""
LEAST_OWN = 0.3
"""Least probability of a tile by which the classes are scaled where colour shows one."""


def apply_colour_evidence(
    frame: NDArray[np.uint8], look: FrameDetections, board: Board, classifier: Classifier
) -> FrameDetections:
    """Return detections re-scored by the colours of a board's squares.

    Printed squares are left out; blanks of which colour tells nothing are less
    probable; what has a tile's colour is one, detected by the network or not.
    ``frame`` is the whole picture, grey or in colour.
    """
    empty = square_colours(frame, board)
    colours = SquareColours.of(frame, look, board, empty)
    if not colours.sure.any():
        return look
    farthest = colours.farthest_tone()
    steps = weakest_edge(frame, look.detections.quads()).tolist()
    evidence = [colour_evidence(colours, k, frame.ndim, farthest, step) for k, step in enumerate(steps)]
    tile, either, odd, keep = (
        np.array([(one is which) == holds for one in evidence], np.bool_)
        for which, holds in (
            (ColourEvidence.TILE, True),
            (ColourEvidence.EITHER, True),
            (ColourEvidence.ODD, True),
            (ColourEvidence.PRINT, False),
        )
    )
    probabilities = reweighted(look.probabilities, tile, either)
    probabilities = replace(
        probabilities, p_symbol=probabilities.p_symbol * np.where(odd, UNTOLD, 1.0)[:, None, None]
    )
    corrected = replace(look, probabilities=probabilities).kept(keep)
    return add_missed(frame, corrected, (board, empty), classifier) if frame.ndim == 3 else corrected


def reweighted(probabilities: ClassProbabilities, tile: Mask, either: Mask) -> ClassProbabilities:
    """Return probabilities given which detections surely are tiles, and of which blanks colour tells nothing.

    On a board a face that shows no symbol more probably than one is a blank, if in doubt.
    """
    own = np.where(tile, np.maximum(1 - probabilities.p_background, LEAST_OWN), 1.0)
    chance = probabilities.p_symbol / own[:, None, None]
    down = probabilities.p_blank / own * np.where(either, UNTOLD, 1.0)
    blank = down > chance.sum(2).max(1, initial=0.0)
    down = np.where(blank, np.maximum(down, BLANK), down)
    return ClassProbabilities(
        probabilities.symbols,
        chance,
        down,
        np.where(tile, 0.0, probabilities.p_background),
        probabilities.p_foreign,
    )


def add_missed(
    frame: NDArray[np.uint8], look: FrameDetections, under: tuple[Board, Squares], classifier: Classifier
) -> FrameDetections:
    """Return detections with those added that their square's colour tells of; each may lead to others."""
    plane = grey(frame)
    for _ in range(ROUNDS):
        detections, probabilities = missed_detections(
            plane, SquareColours.of(frame, look, *under), classifier
        )
        if not len(detections):
            break
        look = replace(
            look,
            detections=concatenated(look.detections, detections),
            probabilities=concatenated(look.probabilities, probabilities),
        )
    return look


def missed_detections(
    plane: NDArray[np.uint8], colours: SquareColours, classifier: Classifier
) -> tuple[Detections, ClassProbabilities]:
    """Return what lies in squares without a detection: of a tile's colour, or of another but with a symbol.

    In a change of light squares look a little like tiles: a blank must look more like one.
    """
    odd = outlier_squares(colours)
    alike = (np.minimum(odd.apart, odd.from_square) > APART[0]) & (odd.from_tile < PLAINLY * odd.from_square)
    detections = detections_in_cells(colours, odd.cells)
    detections = replace(detections, scores=np.where(alike & (odd.apart > WELL_APART), SCORE, ODD_SCORE))
    probabilities = classifier.classify(*crop_source(plane, detections))
    shown = probabilities.p_best_symbol() > np.maximum(probabilities.p_blank, LEAST_SHOWN)
    burnt = colours.squares[odd.cells, 0] > BURNT
    same = (odd.from_tile < SAME * odd.apart) & ~burnt
    bare = odd.from_tile < np.minimum(BARELY * odd.from_square, APART[0])
    told = alike & (same | (probabilities.p_background < NONE)) & (shown | bare)
    lit = odd.lit & ~told & (odd.plain | (probabilities.p_background < NONE))
    real = told | lit | (probabilities.p_best_symbol() > SURE)
    return detections.kept(real), reweighted(probabilities, alike | lit, lit | burnt).kept(real)


@dataclass(frozen=True, slots=True, eq=False)
class OutlierSquares:
    """Squares without a detection whose colour is an outlier of their kind, ``cells`` their numbers.

    All are (n,): the distance ``apart`` of tiles' and squares' colours there, that of the own colour
    ``from_tile`` and ``from_square``, whether it is a tile's tone ``lit`` otherwise (brighter only where
    tiles are coloured, as glare makes all grey), and whether that is ``plain``: the very tone of coloured
    tiles.
    """

    cells: NDArray[np.intp]
    apart: Floats
    from_tile: Floats
    from_square: Floats
    lit: Mask
    plain: Mask


def outlier_squares(colours: SquareColours) -> OutlierSquares:
    """Return the squares without a detection whose colour is an outlier of their kind."""
    rows = []
    for cell in np.flatnonzero(colours.free).tolist():
        own, tile, square = (
            colours.squares[cell],
            colours.as_tile(colours.spots[cell]),
            colours.as_square(cell),
        )
        if tile is not None and square is not None and colour_distance(own, square) > A_LITTLE:
            off, toned = colour_distance(own[1:], square[1:]), colour_distance(own[1:], tile[1:])
            coloured = float(np.linalg.norm(tile[1:])) > APART[0]
            one_tone = off > APART[0] and toned < BARELY * off and (own[0] < tile[0] or coloured)
            just = one_tone and coloured and toned < SAME * off
            rows.append(
                (
                    cell,
                    colour_distance(tile, square),
                    colour_distance(own, tile),
                    colour_distance(own, square),
                    one_tone,
                    just,
                )
            )
    cells, apart, from_tile, from_square, lit, plain = np.array(rows, np.float64).reshape(-1, 6).T
    return OutlierSquares(cells.astype(np.intp), apart, from_tile, from_square, lit > 0, plain > 0)


def detections_in_cells(colours: SquareColours, cells: NDArray[np.intp]) -> Detections:
    """Return detections in some squares, placed and shaped as the nearest sure tiles in theirs."""
    sure = np.flatnonzero(colours.sure & colours.fits)
    sure = sure if len(sure) else np.flatnonzero(colours.sure)
    known, spots = colours.detections.kept(sure), colours.spots[colours.cells[sure]]
    far = np.linalg.norm(known.centres - colours.spots[cells][:, None], axis=2)
    nearest = np.argsort(far, axis=1)[:, :NEAREST]
    off = np.median((known.centres - spots)[nearest], axis=1)
    first = nearest[:, 0]
    return Detections(
        colours.spots[cells] + off, known.shapes[first], known.turns[first], np.full(len(cells), SCORE)
    )
