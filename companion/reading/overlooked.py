"""A look corrected by the colours of a board's squares: no print, and no tile overlooked."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.reading.board import Board
from companion.reading.find import Finds
from companion.reading.look import Look, together
from companion.reading.name import Names, SetNamer, cut_from
from companion.reading.squares import NEAREST, Ground, Mask, Says, plainly, said

UNTOLD = 0.8
"""A bare face is believed so much less where its colour says nothing."""
SCORE = 0.5
"""Score of a tile that only its colour has told of."""
NONE = 0.97
"""Chance of being no tile above which even that is not believed."""
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
    ground = Ground.of(frame, look, board)
    if not ground.sure.any():
        return look
    says = [said(ground, find, frame.ndim) for find in range(len(look.finds))]
    tile, either, keep = (
        np.array([(one is which) == holds for one in says], np.bool_)
        for which, holds in ((Says.TILE, True), (Says.EITHER, True), (Says.PRINT, False))
    )
    corrected = replace(look, names=believed(look.names, tile, either)).kept(keep)
    return with_overlooked(frame, corrected, ground, namer) if frame.ndim == 3 else corrected


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


def with_overlooked(frame: NDArray[np.uint8], look: Look, ground: Ground, namer: SetNamer) -> Look:
    """Return a look with the tiles that only the colour of their square tells of."""
    cells = [cell for cell in np.flatnonzero(ground.free).tolist() if is_tile(ground, cell)]
    if not cells:
        return look
    finds = laid_in(ground, np.array(cells))
    grey = np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
    names = namer.names(*cut_from(grey, finds))
    real = names.none < NONE
    names = believed(names, np.ones(len(finds), np.bool_), np.zeros(len(finds), np.bool_))
    return replace(
        look,
        finds=together(look.finds, finds.kept(real)),
        names=together(look.names, names.kept(real)),
    )


def is_tile(ground: Ground, cell: int) -> bool:
    """Return whether a square in which nothing was found plainly has the colour of a tile."""
    tile, square = ground.as_tile(ground.spots[cell]), ground.as_square(cell)
    return tile is not None and square is not None and plainly(ground.squares[cell], tile, square)


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
