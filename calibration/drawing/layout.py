"""Where drawn tiles lie: crosswords laid by hand, loose tiles, heaps of face-down ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.drawing.chance import Rng, one_of

Cell = tuple[int, int]
"""Row and column."""
Grid = dict[Cell, str]
Place = tuple[float, float]
"""A place of the table in tile sides, x to the right and y towards the viewer."""
Word = Sequence[str]
"""Symbols in a row."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A tile on the table: centre in tile sides, turn clockwise in radians, symbol or ``None`` face down.

    ``group`` is the index of its tableau, or -1; ``cell`` its row and column there.
    """

    x: float
    y: float
    turn: float
    symbol: str | None
    group: int = -1
    cell: Cell = (0, 0)


CLOSEST = 0.94
"""Least step between neighbours in a tableau, in tile sides: the edges of tiles are rounded."""


@dataclass(frozen=True, slots=True)
class Hand:
    """How untidily tiles are laid: all lengths in tile sides, angles in radians.

    ``pitch`` is the step from tile to tile; ``drift`` and ``twist`` are how far each lies off and is turned,
    and ``lean`` how far rows and columns are off the right angle, as spreads.
    """

    pitch: float = 1.03
    drift: float = 0.04
    twist: float = 0.03
    lean: float = 0.05

    @property
    def slack(self) -> float:
        """How far a tile may lie off its place at most, so that none lies on another."""
        return max(0.0, self.pitch - CLOSEST) / 2


def random_hand(rng: Rng) -> Hand:
    """Return a random hand, from very tidy to careless."""
    care = rng.random()
    return Hand(
        pitch=float(rng.uniform(1.0, 1.06) + 0.06 * care * rng.random()),
        drift=float(0.01 + 0.07 * care * rng.random()),
        twist=float(0.01 + 0.07 * care * rng.random()),
        lean=float(0.1 * care * rng.random()),
    )


def crossword(
    rng: Rng,
    size: int,
    words: Sequence[Word],
    loose_fit: float = 0.0,
    bag: Mapping[str, int] | None = None,
    broad: int | None = None,
) -> Grid:
    """Return a crossword of about ``size`` tiles made of ``words``: smaller where it gets stuck, or empty.

    With ``loose_fit`` above 0 that share of the words may touch others
    without making words there.  It needs no more tiles than ``bag`` has and is
    no more than ``broad`` cells broad or high, where these are given.
    """
    grid: Grid = {}
    left = None if bag is None else Counter(bag)
    for _ in range(60 * size):
        if len(grid) >= size:
            break
        word = one_of(rng, words)
        if not grid:
            start, down = (0, 0), False
        elif crossing := _crossing(rng, grid, word):
            start, down = crossing
        else:
            continue
        laid = {_step(start, down, k): symbol for k, symbol in enumerate(word)}
        new = [symbol for cell, symbol in laid.items() if cell not in grid]
        touching = bool(rng.random() < loose_fit)
        if (
            len(grid) + len(new) <= size + 2
            and fits(grid, start, word, down, touching)
            and (broad is None or extent([*grid, *laid]) <= broad)
            and (left is None or _taken(left, new))
        ):
            grid |= laid
    return grid


def _crossing(rng: Rng, grid: Grid, word: Word) -> tuple[Cell, bool] | None:
    """Return where a word may start to cross a random tile, and whether downwards, if they share a symbol."""
    row, col = one_of(rng, list(grid))
    fitting = [k for k, symbol in enumerate(word) if symbol == grid[row, col]]
    if not fitting:
        return None
    down, at = bool(rng.random() < 0.5), one_of(rng, fitting)
    return ((row - at, col) if down else (row, col - at)), down


def _taken(bag: Counter[str], symbols: Sequence[str]) -> bool:
    """Take tiles out of a bag and return True, or leave it and return False where it lacks one."""
    wanted = Counter(symbols)
    if any(bag[symbol] < many for symbol, many in wanted.items()):
        return False
    bag.subtract(wanted)
    return True


def extent(cells: Iterable[Cell]) -> int:
    """Return the rows or columns that cells span, whichever are more."""
    rows, cols = zip(*cells, strict=True)
    return 1 + int(max(max(rows) - min(rows), max(cols) - min(cols)))


def fits(grid: Grid, start: Cell, word: Word, down: bool, touching: bool = False) -> bool:
    """Return whether a word may be laid from ``start``: crossings agree and nothing touches alongside.

    A word may lengthen one that lies there.  With ``touching`` only the crossings count.
    """
    side = (0, 1) if down else (1, 0)
    new = 0
    for k, symbol in enumerate(word):
        row, col = _step(start, down, k)
        if (row, col) in grid:
            if grid[row, col] != symbol:
                return False
            continue
        new += 1
        beside = ((row + side[0], col + side[1]), (row - side[0], col - side[1]))
        if not touching and any(cell in grid for cell in beside):
            return False
    ends = (_step(start, down, -1), _step(start, down, len(word)))
    return new > 0 and (touching or not any(cell in grid for cell in ends))


def _step(start: Cell, down: bool, k: int) -> Cell:
    """Return the cell ``k`` places on."""
    return (start[0] + k, start[1]) if down else (start[0], start[1] + k)


def lay(rng: Rng, grid: Grid, at: Place, turn: float, hand: Hand, group: int) -> list[Laid]:
    """Return the tiles of a crossword laid by hand around a place, turned clockwise by ``turn`` radians."""
    if not grid:
        return []
    rows, cols = (np.array(side, float) - np.mean(side) for side in zip(*grid, strict=True))
    lean, drift = rng.normal(0, hand.lean, 2), rng.normal(0, hand.drift, (2, len(grid)))
    right, down = np.clip(drift, -hand.slack, hand.slack)
    u = cols * hand.pitch + lean[0] * rows + right
    v = rows * hand.pitch + lean[1] * cols + down
    twists = turn + (lean[1] - lean[0]) / 2 + rng.normal(0, hand.twist, len(grid))
    x = at[0] + u * np.cos(turn) - v * np.sin(turn)
    y = at[1] + u * np.sin(turn) + v * np.cos(turn)
    return [
        Laid(float(x[k]), float(y[k]), float(twists[k]), symbol, group, cell)
        for k, (cell, symbol) in enumerate(grid.items())
    ]


class Floor:
    """Where there is still room on the table; ``half_width`` and ``half_height`` in tile sides."""

    def __init__(self, half_width: float, half_height: float) -> None:
        self.half = (half_width, half_height)
        self.used: list[Place] = []

    def free(self, places: Sequence[Place], gap: float) -> bool:
        """Return whether every place is farther than ``gap`` from all that are used."""
        if not self.used or not len(places):
            return True
        away = np.asarray(places)[:, None] - np.asarray(self.used)[None]
        return bool((away**2).sum(-1).min() > gap**2)

    def use(self, tiles: Sequence[Laid]) -> None:
        """Mark the tiles' places as used."""
        self.used += [(tile.x, tile.y) for tile in tiles]

    def has(self, tile: Laid) -> bool:
        """Return whether a tile's middle lies on the table."""
        return abs(tile.x) <= self.half[0] and abs(tile.y) <= self.half[1]

    def somewhere(self, rng: Rng, margin: float = 0.0) -> Place:
        """Return a random place, ``margin`` away from the table's edge."""
        x, y = (float(rng.uniform(-1, 1)) * max(0.0, half - margin) for half in self.half)
        return x, y


GAPS = (1.02, 1.15, 1.35)
"""How close the middles of loose tiles may lie, in tile sides."""


def scatter(
    rng: Rng,
    floor: Floor,
    symbols: Sequence[str | None],
    spread: float | None = None,
    gap: float | None = None,
) -> list[Laid]:
    """Return loose tiles at any turn, as a heap of some ``spread`` or anywhere, and use their places.

    Their middles keep a ``gap`` (a random one of ``GAPS`` by default) to all that lies there; those that
    find no room are left out.
    """
    centre = floor.somewhere(rng, 2.0)
    apart = one_of(rng, GAPS) if gap is None else gap
    tiles: list[Laid] = []
    for symbol in symbols:
        for _ in range(30):
            place = floor.somewhere(rng)
            if spread is not None:
                place = (centre[0] + float(rng.normal(0, spread)), centre[1] + float(rng.normal(0, spread)))
            if floor.free([place], apart):
                tiles.append(Laid(*place, float(rng.uniform(0, 2 * np.pi)), symbol))
                floor.use(tiles[-1:])
                break
    return tiles


TOUCH = 0.95
"""How near the sides of tiles that touch come, in tile sides: their edges are rounded."""


def jumble(rng: Rng, floor: Floor, symbols: Sequence[str | None]) -> list[Laid]:
    """Return tiles pushed together into one heap, each against another, and use their places.

    Most lie square to the one that they touch, with letters any way up; those that find no room are left out.
    """
    tiles: list[Laid] = []
    x, y = floor.somewhere(rng, 3.0)
    for symbol in symbols:
        for _ in range(12):
            if tiles:
                place = _beside(rng, one_of(rng, tiles), symbol)
            else:
                place = Laid(x, y, float(rng.uniform(0, 2 * np.pi)), symbol)
            if floor.free([(place.x, place.y)], TOUCH) and clear(place, tiles) and floor.has(place):
                tiles.append(place)
                break
    floor.use(tiles)
    return tiles


def _beside(rng: Rng, other: Laid, symbol: str | None) -> Laid:
    """Return a tile laid against a side of another."""
    square = rng.random() < 0.7
    twist = float(rng.normal(0, 0.06) if square else rng.uniform(-np.pi / 4, np.pi / 4))
    way = other.turn + int(rng.integers(4)) * np.pi / 2
    out = TOUCH * (0.5 + _half_width(twist)) + abs(float(rng.normal(0, 0.05)))
    along = float(rng.normal(0, 0.3))
    return Laid(
        float(other.x + out * np.cos(way) - along * np.sin(way)),
        float(other.y + out * np.sin(way) + along * np.cos(way)),
        float(way + twist + int(rng.integers(4)) * np.pi / 2),
        symbol,
    )


def _half_width(turn: float) -> float:
    """Return half the width of a tile that is turned, in tile sides."""
    return float(abs(np.cos(turn)) + abs(np.sin(turn))) / 2


def clear(tile: Laid, others: Sequence[Laid]) -> bool:
    """Return whether a tile lies on none of the others: between any two there is a line along a side."""
    for other in others:
        reach = TOUCH * (0.5 + _half_width(other.turn - tile.turn)) - 1e-6
        dx, dy = other.x - tile.x, other.y - tile.y
        if (abs(dx) < reach and abs(dy) < reach) or dx * dx + dy * dy < reach * reach:
            ways = (tile.turn, other.turn)
            off = (abs(dx * np.cos(w + q) + dy * np.sin(w + q)) for w in ways for q in (0, np.pi / 2))
            if max(off) < reach:
                return False
    return True
