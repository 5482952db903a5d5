"""Squares of the board, the steps of pieces between them, and adjacency.

A square is a row and a column from 0, seat 2's home row first and seat 1's last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any

from companion.model.phrases import phrase
from companion.model.sightings import Cell
from companion.rules.fields import cells_text

BOARD_SIDE_SQUARES = 5
PIECES_PER_PLAYER = 5
"""Large pieces of each player."""

SQUARES: tuple[Cell, ...] = tuple(
    (row, col) for row in range(BOARD_SIDE_SQUARES) for col in range(BOARD_SIDE_SQUARES)
)

HOME_ROWS = (SQUARES[-BOARD_SIDE_SQUARES:], SQUARES[:BOARD_SIDE_SQUARES])
"""Home row of each seat ("the row of the game board closest to them")."""


def square(given: Any) -> Cell:
    """Return a square of the board; raise ValueError for anything else."""
    whole = isinstance(given, list | tuple) and all(type(number) is int for number in given)
    if not whole or tuple(given) not in SQUARES:
        raise ValueError(
            phrase(
                "must be a square [row, column], each 0 to %(most)s; got %(given)s",
                most=BOARD_SIDE_SQUARES - 1,
                given=str(given)[:50],
            )
        )
    return given[0], given[1]


def squares_text(squares: Iterable[Cell]) -> str:
    """Return squares in words, counted from 1, in reading order."""
    return cells_text(sorted(squares))


def is_adjacent(one: Cell, other: Cell, *, orthogonal: bool) -> bool:
    """Return whether two squares are next to each other ("including diagonals", except in the variant)."""
    down, right = abs(one[0] - other[0]), abs(one[1] - other[1])
    return (down + right if orthogonal else max(down, right)) == 1


def steps(start: Cell, goal: Cell, taken: Collection[Cell], *, orthogonal: bool) -> int | None:
    """Return the steps of the shortest way that passes no taken square, or ``None``.

    A way may turn at every square; neither the goal nor a square between may be taken.
    """
    free = set(SQUARES) - set(taken)
    reached, edge, count = {start}, {start}, 0
    while edge and goal not in reached:
        edge = {
            there
            for there in free - reached
            if any(is_adjacent(here, there, orthogonal=orthogonal) for here in edge)
        }
        reached |= edge
        count += 1
    return count if goal in reached else None


def roll_allows(dice: Sequence[int], walked: Sequence[int]) -> bool:
    """Return whether a roll allows the steps of pieces; ``walked`` has one entry for each piece.

    One piece may use both dice, or two pieces one die each; steps may be left over.
    """
    if len(walked) < 2:
        return sum(walked) <= sum(dice)
    return len(walked) == 2 and all(
        count <= die for count, die in zip(sorted(walked), sorted(dice), strict=True)
    )


def groups(squares: Iterable[Cell], *, orthogonal: bool) -> list[int]:
    """Return the sizes of the connected groups, the largest first."""
    left, sizes = set(squares), []
    while left:
        edge, size = [left.pop()], 0
        while edge:
            here = edge.pop()
            found = {there for there in left if is_adjacent(here, there, orthogonal=orthogonal)}
            left -= found
            edge.extend(found)
            size += 1
        sizes.append(size)
    return sorted(sizes, reverse=True)


def clique(squares: Collection[Cell], *, orthogonal: bool) -> int:
    """Return the size of the largest set of squares in which every two are adjacent."""
    return next(
        size
        for size in range(len(squares), 0, -1)
        for some in combinations(squares, size)
        if all(is_adjacent(one, other, orthogonal=orthogonal) for one, other in combinations(some, 2))
    )


def adjacent(squares: Collection[Cell], adjacency: str, *, orthogonal: bool) -> int:
    """Return how many pieces count as adjacent to each other.

    ``group``: the largest connected group; ``touching``: all pieces that
    touch another one; ``pairwise``: the most that touch each other, every two.
    """
    if adjacency == "pairwise":
        return clique(squares, orthogonal=orthogonal)
    sizes = groups(squares, orthogonal=orthogonal)
    return sizes[0] if adjacency == "group" else sum(size for size in sizes if size > 1)
