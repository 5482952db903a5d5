"""A look corrected by the colours of a board's squares: no print, and no tile overlooked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Names, SetNamer, cut_from
from companion.vision.detector.detections import Finds
from companion.vision.grid.scrabble import Board
from companion.vision.picture import grey
from companion.vision.pipeline.colour_model import (
    APART,
    NEAREST,
    PLAINLY,
    SURE,
    WELL_APART,
    Floats,
    Ground,
    Mask,
    Paper,
    Says,
    away,
    printed,
    said,
)
from companion.vision.pipeline.edge_contrast import weakest_steps
from companion.vision.pipeline.frame import Look, together

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


def told_by_squares(frame: NDArray[np.uint8], look: Look, board: Board, namer: SetNamer) -> Look:
    """Return a look in which the colours of a board's squares have had their say.

    Printed squares are left out; bare faces of which colour says nothing are
    believed less; what looks like a tile is one, found by the network or not.
    ``frame`` is the whole picture, grey or in colour.
    """
    paper = printed(frame, board)
    ground = Ground.of(frame, look, board, paper)
    if not ground.sure.any():
        return look
    farthest = ground.farthest_tone()
    steps = weakest_steps(frame, look.finds.quads()).tolist()
    says = [said(ground, find, frame.ndim, farthest, step) for find, step in enumerate(steps)]
    tile, either, odd, keep = (
        np.array([(one is which) == holds for one in says], np.bool_)
        for which, holds in ((Says.TILE, True), (Says.EITHER, True), (Says.ODD, True), (Says.PRINT, False))
    )
    names = believed(look.names, tile, either)
    names = replace(names, chance=names.chance * np.where(odd, UNTOLD, 1.0)[:, None, None])
    corrected = replace(look, names=names).kept(keep)
    return with_overlooked(frame, corrected, (board, paper), namer) if frame.ndim == 3 else corrected


def believed(names: Names, tile: Mask, either: Mask) -> Names:
    """Return names that know which finds surely are tiles, and of which bare faces colour says nothing.

    On a board a face that shows a symbol less likely than none is a blank, if in doubt.
    """
    own = np.where(tile, np.maximum(1 - names.none, LEAST_OWN), 1.0)
    chance = names.chance / own[:, None, None]
    down = names.down / own * np.where(either, UNTOLD, 1.0)
    blank = down > chance.sum(2).max(1, initial=0.0)
    down = np.where(blank, np.maximum(down, BLANK), down)
    return Names(names.symbols, chance, down, np.where(tile, 0.0, names.none), names.foreign)


def with_overlooked(
    frame: NDArray[np.uint8], look: Look, under: tuple[Board, Paper], namer: SetNamer
) -> Look:
    """Return a look with the tiles that the colour of their square tells of; each may tell of others."""
    plane = grey(frame)
    for _ in range(ROUNDS):
        finds, names = overlooked(plane, Ground.of(frame, look, *under), namer)
        if not len(finds):
            break
        look = replace(look, finds=together(look.finds, finds), names=together(look.names, names))
    return look


def overlooked(plane: NDArray[np.uint8], ground: Ground, namer: SetNamer) -> tuple[Finds, Names]:
    """Return what lies in squares without a find: of a tile's colour, or of another but with a symbol.

    In a change of light squares look a little like tiles: a bare face must look more like one.
    """
    odd = odd_squares(ground)
    alike = (np.minimum(odd.apart, odd.from_square) > APART[0]) & (odd.from_tile < PLAINLY * odd.from_square)
    finds = laid_in(ground, odd.cells)
    finds = replace(finds, scores=np.where(alike & (odd.apart > WELL_APART), SCORE, ODD_SCORE))
    names = namer.names(*cut_from(plane, finds))
    shown = names.likeliest() > np.maximum(names.down, LEAST_SHOWN)
    burnt = ground.squares[odd.cells, 0] > BURNT
    same = (odd.from_tile < SAME * odd.apart) & ~burnt
    bare = odd.from_tile < np.minimum(BARELY * odd.from_square, APART[0])
    told = alike & (same | (names.none < NONE)) & (shown | bare)
    lit = odd.lit & ~told & (odd.plain | (names.none < NONE))
    real = told | lit | (names.likeliest() > SURE)
    return finds.kept(real), believed(names, alike | lit, lit | burnt).kept(real)


@dataclass(frozen=True, slots=True, eq=False)
class OddSquares:
    """The squares without a find that are not quite as those of their kind, ``cells`` their numbers.

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


def odd_squares(ground: Ground) -> OddSquares:
    """Return the squares without a find that are not quite as those of their kind."""
    rows = []
    for cell in np.flatnonzero(ground.free).tolist():
        own, tile, square = ground.squares[cell], ground.as_tile(ground.spots[cell]), ground.as_square(cell)
        if tile is not None and square is not None and away(own, square) > A_LITTLE:
            off, toned = away(own[1:], square[1:]), away(own[1:], tile[1:])
            coloured = float(np.linalg.norm(tile[1:])) > APART[0]
            one_tone = off > APART[0] and toned < BARELY * off and (own[0] < tile[0] or coloured)
            just = one_tone and coloured and toned < SAME * off
            rows.append((cell, away(tile, square), away(own, tile), away(own, square), one_tone, just))
    cells, apart, from_tile, from_square, lit, plain = np.array(rows, np.float64).reshape(-1, 6).T
    return OddSquares(cells.astype(np.intp), apart, from_tile, from_square, lit > 0, plain > 0)


def laid_in(ground: Ground, cells: NDArray[np.intp]) -> Finds:
    """Return finds in some squares that lie there as the nearest sure tiles lie in theirs."""
    sure = np.flatnonzero(ground.sure & ground.fits)
    sure = sure if len(sure) else np.flatnonzero(ground.sure)
    known, spots = ground.finds.kept(sure), ground.spots[ground.cells[sure]]
    far = np.linalg.norm(known.centres - ground.spots[cells][:, None], axis=2)
    nearest = np.argsort(far, axis=1)[:, :NEAREST]
    off = np.median((known.centres - spots)[nearest], axis=1)
    first = nearest[:, 0]
    return Finds(
        ground.spots[cells] + off, known.shapes[first], known.turns[first], np.full(len(cells), SCORE)
    )
