"""Printed squares of a board that a network took for tiles: their colour is that of the other squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.reading.board import CELLS, Board
from companion.reading.board.premium import LAYOUT
from companion.reading.board.projective import projected
from companion.reading.look import Look
from companion.reading.on_board import seats

Floats = NDArray[np.float64]

ALONG = np.linspace(-0.3, 0.3, 7)
"""Where a face or a square is probed, in its sides from its middle."""
BRIGHT = 70
"""Percentile of the brightness there that shows the ground, not the ink."""
NEAREST = 5
"""So many of the nearest tiles, and of the nearest squares of a kind, tell how they look."""
SURE = 0.9
"""A find that shows a symbol with more than this chance is taken for a tile, unless it is plainly print."""
NEARER = {3: (0.75, 0.35), 2: (0.3, 0.0)}
"""By dimensions of the frame: a find is print where its colour is so much nearer to a square's than to a
tile's, an unsure one and a sure one.  Grey tells so little that nothing sure is doubted for it."""
APART = (0.12, 0.35)
"""Where tiles and squares of a kind differ less, colour says nothing of an unsure find, and of a sure one."""
MIDDLES = np.array([(col + 0.5, row + 0.5) for row in range(CELLS) for col in range(CELLS)])
"""The middle of every square as (col, row), row by row."""


def no_squares(frame: NDArray[np.uint8], look: Look, board: Board) -> NDArray[np.bool_]:
    """Return which finds are none of the board's printed squares, (n,).

    Squares of one kind are alike, and so are tiles: what lies on a square is
    looked at beside the nearest of both.  ``frame`` is the whole picture, grey
    or in colour.
    """
    finds, keep = look.finds, np.ones(len(look.finds), np.bool_)
    where = seats(finds, board)
    chance = look.names.likeliest()
    sure = (chance > SURE) & (finds.scores * (1 - look.names.none) > SURE / 2)
    if not where.fits.any() or not sure.any():
        return keep
    vectors = finds.vectors()
    tiles = probed(frame, finds.centres, vectors)
    squares, spots = printed(frame, board)
    free = np.ones(CELLS**2, np.bool_)
    numbers = np.clip(where.cells[:, 1] * CELLS + where.cells[:, 0], 0, CELLS**2 - 1)
    free[numbers[where.inside]] = False
    kinds = LAYOUT.reshape(-1)
    for k in np.flatnonzero(where.fits).tolist():
        others = np.flatnonzero(sure & (np.arange(len(finds)) != k))
        alike = np.flatnonzero(free & (kinds == kinds[numbers[k]]))
        if len(others) and len(alike):
            as_tile = beside(tiles, finds.centres, others, finds.centres[k])
            as_square = beside(squares, spots, alike, finds.centres[k])
            bound = NEARER[frame.ndim][int(sure[k])] * np.linalg.norm(tiles[k] - as_tile)
            alone = np.linalg.norm(as_tile - as_square) < APART[int(sure[k])]
            keep[k] = alone or np.linalg.norm(tiles[k] - as_square) >= bound
    return keep


def beside(colours: Floats, spots: Floats, some: NDArray[np.intp], at: Floats) -> Floats:
    """Return the median colour of those of some places that are nearest to one."""
    away = np.linalg.norm(spots[some] - at, axis=1)
    return np.asarray(np.median(colours[some[np.argsort(away)[:NEAREST]]], axis=0))


def printed(frame: NDArray[np.uint8], board: Board) -> tuple[Floats, Floats]:
    """Return the colour of every square, (225, channels), and its middle in pixels, (225, 2), row by row."""
    sides = [
        projected(board.homography, MIDDLES + way) - projected(board.homography, MIDDLES - way)
        for way in np.eye(2) / 2
    ]
    spots = projected(board.homography, MIDDLES)
    return probed(frame, spots, np.stack(sides, -1)), spots


def probed(frame: NDArray[np.uint8], centres: Floats, vectors: Floats) -> Floats:
    """Return the colours of faces, as logarithms, brightness half: (n, 3) in colour, (n, 1) in grey.

    ``centres`` (n, 2) are their middles in pixels, the columns of ``vectors`` (n, 2, 2) their sides.
    """
    u, v = np.meshgrid(ALONG, ALONG)
    unit = np.stack([u.ravel(), v.ravel()], -1)
    places = centres[:, None] + unit @ np.swapaxes(vectors, 1, 2)
    x = np.clip(np.round(places[..., 0]), 0, frame.shape[1] - 1).astype(int)
    y = np.clip(np.round(places[..., 1]), 0, frame.shape[0] - 1).astype(int)
    colours = np.log(np.percentile(frame[y, x].astype(np.float64), BRIGHT, axis=1) + 8.0)
    if frame.ndim == 2:
        return np.asarray(colours)[:, None]
    blue, green, red = colours.T
    return np.column_stack([colours.mean(1) / 2, blue - green, red - green])
