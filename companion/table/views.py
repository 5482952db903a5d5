"""Views: the sightings in one reading, of the seats' tiles or of the shared board."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from companion.config.table import BoardConfig
from companion.model.grid import BLANK_SIGN, Place, table
from companion.model.reading import Face, Piece, Reading, Tableau, Tile
from companion.model.sightings import Board, Sighting
from companion.vision.detector.pyramids import LARGE
from companion.vision.grid.homography import Box, Points

SHARED_BOARD = 0
"""The place of the shared board, as seats are numbered from 1."""

SEAT_MARGIN_SIDES = 1.5
"""Margin of a seat's area around its tiles, in tile sides."""

ToSquares = Callable[[Points], Points]
"""Returns the board's column and row of pixels, both (n, 2), counted from its corner."""


@dataclass(frozen=True, slots=True)
class SeatTiles:
    """One seat's tiles: its tableaux and its loose tiles."""

    tableaux: tuple[Tableau, ...] = ()
    loose: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Tiles in the pool and outside all zones, seats whose tableaux touch, and covered tiles.

    ``pool`` is the number of tiles in the pool, ``None`` if it has no zone; ``stray`` the number outside all
    zones; ``touching`` are pairs of seats; ``covered`` places, each with the number of tiles in tableaux or
    on the board that no camera sees now, and that are remembered.
    """

    pool: int | None = None
    stray: int = 0
    touching: tuple[tuple[int, int], ...] = ()
    covered: tuple[tuple[int, int], ...] = ()


class View(Protocol):
    """The sightings in one reading, or in the fused reading of several cameras."""

    @property
    def counts(self) -> bool:
        """Whether the seats have zones, so that face-down tiles can be counted."""
        ...

    @property
    def has_pool(self) -> bool:
        """Whether the pool has a zone."""
        ...

    @property
    def layout(self) -> Layout:
        """The layout of the last reading."""
        ...

    @property
    def places(self) -> tuple[int, ...]:
        """The seats that it shows, or ``SHARED_BOARD``."""
        ...

    def seen(self, reading: Reading) -> dict[int, Sighting | Board]:
        """Return the sighting of each place."""
        ...

    def placed(self, place: int) -> Mapping[Place, Tile]:
        """Return the tiles of a place in the last reading, by their cells in the sighting."""
        ...

    def loose(self, place: int, /) -> Sequence[Tile]:
        """Return the loose tiles with a symbol of a place in the last reading."""
        ...

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the places that overlap boxes in which something moves."""
        ...


class SeatsView(ABC):
    """The seats' tiles in one reading; subclasses assign tiles to seats.

    ``places`` are the seats in view.
    """

    counts = has_pool = False

    def __init__(self, places: Iterable[int]) -> None:
        self.places = tuple(places)
        self.layout = Layout()
        self._seen: tuple[Reading, Mapping[int, SeatTiles]] | None = None

    @abstractmethod
    def shares(self, reading: Reading) -> dict[int, SeatTiles]:
        """Return the tiles of each seat, and set ``layout``."""

    @abstractmethod
    def seats_touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the seats whose areas overlap some boxes."""

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
        """Return the seats whose areas overlap boxes in which something moves."""
        return self.seats_touched(boxes) & set(self.places)


class BoardView:
    """The view of the shared board.

    Parameters
    ----------
    config
        The board; one that the reader finds by itself is used as it is read.
    to_squares
        The mapping of the profile from pixels to squares; without it the largest block of tiles is the board.
    """

    places = (SHARED_BOARD,)
    counts = has_pool = True
    layout = Layout()

    def __init__(self, config: BoardConfig, to_squares: ToSquares | None = None) -> None:
        self._config, self._to_squares = config, to_squares
        self._box: Box | None = None
        self._reading: Reading | None = None

    def seen(self, reading: Reading) -> dict[int, Sighting | Board]:
        """Return the board's sighting, or nothing if there is no board in the picture."""
        self.note(reading)
        cells = self._cells(reading)
        if cells is None:
            return {}
        return {SHARED_BOARD: board(cells, reading.pieces, self._config.colours)}

    def note(self, reading: Reading) -> None:
        """Keep a reading, and the box of the board's tiles."""
        self._reading = reading
        self._box = bounding_box([tile for tile in reading.tiles if tile.tableau is not None])

    def placed(self, place: int) -> Mapping[Place, Tile]:
        """Return the tiles on the board."""
        reading = self._reading
        if reading is None or place != SHARED_BOARD:
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
        """Return no tiles: those beside the board belong to no seat."""
        return ()

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        """Return the board if something moves over its tiles, or anywhere before tiles were seen."""
        if self._box is None:
            return {SHARED_BOARD} if boxes else set()
        return {SHARED_BOARD} if any(overlap(self._box, box) for box in boxes) else set()

    def _cells(self, reading: Reading) -> dict[Place, SeenTile] | None:
        """Return the tile in each cell of the board, or ``None`` if no board is seen."""
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

    def _on_squares(self, reading: Reading, to_squares: ToSquares) -> dict[Place, SeenTile]:
        """Return the tile on each square; a square with two tiles is in doubt."""
        cells: dict[Place, SeenTile] = {}
        beside = {(n, *cell) for n, one in enumerate(reading.tableaux) for cell in one.beside_unread}
        for place, tile in self._lying(reading, to_squares):
            unread = (tile.tableau, tile.row, tile.col) in beside
            seen = SeenTile(tile.symbol or "", tile.doubt, unread)
            cells[place] = SeenTile(cells[place].symbol, doubt=True) if place in cells else seen
        return cells

    def _lying(self, reading: Reading, to_squares: ToSquares) -> Iterator[tuple[Place, Tile]]:
        """Yield the tiles on squares, each with its row and column."""
        up = [tile for tile in reading.tiles if tile.face is Face.UP and tile.symbol is not None]
        rows, cols = self._config.size
        places = to_squares(np.array([tile.centre for tile in up])) if up else ()
        for tile, (x, y) in zip(up, places, strict=True):
            place = math.floor(y), math.floor(x)
            if 0 <= place[0] < rows and 0 <= place[1] < cols:
                yield place, tile


TABLEAU_GAP_COLS = 2
"""Empty columns between two tableaux of one seat."""


def sighting(share: SeatTiles, *, counted: bool) -> Sighting:
    """Return the sighting of a seat.

    Its tableaux are put side by side, the largest first.  ``counted`` is whether the seat has a zone, so that
    its face-down tiles can be counted.
    """
    grid: dict[Place, str] = {}
    doubts: list[Place] = []
    unread: list[Place] = []
    for tableau, (below, right) in tableau_offsets(share):
        grid |= {(cell.row + below, cell.col + right): cell.symbol for cell in tableau.cells}
        doubts += [(row + below, col + right) for row, col in tableau.doubted]
        unread += [(row + below, col + right) for row, col in tableau.beside_unread]
    rows = tuple("".join(single_character(symbol) for symbol in row) for row in table(grid))
    doubts += [cell for cell, symbol in grid.items() if len(symbol) > 1 and cell not in doubts]
    unread = sorted(set(unread) - set(doubts))
    down = sum(tile.face is Face.DOWN for tile in share.loose) if counted else None
    return Sighting(rows, letters(share.loose), down, tuple(sorted(doubts + unread)), tuple(unread))


def tableau_offsets(share: SeatTiles) -> list[tuple[Tableau, Place]]:
    """Return a seat's tableaux, the largest first, each with the offset of its cells in rows and columns."""
    found: list[tuple[Tableau, Place]] = []
    right = 0
    for tableau in sorted(share.tableaux, key=lambda one: -len(one.cells)):
        cols = [cell.col for cell in tableau.cells]
        found.append((tableau, (-min(cell.row for cell in tableau.cells), right - min(cols))))
        right += 1 + max(cols) - min(cols) + TABLEAU_GAP_COLS
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
    """Return a symbol as one character; a symbol of several letters becomes a blank, in doubt."""
    return symbol if len(symbol) == 1 else BLANK_SIGN


def letters(tiles: Iterable[Tile]) -> str:
    """Return the sorted letters of face-up tiles."""
    shown = (tile.symbol for tile in tiles if tile.face is Face.UP and tile.symbol is not None)
    return "".join(sorted(single_character(symbol) for symbol in shown))


class SeenTile(NamedTuple):
    """A tile on a shared board: its symbol, whether that is in doubt, or else something beside it unread."""

    symbol: str
    doubt: bool
    unread: bool = False


def board(cells: Mapping[Place, SeenTile], pieces: Sequence[Piece], colours: Sequence[str]) -> Board:
    """Return the sighting of a shared board from the tile in each cell.

    ``colours`` are those of the seats' pieces, from seat 1 on; pieces of other colours are ignored, and
    so are small and medium ones, which players get for their words.
    """
    played = [piece for piece in pieces if piece.size == LARGE]
    found = Board.of(
        {place: tile.symbol for place, tile in cells.items()},
        {
            seat: tuple(sorted((piece.row, piece.col) for piece in played if piece.colour == colour))
            for seat, colour in enumerate(colours, 1)
            if any(piece.colour == colour for piece in played)
        },
    )
    doubts = tuple(sorted(place for place, tile in cells.items() if tile.doubt or tile.unread))
    unread = tuple(sorted(place for place, tile in cells.items() if tile.unread))
    return Board(found.cells, found.pieces, doubts, unread=unread)


def cells_of(tableau: Tableau) -> dict[Place, SeenTile]:
    """Return the tile in each cell of a tableau on a fixed board."""
    doubted, beside = tableau.doubted, tableau.beside_unread
    return {cell: SeenTile(symbol, cell in doubted, cell in beside) for cell, symbol in tableau.grid.items()}


def side_of(tile: Tile) -> float:
    """Return the width of a tile in pixels."""
    return math.dist(tile.corners[0], tile.corners[1])


def bounding_box(tiles: Sequence[Tile]) -> Box | None:
    """Return the bounding box of tiles with a margin, ``None`` without tiles."""
    if not tiles:
        return None
    room = SEAT_MARGIN_SIDES * side_of(tiles[0])
    xs, ys = zip(*(tile.centre for tile in tiles), strict=True)
    return (
        round(min(xs) - room),
        round(min(ys) - room),
        round(max(xs) + room),
        round(max(ys) + room),
    )


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
