"""Where drawn tiles lie: crosswords laid by hand, loose tiles, heaps of face-down ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Grid = dict[tuple[int, int], str]


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
    cell: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Hand:
    """How untidily tiles are laid: all lengths in tile sides, angles in radians."""

    pitch: float = 1.03
    drift: float = 0.04
    twist: float = 0.03
    lean: float = 0.05


def random_hand(rng: np.random.Generator) -> Hand:
    """Return a random hand, from very tidy to careless."""
    care = rng.random()
    return Hand(
        pitch=float(rng.uniform(1.0, 1.06) + 0.06 * care * rng.random()),
        drift=float(0.01 + 0.07 * care * rng.random()),
        twist=float(0.01 + 0.07 * care * rng.random()),
        lean=float(0.1 * care * rng.random()),
    )


def crossword(
    rng: np.random.Generator,
    size: int,
    words: Sequence[Sequence[str]],
    loose_fit: float = 0.0,
    bag: Counter[str] | None = None,
) -> Grid:
    """Return a crossword of about ``size`` tiles made of ``words``.

    With ``loose_fit`` above 0 that share of the words may touch others
    without making words there.  Tiles are taken from ``bag`` where there is one.
    """
    grid: Grid = {}
    while not grid:
        first = words[rng.integers(len(words))]
        if taken_from(bag, first):
            grid = {(0, k): symbol for k, symbol in enumerate(first)}
    for _ in range(60 * size):
        if len(grid) >= size:
            break
        word = words[rng.integers(len(words))]
        cells = list(grid)
        row, col = cells[rng.integers(len(cells))]
        fitting = [k for k, symbol in enumerate(word) if symbol == grid[row, col]]
        if not fitting or len(grid) + len(word) - 1 > size + 2:
            continue
        down = bool(rng.random() < 0.5)
        at = fitting[rng.integers(len(fitting))]
        start = (row - at, col) if down else (row, col - at)
        touching = bool(rng.random() < loose_fit)
        laid = {_step(start, down, k): symbol for k, symbol in enumerate(word)}
        if fits(grid, start, word, down, touching) and taken_from(
            bag, [laid[cell] for cell in laid if cell not in grid]
        ):
            grid |= laid
    return grid


def taken_from(bag: Counter[str] | None, symbols: Sequence[str]) -> bool:
    """Take tiles out of a bag and return True, or leave it and return False where it lacks one."""
    if bag is None:
        return True
    wanted = Counter(symbols)
    if wanted - bag:
        return False
    bag.subtract(wanted)
    return True


def fits(grid: Grid, start: tuple[int, int], word: Sequence[str], down: bool, touching: bool = False) -> bool:
    """Return whether a word may be laid from ``start``: crossings agree and nothing touches alongside."""
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


def _step(start: tuple[int, int], down: bool, k: int) -> tuple[int, int]:
    """Return the cell ``k`` places on."""
    return (start[0] + k, start[1]) if down else (start[0], start[1] + k)


def lay(
    rng: np.random.Generator, grid: Grid, at: tuple[float, float], turn: float, hand: Hand, group: int
) -> list[Laid]:
    """Return the tiles of a crossword laid by hand around a place, turned clockwise by ``turn`` radians."""
    rows = np.array([cell[0] for cell in grid], float)
    cols = np.array([cell[1] for cell in grid], float)
    lean = rng.normal(0, hand.lean, 2)
    u = (
        (cols - cols.mean()) * hand.pitch
        + lean[0] * (rows - rows.mean())
        + rng.normal(0, hand.drift, len(rows))
    )
    v = (
        (rows - rows.mean()) * hand.pitch
        + lean[1] * (cols - cols.mean())
        + rng.normal(0, hand.drift, len(rows))
    )
    twists = turn + (lean[1] - lean[0]) / 2 + rng.normal(0, hand.twist, len(rows))
    x = at[0] + u * np.cos(turn) - v * np.sin(turn)
    y = at[1] + u * np.sin(turn) + v * np.cos(turn)
    return [
        Laid(float(x[k]), float(y[k]), float(twists[k]), symbol, group, cell)
        for k, (cell, symbol) in enumerate(grid.items())
    ]


class Floor:
    """Where there is still room on the table."""

    def __init__(self, half_width: float, half_height: float) -> None:
        self.half = (half_width, half_height)
        self.taken: list[tuple[float, float]] = []

    def free(self, points: Sequence[tuple[float, float]], gap: float) -> bool:
        """Return whether every point keeps its distance from all that is taken."""
        if not self.taken:
            return True
        away = np.asarray(points)[:, None] - np.asarray(self.taken)[None]
        return bool((away**2).sum(-1).min() > gap**2)

    def take(self, tiles: Sequence[Laid]) -> None:
        """Mark the tiles' places as taken."""
        self.taken += [(tile.x, tile.y) for tile in tiles]

    def somewhere(self, rng: np.random.Generator, margin: float = 0.0) -> tuple[float, float]:
        """Return a random place."""
        return (
            float(rng.uniform(-1, 1) * (self.half[0] - margin)),
            float(rng.uniform(-1, 1) * (self.half[1] - margin)),
        )


def scatter(
    rng: np.random.Generator, floor: Floor, symbols: Sequence[str | None], spread: float | None = None
) -> list[Laid]:
    """Return loose tiles at any turn, as a heap of some ``spread`` or anywhere; those without room are left out."""
    centre = floor.somewhere(rng, 2.0)
    gap = float(rng.choice([1.02, 1.15, 1.35]))
    tiles: list[Laid] = []
    for symbol in symbols:
        for _ in range(30):
            place = floor.somewhere(rng)
            if spread is not None:
                place = (centre[0] + float(rng.normal(0, spread)), centre[1] + float(rng.normal(0, spread)))
            if floor.free([place], gap):
                tile = Laid(*place, float(rng.uniform(0, 2 * np.pi)), symbol)
                tiles.append(tile)
                floor.take([tile])
                break
    return tiles
