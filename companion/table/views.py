"""What one picture of the table shows the rules: the tiles before the seats, or the board that all share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from companion.config.table import BoardConfig
from companion.model.grid import BLANK_SIGN, Place, table
from companion.model.reading import Face, Piece, Reading, Tableau, Tile
from companion.model.sightings import Board, Sighting
from companion.vision.detector.pyramids import LARGE
from companion.vision.grid.homography import Points
from companion.vision.pipeline.frame import Box

SHARED = 0
"""Stands for the board that all share, where seats are numbered from 1."""

SEAT_MARGIN = 1.5
"""How far around its tiles a seat's part of the table reaches, in tile sides."""

ToSquares = Callable[[Points], Points]
"""Returns where on the board pixels lie, both (n, 2): column and row, counted from its corner."""


@dataclass(frozen=True, slots=True)
class SeatTiles:
    """What lies before one seat: its tableaux, and its tiles that belong to none."""

    tableaux: tuple[Tableau, ...] = ()
    loose: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """What lies in the pool, in nobody's part, and where tableaux of two seats touch.

    ``pool`` is how many tiles lie there, ``None`` where no profile says where it is; ``stray`` how many lie
    in nobody's part; ``touching`` are pairs of seats.
    """

    pool: int | None = None
    stray: int = 0
    touching: tuple[tuple[int, int], ...] = ()


class View(Protocol):
    """What one picture of the table, or the fused picture of several, shows at each place."""

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

    def loose(self, place: int, /) -> Sequence[Tile]:
        """Return the loose tiles of a place in the reading seen last that show a symbol."""
        ...

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the places in which something moves, if it moves in some parts of the picture."""
        ...


class SeatsView(ABC):
    """The tiles before the seats in one picture; how it is known whose they are differs.

    ``places`` are the seats that are seen.
    """

    counts = has_pool = False

    def __init__(self, places: Iterable[int]) -> None:
        self.places = tuple(places)
        self.layout = Layout()
        self._seen: tuple[Reading, Mapping[int, SeatTiles]] | None = None

    @abstractmethod
    def shares(self, reading: Reading) -> dict[int, SeatTiles]:
        """Return what lies before each seat, and take in what the reading says of the table as a whole."""

    @abstractmethod
    def seats_touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats before which some parts of the picture lie."""

    def seen(self, reading: Reading) -> dict[int, Sighting | Board]:
        """Return the sighting of each seat."""
        shares = self.shares(reading)
        self._seen = reading, shares
        return {seat: sighting(shares[seat], counted=self.counts) for seat in self.places}

    def placed(self, place: int) -> Mapping[Place, Tile]:
        """Return the tiles of a seat's tableaux."""
        if self._seen is None or place not in self._seen[1]:
            return {}
        reading, shares = self._seen
        return placed_tiles(shares[place], reading)

    def loose(self, place: int, /) -> Sequence[Tile]:
        """Return the loose tiles of a seat that show a symbol."""
        share = self._seen[1].get(place) if self._seen else None
        return [tile for tile in share.loose if tile.face is Face.UP and tile.symbol] if share else ()

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats before which something moves."""
        return self.seats_touched(boxes) & set(self.places)


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
        self._box = bounding_box([tile for tile in reading.tiles if tile.tableau is not None])

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

    def loose(self, _place: int, /) -> Sequence[Tile]:
        """Return none: what lies beside the board is nobody's."""
        return ()

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


APART = 2
"""Columns between two tableaux of one seat: they do not touch."""


def sighting(share: SeatTiles, *, counted: bool) -> Sighting:
    """Return what is seen before a seat.

    Its tableaux stand side by side, the largest first.  ``counted`` says whether its part of the table is
    known, so that the tiles lying face down there can be counted.
    """
    grid: dict[Place, str] = {}
    doubts: list[Place] = []
    for tableau, (below, right) in tableau_offsets(share):
        grid |= {(cell.row + below, cell.col + right): cell.symbol for cell in tableau.cells}
        unsure = {(cell.row, cell.col) for cell in tableau.cells if cell.doubt}
        unsure |= {(place.row, place.col) for place in tableau.unread}  # words may go on there
        doubts += [(row + below, col + right) for row, col in unsure]
    rows = tuple("".join(single_character(symbol) for symbol in row) for row in table(grid))
    doubts += [cell for cell, symbol in grid.items() if len(symbol) > 1 and cell not in doubts]
    down = sum(tile.face is Face.DOWN for tile in share.loose) if counted else None
    return Sighting(rows, letters(share.loose), down, tuple(sorted(doubts)))


def tableau_offsets(share: SeatTiles) -> list[tuple[Tableau, Place]]:
    """Return a seat's tableaux, the largest first, each with how far down and right its cells are moved."""
    found: list[tuple[Tableau, Place]] = []
    right = 0
    for tableau in sorted(share.tableaux, key=lambda one: -len(one.cells)):
        cols = [cell.col for cell in tableau.cells]
        found.append((tableau, (-min(cell.row for cell in tableau.cells), right - min(cols))))
        right += 1 + max(cols) - min(cols) + APART
    return found


def placed_tiles(share: SeatTiles, reading: Reading) -> dict[Place, Tile]:
    """Return the tiles of a seat's tableaux in a reading, by the cells of its sighting."""
    ways = {id(tableau): way for tableau, way in tableau_offsets(share)}
    moved = {n: ways[id(one)] for n, one in enumerate(reading.tableaux) if id(one) in ways}
    return {
        (tile.row + moved[tile.tableau][0], tile.col + moved[tile.tableau][1]): tile
        for tile in reading.tiles
        if tile.tableau in moved and tile.row is not None and tile.col is not None
    }


def single_character(symbol: str) -> str:
    """Return a symbol as one character; one of several letters is shown as a blank, and doubted."""
    return symbol if len(symbol) == 1 else BLANK_SIGN


def letters(tiles: Iterable[Tile]) -> str:
    """Return the letters of tiles that lie face up, in order, whatever their places."""
    shown = (tile.symbol for tile in tiles if tile.face is Face.UP and tile.symbol is not None)
    return "".join(sorted(single_character(symbol) for symbol in shown))


def board(cells: Mapping[Place, tuple[str, bool]], pieces: Sequence[Piece], colours: Sequence[str]) -> Board:
    """Return a shared board from what lies on its cells: the symbol, and whether it is in doubt.

    ``colours`` are those of the seats' pieces, from seat 1 on; pieces of other colours are passed over, and
    so are small and medium ones, which players are given for their words.
    """
    played = [piece for piece in pieces if piece.size == LARGE]
    found = Board.of(
        {place: symbol for place, (symbol, _) in cells.items()},
        {
            seat: tuple(sorted((piece.row, piece.col) for piece in played if piece.colour == colour))
            for seat, colour in enumerate(colours, 1)
            if any(piece.colour == colour for piece in played)
        },
    )
    doubts = tuple(sorted(place for place, (_, doubt) in cells.items() if doubt))
    return Board(found.cells, found.pieces, doubts)


def cells_of(tableau: Tableau) -> dict[Place, tuple[str, bool]]:
    """Return the cells of a tableau on a fixed board, each with its symbol and whether it is in doubt."""
    return {(cell.row, cell.col): (cell.symbol, cell.doubt) for cell in tableau.cells}


def side_of(tile: Tile) -> float:
    """Return a tile's breadth in pixels."""
    return math.dist(tile.corners[0], tile.corners[1])


def bounding_box(tiles: Sequence[Tile]) -> Box | None:
    """Return the part of the picture that tiles lie in, with some room around them."""
    if not tiles:
        return None
    room = SEAT_MARGIN * side_of(tiles[0])
    xs, ys = zip(*(tile.centre for tile in tiles), strict=True)
    return (
        round(min(xs) - room),
        round(min(ys) - room),
        round(max(xs) + room),
        round(max(ys) + room),
    )


def overlap(one: Box, other: Box) -> bool:
    """Return whether two parts of a picture have anything in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
