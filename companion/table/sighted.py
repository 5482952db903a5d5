"""From what the reader says to what the rules see: one seat's tiles, or a board that all share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.model.grid import BLANK_SIGN, Place, table
from companion.model.reading import Face, Piece, Reading, Tableau, Tile
from companion.model.sightings import Board, Sighting
from companion.vision.grid.volcano.finding import LARGE

APART = 2
"""Columns between two tableaux of one seat: they do not touch."""


@dataclass(frozen=True, slots=True)
class Share:
    """What lies before one seat: its tableaux, and its tiles that belong to none."""

    tableaux: tuple[Tableau, ...] = ()
    loose: tuple[Tile, ...] = ()


def sighting(share: Share, *, counted: bool) -> Sighting:
    """Return what is seen before a seat.

    Its tableaux stand side by side, the largest first.  ``counted`` says whether its part of the table is
    known, so that the tiles lying face down there can be counted.
    """
    grid: dict[Place, str] = {}
    doubts: list[Place] = []
    for tableau, (below, right) in shifts(share):
        grid |= {(cell.row + below, cell.col + right): cell.symbol for cell in tableau.cells}
        unsure = {(cell.row, cell.col) for cell in tableau.cells if cell.doubt}
        unsure |= {(place.row, place.col) for place in tableau.unread}  # words may go on there
        doubts += [(row + below, col + right) for row, col in unsure]
    rows = tuple("".join(written(symbol) for symbol in row) for row in table(grid))
    doubts += [cell for cell, symbol in grid.items() if len(symbol) > 1 and cell not in doubts]
    down = sum(tile.face is Face.DOWN for tile in share.loose) if counted else None
    return Sighting(rows, letters(share.loose), down, tuple(sorted(doubts)))


def shifts(share: Share) -> list[tuple[Tableau, Place]]:
    """Return a seat's tableaux, the largest first, each with how far down and right its cells are moved."""
    found: list[tuple[Tableau, Place]] = []
    right = 0
    for tableau in sorted(share.tableaux, key=lambda one: -len(one.cells)):
        cols = [cell.col for cell in tableau.cells]
        found.append((tableau, (-min(cell.row for cell in tableau.cells), right - min(cols))))
        right += 1 + max(cols) - min(cols) + APART
    return found


def placed_tiles(share: Share, reading: Reading) -> dict[Place, Tile]:
    """Return the tiles of a seat's tableaux in a reading, by the cells of its sighting."""
    ways = {id(tableau): way for tableau, way in shifts(share)}
    moved = {n: ways[id(one)] for n, one in enumerate(reading.tableaux) if id(one) in ways}
    return {
        (tile.row + moved[tile.tableau][0], tile.col + moved[tile.tableau][1]): tile
        for tile in reading.tiles
        if tile.tableau in moved and tile.row is not None and tile.col is not None
    }


def written(symbol: str) -> str:
    """Return a symbol as one character; one of several letters is shown as a blank, and doubted."""
    return symbol if len(symbol) == 1 else BLANK_SIGN


def letters(tiles: Iterable[Tile]) -> str:
    """Return the letters of tiles that lie face up, in order, whatever their places."""
    shown = (tile.symbol for tile in tiles if tile.face is Face.UP and tile.symbol is not None)
    return "".join(sorted(written(symbol) for symbol in shown))


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
