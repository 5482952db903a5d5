"""Cells of the board that seem to hold nothing: as each holds a letter or a pyramid, they are asked about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramid_occlusion import MIDDLES
from companion.vision.grid.homography import project
from companion.vision.grid.volcano.board import CELLS, Volcano
from companion.vision.layout.boards import volcano_cells
from companion.vision.pipeline.frame import FrameDetections, concatenated
from companion.vision.pipeline.occluded_letters import EVERY, Cells
from companion.vision.pipeline.second_pass import cell_shapes, in_cells

UNREAD = 0.6
"""How surely the tile in such a cell shows nothing: enough for a tile without a letter, and a doubt."""


def doubt_unread_cells(look: FrameDetections, board: Volcano, some: Cells = EVERY) -> FrameDetections:
    """Return a look with a tile in doubt wherever one of some cells shows neither a letter nor a pyramid.

    Glare may hide a letter, or it was overlooked.
    """
    lacking = ~board.covered() & some.reshape(CELLS, CELLS)
    cells, _, fits = volcano_cells(look.detections, board)
    lacking[tuple(cells[fits].T)] = False
    empty = np.flatnonzero(lacking)
    if not len(empty):
        return look
    n, symbols = len(empty), look.probabilities.symbols
    on = look.detections.kept(fits)
    side = float(np.median(in_cells(on, board))) if len(on) else 0.5
    middles = project(board.homography, MIDDLES[empty])
    shapes = cell_shapes(board, middles) * side
    turns = np.full(n, np.radians(board.turn_deg))
    probabilities = ClassProbabilities(
        symbols, np.zeros((n, len(symbols), 4)), np.full(n, UNREAD), np.zeros(n), np.zeros(n)
    )
    detections = Detections(middles, shapes, turns, np.full(n, UNREAD))
    return replace(
        look,
        detections=concatenated(look.detections, detections),
        probabilities=concatenated(look.probabilities, probabilities),
    )
