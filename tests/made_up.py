"""Readings made up by drawing a table: for tests of everything that tells of a reading."""

from __future__ import annotations

from companion.model.grid import Place, parse_grid
from companion.model.reading import Cell, Corners, Face, Reading, Tableau, Tile

SIDE = 40.0


def square(x: float, y: float) -> Corners:
    """Return the corners of an upright tile whose middle is at (x, y)."""
    near, far = -SIDE / 2, SIDE / 2
    return (x + near, y + near), (x + far, y + near), (x + far, y + far), (x + near, y + far)


def tile(
    symbol: str | None, place: tuple[float, float], doubt: bool = False, other: str | None = None
) -> Tile:
    """Return a loose tile, or one face down where ``symbol`` is None."""
    face = Face.DOWN if symbol is None else Face.UP
    return Tile(symbol, face, square(*place), 0.61 if doubt else 0.998, doubt, other)


def tableau(drawing: str, doubts: dict[Place, str | None] | None = None) -> Tableau:
    """Return a tableau from lines of symbols; ``doubts`` has the second best symbol of each doubted place."""
    doubted = doubts or {}
    cells = [
        Cell(
            row,
            col,
            symbol,
            (row, col) in doubted,
            0.61 if (row, col) in doubted else 0.998,
            doubted.get((row, col)),
        )
        for (row, col), symbol in sorted(parse_grid([line.split() for line in drawing.splitlines()]).items())
    ]
    return Tableau(tuple(cells), 0.0)


def reading(*tableaux: Tableau, others: tuple[Tile, ...] = (), size: tuple[int, int] = (600, 400)) -> Reading:
    """Return a picture of tableaux, each 300 pixels right of the one before, and of other tiles."""
    tiles = [
        Tile(
            cell.symbol,
            Face.UP,
            square(300 * number + SIDE * (cell.col + 1.5), SIDE * (cell.row + 1.5)),
            cell.confidence,
            cell.doubt,
            cell.alternative,
            number,
            cell.row,
            cell.col,
        )
        for number, one in enumerate(tableaux)
        for cell in one.cells
    ]
    timing = {"total": 84.104, "find": 31.0, "read": 40.2, "fit": 12.904}
    return Reading(*size, "bananagrams-en", (*tiles, *others), tableaux, timing_ms=timing)
