"""Moves that were not called, inferred from the pieces as seen and checked against the roll."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from companion.model.phrases import phrase
from companion.model.sightings import Cell
from companion.rules.martian_boggle.sight import board_fault, misplaced_pieces
from companion.rules.martian_boggle.squares import roll_allows, steps
from companion.rules.martian_boggle.values import MartianBoggleState, PieceMoved, after, steps_with
from companion.rules.policy import policy

BEST_ROLL = (4, 4)
"""The highest roll of two four-sided dice; it is assumed if the roll was not called."""

MAX_MOVED_PIECES = 2
"""Pieces that one roll moves."""

Way = tuple[tuple[Cell, Cell], ...]


def inferred_moves(state: MartianBoggleState) -> list[PieceMoved] | None:
    """Return the moves that lead to the pieces of the player on turn as seen.

    There are no moves if the pieces are where they should be, or are not seen.  ``None``: no moves that the
    roll allows lead there.  Of several orders of moves the one with the fewest steps is returned.
    """
    seat = state.turn or 1
    if state.board is None or not state.fresh or policy(state, seat) == "off":
        return []
    if board_fault(state.board, seat) or not misplaced_pieces(state, state.board, seat):
        return []
    seen, known = set(dict(state.board.pieces)[seat]), set(state.pieces[seat - 1])
    found = [
        moves
        for way in move_orders(sorted(known - seen), sorted(seen - known), sorted(known & seen))
        if (moves := moves_along(state, seat, way))
    ]
    return min(found, key=lambda moves: sum(one.steps for one in moves), default=None)


def move_orders(left: Sequence[Cell], taken: Sequence[Cell], stay: Sequence[Cell]) -> Iterator[Way]:
    """Yield the orders in which pieces may have moved; a third piece may have made room."""
    if not 0 < len(left) <= MAX_MOVED_PIECES:
        return
    for starts in permutations(left):
        for goals in permutations(taken):
            yield tuple(zip(starts, goals, strict=True))
    if len(left) == 1:
        yield from (((between, taken[0]), (left[0], between)) for between in stay)


def moves_along(state: MartianBoggleState, seat: int, way: Way) -> list[PieceMoved] | None:
    """Return the moves of one order, ``None`` if pieces block them or the roll does not allow them."""
    found: list[PieceMoved] = []
    for start, goal in way:
        others = [square for pieces in state.pieces for square in pieces]
        count = steps(start, goal, others, orthogonal=state.options["orthogonal"])
        if count is None:
            return None
        move = PieceMoved(seat, start, goal, count)
        if not roll_allows(state.dice or BEST_ROLL, [steps for _, steps in steps_with(state, move)]):
            return None
        found.append(move)
        state = after(state, [move])
    return found


def unexplained_pieces(state: MartianBoggleState) -> str | None:
    """Return which pieces are seen where no moves lead, and what to do about it, or ``None``."""
    if state.board is None or inferred_moves(state) is not None:
        return None
    where = misplaced_pieces(state, state.board, state.turn or 1)
    if state.dice:
        return phrase(
            "%(where)s; a roll of %(one)s and %(other)s does not lead there: put the pieces back, "
            "or let the referee set pieces or dice",
            where=where,
            one=state.dice[0],
            other=state.dice[1],
        )
    return phrase(
        "%(where)s; no roll leads there: put the pieces back, or let the referee set the pieces", where=where
    )
