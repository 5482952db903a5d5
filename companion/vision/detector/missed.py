"""A look corrected by the colours of a board's squares: no print, and no tile overlooked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, crop_source
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
    Paper,
    SquareColours,
    colour_distance,
    colour_evidence,
    square_colours,
)
from companion.vision.pipeline.contrast import weakest_edge
from companion.vision.pipeline.frame import FrameDetections, concatenated

UNTOLD = 0.8
"""So much less is believed a bare face of which colour says nothing, and a symbol on the colour of print."""
SCORE = 0.5
"""Score of a tile that only its colour has told of."""
ODD_SCORE = 0.3
"""Score where it tells less than plainly: a doubt."""
BARELY = 0.33
"""A bare face is so much nearer to a tile's colour than to a square's, and close to it."""
LEAST_SHOWN = 0.1
"""Chance of a symbol below which a face shows none."""
BURNT = np.log(245 + 8.0) / 2
"""Above this brightness, as ``probed`` tells it, light has burnt a face white: its colour tells nothing."""
A_LITTLE = 0.06
"""A square that differs less from those of its kind holds nothing."""
ROUNDS = 4
"""So often tiles that were overlooked may tell of others, as light changes over the board."""
NONE = 0.97
"""Chance of being no tile above which even that is not believed."""
SAME = 0.1
"""A square that is so much nearer to a tile's colour than bare squares are holds one, whatever it shows."""
BLANK = 0.51
"""Chance that makes a face a blank."""
LEAST_OWN = 0.3
"""What is taken from "no tile" where colour shows one is shared out at most threefold."""


def apply_colour_evidence(
    frame: NDArray[np.uint8], look: FrameDetections, board: Board, classifier: Classifier
) -> FrameDetections:
    """Return a look in which the colours of a board's squares have had their say.

    Printed squares are left out; bare faces of which colour says nothing are
    believed less; what looks like a tile is one, found by the network or not.
    ``frame`` is the whole picture, grey or in colour.
    """
    paper = square_colours(frame, board)
    ground = SquareColours.of(frame, look, board, paper)
    if not ground.sure.any():
        return look
    farthest = ground.farthest_tone()
    steps = weakest_edge(frame, look.detections.quads()).tolist()
    says = [colour_evidence(ground, find, frame.ndim, farthest, step) for find, step in enumerate(steps)]
    tile, either, odd, keep = (
        np.array([(one is which) == holds for one in says], np.bool_)
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
    return add_missed(frame, corrected, (board, paper), classifier) if frame.ndim == 3 else corrected


def reweighted(probabilities: ClassProbabilities, tile: Mask, either: Mask) -> ClassProbabilities:
    """Return names that know which detections surely are tiles, and of which bare faces colour says nothing.

    On a board a face that shows a symbol less likely than none is a blank, if in doubt.
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
    frame: NDArray[np.uint8], look: FrameDetections, under: tuple[Board, Paper], classifier: Classifier
) -> FrameDetections:
    """Return a look with the tiles that the colour of their square tells of; each may tell of others."""
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
    plane: NDArray[np.uint8], ground: SquareColours, classifier: Classifier
) -> tuple[Detections, ClassProbabilities]:
    """Return what lies in squares without a detection: of a tile's colour, or of another but with a symbol.

    In a change of light squares look a little like tiles: a bare face must look more like one.
    """
    odd = outlier_squares(ground)
    alike = (np.minimum(odd.apart, odd.from_square) > APART[0]) & (odd.from_tile < PLAINLY * odd.from_square)
    detections = detections_in_cells(ground, odd.cells)
    detections = replace(detections, scores=np.where(alike & (odd.apart > WELL_APART), SCORE, ODD_SCORE))
    probabilities = classifier.classify(*crop_source(plane, detections))
    shown = probabilities.p_best_symbol() > np.maximum(probabilities.p_blank, LEAST_SHOWN)
    burnt = ground.squares[odd.cells, 0] > BURNT
    same = (odd.from_tile < SAME * odd.apart) & ~burnt
    bare = odd.from_tile < np.minimum(BARELY * odd.from_square, APART[0])
    told = alike & (same | (probabilities.p_background < NONE)) & (shown | bare)
    lit = odd.lit & ~told & (odd.plain | (probabilities.p_background < NONE))
    real = told | lit | (probabilities.p_best_symbol() > SURE)
    return detections.kept(real), reweighted(probabilities, alike | lit, lit | burnt).kept(real)


@dataclass(frozen=True, slots=True, eq=False)
class OutlierSquares:
    """The squares without a detection that are not quite as those of their kind, ``cells`` their numbers.

    All are (n,): how far the tiles' and the squares' colours are ``apart`` there, how far its own is
    ``from_tile`` and ``from_square``, whether it is a tile's tone ``lit`` otherwise (brighter only where
    tiles are coloured, as glare makes all grey), and whether that is ``plain``: just the tone of coloured
    tiles.
    """

    cells: NDArray[np.intp]
    apart: Floats
    from_tile: Floats
    from_square: Floats
    lit: Mask
    plain: Mask


def outlier_squares(ground: SquareColours) -> OutlierSquares:
    """Return the squares without a detection that are not quite as those of their kind."""
    rows = []
    for cell in np.flatnonzero(ground.free).tolist():
        own, tile, square = ground.squares[cell], ground.as_tile(ground.spots[cell]), ground.as_square(cell)
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


def detections_in_cells(ground: SquareColours, cells: NDArray[np.intp]) -> Detections:
    """Return detections in some squares that lie there as the nearest sure tiles lie in theirs."""
    sure = np.flatnonzero(ground.sure & ground.fits)
    sure = sure if len(sure) else np.flatnonzero(ground.sure)
    known, spots = ground.detections.kept(sure), ground.spots[ground.cells[sure]]
    far = np.linalg.norm(known.centres - ground.spots[cells][:, None], axis=2)
    nearest = np.argsort(far, axis=1)[:, :NEAREST]
    off = np.median((known.centres - spots)[nearest], axis=1)
    first = nearest[:, 0]
    return Detections(
        ground.spots[cells] + off, known.shapes[first], known.turns[first], np.full(len(cells), SCORE)
    )
