"""Moves that nobody told: from where the pieces of the player on turn are seen, checked against the roll."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from companion.model.phrases import phrase
from companion.model.sightings import Cell
from companion.rules.martian_boggle.sight import astray, flaw
from companion.rules.martian_boggle.squares import fits, steps
from companion.rules.martian_boggle.values import MartianBoggleState, PieceMoved, after, walked
from companion.rules.policy import policy

BEST_ROLL = (4, 4)
"""What two four-sided dice show at most: where nobody told the roll, any may have been."""

MOST_MOVED = 2
"""Pieces that one roll moves."""

Way = tuple[tuple[Cell, Cell], ...]


def moved(state: MartianBoggleState) -> list[PieceMoved] | None:
    """Return the moves that lead to where the pieces of the player on turn are seen.

    None where they stand as they are known to, or where nobody sees them; ``None`` where no moves that the
    roll allows lead there.  Of several ways the one with the fewest steps is taken.
    """
    seat = state.turn or 1
    if state.board is None or not state.fresh or policy(state, seat) == "off":
        return []
    if flaw(state.board, seat) or not astray(state, state.board, seat):
        return []
    seen, known = set(dict(state.board.pieces)[seat]), set(state.pieces[seat - 1])
    found = [
        moves
        for way in ways(sorted(known - seen), sorted(seen - known), sorted(known & seen))
        if (moves := along(state, seat, way))
    ]
    return min(found, key=lambda moves: sum(one.steps for one in moves), default=None)


def ways(left: Sequence[Cell], taken: Sequence[Cell], stay: Sequence[Cell]) -> Iterator[Way]:
    """Yield in what orders pieces may have left some squares for others; a third may have made room."""
    if not 0 < len(left) <= MOST_MOVED:
        return
    for starts in permutations(left):
        for goals in permutations(taken):
            yield tuple(zip(starts, goals, strict=True))
    if len(left) == 1:
        yield from (((between, taken[0]), (left[0], between)) for between in stay)


def along(state: MartianBoggleState, seat: int, way: Way) -> list[PieceMoved] | None:
    """Return the moves of one way, ``None`` where pieces are in the way or the roll does not allow them."""
    found: list[PieceMoved] = []
    for start, goal in way:
        others = [square for pieces in state.pieces for square in pieces]
        count = steps(start, goal, others, orthogonal=state.options["orthogonal"])
        if count is None:
            return None
        move = PieceMoved(seat, start, goal, count)
        if not fits(state.dice or BEST_ROLL, [steps for _, steps in walked(state, move)]):
            return None
        found.append(move)
        state = after(state, [move])
    return found


def unexplained(state: MartianBoggleState) -> str | None:
    """Return where pieces are seen that no moves explain, with what to do, or ``None``."""
    if state.board is None or moved(state) is not None:
        return None
    where = astray(state, state.board, state.turn or 1)
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
