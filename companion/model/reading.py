"""The reading of one picture: tiles, tableaux and pieces.

Pixels are those of the picture as shown upright: x to the right, y down,
the centre of the top left pixel at (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]


class Face(StrEnum):
    """Which side of a tile shows."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile as seen.

    Parameters
    ----------
    symbol
        A letter, digit, operator sign or word (``AND``); ``""`` for a blank
        tile lying face up; ``None`` for a tile lying face down.
    face
        Which side shows.
    corners
        The four corners of the top face in pixels, clockwise from the
        symbol's own top left.
    confidence
        Calibrated probability of the symbol, 0 to 1.
    doubt
        Whether the symbol is in doubt, so that people are asked.
    alternative
        The next best symbol of a doubted tile, or ``None``.
    tableau, row, col
        The tableau (an index into ``Reading.tableaux``) and the cell, or
        ``None`` for a loose tile.
    """

    symbol: str | None
    face: Face
    corners: Corners
    confidence: float
    doubt: bool
    alternative: str | None = None
    tableau: int | None = None
    row: int | None = None
    col: int | None = None

    @property
    def centre(self) -> Point:
        """Middle of the top face, in pixels."""
        return sum(x for x, _ in self.corners) / 4, sum(y for _, y in self.corners) / 4


@dataclass(frozen=True, slots=True)
class Cell:
    """One tile of a tableau, by row and column in its reader's direction."""

    row: int
    col: int
    symbol: str
    doubt: bool
    confidence: float
    alternative: str | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A place that seems to have a tile that was not read, or is cut off by the edge of the picture.

    ``at`` is in pixels; ``row`` and ``col`` are the cell of the tile beside it.
    """

    at: Point
    row: int
    col: int


@dataclass(frozen=True, slots=True)
class Tableau:
    """One player's crossword, or what lies on a fixed board.

    ``turn_deg`` is how far its reading direction is turned clockwise from
    the picture's left to right, 0 to 360.  ``seat`` is the seat it lies
    before, or ``None`` while the seats are unknown.  ``unread`` are
    the places beside its tiles where something was not read.
    """

    cells: tuple[Cell, ...]
    turn_deg: float
    seat: str | None = None
    unread: tuple[Unread, ...] = ()

    @property
    def grid(self) -> dict[tuple[int, int], str]:
        """The symbol at each row and column that holds a tile."""
        return {(cell.row, cell.col): cell.symbol for cell in self.cells}

    @property
    def doubted(self) -> set[tuple[int, int]]:
        """The row and column of tiles in doubt."""
        return {(cell.row, cell.col) for cell in self.cells if cell.doubt}

    @property
    def beside_unread(self) -> set[tuple[int, int]]:
        """The row and column of other tiles beside unread places: words may go on there."""
        return {(place.row, place.col) for place in self.unread} - self.doubted


@dataclass(frozen=True, slots=True)
class Piece:
    """A pyramid on the Volcano board or beside it.

    ``size`` is small, medium or large.  Rows and columns go on beyond the
    board, so a pyramid beside it stands in a row or column below 0 or above
    4.  With ``doubt`` people are asked.  ``at`` is about the
    middle of its base in pixels, where that is known.
    """

    colour: str
    row: int
    col: int
    size: str
    doubt: bool = False
    at: Point | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything read from one picture.

    ``width`` and ``height`` are the upright picture's, in pixels;
    ``timing_ms`` is the time inside the reader in milliseconds: ``total``, and its parts ``find`` (detection
    and the search for the tiles' size), ``read`` (classification), ``second`` (the second reader, where it
    was asked) and ``fit`` (layout).
    """

    width: int
    height: int
    tile_set: str
    tiles: tuple[Tile, ...]
    tableaux: tuple[Tableau, ...]
    board: str | None = None
    pieces: tuple[Piece, ...] = ()
    timing_ms: dict[str, float] = field(default_factory=dict, compare=False)
