"""From probabilities and layout to a reading: each tile's symbol and doubt, each tableau's cells."""

from __future__ import annotations

import numpy as np

from companion.model.reading import Cell, Corners, Face, Tableau, Tile
from companion.model.tiles import BLANK
from companion.vision.classifier import ClassProbabilities
from companion.vision.decoding import (
    Choice,
    decode_symbols,
    turn_log_likelihoods,
)
from companion.vision.detector.detections import Detections
from companion.vision.grid.components import Layout, rotated_cells, turn_scores
from companion.vision.ocr.recheck import recheck_with_ocr

DOUBT = 0.85
"""Confidence below which a symbol is doubted."""

PLAINLY_BARE = 0.9
"""Probability below which a blank is doubted: in faint light ink may not show."""

WEAK = 0.35
"""Probability of a tile being there at all below which it is doubted."""

Place = tuple[int, int, int]
"""Tableau, row and column."""

Chosen = dict[int, Choice]
"""The choices for tiles that show a symbol, by their number."""


def compose(
    detections: Detections, probabilities: ClassProbabilities, layout: Layout
) -> tuple[tuple[Tile, ...], tuple[Tableau, ...]]:
    """Return the tiles in the order of the detections, and the tableaux of their components.

    What a second reader said of doubted tiles is fused.
    """
    chosen, place = decode_tiles(probabilities, layout)
    if probabilities.second.any():
        chosen |= recheck_with_ocr(probabilities, low_confidence(chosen))
    doubts = doubtful_tiles(chosen, layout, detections, probabilities)
    quads = detections.quads().tolist()
    tiles = tuple(
        _tile(quads[k], chosen.get(k), float(probabilities.p_blank[k]), k in doubts, place.get(k))
        for k in range(len(detections))
    )
    return tiles, tuple(_tableau(number, tiles) for number in range(len(layout.components)))


def decode_tiles(probabilities: ClassProbabilities, layout: Layout) -> tuple[Chosen, dict[int, Place]]:
    """Return the choice for each tile with a symbol, and the places of those in a tableau."""
    turns = np.full(len(probabilities.p_blank), -1)
    place: dict[int, Place] = {}
    log_likelihoods = turn_log_likelihoods(probabilities)
    for number, component in enumerate(layout.components):
        direction = int(turn_scores(component, log_likelihoods).argmax())
        for k, cell in rotated_cells(component, direction).items():
            place[k] = (number, *cell)
            if k in component.quarters:
                turns[k] = (direction - component.quarters[k]) % 4
    up = np.flatnonzero(~probabilities.is_blank())
    return dict(zip(up.tolist(), decode_symbols(probabilities.kept(up), turns[up]), strict=True)), place


def low_confidence(chosen: Chosen) -> Chosen:
    """Return the choices that are doubted."""
    return {k: choice for k, choice in chosen.items() if choice.confidence < DOUBT}


def doubtful_tiles(
    chosen: Chosen, layout: Layout, detections: Detections, probabilities: ClassProbabilities
) -> set[int]:
    """Return the doubted tiles: of low confidence, in conflict or hardly there."""
    unsure = low_confidence(chosen).keys()
    blank = {k for k in range(len(detections)) if k not in chosen and probabilities.p_blank[k] < PLAINLY_BARE}
    weak = set(np.flatnonzero(detections.scores * (1 - probabilities.p_background) < WEAK).tolist())
    return unsure | blank | layout.conflicts | weak


def _tile(
    quad: list[list[float]], choice: Choice | None, down: float, doubt: bool, place: Place | None
) -> Tile:
    """Return one tile; one without a symbol is a blank where it lies in a tableau, else face down."""
    where = place or (None, None, None)
    if choice is None and place:
        return Tile(BLANK, Face.UP, corners_of(quad, 0), down, doubt, None, *where)
    if choice is None:
        return Tile(None, Face.DOWN, corners_of(quad, 0), down, doubt)
    other = choice.runner_up if doubt else None
    return Tile(
        choice.symbol, Face.UP, corners_of(quad, choice.turn), choice.confidence, doubt, other, *where
    )


def _tableau(number: int, tiles: tuple[Tile, ...]) -> Tableau:
    """Return a tableau from the tiles that lie in it."""
    members = [tile for tile in tiles if tile.tableau == number]
    ways = np.sum(
        [np.subtract(tile.corners[1], tile.corners[0]) for tile in members if tile.symbol] or [(1.0, 0.0)],
        axis=0,
    )
    cells = [
        Cell(tile.row, tile.col, tile.symbol or BLANK, tile.doubt, tile.confidence, tile.alternative)
        for tile in members
        if tile.row is not None and tile.col is not None
    ]
    ordered = tuple(sorted(cells, key=lambda cell: (cell.row, cell.col)))
    return Tableau(ordered, float(np.degrees(np.arctan2(ways[1], ways[0])) % 360))


def corners_of(quad: list[list[float]], turn: int) -> Corners:
    """Return corners clockwise from the symbol's own top left."""
    a, b, c, d = ((x, y) for x, y in quad[turn:] + quad[:turn])
    return a, b, c, d
