"""Tableaux as connected components of tiles, with the row and column of each tile.

Hand-laid words are not straight, so no rigid grid is fitted: edges join neighbours in the frame of the tiles
themselves, and rows and columns follow the edges, the straightest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

QUARTER_SHIFTS = (np.arange(4)[None] - np.arange(4)[:, None]) % 4
"""Indices that rotate four values by q quarters in row q, (4, 4)."""

NO_EDGE_STRAIN = 99.0
"""Strain of two tiles that are not neighbours."""

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


@dataclass(frozen=True, slots=True)
class Layout:
    """The components of the tiles, and the tiles whose cell is in conflict."""

    components: tuple[Component, ...]
    conflicts: frozenset[int]


@dataclass(frozen=True, slots=True)
class PairwiseOffsets:
    """The offset of every tile from those near it; ``NO_EDGE_STRAIN`` for the others.

    ``own`` (n, n, 2) is tile b's centre from tile a's, in a's sides, right and down; ``turned`` (n, n) the
    clockwise quarter turns of b's frame relative to a's; ``crooked`` (n, n) the radians beyond those.
    """

    own: Floats
    turned: NDArray[np.int_]
    crooked: Floats


def pairwise_offsets(centres: Floats, vectors: Floats) -> PairwiseOffsets:
    """Return the offsets of tiles from those near them.

    ``centres`` (n, 2) in pixels; ``vectors`` (n, 2, 2) with each tile's side
    vectors, right and down, as columns.
    """
    count = len(centres)
    own, turned = np.full((count, count, 2), NO_EDGE_STRAIN), np.zeros((count, count), int)
    crooked = np.full((count, count), NO_EDGE_STRAIN)
    away = centres[None] - centres[:, None]
    reach = MAX_JOIN_DISTANCE * np.abs(vectors).sum((1, 2)).max(initial=0.0) / 2
    a, b = np.nonzero((np.abs(away).max(-1) < reach) & ~np.eye(count, dtype=bool))
    inverse = np.linalg.inv(vectors)[a]
    own[a, b] = (inverse @ away[a, b][..., None])[..., 0]
    frames = inverse @ vectors[b]
    twist = np.arctan2(frames[:, 1, 0] - frames[:, 0, 1], frames[:, 0, 0] + frames[:, 1, 1])
    quarters = np.round(twist / (np.pi / 2)).astype(int)
    turned[a, b], crooked[a, b] = quarters % 4, np.abs(twist - quarters * np.pi / 2)
    return PairwiseOffsets(own, turned, crooked)


def edges(lie: PairwiseOffsets) -> list[Edge]:
    """Return the edges between neighbouring tiles, straightest first."""
    step, strain = _edge_steps(lie.own)
    both = np.maximum(strain, strain.T) + lie.crooked
    a, b = np.nonzero(
        (both < NO_EDGE_STRAIN)
        & (lie.crooked < MAX_NEIGHBOUR_ROTATION_RAD)
        & np.triu(np.ones_like(both, bool), 1)
    )
    order = np.argsort(both[a, b], kind="stable")
    return [
        Edge(int(i), int(j), int(step[i, j]), int(lie.turned[i, j]), float(both[i, j]))
        for i, j in zip(a[order], b[order], strict=True)
    ]


def _edge_steps(own: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the step of each offset, (n, n, 2) in tile sides, and its strain, or ``NO_EDGE_STRAIN``."""
    along = own @ CELL_STEPS.T
    step = along.argmax(-1)
    far = along.max(-1)
    aside = np.sqrt(np.maximum((own**2).sum(-1) - far**2, 0))
    fits = (far > NEIGHBOUR_DISTANCES[0]) & (far < NEIGHBOUR_DISTANCES[1]) & (aside < MAX_NEIGHBOUR_OFFSET)
    return step, np.where(fits, np.abs(far - USUAL_PITCH) + aside, NO_EDGE_STRAIN)


def connected_components(found: Iterable[Edge], facing: Floats) -> Layout:
    """Return the components of tiles joined by edges; a tile without edges is in none.

    ``facing`` (n, 4) is the log likelihood of each quarter turn of a tile's own frame.  Edges are used in
    their order, except one that contradicts those before it or would join tiles without a common reading
    direction.
    """
    count = len(facing)
    members = [[k] for k in range(count)]
    home = list(range(count))
    reads: list[list[float]] = facing.tolist()
    cell = dict.fromkeys(range(count), (0, 0))
    quarter = dict.fromkeys(range(count), 0)
    conflicts: set[int] = set()
    for edge in found:
        target = _neighbour(cell[edge.a], edge.step + quarter[edge.a])
        turned = (quarter[edge.a] + edge.turned) % 4
        ours, theirs = home[edge.a], home[edge.b]
        if ours == theirs:
            if cell[edge.b] != target or quarter[edge.b] != turned:
                conflicts |= _conflicting(edge, {edge.a, edge.b})
            continue
        on = 4 - (turned - quarter[edge.b]) % 4
        together = [a + b for a, b in zip(reads[ours], reads[theirs][on:] + reads[theirs][:on], strict=True)]
        if max(reads[ours]) + max(reads[theirs]) - max(together) > MAX_LOG_LIKELIHOOD_LOSS:
            conflicts |= _conflicting(edge, _outsider(members[ours], members[theirs]))
            continue
        moved = _transformed(members[theirs], cell, quarter, edge.b, target, turned)
        if shared := {place for place, _ in moved.values()} & {cell[k] for k in members[ours]}:
            own, new = (
                {k for k in members[ours] if cell[k] in shared},
                {k for k in moved if moved[k][0] in shared},
            )
            conflicts |= _conflicting(edge, own | new)
            continue
        for k, (place, turn) in moved.items():
            cell[k], quarter[k], home[k] = place, turn, ours
        reads[ours] = together
        members[ours] += members[theirs]
        members[theirs] = []
    components = [
        Component(tuple(own), {k: cell[k] for k in own}, {k: quarter[k] for k in own})
        for own in members
        if len(own) > 1
    ]
    return Layout(tuple(components), frozenset(conflicts))


def _conflicting(edge: Edge, tiles: set[int]) -> set[int]:
    """Return the tiles that an edge puts in doubt: none for a crooked edge."""
    return tiles if edge.strain < MAX_DOUBTED_STRAIN else set()


def _outsider(ours: list[int], theirs: list[int]) -> set[int]:
    """Return the tile in a tableau's row with another rotation: perhaps it was misread."""
    single, many = sorted((ours, theirs), key=len)
    return set(single) if len(single) == 1 and len(many) >= MIN_CONSISTENT_TILES else set()


def _neighbour(at: tuple[int, int], step: int) -> tuple[int, int]:
    """Return the cell, (row, column), one step from another."""
    col, row = CELL_STEPS[step % 4]
    return at[0] + int(row), at[1] + int(col)


def _transformed(
    members: list[int],
    cell: dict[int, tuple[int, int]],
    quarter: dict[int, int],
    pivot: int,
    target: tuple[int, int],
    facing: int,
) -> dict[int, tuple[tuple[int, int], int]]:
    """Return cells and quarters after the turn and shift that bring ``pivot`` to its target."""
    change = (facing - quarter[pivot]) % 4
    row0, col0 = cell[pivot]
    out = {}
    for k in members:
        row, col = cell[k][0] - row0, cell[k][1] - col0
        for _ in range(change):
            row, col = col, -row
        out[k] = ((target[0] + row, target[1] + col), (quarter[k] + change) % 4)
    return out


def rotated_cells(component: Component, quarters: int) -> dict[int, tuple[int, int]]:
    """Return a component's cells for a reading direction ``quarters`` quarter turns further clockwise.

    On a free table rows and columns count from 0; on a board they are the board's own.
    """
    out = {}
    last = 0 if component.side is None else component.side - 1
    for k, cell in component.cells.items():
        row, col = cell
        for _ in range(quarters % 4):
            row, col = last - col, row
        out[k] = (row, col)
    if component.side is not None:
        return out
    top, left = min(row for row, _ in out.values()), min(col for _, col in out.values())
    return {k: (row - top, col - left) for k, (row, col) in out.items()}


def merge_islands(layout: Layout, lie: PairwiseOffsets, facing: Floats) -> Layout:
    """Return a layout with merged components that are one empty cell or one corner apart and equally rotated.

    They are islands of one tableau: its player has not connected them yet, or a tile between was not
    detected.  ``facing`` is as for ``connected_components``.
    """
    near = np.round(lie.own / USUAL_PITCH)
    off = np.abs(lie.own / USUAL_PITCH - near).max(-1)
    gaps = np.sort(np.abs(near), -1)
    across = (
        ((gaps == (0, 2)).all(-1) | (gaps == (1, 1)).all(-1))
        & (off < MAX_GAP_DEVIATION)
        & (lie.crooked < MAX_NEIGHBOUR_ROTATION_RAD)
    )
    bridges = Bridges(np.where(across, off, NO_EDGE_STRAIN), near.astype(int), lie.turned, facing)
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
    turned = [k for k in component.tiles if k in component.quarters]
    if not turned:
        return np.zeros(4)
    quarters = [component.quarters[k] for k in turned]
    return np.asarray(np.take_along_axis(facing[turned], QUARTER_SHIFTS[quarters], 1).sum(0))


@dataclass(frozen=True, slots=True)
class Bridges:
    """Steps over one empty cell or one corner between two tiles.

    ``strain`` (n, n), ``NO_EDGE_STRAIN`` without a step; ``near`` (n, n, 2) the columns and rows of the step;
    ``turned`` and ``facing`` as in ``PairwiseOffsets`` and ``connected_components``.
    """

    strain: Floats
    near: NDArray[np.int_]
    turned: NDArray[np.int_]
    facing: Floats

    def first(self, whole: Component, rest: list[Component]) -> tuple[Component, int, set[int]] | None:
        """Return a component merged with its first further island, that one's index, and the conflicts."""
        for k, other in enumerate(rest):
            part = self.strain[np.ix_(whole.tiles, other.tiles)]
            a, b = np.unravel_index(part.argmin(), part.shape)
            if part[a, b] < NO_EDGE_STRAIN and (
                merged := self._merged(whole, other, whole.tiles[a], other.tiles[b])
            ):
                return merged[0], k, merged[1]
        return None

    def _merged(self, one: Component, other: Component, i: int, j: int) -> tuple[Component, set[int]] | None:
        """Return two components merged by the step from tile i to tile j, and the conflicts.

        Conflicts are tiles that now lie beside others without an edge, so that their cell is in doubt.
        """
        turned = (one.quarters[i] + int(self.turned[i, j])) % 4
        ours, theirs = turn_scores(one, self.facing), turn_scores(other, self.facing)
        together = ours + theirs[QUARTER_SHIFTS[(turned - other.quarters[j]) % 4]]
        if ours.max() + theirs.max() - together.max() > MAX_LOG_LIKELIHOOD_LOSS:
            return None
        col, row = (int(v) for v in self.near[i, j])
        for _ in range(one.quarters[i]):
            row, col = col, -row
        target = (one.cells[i][0] + row, one.cells[i][1] + col)
        moved = _transformed(list(other.tiles), other.cells, other.quarters, j, target, turned)
        taken = set(one.cells.values())
        if any(place in taken for place, _ in moved.values()):
            return None
        close = {
            k for k, (place, _) in moved.items() if any(_neighbour(place, way) in taken for way in range(4))
        }
        cells = {**one.cells, **{k: place for k, (place, _) in moved.items()}}
        quarters = {**one.quarters, **{k: turn for k, (_, turn) in moved.items()}}
        return Component(one.tiles + other.tiles, cells, quarters), close
