"""What one camera sees for the game: the tiles before the seats, or the board that all share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from companion.config.table import BoardConfig
from companion.model.grid import Place
from companion.model.reading import Face, Reading, Tile
from companion.model.sightings import Board, Sighting
from companion.table.facing import around, overlap
from companion.table.layout import Layout
from companion.table.sighted import Share, board, cells_of, placed_tiles, sighting
from companion.vision.grid.homography import Points
from companion.vision.pipeline.frame import Box

SHARED = 0
"""Stands for the board that all share, where seats are numbered from 1."""

ToSquares = Callable[[Points], Points]
"""Returns where on the board pixels lie, both (n, 2): column and row, counted from its corner."""


class Seating(Protocol):
    """Knows what lies before whom."""

    counts: bool
    layout: Layout

    @property
    def has_pool(self) -> bool:
        """Whether it is known where the pool lies."""
        ...

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats it knows of."""
        ...

    def shares(self, reading: Reading) -> dict[int, Share]:
        """Return what lies before each seat."""
        ...

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats before which some parts of the picture lie."""
        ...


class View(Protocol):
    """What a camera is looked through."""

    @property
    def counts(self) -> bool:
        """Whether it is known which part of the table is whose."""
        ...

    @property
    def has_pool(self) -> bool:
        """Whether it is known where the pool lies."""
        ...

    @property
    def layout(self) -> Layout:
        """What the reading seen last says of the table as a whole."""
        ...

    @property
    def places(self) -> tuple[int, ...]:
        """The seats it sees, or ``SHARED``."""
        ...

    def seen(self, reading: Reading) -> dict[int, Sighting | Board]:
        """Return what the rules see at each place."""
        ...

    def placed(self, place: int) -> Mapping[Place, Tile]:
        """Return the tiles of a place in the reading seen last, by the cell at which the rules see each."""
        ...

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the places in which something moves, if it moves in some parts of the picture."""
        ...


class SeatsView:
    """The tableaux of the seats that a camera sees."""

    def __init__(self, seating: Seating, only: Sequence[int] | None = None) -> None:
        self._seating = seating
        self._only = tuple(seating.seats if only is None else only)
        self._seen: tuple[Reading, Mapping[int, Share]] | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """The seats that it sees."""
        return self._only

    @property
    def counts(self) -> bool:
        """Whether it is known which part of the table is whose."""
        return self._seating.counts

    @property
    def has_pool(self) -> bool:
        """Whether it is known where the pool lies."""
        return self._seating.has_pool

    @property
    def layout(self) -> Layout:
        """What the reading seen last says of the table as a whole."""
        return self._seating.layout

    def seen(self, reading: Reading) -> dict[int, Sighting | Board]:
        """Return the sighting of each seat."""
        shares, counted = self._seating.shares(reading), self._seating.counts
        self._seen = reading, shares
        return {seat: sighting(shares[seat], counted=counted) for seat in self._only}

    def placed(self, place: int) -> Mapping[Place, Tile]:
        """Return the tiles of a seat's tableaux."""
        if self._seen is None or place not in self._seen[1]:
            return {}
        reading, shares = self._seen
        return placed_tiles(shares[place], reading)

    def loose(self, place: int) -> Sequence[Tile]:
        """Return the loose tiles of a seat that show a symbol."""
        share = self._seen[1].get(place) if self._seen else None
        return [tile for tile in share.loose if tile.face is Face.UP and tile.symbol] if share else ()

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats before which something moves."""
        return self._seating.touched(boxes) & set(self._only)


class BoardView:
    """The board that all share.

    Parameters
    ----------
    config
        Which board; one that the reader finds by itself is taken as it reads it.
    to_squares
        Where on it pixels lie, as the profile has it; without, the largest block of tiles is the board.
    """

    places = (SHARED,)
    counts = has_pool = True
    layout = Layout()

    def __init__(self, config: BoardConfig, to_squares: ToSquares | None = None) -> None:
        self._config, self._to_squares = config, to_squares
        self._box: Box | None = None
        self._reading: Reading | None = None

    def seen(self, reading: Reading) -> dict[int, Sighting | Board]:
        """Return the board, or nothing where there is none in the picture."""
        self.note(reading)
        cells = self._cells(reading)
        if cells is None:
            return {}
        return {SHARED: board(cells, reading.pieces, self._config.colours)}

    def note(self, reading: Reading) -> None:
        """Take in where the board's tiles lie in the picture."""
        self._reading = reading
        self._box = around([tile for tile in reading.tiles if tile.tableau is not None])

    def placed(self, place: int) -> Mapping[Place, Tile]:
        """Return the tiles on the board."""
        reading = self._reading
        if reading is None or place != SHARED:
            return {}
        if self._config.kind == "squares" and self._to_squares is not None:
            return dict(self._lying(reading, self._to_squares))
        if not reading.tableaux:
            return {}
        found = self._config.kind != "squares"
        sizes = [len(tableau.cells) for tableau in reading.tableaux]
        block = 0 if found else sizes.index(max(sizes))
        there = {
            (tile.row, tile.col): tile
            for tile in reading.tiles
            if tile.tableau == block and tile.row is not None and tile.col is not None
        }
        top, left = (0, 0) if found else (min(row for row, _ in there), min(col for _, col in there))
        return {(row - top, col - left): tile for (row, col), tile in there.items()}

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the board where something moves over its tiles, or anywhere before any was seen."""
        if self._box is None:
            return {SHARED} if boxes else set()
        return {SHARED} if any(overlap(self._box, box) for box in boxes) else set()

    def _cells(self, reading: Reading) -> dict[Place, tuple[str, bool]] | None:
        """Return what lies on each cell of the board, or ``None`` where none is to be seen."""
        if self._config.kind != "squares":
            if reading.board is None:
                return None
            return cells_of(reading.tableaux[0]) if reading.tableaux else {}
        if self._to_squares is not None:
            return self._on_squares(reading, self._to_squares)
        blocks = sorted(reading.tableaux, key=lambda one: -len(one.cells))
        if not blocks:
            return None
        cells = cells_of(blocks[0])
        top, left = min(row for row, _ in cells), min(col for _, col in cells)
        moved = {(row - top, col - left): what for (row, col), what in cells.items()}
        rows, cols = (1 + max(place[n] for place in moved) for n in (0, 1))
        return moved if (rows, cols) == self._config.size else None

    def _on_squares(self, reading: Reading, to_squares: ToSquares) -> dict[Place, tuple[str, bool]]:
        """Return what lies on each square; a square on which two tiles seem to lie is in doubt."""
        cells: dict[Place, tuple[str, bool]] = {}
        for place, tile in self._lying(reading, to_squares):
            cells[place] = (cells[place][0], True) if place in cells else (tile.symbol or "", tile.doubt)
        return cells

    def _lying(self, reading: Reading, to_squares: ToSquares) -> Iterator[tuple[Place, Tile]]:
        """Yield the tiles that lie on squares, each with its row and column."""
        up = [tile for tile in reading.tiles if tile.face is Face.UP and tile.symbol is not None]
        rows, cols = self._config.size
        places = to_squares(np.array([tile.centre for tile in up])) if up else ()
        for tile, (x, y) in zip(up, places, strict=True):
            place = math.floor(y), math.floor(x)
            if 0 <= place[0] < rows and 0 <= place[1] < cols:
                yield place, tile
