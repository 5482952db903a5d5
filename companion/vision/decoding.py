"""Decoding of class probabilities and layout to tiles, doubts and tableaux, each in one reading direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Cell, Corners, Face, Tableau, Tile
from companion.model.tiles import BLANK
from companion.vision.classifier import (
    EPSILON,
    ROTATION_INVARIANT,
    ClassProbabilities,
    crop_source,
    crops,
    p_tile,
)
from companion.vision.detector.detections import Detections, is_inside_picture
from companion.vision.grid.components import Edge, Layout, rotated_cells, turn_scores

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

P_ODD_ROTATION = 0.003
"""Prior probability that a tile of a tableau is rotated relative to the others."""

MIN_CONFIDENCE = 0.85
"""Least confidence of a symbol without a doubt."""

MIN_BLANK_CONFIDENCE = 0.9
"""Least probability of a blank without a doubt: in faint light ink may not show."""

MIN_SURE_P_TILE = 0.35
"""Least probability of a tile without a doubt."""

INK_SIDE = 0.6
"""Side of the central part of a face that holds the symbol, in tile sides: where the picture cuts it off, a T
looks like a J.  Of photographed letters cut there 17 of 363 were wrong and sure, of 4,208 others none.
"""

MIN_FIRST_READER, MIN_SECOND_READER = 0.6, 0.75
"""Least probabilities of first and second reader whose agreement settles a doubt: of drawn tiles that
``companion bench second`` settles, none is wrong.
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """The decoded symbol of a face-up tile, its turn, its confidence, and the next best symbol."""

    symbol: str
    turn: int
    confidence: float
    runner_up: str | None


Place = tuple[int, int, int]
"""Tableau, row and column."""

Chosen = dict[int, Choice]
"""The choices for tiles that show a symbol, by their number."""


def compose(
    detections: Detections, probabilities: ClassProbabilities, layout: Layout, size: tuple[int, int]
) -> tuple[tuple[Tile, ...], tuple[Tableau, ...]]:
    """Return the tiles in the order of the detections, and the tableaux of their components.

    ``size`` is the picture's width and height.  The second reader's probabilities of doubted tiles are fused.
    """
    chosen, place = decode_tiles(probabilities, layout)
    if probabilities.second.any():
        chosen |= recheck_with_ocr(probabilities, low_confidence(chosen))
    doubts = doubtful_tiles(chosen, layout, detections, probabilities)
    doubts |= set(np.flatnonzero(~is_inside_picture(detections, size, INK_SIDE)).tolist())
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
    """Return the choices with a low confidence."""
    return {k: choice for k, choice in chosen.items() if choice.confidence < MIN_CONFIDENCE}


def doubtful_tiles(
    chosen: Chosen, layout: Layout, detections: Detections, probabilities: ClassProbabilities
) -> set[int]:
    """Return the doubted tiles: of low confidence, in conflict, or with a low probability of a tile."""
    faint = np.flatnonzero(probabilities.p_blank < MIN_BLANK_CONFIDENCE).tolist()
    weak = np.flatnonzero(p_tile(detections, probabilities) < MIN_SURE_P_TILE).tolist()
    return low_confidence(chosen).keys() | (set(faint) - chosen.keys()) | layout.conflicts | set(weak)


def _tile(
    quad: list[list[float]], choice: Choice | None, down: float, doubt: bool, place: Place | None
) -> Tile:
    """Return one tile; one without a symbol is a blank where it lies in a tableau, else face down."""
    where = place or (None, None, None)
    if choice is None:
        symbol, face = (BLANK, Face.UP) if place else (None, Face.DOWN)
        return Tile(symbol, face, corners_of(quad, 0), down, doubt, None, *where)
    corners, other = corners_of(quad, choice.turn), choice.runner_up if doubt else None
    return Tile(choice.symbol, Face.UP, corners, choice.confidence, doubt, other, *where)


def _tableau(number: int, tiles: tuple[Tile, ...]) -> Tableau:
    """Return a tableau from the tiles that lie in it."""
    members = [tile for tile in tiles if tile.tableau == number]
    tops = [np.subtract(tile.corners[1], tile.corners[0]) for tile in members if tile.symbol]
    x, y = np.sum(tops or [(1.0, 0.0)], axis=0)
    cells = [
        Cell(tile.row, tile.col, tile.symbol or BLANK, tile.doubt, tile.confidence, tile.alternative)
        for tile in members
        if tile.row is not None and tile.col is not None
    ]
    ordered = tuple(sorted(cells, key=lambda cell: (cell.row, cell.col)))
    return Tableau(ordered, float(np.degrees(np.arctan2(y, x)) % 360))


def corners_of(quad: list[list[float]], turn: int) -> Corners:
    """Return corners clockwise from the symbol's own top left."""
    a, b, c, d = ((x, y) for x, y in quad[turn:] + quad[:turn])
    return a, b, c, d


def turn_log_likelihoods(probabilities: ClassProbabilities) -> Floats:
    """Return the log likelihood of each turn of a tile's own frame, (n, 4); 0 for blanks."""
    share = probabilities.p_symbol.sum(1)
    share = share / np.maximum(share.sum(1, keepdims=True), EPSILON)
    return np.asarray(np.where(probabilities.is_blank()[:, None], 0.0, np.log(share + P_ODD_ROTATION)))


def allowed_edges(found: list[Edge], probabilities: ClassProbabilities, blanks: bool) -> list[Edge]:
    """Return the edges between symbols, and with ``blanks`` those between a symbol and a blank face.

    In a set without blanks, a blank face is a face-down tile in no tableau.
    """
    bare = probabilities.is_blank().astype(int)
    return [link for link in found if bare[link.a] + bare[link.b] <= int(blanks)]


def decode_symbols(probabilities: ClassProbabilities, turns: NDArray[np.int_]) -> list[Choice]:
    """Return the choice for each tile, given its turn in ``turns``, (n,), -1 where it is unknown."""
    likely, tile = symbol_likelihoods(probabilities, turns), np.arange(len(turns))
    order = np.argsort(-likely, axis=1)
    best, other = order[:, 0], order[:, min(1, order.shape[1] - 1)]
    sure = np.minimum(likely[tile, best], 1.0).tolist()
    resolved = np.where(turns >= 0, turns, probabilities.p_symbol[tile, best].argmax(1)).tolist()
    symbols = probabilities.symbols
    return [
        Choice(symbols[b], t, c, symbols[o] if o != b else None)
        for b, t, c, o in zip(best.tolist(), resolved, sure, other.tolist(), strict=True)
    ]


def symbol_likelihoods(probabilities: ClassProbabilities, turns: NDArray[np.int_]) -> Floats:
    """Return the probability of each symbol on each tile, given ``turns`` as above, (n, symbols).

    It is summed over turns for a rotation-invariant symbol: a value in the corner, where a Q has its tail,
    must not count against an upright O.
    """
    chance, tile = probabilities.p_symbol, np.arange(len(turns))
    any_turn = chance.sum(2)
    by_turn = chance.sum(1)
    known = turns >= 0
    turnless = np.array([symbol in ROTATION_INVARIANT for symbol in probabilities.symbols], np.bool_)
    in_turn = np.where(turnless, any_turn, chance[tile, :, np.maximum(turns, 0)] + P_ODD_ROTATION * any_turn)
    by_symbol = np.where(known[:, None], in_turn, any_turn)
    fitting = np.where(known, by_turn[tile, np.maximum(turns, 0)] / np.maximum(by_turn.max(1), EPSILON), 1.0)
    share = by_symbol / np.maximum(by_symbol.sum(1, keepdims=True), EPSILON)
    return np.asarray(share * (fitting * by_turn.sum(1))[:, None])


class SymbolReader(Protocol):
    """Returns the probability of each symbol on each tile."""

    def symbol_probabilities(self, cuts: Grey, symbols: tuple[str, ...]) -> Floats:
        """Return the probability of each symbol on each tile, (n, symbols), float64.

        A tile's sum is at most 1, and 0 without an answer.  ``cuts`` are upright tiles as
        ``companion.vision.classifier`` cuts them, the most urgent first, uint8 (n, side, side), side 32 to 96
        pixels, the tile in the middle seven eighths; ``symbols`` are the set's without blanks.
        """
        ...


def ask_ocr(
    second: SymbolReader,
    grey: Grey,
    detections: Detections,
    probabilities: ClassProbabilities,
    doubted: Mapping[int, Choice],
) -> ClassProbabilities:
    """Return probabilities with the second reader's for the doubted tiles of a grey picture, cropped upright.

    ``detections`` and ``probabilities`` are those of all tiles, ``doubted`` the choices by the tile's number.
    The surest come first, as they gain most and the reader reads a limited number.
    """
    numbers = np.array(sorted(doubted, key=lambda k: -doubted[k].confidence), np.intp)
    turns = np.array([doubted[k].turn for k in numbers])
    upright = upright_crops(grey, detections.kept(numbers), turns)
    whole = probabilities.second.copy()
    whole[numbers, :, turns] = second.symbol_probabilities(upright, probabilities.symbols)
    return replace(probabilities, second=whole)


def upright_crops(grey: Grey, detections: Detections, turns: NDArray[np.intp]) -> Grey:
    """Return upright crops of tiles, (n, side, side); ``turns`` are their symbols' quarter turns."""
    picture, quads = crop_source(grey, detections)
    corners = (turns[:, None] + np.arange(4)) % 4
    return crops(picture, np.take_along_axis(quads, corners[..., None], 1))


def recheck_with_ocr(probabilities: ClassProbabilities, doubted: Mapping[int, Choice]) -> dict[int, Choice]:
    """Return the choices for doubted tiles, fused with the second reader's probabilities.

    Sure agreement combines both confidences; otherwise the second reader's symbol becomes the alternative.
    ``doubted`` are the choices by the tile's number in ``probabilities``; those without an answer for their
    turn are left out.
    """
    out = {}
    for k, choice in doubted.items():
        second = probabilities.second[k, :, choice.turn]
        if not second.any():
            continue
        (first,) = symbol_likelihoods(probabilities.kept(np.array([k])), np.array([choice.turn]))
        symbol = probabilities.symbols[int(second.argmax())]
        if agree(first, second):
            out[k] = replace(choice, confidence=1 - float((1 - first.max()) * (1 - second.max())))
        elif symbol != choice.symbol:
            out[k] = replace(choice, runner_up=symbol)
    return out


def agree(first: Floats, second: Floats) -> bool:
    """Return whether two readings of one tile surely agree.

    Both are probabilities of a set's symbols in the tile's turn, (symbols,), with a sum of at most 1.  The
    first must be sure of a symbol, as other things on a table have letters too.
    """
    best = int(first.argmax())
    alike = best == second.argmax() and first.sum() >= MIN_CONFIDENCE
    return bool(alike and first[best] >= MIN_FIRST_READER and second[best] >= MIN_SECOND_READER)
