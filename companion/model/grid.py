"""Grids of symbols: the words that run in them, the islands they form, how they are written down.

A grid maps places to symbols.  A place is a row and a column, rows counted
downwards and columns to the right in the reading direction; a place that the
mapping lacks is empty, and a symbol may have several characters (``AND``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.errors import BadGrid
from companion.model.tiles import BLANK

Place = tuple[int, int]
Grid = Mapping[Place, str]

EMPTY_SIGN = "."
"""How an empty place is written."""

BLANK_SIGN = "?"
"""How a blank tile is written."""

MAX_GRID_SIDE_CELLS = 300
"""Most rows and columns of a written grid; a box of 144 tiles needs no more than 144."""

MAX_SYMBOL_CHARS = 8
"""Longest written symbol, in characters."""


class Direction(StrEnum):
    """Which way a word runs."""

    ACROSS = "across"
    DOWN = "down"

    @property
    def step(self) -> Place:
        """Rows and columns from one letter to the next."""
        return (0, 1) if self is Direction.ACROSS else (1, 0)


@dataclass(frozen=True, slots=True)
class Run:
    """Two or more symbols without a gap, left to right or top to bottom, from ``row`` and ``col`` on."""

    symbols: tuple[str, ...]
    row: int
    col: int
    direction: Direction

    @property
    def text(self) -> str:
        """The run as people write it, with a question mark for each blank."""
        return "".join(symbol or BLANK_SIGN for symbol in self.symbols)

    @property
    def places(self) -> tuple[Place, ...]:
        """The places it covers, from its start on."""
        down, right = self.direction.step
        return tuple((self.row + down * n, self.col + right * n) for n in range(len(self.symbols)))


def runs(grid: Grid) -> tuple[Run, ...]:
    """Return every word of a grid, by row and column of its start, across before down.

    Single tiles are no words (Bananagrams, rule 4: words read left to right or top to bottom).
    """
    found = (run_from(grid, place, direction) for place in sorted(grid) for direction in Direction)
    return tuple(run for run in found if run is not None)


def run_from(grid: Grid, place: Place, direction: Direction) -> Run | None:
    """Return the run that starts at a place, or None where none does."""
    down, right = direction.step
    row, col = place
    if (row - down, col - right) in grid or (row + down, col + right) not in grid:
        return None
    symbols = []
    while (row, col) in grid:
        symbols.append(grid[row, col])
        row, col = row + down, col + right
    return Run(tuple(symbols), *place, direction)


def islands(places: Collection[Place]) -> tuple[frozenset[Place], ...]:
    """Return the groups of places that touch by their edges, the largest first, then by their first place."""
    left = set(places)
    groups = []
    while left:
        groups.append(island_around(left.pop(), left))
    return tuple(sorted(groups, key=lambda group: (-len(group), min(group))))


def island_around(start: Place, left: set[Place]) -> frozenset[Place]:
    """Take from ``left`` all places connected to ``start`` and return them together with it."""
    group, edge = {start}, [start]
    while edge:
        row, col = edge.pop()
        found = left & {(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)}
        left -= found
        group |= found
        edge.extend(found)
    return frozenset(group)


def at_origin(grid: Grid) -> dict[Place, str]:
    """Return a grid moved so that its first used row and column are both 0."""
    top = min((row for row, _ in grid), default=0)
    left = min((col for _, col in grid), default=0)
    return {(row - top, col - left): symbol for (row, col), symbol in grid.items()}


def displacement(before: Mapping[Place, Collection[str]], after: Grid) -> Place | None:
    """Return by how many rows and columns a grid has moved; ``before`` may give several symbols to a place.

    It is the displacement of most tiles; ``None`` where at most half of the
    smaller grid shares it, or two displacements are equally common.
    """
    ways = Counter(
        (down - row, right - col)
        for (row, col), symbols in before.items()
        for (down, right), symbol in after.items()
        if symbol in symbols
    ).most_common(2)
    if not ways or 2 * ways[0][1] <= min(len(before), len(after)):
        return None
    return None if len(ways) == 2 and ways[0][1] == ways[1][1] else ways[0][0]


def lists(grid: Grid) -> list[list[str]]:
    """Return a grid as rows of written symbols, cut to its outline: ``.`` empty, ``?`` a blank.

    ``parse_grid(lists(grid)) == at_origin(grid)`` for every grid whose symbols can be written.
    """
    return table(at_origin(grid))


def rows(grid: Grid) -> tuple[str, ...]:
    """Return a grid as lines of text, cut to its outline.

    One character for each place if no symbol has more, so that
    ``parse_grid(rows(grid)) == at_origin(grid)``; else columns separated by
    spaces, which ``line.split()`` turns into ``lists(grid)`` again.
    """
    return lines(lists(grid))


def table(grid: Grid) -> list[list[str]]:
    """Return a grid as rows of written symbols from row 0 and column 0 on, as on a fixed board."""
    height = 1 + max((row for row, _ in grid), default=-1)
    width = 1 + max((col for _, col in grid), default=-1)
    written = {place: symbol or BLANK_SIGN for place, symbol in grid.items()}
    return [[written.get((row, col), EMPTY_SIGN) for col in range(width)] for row in range(height)]


def lines(written: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return rows of written symbols as lines of text, as ``rows`` does."""
    wide = max((len(symbol) for line in written for symbol in line), default=1)
    if wide == 1:
        return tuple("".join(line) for line in written)
    return tuple(" ".join(f"{symbol:<{wide}}" for symbol in line).rstrip() for line in written)


def parse_grid(lines: Sequence[str | Sequence[str]]) -> dict[Place, str]:
    """Return the grid that lines describe, the first line row 0.

    Parameters
    ----------
    lines
        Each a string with one character a place, or a list of symbols of any
        length; ``.`` is an empty place and ``?`` a blank.  Lines may be of
        different lengths.

    Raises
    ------
    BadGrid
        Where a line is no text, a symbol is invalid, or the grid is too large.
    """
    if len(lines) > MAX_GRID_SIDE_CELLS:
        raise BadGrid(f"a grid has at most {MAX_GRID_SIDE_CELLS} rows; got {len(lines)}")
    return {
        (row, col): symbol for row, line in enumerate(lines) for col, symbol in parse_grid_line(line, row)
    }


def parse_grid_line(line: object, row: int) -> list[tuple[int, str]]:
    """Return the column and symbol of each tile in one written line; raise BadGrid as ``parse_grid`` does."""
    if not isinstance(line, Sequence):
        raise BadGrid(f"row {row} of a grid must be text or a list of symbols; got {line!r}")
    if len(line) > MAX_GRID_SIDE_CELLS:
        raise BadGrid(f"row {row} of a grid is {len(line)} places long; at most {MAX_GRID_SIDE_CELLS} can be")
    for col, symbol in enumerate(line):
        if not is_symbol(symbol):
            raise BadGrid(
                f"row {row}, column {col} of a grid: {symbol!r} is no symbol "
                f"(write {EMPTY_SIGN!r} for an empty place and {BLANK_SIGN!r} for a blank)"
            )
    tiles = [(col, symbol) for col, symbol in enumerate(line) if symbol != EMPTY_SIGN]
    return [(col, BLANK if symbol == BLANK_SIGN else symbol) for col, symbol in tiles]


def is_symbol(symbol: object) -> bool:
    """Return whether something can stand in a written grid: a short text without spaces."""
    if not isinstance(symbol, str):
        return False
    return 0 < len(symbol) <= MAX_SYMBOL_CHARS and symbol.isprintable() and " " not in symbol
