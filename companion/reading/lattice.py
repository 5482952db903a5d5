"""Which tiles form which tableau, and in which row and column each lies.

Hand-laid words lean and drift, so no rigid grid is fitted: neighbours are
linked in the frame of the tiles themselves, and rows and columns follow the
links, the straightest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PITCH = 1.03
"""Usual distance of neighbours' centres, in tile sides."""
ALONG = (0.72, 1.36)
"""How far the next tile of a word may lie along the word, in tile sides."""
ACROSS = 0.42
"""How far it may lie sideways."""
TWIST = np.radians(22)
"""How far it may be turned against its neighbour."""
GAP = 0.33
"""How far off its place a part across an empty cell may lie and still be an island of the same tableau."""

STEPS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
"""One cell right, down, left, up, as (column, row); a quarter turn moves one on."""


@dataclass(frozen=True, slots=True)
class Link:
    """Tile ``b`` lies one step from tile ``a``.

    ``step`` is 0 to 3 for right, down, left, up in ``a``'s own frame; ``b``'s frame
    is ``turned`` quarters against ``a``'s; ``strain`` is how crooked the link is.
    """

    a: int
    b: int
    step: int
    turned: int
    strain: float


@dataclass(frozen=True, slots=True)
class Group:
    """Tiles on one lattice: their numbers, cells as (row, column), and the quarter turn of each frame.

    A tile's own frame is turned ``quarters`` quarters clockwise against the group's.
    ``clashes`` are tiles about whose cell there is doubt.  ``side`` is the number of
    cells along a fixed board, ``None`` on a free table.
    """

    tiles: tuple[int, ...]
    cells: dict[int, tuple[int, int]]
    quarters: dict[int, int]
    clashes: frozenset[int]
    side: int | None = None


def links(centres: NDArray[np.float64], vectors: NDArray[np.float64]) -> list[Link]:
    """Return the links between neighbouring tiles, straightest first.

    ``centres`` (n, 2) in pixels; ``vectors`` (n, 2, 2) with each tile's side
    vectors, right and down, as columns.
    """
    if len(centres) < 2:
        return []
    inverse = np.linalg.inv(vectors)
    away = centres[None] - centres[:, None]
    own = np.einsum("aij,abj->abi", inverse, away)
    step, strain = _steps(own)
    across = np.einsum("aij,bjk->abik", inverse, vectors)
    twist = np.arctan2(across[..., 1, 0] - across[..., 0, 1], across[..., 0, 0] + across[..., 1, 1])
    turned = np.round(twist / (np.pi / 2)).astype(int)
    crooked = np.abs(twist - turned * np.pi / 2)
    both = np.maximum(strain, strain.T) + crooked
    a, b = np.nonzero((both < 10) & (crooked < TWIST) & np.triu(np.ones_like(both, bool), 1))
    found = [
        Link(int(i), int(j), int(step[i, j]), int(turned[i, j]) % 4, float(both[i, j]))
        for i, j in zip(a, b, strict=True)
    ]
    return sorted(found, key=lambda link: link.strain)


def _steps(own: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return which step each offset, (n, n, 2) in tile sides, is and how far off; 99 where it is none."""
    along = own @ STEPS.T
    step = along.argmax(-1)
    far = along.max(-1)
    aside = np.sqrt(np.maximum((own**2).sum(-1) - far**2, 0))
    fits = (far > ALONG[0]) & (far < ALONG[1]) & (aside < ACROSS)
    return step, np.where(fits, np.abs(far - PITCH) + aside, 99.0)


def groups(count: int, found: Iterable[Link]) -> list[Group]:
    """Return the groups that links make of ``count`` tiles; a tile without links is in none.

    Links are taken in their order; one that contradicts those before it is not.
    """
    members = [[k] for k in range(count)]
    home = list(range(count))
    cell = {k: (0, 0) for k in range(count)}
    quarter = dict.fromkeys(range(count), 0)
    clashes: set[int] = set()
    for link in found:
        target = _moved(cell[link.a], link.step + quarter[link.a])
        facing = (quarter[link.a] + link.turned) % 4
        ours, theirs = home[link.a], home[link.b]
        if ours == theirs:
            if cell[link.b] != target or quarter[link.b] != facing:
                clashes |= {link.a, link.b}
            continue
        moved = _carried(members[theirs], cell, quarter, link.b, target, facing)
        if shared := {place for place, _ in moved.values()} & {cell[k] for k in members[ours]}:
            clashes |= {k for k in members[ours] if cell[k] in shared} | {
                k for k in moved if moved[k][0] in shared
            }
            continue
        for k, (place, turn) in moved.items():
            cell[k], quarter[k], home[k] = place, turn, ours
        members[ours] += members[theirs]
        members[theirs] = []
    return [
        Group(
            tuple(own), {k: cell[k] for k in own}, {k: quarter[k] for k in own}, frozenset(clashes & set(own))
        )
        for own in members
        if len(own) > 1
    ]


def _moved(at: tuple[int, int], step: int) -> tuple[int, int]:
    """Return the cell, (row, column), one step on."""
    col, row = STEPS[step % 4]
    return at[0] + int(row), at[1] + int(col)


def _carried(
    members: list[int],
    cell: dict[int, tuple[int, int]],
    quarter: dict[int, int],
    pivot: int,
    target: tuple[int, int],
    facing: int,
) -> dict[int, tuple[tuple[int, int], int]]:
    """Return a group's cells and quarters after a turn and shift that bring ``pivot`` to its target."""
    change = (facing - quarter[pivot]) % 4
    row0, col0 = cell[pivot]
    out = {}
    for k in members:
        row, col = cell[k][0] - row0, cell[k][1] - col0
        for _ in range(change):
            row, col = col, -row
        out[k] = ((target[0] + row, target[1] + col), (quarter[k] + change) % 4)
    return out


def turned_cells(group: Group, quarters: int) -> dict[int, tuple[int, int]]:
    """Return a group's cells as read in a direction ``quarters`` turns clockwise on.

    On a free table they count from 0 in both directions; on a board they are the board's own.
    """
    out = {}
    last = 0 if group.side is None else group.side - 1
    for k, (row, col) in group.cells.items():
        for _ in range(quarters % 4):
            row, col = last - col, row
        out[k] = (row, col)
    if group.side is not None:
        return out
    top, left = min(row for row, _ in out.values()), min(col for _, col in out.values())
    return {k: (row - top, col - left) for k, (row, col) in out.items()}


def joined(found: list[Group], centres: NDArray[np.float64], vectors: NDArray[np.float64]) -> list[Group]:
    """Return groups with those put together that lie one empty cell or one corner apart, turned alike.

    They are islands of one tableau: its player has yet to connect them, or a tile between them was not seen.
    """
    rest, out = list(found), []
    while rest:
        whole = rest.pop(0)
        while rest:
            for k, other in enumerate(rest):
                if bridged := _bridged(whole, other, centres, vectors):
                    whole = bridged
                    del rest[k]
                    break
            else:
                break
        out.append(whole)
    return out


def _bridged(
    one: Group, other: Group, centres: NDArray[np.float64], vectors: NDArray[np.float64]
) -> Group | None:
    """Return two groups as one where a gap of one cell parts them, or ``None``."""
    best: tuple[float, int, int, tuple[int, int], int] | None = None
    for i in one.tiles:
        inverse = np.linalg.inv(vectors[i])
        for j in other.tiles:
            step = _across_gap(inverse @ (centres[j] - centres[i]))
            twist = inverse @ vectors[j]
            angle = np.arctan2(twist[1, 0] - twist[0, 1], twist[0, 0] + twist[1, 1]) / (np.pi / 2)
            if (
                step
                and abs(angle - round(angle)) < TWIST / (np.pi / 2)
                and (best is None or step[0] < best[0])
            ):
                best = (step[0], i, j, step[1], round(angle) % 4)
    if best is None:
        return None
    _, i, j, (col, row), turned = best
    for _ in range(one.quarters[i]):
        row, col = col, -row
    target = (one.cells[i][0] + row, one.cells[i][1] + col)
    moved = _carried(
        list(other.tiles), other.cells, other.quarters, j, target, (one.quarters[i] + turned) % 4
    )
    taken = set(one.cells.values())
    if any(place in taken for place, _ in moved.values()):
        return None
    close = {k for k, (place, _) in moved.items() if any(_moved(place, step) in taken for step in range(4))}
    cells = {**one.cells, **{k: place for k, (place, _) in moved.items()}}
    quarters = {**one.quarters, **{k: turn for k, (_, turn) in moved.items()}}
    return Group(one.tiles + other.tiles, cells, quarters, one.clashes | other.clashes | frozenset(close))


def _across_gap(own: NDArray[np.float64]) -> tuple[float, tuple[int, int]] | None:
    """Return how far off, and the columns and rows of, a step over one empty cell or a corner; ``None`` if it is neither.

    ``own`` is the offset in tile sides in the first tile's frame, (2,).
    """
    near = np.round(own / PITCH)
    off = float(np.abs(own / PITCH - near).max())
    if off > GAP or sorted(np.abs(near)) not in ([0, 2], [1, 1]):
        return None
    return off, (int(near[0]), int(near[1]))
