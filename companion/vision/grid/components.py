"""Tableaux as connected components of tiles, with the row and column of each tile.

Hand-laid words are not straight, so no rigid grid is fitted: edges join neighbours in the frame of the tiles
themselves, and rows and columns follow the edges, the straightest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import add

import numpy as np
from numpy.typing import NDArray

from companion.vision.grid.homography import rotation_angles

USUAL_PITCH = 1.03
"""Usual distance of neighbours' centres, in tile sides."""
NEIGHBOUR_DISTANCES = (0.72, 1.36)
"""Least and largest distance of neighbours along a word, in tile sides."""
MAX_NEIGHBOUR_OFFSET = 0.42
"""Largest distance of neighbours across a word, in tile sides."""
MAX_NEIGHBOUR_ROTATION_RAD = np.radians(22)
"""Largest rotation between neighbours beyond quarter turns, in radians."""
MAX_GAP_DEVIATION = 0.33
"""Largest deviation of an island across an empty cell from its place, in pitches."""

MAX_LOG_LIKELIHOOD_LOSS = 2.3
"""Largest loss in log likelihood by one reading direction at which components are joined."""
MAX_DOUBTED_STRAIN = 0.35
"""Largest strain of a contradicting edge that puts its tiles in doubt, in tile sides."""
MIN_CONSISTENT_TILES = 4
"""Least number of tiles of a component that puts a neighbour with another reading direction in doubt."""

MAX_JOIN_DISTANCE = 2.6
"""Largest distance of tiles that are joined, in tile sides."""

CELL_STEPS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
"""One cell right, down, left, up, as (column, row); each is a quarter turn from the one before."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Edge:
    """Tile ``b`` lies one step from tile ``a``.

    ``step`` is 0 to 3 for right, down, left, up in ``a``'s own frame; ``b``'s frame is ``turned`` quarters
    clockwise relative to ``a``'s; ``strain`` is the deviation of the edge from a straight one.
    """

    a: int
    b: int
    step: int
    turned: int
    strain: float


@dataclass(frozen=True, slots=True)
class Component:
    """Tiles of one tableau: their numbers, cells as (row, column), and the turn of each tile's frame.

    A tile's frame is turned ``quarters`` quarters clockwise relative to the component's; a tile without an
    entry may have any rotation.  ``side`` is the number of cells along a fixed board, ``None`` on a free
    table.
    """

    tiles: tuple[int, ...]
    cells: dict[int, tuple[int, int]]
    quarters: dict[int, int]
    side: int | None = None

    def neighbour(self, tile: int, way: NDArray[np.int_]) -> tuple[int, int]:
        """Return the cell that lies some columns and rows, (2,), from a tile in the tile's own frame."""
        right, down = way.tolist()
        (row, col), (down, right) = self.cells[tile], _turned(down, right, self.quarters[tile])
        return row + down, col + right

    def moved(self, tile: int, cell: tuple[int, int], quarter: int) -> Component:
        """Return the component after the turn and shift that bring a tile to a cell and a quarter turn."""
        change = quarter - self.quarters[tile]
        turned = {k: _turned(*place, change) for k, place in self.cells.items()}
        down, right = cell[0] - turned[tile][0], cell[1] - turned[tile][1]
        cells = {k: (row + down, col + right) for k, (row, col) in turned.items()}
        return Component(self.tiles, cells, {k: (turn + change) % 4 for k, turn in self.quarters.items()})

    def joined(self, other: Component) -> Component:
        """Return the component with the tiles of another in the same frame."""
        return Component(self.tiles + other.tiles, self.cells | other.cells, self.quarters | other.quarters)


def _turned(row: int, col: int, quarters: int) -> tuple[int, int]:
    """Return a row and column after clockwise quarter turns about the origin."""
    return ((row, col), (col, -row), (-row, -col), (-col, row))[quarters % 4]


@dataclass(frozen=True, slots=True)
class Layout:
    """The components of the tiles, and the tiles whose cell is in conflict."""

    components: tuple[Component, ...]
    conflicts: frozenset[int]


@dataclass(frozen=True, slots=True)
class PairwiseOffsets:
    """The offset of every tile from those near it.

    ``own`` (n, n, 2) is tile b's centre from tile a's, in a's sides, right and down; ``turned`` (n, n) the
    clockwise quarter turns of b's frame relative to a's; ``crooked`` (n, n) the radians beyond those.  Of a
    tile that is not near, ``own`` is 0 and ``crooked`` infinite.
    """

    own: Floats
    turned: NDArray[np.int_]
    crooked: Floats


def pairwise_offsets(centres: Floats, vectors: Floats) -> PairwiseOffsets:
    """Return the offsets of tiles from those near them.

    ``centres`` (n, 2) in pixels; ``vectors`` (n, 2, 2) with each tile's side vectors, right and down, as
    columns.
    """
    count = len(centres)
    own, turned = np.zeros((count, count, 2)), np.zeros((count, count), int)
    crooked = np.full((count, count), np.inf)
    away = centres[None] - centres[:, None]
    reach = MAX_JOIN_DISTANCE * np.abs(vectors).sum((1, 2)).max(initial=0.0) / 2
    a, b = np.nonzero((np.abs(away).max(-1) < reach) & ~np.eye(count, dtype=bool))
    inverse = np.linalg.inv(vectors)[a]
    own[a, b] = (inverse @ away[a, b][..., None])[..., 0]
    frames = inverse @ vectors[b]
    twist = rotation_angles(frames)
    quarters = np.round(twist / (np.pi / 2)).astype(int)
    turned[a, b], crooked[a, b] = quarters % 4, np.abs(twist - quarters * np.pi / 2)
    return PairwiseOffsets(own, turned, crooked)


def edges(lie: PairwiseOffsets) -> list[Edge]:
    """Return the edges between neighbouring tiles, straightest first."""
    near = np.nonzero(np.isfinite(lie.crooked))
    aside, far = np.sort(np.abs(lie.own[near])).T
    fits = (far > NEIGHBOUR_DISTANCES[0]) & (far < NEIGHBOUR_DISTANCES[1]) & (aside < MAX_NEIGHBOUR_OFFSET)
    strain = np.full(lie.crooked.shape, np.inf)
    strain[near] = np.where(fits, np.abs(far - USUAL_PITCH) + aside, np.inf)
    both = np.maximum(strain, strain.T) + lie.crooked
    a, b = np.nonzero(np.triu(np.isfinite(both) & (lie.crooked < MAX_NEIGHBOUR_ROTATION_RAD)))
    order = np.argsort(both[a, b], kind="stable")
    a, b = a[order], b[order]
    step = (lie.own[a, b] @ CELL_STEPS.T).argmax(-1)
    return list(map(Edge, *(part.tolist() for part in (a, b, step, lie.turned[a, b], both[a, b]))))


def connected_components(found: Iterable[Edge], facing: Floats) -> Layout:
    """Return the components of tiles joined by edges; a tile without edges is in none.

    ``facing`` (n, 4) is the log likelihood of each quarter turn of a tile's own frame.  Edges are used in
    their order, except one that contradicts those before it or would join tiles without a common reading
    direction.  A crooked one puts no tile in doubt.
    """
    home = [Component((k,), {k: (0, 0)}, {k: 0}) for k in range(len(facing))]
    reads: list[list[float]] = facing.tolist()  # each component's are those of its first tile
    conflicts: set[int] = set()
    for edge in found:
        one, other, doubted = home[edge.a], home[edge.b], set[int]()
        target = one.neighbour(edge.a, CELL_STEPS[edge.step])
        turned = (one.quarters[edge.a] + edge.turned) % 4
        ours, theirs, turn = reads[one.tiles[0]], reads[other.tiles[0]], (turned - other.quarters[edge.b]) % 4
        theirs = theirs[-turn:] + theirs[:-turn]
        if one is other:
            if (one.cells[edge.b], one.quarters[edge.b]) != (target, turned):
                doubted = {edge.a, edge.b}
        elif not _read_alike(ours, theirs):
            doubted = _outsider(one.tiles, other.tiles)
        else:
            moved = other.moved(edge.b, target, turned)
            whole = one.joined(moved)
            if shared := set(one.cells.values()) & set(moved.cells.values()):
                doubted = {k for k, cell in whole.cells.items() if cell in shared}
            else:
                reads[whole.tiles[0]] = list(map(add, ours, theirs))
                for k in whole.tiles:
                    home[k] = whole
        if edge.strain < MAX_DOUBTED_STRAIN:
            conflicts |= doubted
    components = [one for k, one in enumerate(home) if one.tiles[0] == k and len(one.tiles) > 1]
    return Layout(tuple(components), frozenset(conflicts))


def _read_alike(ours: list[float], theirs: list[float]) -> bool:
    """Return whether one reading direction is likely for two components, by the log likelihoods of each."""
    return bool(max(ours) + max(theirs) - max(map(add, ours, theirs)) <= MAX_LOG_LIKELIHOOD_LOSS)


def _outsider(ours: tuple[int, ...], theirs: tuple[int, ...]) -> set[int]:
    """Return the tile in a tableau's row with another rotation: perhaps it was misread."""
    single, many = sorted((ours, theirs), key=len)
    return set(single) if len(single) == 1 and len(many) >= MIN_CONSISTENT_TILES else set()


def rotated_cells(component: Component, quarters: int) -> dict[int, tuple[int, int]]:
    """Return a component's cells for a reading direction ``quarters`` quarter turns further clockwise.

    On a free table rows and columns count from 0; on a board they are the board's own.
    """
    cells = {k: _turned(*cell, -quarters) for k, cell in component.cells.items()}
    ends = list(cells.values())
    if component.side is not None:
        ends = [(0, 0), _turned(component.side - 1, component.side - 1, -quarters)]
    top, left = (min(part) for part in zip(*ends, strict=True))
    return {k: (row - top, col - left) for k, (row, col) in cells.items()}


def merge_islands(layout: Layout, lie: PairwiseOffsets, facing: Floats) -> Layout:
    """Return a layout with merged components that are one empty cell or one corner apart and equally rotated.

    They are islands of one tableau: its player has not connected them yet, or a tile between was not
    detected.  ``facing`` is as for ``connected_components``.
    """
    straight = np.nonzero(lie.crooked < MAX_NEIGHBOUR_ROTATION_RAD)
    steps = lie.own[straight] / USUAL_PITCH
    cells = np.round(steps).astype(int)
    off = np.abs(steps - cells).max(-1)
    gaps = np.sort(np.abs(cells), -1)
    across = (gaps == (0, 2)).all(-1) | (gaps == (1, 1)).all(-1)
    strain, near = np.full(lie.crooked.shape, np.inf), np.zeros(lie.own.shape, int)
    strain[straight] = np.where(across & (off < MAX_GAP_DEVIATION), off, np.inf)
    near[straight] = cells
    bridges = Bridges(strain, near, lie.turned, facing)
    rest, out, conflicts = list(layout.components), [], set(layout.conflicts)
    while rest:
        whole = rest.pop(0)
        while bridged := bridges.first(whole, rest):
            whole, k, close = bridged
            conflicts |= close
            del rest[k]
        out.append(whole)
    return Layout(tuple(out), frozenset(conflicts))


def turn_scores(component: Component, facing: Floats) -> Floats:
    """Return the log likelihood of each reading direction, in quarters clockwise of the frame, (4,)."""
    turns = (np.arange(4) - np.array([*component.quarters.values()], int)[:, None]) % 4
    return np.asarray(np.take_along_axis(facing[[*component.quarters]], turns, 1).sum(0))


@dataclass(frozen=True, slots=True)
class Bridges:
    """Steps over one empty cell or one corner between two tiles.

    ``strain`` (n, n), infinite without a step; ``near`` (n, n, 2) the columns and rows of the step;
    ``turned`` and ``facing`` as in ``PairwiseOffsets`` and ``connected_components``.
    """

    strain: Floats
    near: NDArray[np.int_]
    turned: NDArray[np.int_]
    facing: Floats

    def first(self, whole: Component, rest: list[Component]) -> tuple[Component, int, set[int]] | None:
        """Return a component merged with its first further island, that one's index, and the conflicts."""
        for k, other in enumerate(rest):
            if merged := self._merged(whole, other):
                return merged[0], k, merged[1]
        return None

    def _merged(self, one: Component, other: Component) -> tuple[Component, set[int]] | None:
        """Return two components merged by the straightest step between them, and the conflicts.

        Conflicts are tiles that now lie beside others without an edge, so that their cell is in doubt.
        """
        part = self.strain[np.ix_(one.tiles, other.tiles)]
        a, b = np.unravel_index(part.argmin(), part.shape)
        i, j = one.tiles[a], other.tiles[b]
        if np.isinf(self.strain[i, j]):
            return None
        turned = (one.quarters[i] + int(self.turned[i, j])) % 4
        moved = other.moved(j, one.neighbour(i, self.near[i, j]), turned)
        taken = set(one.cells.values())
        if not _read_alike(*(turn_scores(part, self.facing).tolist() for part in (one, moved))):
            return None
        if taken & set(moved.cells.values()):
            return None
        close = {k for k in moved.tiles if any(moved.neighbour(k, way) in taken for way in CELL_STEPS)}
        return one.joined(moved), close
