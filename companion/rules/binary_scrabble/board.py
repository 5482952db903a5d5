"""The board: its premium squares, the tiles on it, and the runs that a turn's tiles form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from companion.model.grid import Place, Run, runs
from companion.model.phrases import phrase
from companion.model.squares import BOARD_SIDE_SQUARES, square
from companion.model.tiles import BLANK, TileSet, tile_set
from companion.rules.binary_scrabble.equation import EQUALS

CENTRE = (BOARD_SIDE_SQUARES // 2, BOARD_SIDE_SQUARES // 2)

WORD_FACTORS = {"W": 3, "w": 2}
LETTER_FACTORS = {"L": 3, "l": 2}

SIDEWAYS_EQUALS = "11"
"""What an ``=`` turned sideways shows."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile on the board: the symbol on it (``""`` a blank) and the one that it stands for."""

    row: int
    col: int
    symbol: str
    face: str

    @property
    def cell(self) -> Place:
        """Row and column, from 0."""
        return self.row, self.col


@cache
def box() -> TileSet:
    """Return the tiles of the game with their counts and values."""
    return tile_set("binary")


def turned_cell(cell: Place, quarters: int) -> Place:
    """Return where a cell lies on the board turned clockwise by quarters."""
    row, col = cell
    for _ in range(quarters % 4):
        row, col = col, BOARD_SIDE_SQUARES - 1 - row
    return row, col


def turned(tile: Tile, quarters: int) -> Tile:
    """Return a tile as it lies on the board turned clockwise by quarters."""
    row, col = turned_cell(tile.cell, quarters)
    return replace(tile, row=row, col=col)


def word_factor(cell: Place) -> int:
    """Return the word factor of a square."""
    return WORD_FACTORS.get(square(cell), 1)


def letter_factor(cell: Place) -> int:
    """Return the letter factor of a square."""
    return LETTER_FACTORS.get(square(cell), 1)


def on_board(cell: Place) -> bool:
    """Return whether the board has a cell."""
    return all(0 <= side < BOARD_SIDE_SQUARES for side in cell)


def cell_text(cell: Place) -> str:
    """Return a cell in words, counted from 1."""
    return phrase("row %(row)s, column %(column)s", row=cell[0] + 1, column=cell[1] + 1)


def faces(tiles: Collection[Tile]) -> dict[Place, str]:
    """Return the symbols that tiles stand for, by cell."""
    return {tile.cell: tile.face for tile in tiles}


def runs_formed(board_tiles: Collection[Tile], new: Collection[Tile]) -> tuple[Run, ...]:
    """Return every run that new tiles are part of."""
    cells = {tile.cell for tile in new}
    return tuple(
        run for run in runs({**faces(board_tiles), **faces(new)}) if not cells.isdisjoint(run.places)
    )


def placement_fault(board_tiles: Collection[Tile], new: Collection[Tile]) -> str | None:
    """Return why new tiles may not lie in their cells, whatever they show, or ``None``."""
    cells = {tile.cell for tile in new}
    if not board_tiles and CENTRE not in cells:
        return phrase("the first equation covers the middle square, %(place)s", place=cell_text(CENTRE))
    apart = min((cells - set(run.places) for run in runs_formed(board_tiles, new)), key=len, default=cells)
    if apart:
        return phrase(
            "the new tiles must lie in one row or column without a gap; %(place)s is apart",
            place=cell_text(min(apart)),
        )
    signs = sum(tile.face == EQUALS for tile in new)
    return phrase("only one new = sign a turn; got %(count)s", count=signs) if signs > 1 else None


def count_fault(tiles: Sequence[str]) -> str | None:
    """Return which symbol has more tiles than the box, or ``None``; tiles made for XOR are extra."""
    counts: Mapping[str, int] = box().counts or {}
    for symbol, count in Counter(tiles).items():
        if count > counts.get(symbol, count):
            most = counts[symbol]
            if symbol == BLANK:
                return phrase("%(count)s blanks are too many: the box has %(most)s", count=count, most=most)
            return phrase(
                "%(count)s %(symbol)s tiles are too many: the box has %(most)s",
                count=count,
                symbol=symbol,
                most=most,
            )
    return None
