"""Tiles on a Volcano board and beside it: letters in cells, at any turn, and words as on any table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.grid.components import PITCH, Component, Layout, pairwise_offsets
from companion.vision.grid.volcano.board import CELLS, Volcano

Mask = NDArray[np.bool_]

LETTERS = 30
"""Percentile of how far tiles beside a board lie from their nearest neighbour: most of them spell words."""
SPACED = (0.65, 1.45)
"""Distances between letters of one word, in the sides that tiles seem to have; others are between words."""
REACH = 0.36
"""A tile lies so near its cell's middle, in cells; what lies farther off is none."""
UNDER = 0.6
"""A detection so near a pyramid beside the board, in tile sides, is the pyramid itself."""


def assign_cells(detections: Detections, board: Volcano) -> tuple[NDArray[np.int_], Mask, Mask]:
    """Return each detection's (row, col), (n, 2), whether that is on the board, and whether it fits, (n,)."""
    places = board.places(detections.centres)
    cells = np.floor(places).astype(int)
    inside = ((cells >= 0) & (cells < CELLS)).all(1)
    fits = inside & (np.abs(places - cells - 0.5).max(1, initial=0.0) < REACH)
    return cells[:, ::-1], np.asarray(inside), np.asarray(fits)


def is_no_pyramid(detections: Detections, board: Volcano) -> NDArray[np.bool_]:
    """Return which detections may be tiles: neither between cells nor a pyramid beside the board, (n,)."""
    _, inside, fits = assign_cells(detections, board)
    beside = np.array(board.beside, np.float64).reshape(-1, 2)
    away = np.linalg.norm(detections.centres[:, None] - beside, axis=2).min(1, initial=np.inf)
    return np.asarray(fits | (~inside & (away > UNDER * detections.sides)))


def rescale_by_spacing(detections: Detections) -> Detections:
    """Return tiles beside a board as broad as the letters of words lie apart there.

    Reading tells a tile's size but roughly, and so does a board's; where they spell words it shows.
    """
    if len(detections) < 2:
        return detections
    lie = pairwise_offsets(detections.centres, detections.vectors()).own
    apart = float(np.percentile(np.linalg.norm(lie, axis=2).min(1), LETTERS))
    if not SPACED[0] < apart < SPACED[1]:
        return detections
    return replace(detections, shapes=detections.shapes * apart / PITCH)


def layout_on_volcano(
    detections: Detections, probabilities: ClassProbabilities, board: Volcano
) -> tuple[Component, frozenset[int], NDArray[np.intp]]:
    """Return the tiles on the board with their cells, those in doubt, and the numbers of all others.

    Of two in one cell the surer stays, in doubt.
    """
    cells, inside, fits = assign_cells(detections, board)
    sure = detections.scores * (1 - probabilities.p_background)
    held: dict[tuple[int, int], int] = {}
    clashes: set[int] = set()
    for k in sorted(np.flatnonzero(fits).tolist(), key=lambda k: -sure[k]):
        cell = (int(cells[k, 0]), int(cells[k, 1]))
        clashes |= {held[cell], k} if cell in held else set()
        held.setdefault(cell, k)
    group = Component(tuple(held.values()), {k: cell for cell, k in held.items()}, {}, CELLS)
    return group, frozenset(clashes), np.flatnonzero(~inside)


def merge_layouts(
    group: Component, clashes: frozenset[int], others: Layout, numbers: NDArray[np.intp]
) -> Layout:
    """Return one layout of the board's tiles and of others, whose ``numbers`` are given."""
    of = numbers.tolist()
    rest = [
        replace(
            one,
            tiles=tuple(of[k] for k in one.tiles),
            cells={of[k]: cell for k, cell in one.cells.items()},
            quarters={of[k]: turn for k, turn in one.quarters.items()},
        )
        for one in others.components
    ]
    return Layout((group, *rest), clashes | {of[k] for k in others.conflicts})
