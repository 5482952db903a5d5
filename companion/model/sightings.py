"""Sightings: one seat's tiles, or the shared board, as the camera sees them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from companion.errors import BadSighting
from companion.model.grid import BLANK_SIGN, EMPTY_SIGN, Place, parse_grid

Cell = Place
"""Row and column, counted from 0 at the top left of the reader's side."""

MAX_SIGHTING_TILES = 400
"""Most tiles of a sighting; the largest box has 144."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The tiles seen before one seat.

    Parameters
    ----------
    grid
        Rows of the tableau, one character a cell, ``.`` for an empty one.
    loose
        Letters that lie face up outside the tableau.
    face_down
        How many tiles lie face down, or ``None`` if they were not counted.
    doubts
        Cells of the grid whose letter is in doubt.
    unread
        Those of them whose letter is sure, but something beside them was not read.
    """

    grid: tuple[str, ...] = ()
    loose: str = ""
    face_down: int | None = None
    doubts: tuple[Cell, ...] = ()
    unread: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= (self.face_down or 0) <= MAX_SIGHTING_TILES:
            raise BadSighting(f"face_down must be 0 to {MAX_SIGHTING_TILES}; got {self.face_down}")
        if len(self.loose) > MAX_SIGHTING_TILES:
            raise BadSighting(f"at most {MAX_SIGHTING_TILES} loose tiles; got {len(self.loose)}")
        if self.placed > MAX_SIGHTING_TILES:
            raise BadSighting(f"a tableau has at most {MAX_SIGHTING_TILES} tiles; got {self.placed}")
        cells = self.cells()
        if stray := [cell for cell in self.doubts if tuple(cell) not in cells]:
            raise BadSighting(f"a doubt must name a cell of the grid that holds a tile; got {list(stray[0])}")
        check_unread(self.unread, self.doubts)

    def cells(self) -> dict[Cell, str]:
        """Return the letter of every cell that holds a tile."""
        return parse_grid(self.grid)

    @property
    def placed(self) -> int:
        """How many tiles lie in the tableau."""
        return sum(len(row) - row.count(EMPTY_SIGN) for row in self.grid)

    def with_symbol(self, cell: Cell, symbol: str) -> Sighting:
        """Return the sighting with the symbol of one doubted cell decided; ``""`` is a blank."""
        row, col = cell
        line, symbol = self.grid[row], symbol or BLANK_SIGN
        grid = (*self.grid[:row], line[:col] + symbol + line[col + 1 :], *self.grid[row + 1 :])
        return without_doubts(replace(self, grid=grid), {cell})


def check_unread(unread: tuple[Cell, ...], doubts: tuple[Cell, ...]) -> None:
    """Raise BadSighting unless the cells beside which something was not read are in doubt."""
    if stray := [cell for cell in unread if cell not in doubts]:
        raise BadSighting(f"a cell beside something unread must be in doubt; got {list(stray[0])}")


@dataclass(frozen=True, slots=True)
class Board:
    """The shared board as seen.

    ``cells`` are row, column and symbol in reading order (``""`` a blank);
    ``pieces`` the cells of each seat's pyramids, by seat from 1; ``doubts``
    the cells whose symbol is in doubt; ``since`` row, column and the stamp since
    which the tile lies there, if a camera has tracked it; ``unread`` those of the
    ``doubts`` whose symbol is sure, but something beside them was not read.
    """

    cells: tuple[tuple[int, int, str], ...] = ()
    pieces: tuple[tuple[int, tuple[Cell, ...]], ...] = ()
    doubts: tuple[Cell, ...] = ()
    since: tuple[tuple[int, int, int], ...] = ()
    unread: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        places = [(row, col) for row, col, _ in self.cells]
        if len(places) > MAX_SIGHTING_TILES:
            raise BadSighting(f"a board has at most {MAX_SIGHTING_TILES} tiles; got {len(places)}")
        if len(set(places)) != len(places):
            twice = next(place for place in places if places.count(place) > 1)
            raise BadSighting(f"a board's cell is named twice: {list(twice)}")
        check_unread(self.unread, self.doubts)

    @classmethod
    def of(cls, cells: Mapping[Cell, str], pieces: Mapping[int, tuple[Cell, ...]] | None = None) -> Board:
        """Return a board from symbols by cell and pieces by seat, in a fixed order."""
        listed = tuple((row, col, symbol) for (row, col), symbol in sorted(cells.items()))
        return cls(listed, tuple(sorted((pieces or {}).items())))

    def with_symbol(self, cell: Cell, symbol: str) -> Board:
        """Return the board with the symbol of one cell decided."""
        cells = tuple((r, c, symbol if (r, c) == cell else old) for r, c, old in self.cells)
        return without_doubts(replace(self, cells=cells), {cell})

    def symbols(self) -> dict[Cell, str]:
        """Return the symbol of every cell that holds a tile."""
        return {(row, col): symbol for row, col, symbol in self.cells}

    @property
    def covered(self) -> set[Cell]:
        """The cells with a player's pyramid on them."""
        return {cell for _, cells in self.pieces for cell in cells}


Seeing = TypeVar("Seeing", Sighting, Board)


def without_doubts(seen: Seeing, cells: Collection[Cell]) -> Seeing:
    """Return a sighting without the doubts in some cells."""
    doubts, unread = (tuple(d for d in some if d not in cells) for some in (seen.doubts, seen.unread))
    return replace(seen, doubts=doubts, unread=unread)
