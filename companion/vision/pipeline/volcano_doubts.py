"""Cells of the board that seem to hold nothing: as each holds a letter or a pyramid, they are asked about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.vision.classifier.probabilities import Names
from companion.vision.detector.detections import Finds
from companion.vision.detector.pyramid_occlusion import MIDDLES
from companion.vision.grid.projective import projected
from companion.vision.grid.volcano.board import Volcano
from companion.vision.layout.on_volcano import cells_of
from companion.vision.pipeline.frame import Look, together
from companion.vision.pipeline.second_pass import cell_shapes, in_cells

UNREAD = 0.6
"""How surely the tile in such a cell shows nothing: enough for a tile without a letter, and a doubt."""


def asked(look: Look, board: Volcano) -> Look:
    """Return a look with a tile in doubt wherever a cell shows neither a letter nor a pyramid.

    Glare may hide a letter, or it was overlooked.
    """
    lacking = ~board.covered()
    cells, _, fits = cells_of(look.finds, board)
    lacking[tuple(cells[fits].T)] = False
    empty = np.flatnonzero(lacking)
    if not len(empty):
        return look
    n, symbols = len(empty), look.names.symbols
    on = look.finds.kept(fits)
    side = float(np.median(in_cells(on, board))) if len(on) else 0.5
    middles = projected(board.homography, MIDDLES[empty])
    shapes = cell_shapes(board, middles) * side
    turns = np.full(n, np.radians(board.turn_deg))
    names = Names(symbols, np.zeros((n, len(symbols), 4)), np.full(n, UNREAD), np.zeros(n), np.zeros(n))
    finds = Finds(middles, shapes, turns, np.full(n, UNREAD))
    return replace(look, finds=together(look.finds, finds), names=together(look.names, names))
