"""Scores of one reading against its ground truth.

True tiles with a known place are matched with read tiles whose centres are within half a tile side.  Where
only grids are known, symbols are compared as multisets, and tableaux cell by cell under the best shift.  A
fault is silent where the reader did not mark it as a doubt.
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
from companion.vision.grid.homography import distances

VOLCANO_CELLS = 5
"""Cells along a side of the board that pyramids stand on."""

MATCH_RADIUS = 0.5
"""Largest distance between the centres of a true tile and of a read one that match, in tile sides."""


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over pictures; ``+`` adds two scores.

    Face-up tiles: ``tiles`` (all true ones), ``right``, ``wrong``, ``missed``, ``invented`` (false
    positives), ``silent`` faults; ``doubts`` of any tile.  Tableaux: all, ``exact``, ``uncovered``,
    ``uncovered_exact``.  Pictures: all; those with a true count of face-down tiles, and those with that count
    seen; those without a tile (``empty``), and the tiles invented on them.  Pyramids on a board: ``pieces``
    (all), ``pieces_right``, and ``pieces_silent`` faults.
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
    """Return the counts of one reading against its ground truth."""
    tiles = [tile for tile in reading.tiles if not is_ignored(tile, reading, truth.ignore_boxes)]
    up = [tile for tile in tiles if tile.face is Face.UP]
    fits = [best_match(grid, reading.tableaux, fixed=truth.board is not None) for grid in truth.grids]
    if truth.tiles is not None:
        faces = score_tiles([tile for tile in truth.tiles if tile.symbol is not None or tile.covered], up)
    else:
        faces = score_symbol_counts(truth, up, sum(fit.silent for fit in fits))
    whole = [fit.right == len(grid) and fit.extra == 0 for fit, grid in zip(fits, truth.grids, strict=True)]
    seen_down = len(tiles) - len(up)
    return (
        faces
        + score_pieces(truth.pieces, reading.pieces)
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


def is_ignored(tile: Tile, reading: Reading, boxes: Sequence[Box]) -> bool:
    """Return whether a tile's centre lies in one of the boxes that the truth leaves out."""
    x, y = tile.centre[0] / reading.width, tile.centre[1] / reading.height
    return any(left <= x <= right and top <= y <= low for left, top, right, low in boxes)


def score_tiles(truth: Sequence[TrueTile], seen: Sequence[Tile]) -> Score:
    """Return the counts of tiles with known places; a tile read on a covered one is not invented."""
    sides = [tile.side for tile in truth if tile.side] + [side_of(tile.corners) for tile in seen]
    usual = float(np.median(sides)) if sides else 0.0
    clear = [tile for tile in truth if not tile.covered]
    pairs = match_points(
        [tile.centre for tile in clear], [tile.centre for tile in seen], match_radii(clear, usual)
    )
    named = {j for _, j in pairs}
    rest = [tile for j, tile in enumerate(seen) if j not in named]
    covered = [tile for tile in truth if tile.covered]
    near = match_radii(covered, usual)
    excused = {
        j for _, j in match_points([tile.centre for tile in covered], [tile.centre for tile in rest], near)
    }
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


def match_radii(tiles: Sequence[TrueTile], usual: float) -> NDArray[np.float64]:
    """Return the match radius of each tile in pixels, (n,); ``usual`` is the side of tiles without one."""
    return MATCH_RADIUS * np.array([tile.side or usual for tile in tiles])


def score_pieces(truth: Sequence[Piece], seen: Sequence[Piece]) -> Score:
    """Return the counts of pyramids on the board under the best quarter turn and assignment of colours.

    A colour may have any name, as long as pyramids of one true colour share it.
    """
    on_board = [piece for piece in seen if 0 <= piece.row < VOLCANO_CELLS and 0 <= piece.col < VOLCANO_CELLS]
    colours = sorted({piece.colour for piece in truth}), sorted({piece.colour for piece in on_board})
    namings = [dict(zip(names, colours[0], strict=False)) for names in permutations(colours[1])] or [{}]
    true = {(piece.row, piece.col, piece.colour) for piece in truth}
    best = Score(pieces=len(truth), pieces_silent=len(on_board) if truth else 0)
    for quarters, colour_names in product(range(4), namings if truth else ()):
        read = {
            (*turned_place(piece, quarters), colour_names.get(piece.colour, "")): piece.doubt
            for piece in on_board
        }
        right = len(true & read.keys())
        silent = sum(not doubt for place, doubt in read.items() if place not in true)
        if right > best.pieces_right:
            best = Score(pieces=len(truth), pieces_right=right, pieces_silent=silent)
    return best


def turned_place(piece: Piece, quarters: int) -> tuple[int, int]:
    """Return the row and column of a pyramid after quarter turns of the board."""
    row, col = piece.row, piece.col
    for _ in range(quarters):
        row, col = col, VOLCANO_CELLS - 1 - row
    return row, col


def side_of(corners: Corners | NDArray[np.float64]) -> float:
    """Return the side of a square of the same area as an outline, (4, 2), in pixels."""
    return math.sqrt(cv2.contourArea(np.array(corners, np.float32)))


def match_points(
    here: Sequence[Point], there: Sequence[Point], reach: float | NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Return greedy nearest matches: pairs of indices of points at most ``reach`` apart, each used once.

    ``reach`` is one distance for all, or one for each point of ``here``, (n,).
    """
    if not here or not there:
        return []
    away = distances(np.array(here), np.array(there))
    away = np.where(away > np.reshape(reach, (-1, 1)), np.inf, away)
    pairs: dict[int, int] = {}
    for flat in np.argsort(away, axis=None, kind="stable"):
        i, j = divmod(int(flat), len(there))
        if np.isinf(away[i, j]):
            break
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return list(pairs.items())


def score_symbol_counts(truth: Truth, seen: Sequence[Tile], misplaced: int) -> Score:
    """Return the counts of symbols as multisets, for a truth without the tiles' places.

    Silent faults are the sure symbols that are more than the truth has, or the sure ones in wrong cells
    (``misplaced``), whichever are more.
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
class GridMatch:
    """A read tableau compared with a true grid: right cells, extra or wrong cells, and the sure ones of
    these.
    """

    right: int = 0
    extra: int = 0
    silent: int = 0


def best_match(grid: Grid, tableaux: Sequence[Tableau], fixed: bool) -> GridMatch:
    """Return the match of the read tableau that fits a true grid best.

    ``fixed`` grids lie on a board and are not shifted; others match under any shift of rows and columns.
    """
    fits = [
        match_at(grid, tableau.cells, shift)
        for tableau in tableaux
        for shift in ({(0, 0)} if fixed else shifts(grid, tableau.cells))
    ]
    return max(fits, key=lambda fit: (fit.right, -fit.extra, -fit.silent), default=GridMatch())


def shifts(grid: Grid, cells: Sequence[Cell]) -> set[tuple[int, int]]:
    """Return the shifts (rows, columns) that put at least one cell on the same symbol of the grid."""
    return {
        (row - cell.row, col - cell.col)
        for (row, col), symbol in grid.items()
        for cell in cells
        if cell.symbol == symbol
    }


def match_at(grid: Grid, cells: Sequence[Cell], shift: tuple[int, int]) -> GridMatch:
    """Return how cells match a true grid under one shift."""
    faults = [cell for cell in cells if grid.get((cell.row + shift[0], cell.col + shift[1])) != cell.symbol]
    return GridMatch(len(cells) - len(faults), len(faults), sum(not cell.doubt for cell in faults))
