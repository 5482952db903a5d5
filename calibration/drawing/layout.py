"""Random places of tiles on a table: crosswords, loose tiles, heaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.drawing.rng import Rng, choose

Cell = tuple[int, int]
"""Row and column."""
Grid = dict[Cell, str]
Place = tuple[float, float]
"""A place of the table in tile sides, x to the right and y towards the viewer."""
Word = Sequence[str]
"""Symbols in a row."""


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile on the table: centre in tile sides, rotation clockwise in radians, symbol or ``None`` face down.

    ``group`` is the index of its tableau, or -1; ``cell`` its row and column there.
    """

    x: float
    y: float
    turn: float
    symbol: str | None
    group: int = -1
    cell: Cell = (0, 0)


MIN_TILE_PITCH = 0.94
"""Least distance of neighbours in a tableau, in tile sides: below 1, as the edges of tiles are rounded."""


@dataclass(frozen=True, slots=True)
class Jitter:
    """Random deviations of a hand-laid grid: lengths in tile sides, angles in radians.

    ``pitch`` is the step from tile to tile.  The others are standard deviations: ``drift`` of a tile's place,
    ``twist`` of its rotation, ``lean`` of the shear of rows and columns.
    """

    pitch: float = 1.03
    drift: float = 0.04
    twist: float = 0.03
    lean: float = 0.05

    @property
    def slack(self) -> float:
        """The largest deviation of a tile's place at which no tile lies on another."""
        return max(0.0, self.pitch - MIN_TILE_PITCH) / 2


def random_jitter(rng: Rng) -> Jitter:
    """Return random deviations, from very tidy to careless."""
    care = rng.random()
    return Jitter(
        pitch=float(rng.uniform(1.0, 1.06) + 0.06 * care * rng.random()),
        drift=float(0.01 + 0.07 * care * rng.random()),
        twist=float(0.01 + 0.07 * care * rng.random()),
        lean=float(0.1 * care * rng.random()),
    )


def crossword(
    rng: Rng,
    size: int,
    words: Sequence[Word],
    touching_share: float = 0.0,
    bag: Mapping[str, int] | None = None,
    max_extent: int | None = None,
) -> Grid:
    """Return a random crossword of about ``size`` tiles made of ``words``, smaller or empty where none fits.

    A share ``touching_share`` of the words may touch others without forming words.  It uses no more tiles
    than ``bag`` has and spans at most ``max_extent`` rows and columns, where these are given.
    """
    grid: Grid = {}
    left = None if bag is None else Counter(bag)
    for _ in range(60 * size):
        if len(grid) >= size:
            break
        word = choose(rng, words)
        if not grid:
            start, down = (0, 0), False
        elif crossing := _crossing(rng, grid, word):
            start, down = crossing
        else:
            continue
        laid = {_step(start, down, k): symbol for k, symbol in enumerate(word)}
        new = [symbol for cell, symbol in laid.items() if cell not in grid]
        touching = bool(rng.random() < touching_share)
        if (
            len(grid) + len(new) <= size + 2
            and word_fits(grid, start, word, down, touching)
            and (max_extent is None or grid_extent([*grid, *laid]) <= max_extent)
            and (left is None or _taken(left, new))
        ):
            grid |= laid
    return grid


def _crossing(rng: Rng, grid: Grid, word: Word) -> tuple[Cell, bool] | None:
    """Return the start of a word that crosses a random tile, and whether it runs down;
    ``None`` if none does.
    """
    row, col = choose(rng, list(grid))
    fitting = [k for k, symbol in enumerate(word) if symbol == grid[row, col]]
    if not fitting:
        return None
    down, at = bool(rng.random() < 0.5), choose(rng, fitting)
    return ((row - at, col) if down else (row, col - at)), down


def _taken(bag: Counter[str], symbols: Sequence[str]) -> bool:
    """Take tiles out of a bag and return True; where one is missing, take none and return False."""
    wanted = Counter(symbols)
    if any(bag[symbol] < many for symbol, many in wanted.items()):
        return False
    bag.subtract(wanted)
    return True


def grid_extent(cells: Iterable[Cell]) -> int:
    """Return the number of rows or columns that cells span, whichever is larger."""
    rows, cols = zip(*cells, strict=True)
    return 1 + int(max(max(rows) - min(rows), max(cols) - min(cols)))


def word_fits(grid: Grid, start: Cell, word: Word, down: bool, touching: bool = False) -> bool:
    """Return whether a word fits at ``start``: its crossings agree and no other tile touches it.

    A word may extend one that lies there.  With ``touching`` only the crossings count.
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
    """Return the cell ``k`` steps after ``start``, down or to the right."""
    return (start[0] + k, start[1]) if down else (start[0], start[1] + k)


def place_grid(rng: Rng, grid: Grid, at: Place, turn: float, hand: Jitter, group: int) -> list[PlacedTile]:
    """Return the tiles of a grid around a place, rotated clockwise by ``turn`` radians, with random
    deviations.
    """
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
        PlacedTile(float(x[k]), float(y[k]), float(twists[k]), symbol, group, cell)
        for k, (cell, symbol) in enumerate(grid.items())
    ]


class FreeSpace:
    """Keeps track of the free places of a table; ``half_width`` and ``half_height`` in tile sides."""

    def __init__(self, half_width: float, half_height: float) -> None:
        self.half = (half_width, half_height)
        self.used: list[Place] = []

    def free(self, places: Sequence[Place], gap: float) -> bool:
        """Return whether every place is farther than ``gap`` from all occupied ones."""
        if not self.used or not len(places):
            return True
        away = np.asarray(places)[:, None] - np.asarray(self.used)[None]
        return bool((away**2).sum(-1).min() > gap**2)

    def occupy(self, tiles: Sequence[PlacedTile]) -> None:
        """Mark the tiles' places as occupied."""
        self.used += [(tile.x, tile.y) for tile in tiles]

    def contains(self, tile: PlacedTile) -> bool:
        """Return whether a tile's centre lies on the table."""
        return abs(tile.x) <= self.half[0] and abs(tile.y) <= self.half[1]

    def random_place(self, rng: Rng, margin: float = 0.0) -> Place:
        """Return a random place, ``margin`` away from the table's edge."""
        x, y = (float(rng.uniform(-1, 1)) * max(0.0, half - margin) for half in self.half)
        return x, y


GAPS = (1.02, 1.15, 1.35)
"""Least distances of the centres of loose tiles, in tile sides, of which each heap has one."""


def place_loose(
    rng: Rng,
    floor: FreeSpace,
    symbols: Sequence[str | None],
    spread: float | None = None,
    gap: float | None = None,
) -> list[PlacedTile]:
    """Return loose tiles at any rotation and occupy their places.

    They lie around a random centre with a standard deviation of ``spread``, or anywhere without one.  Their
    centres keep a ``gap`` (by default a random one of ``GAPS``) to all others; tiles without room are left
    out.
    """
    centre = floor.random_place(rng, 2.0)
    apart = choose(rng, GAPS) if gap is None else gap
    tiles: list[PlacedTile] = []
    for symbol in symbols:
        for _ in range(30):
            place = floor.random_place(rng)
            if spread is not None:
                place = (centre[0] + float(rng.normal(0, spread)), centre[1] + float(rng.normal(0, spread)))
            if floor.free([place], apart):
                tiles.append(PlacedTile(*place, float(rng.uniform(0, 2 * np.pi)), symbol))
                floor.occupy(tiles[-1:])
                break
    return tiles


TOUCHING_DISTANCE = 0.95
"""Distance of the centres of two aligned tiles that touch, in tile sides: their edges are rounded."""


def place_heap(rng: Rng, floor: FreeSpace, symbols: Sequence[str | None]) -> list[PlacedTile]:
    """Return tiles pushed together into one heap, each touching another, and occupy their places.

    Most are aligned with the tile that they touch, at any quarter turn; tiles without room are left out.
    """
    tiles: list[PlacedTile] = []
    x, y = floor.random_place(rng, 3.0)
    for symbol in symbols:
        for _ in range(12):
            if tiles:
                place = _beside(rng, choose(rng, tiles), symbol)
            else:
                place = PlacedTile(x, y, float(rng.uniform(0, 2 * np.pi)), symbol)
            if (
                floor.free([(place.x, place.y)], TOUCHING_DISTANCE)
                and overlaps_none(place, tiles)
                and floor.contains(place)
            ):
                tiles.append(place)
                break
    floor.occupy(tiles)
    return tiles


def _beside(rng: Rng, other: PlacedTile, symbol: str | None) -> PlacedTile:
    """Return a tile that touches a side of another."""
    square = rng.random() < 0.7
    twist = float(rng.normal(0, 0.06) if square else rng.uniform(-np.pi / 4, np.pi / 4))
    way = other.turn + int(rng.integers(4)) * np.pi / 2
    out = TOUCHING_DISTANCE * (0.5 + _half_width(twist)) + abs(float(rng.normal(0, 0.05)))
    along = float(rng.normal(0, 0.3))
    return PlacedTile(
        float(other.x + out * np.cos(way) - along * np.sin(way)),
        float(other.y + out * np.sin(way) + along * np.cos(way)),
        float(way + twist + int(rng.integers(4)) * np.pi / 2),
        symbol,
    )


def _half_width(turn: float) -> float:
    """Return half the width of a rotated tile's bounding box, in tile sides."""
    return float(abs(np.cos(turn)) + abs(np.sin(turn))) / 2


def overlaps_none(tile: PlacedTile, others: Sequence[PlacedTile]) -> bool:
    """Return whether a tile overlaps none of the others, by the separating axis theorem."""
    for other in others:
        reach = TOUCHING_DISTANCE * (0.5 + _half_width(other.turn - tile.turn)) - 1e-6
        dx, dy = other.x - tile.x, other.y - tile.y
        if (abs(dx) < reach and abs(dy) < reach) or dx * dx + dy * dy < reach * reach:
            ways = (tile.turn, other.turn)
            off = (abs(dx * np.cos(w + q) + dy * np.sin(w + q)) for w in ways for q in (0, np.pi / 2))
            if max(off) < reach:
                return False
    return True
