"""How right a reading is.

Tiles of known places are paired with what was seen within half a tile of
them.  Where only the grids are known, symbols are counted and tableaux laid
on each other.  A fault is silent where the reader did not mark it as a
doubt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from itertools import permutations, product

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.evaluation.truth import Box, Grid, TrueTile, Truth
from companion.model.reading import Cell, Corners, Face, Piece, Point, Reading, Tableau, Tile

VOLCANO_CELLS = 5
"""Cells along a side of the board that pyramids stand on."""

REACH = 0.5
"""A tile is seen where something is seen so near its middle, in tile sides."""


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over pictures; two scores add up.

    Of tiles face up: how many there are, are named right or wrong, are
    missed, are invented; ``silent`` faults; ``doubts`` of any tile.  Of
    tableaux: how many, exactly read, uncovered, uncovered and exactly read.
    Of pictures: with face-down tiles counted and exactly as many seen;
    without any tile, and tiles invented there.  Of pyramids on a board: how
    many, right ones, and faults among them without a doubt.
    """

    pictures: int = 0
    tiles: int = 0
    right: int = 0
    wrong: int = 0
    missed: int = 0
    invented: int = 0
    silent: int = 0
    doubts: int = 0
    tableaux: int = 0
    exact: int = 0
    uncovered: int = 0
    uncovered_exact: int = 0
    counted_down: int = 0
    exact_down: int = 0
    empty: int = 0
    invented_on_empty: int = 0
    pieces: int = 0
    pieces_right: int = 0
    pieces_silent: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def total(scores: Iterable[Score]) -> Score:
    """Return the sum of scores."""
    return sum(scores, Score())


def score(truth: Truth, reading: Reading) -> Score:
    """Return how right one reading is."""
    tiles = [tile for tile in reading.tiles if not unjudged(tile, reading, truth.unjudged)]
    up = [tile for tile in tiles if tile.face is Face.UP]
    fits = [best_fit(grid, reading.tableaux, fixed=truth.board is not None) for grid in truth.grids]
    if truth.tiles is not None:
        faces = placed([tile for tile in truth.tiles if tile.symbol is not None or tile.covered], up)
    else:
        faces = counted(truth, up, sum(fit.silent for fit in fits))
    whole = [fit.right == len(grid) and fit.extra == 0 for fit, grid in zip(fits, truth.grids, strict=True)]
    seen_down = len(tiles) - len(up)
    return (
        faces
        + stood(truth.pieces, reading.pieces)
        + Score(
            pictures=1,
            doubts=sum(tile.doubt for tile in tiles),
            tableaux=len(whole),
            exact=sum(whole),
            uncovered=len(whole) - len(truth.covered & set(range(len(whole)))),
            uncovered_exact=sum(fine for k, fine in enumerate(whole) if k not in truth.covered),
            counted_down=truth.face_down is not None,
            exact_down=truth.face_down == seen_down,
            empty=faces.tiles == 0,
            invented_on_empty=faces.invented if faces.tiles == 0 else 0,
        )
    )


def unjudged(tile: Tile, reading: Reading, boxes: Sequence[Box]) -> bool:
    """Return whether a tile's middle lies in a part of the picture that is not judged."""
    x, y = tile.centre[0] / reading.width, tile.centre[1] / reading.height
    return any(left <= x <= right and top <= y <= low for left, top, right, low in boxes)


def placed(truth: Sequence[TrueTile], seen: Sequence[Tile]) -> Score:
    """Return how right tiles of known places were named; what is seen on a covered one is no invention."""
    sides = [tile.side for tile in truth if tile.side] + [side_of(tile.corners) for tile in seen]
    usual = float(np.median(sides)) if sides else 0.0
    clear = [tile for tile in truth if not tile.covered]
    pairs = paired([tile.centre for tile in clear], [tile.centre for tile in seen], reach_of(clear, usual))
    named = {j for _, j in pairs}
    rest = [tile for j, tile in enumerate(seen) if j not in named]
    covered = [tile for tile in truth if tile.covered]
    near = reach_of(covered, usual)
    excused = {j for _, j in paired([tile.centre for tile in covered], [tile.centre for tile in rest], near)}
    invented = [tile for j, tile in enumerate(rest) if j not in excused]
    wrong = [seen[j] for i, j in pairs if clear[i].symbol != seen[j].symbol]
    return Score(
        tiles=len(clear),
        right=len(pairs) - len(wrong),
        wrong=len(wrong),
        missed=len(clear) - len(pairs),
        invented=len(invented),
        silent=sum(not tile.doubt for tile in wrong + invented),
    )


def reach_of(tiles: Sequence[TrueTile], usual: float) -> NDArray[np.float64]:
    """Return how far from the middle of each tile it may be seen, in pixels, (n,); ``usual`` is a side."""
    return REACH * np.array([tile.side or usual for tile in tiles])


def stood(truth: Sequence[Piece], seen: Sequence[Piece]) -> Score:
    """Return how right pyramids are told that stand on the board, from the side that fits best.

    Colours count by what they tell apart, whatever they are called.
    """
    here = [piece for piece in seen if 0 <= piece.row < VOLCANO_CELLS and 0 <= piece.col < VOLCANO_CELLS]
    colours = sorted({piece.colour for piece in truth}), sorted({piece.colour for piece in here})
    calls = [dict(zip(names, colours[0], strict=False)) for names in permutations(colours[1])] or [{}]
    true = {(piece.row, piece.col, piece.colour) for piece in truth}
    best = Score(pieces=len(truth), pieces_silent=len(here) if truth else 0)
    for quarters, called in product(range(4), calls if truth else ()):
        told = {(*turned(piece, quarters), called.get(piece.colour, "")): piece.doubt for piece in here}
        right = len(true & told.keys())
        silent = sum(not doubt for place, doubt in told.items() if place not in true)
        if right > best.pieces_right:
            best = Score(pieces=len(truth), pieces_right=right, pieces_silent=silent)
    return best


def turned(piece: Piece, quarters: int) -> tuple[int, int]:
    """Return a pyramid's row and column from another side of the board."""
    row, col = piece.row, piece.col
    for _ in range(quarters):
        row, col = col, VOLCANO_CELLS - 1 - row
    return row, col


def side_of(corners: Corners) -> float:
    """Return the side of a square as large as a tile's face, in pixels."""
    return math.sqrt(cv2.contourArea(np.array(corners, np.float32)))


def paired(
    here: Sequence[Point], there: Sequence[Point], reach: float | NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Return pairs of indices of points at most ``reach`` apart, each used once, the nearest first.

    ``reach`` is one for all, or of each point of ``here``.
    """
    if not here or not there:
        return []
    away = np.linalg.norm(np.array(here)[:, None] - np.array(there)[None], axis=-1)
    away = np.where(away > np.reshape(reach, (-1, 1)), np.inf, away)
    pairs: dict[int, int] = {}
    for flat in np.argsort(away, axis=None, kind="stable"):
        i, j = divmod(int(flat), len(there))
        if np.isinf(away[i, j]):
            break
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return list(pairs.items())


def counted(truth: Truth, seen: Sequence[Tile], misplaced: int) -> Score:
    """Return how right the symbols are where nobody noted their places.

    Silent are sure symbols that the table does not have so often, or sure
    ones in wrong cells (``misplaced``), whichever are more.
    """
    true = Counter(symbol for grid in truth.grids for symbol in grid.values()) + Counter(truth.loose)
    read = Counter(tile.symbol or "" for tile in seen)
    sure = Counter(tile.symbol or "" for tile in seen if not tile.doubt)
    right = (true & read).total()
    return Score(
        tiles=true.total(),
        right=right,
        wrong=min(true.total(), read.total()) - right,
        missed=max(0, true.total() - read.total()),
        invented=max(0, read.total() - true.total()),
        silent=max((sure - true).total(), misplaced),
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """A seen tableau laid on a true one: cells right, cells too many or wrong, of these the sure ones."""

    right: int = 0
    extra: int = 0
    silent: int = 0


def best_fit(grid: Grid, tableaux: Sequence[Tableau], fixed: bool) -> Fit:
    """Return how the seen tableau that fits a true one best fits it.

    ``fixed`` tableaux lie on a board, whose cells have their own numbers;
    any other may be shifted by rows and columns.
    """
    fits = [
        laid(grid, tableau.cells, shift)
        for tableau in tableaux
        for shift in ({(0, 0)} if fixed else shifts(grid, tableau.cells))
    ]
    return max(fits, key=lambda fit: (fit.right, -fit.extra, -fit.silent), default=Fit())


def shifts(grid: Grid, cells: Sequence[Cell]) -> set[tuple[int, int]]:
    """Return the rows and columns to shift cells by so that any symbol comes to lie on its like."""
    return {
        (row - cell.row, col - cell.col)
        for (row, col), symbol in grid.items()
        for cell in cells
        if cell.symbol == symbol
    }


def laid(grid: Grid, cells: Sequence[Cell], shift: tuple[int, int]) -> Fit:
    """Return how cells fit a true grid under one shift."""
    faults = [cell for cell in cells if grid.get((cell.row + shift[0], cell.col + shift[1])) != cell.symbol]
    return Fit(len(cells) - len(faults), len(faults), sum(not cell.doubt for cell in faults))
