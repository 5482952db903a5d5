"""From probabilities to symbols: jointly, within the set's counts and by the lexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import log
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid, Place, Run, runs
from companion.model.tiles import BLANK
from companion.vision.classifier import ROUND, ClassProbabilities
from companion.vision.grid.components import Edge

TINY = 1e-9
ODD_TURN = 0.003
"""Prior probability that a tile of a tableau lies turned against the others."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The decoded symbol of a face-up tile, its turn, its confidence, and the next best symbol."""

    symbol: str
    turn: int
    confidence: float
    runner_up: str | None


def turn_log_likelihoods(probabilities: ClassProbabilities) -> NDArray[np.float64]:
    """Return the log likelihood of each turn of a tile's own frame, (n, 4); 0 for blanks."""
    share = probabilities.p_symbol.sum(1)
    share = share / np.maximum(share.sum(1, keepdims=True), TINY)
    return np.asarray(np.where(probabilities.is_blank()[:, None], 0.0, np.log(share + ODD_TURN)))


def allowed_edges(found: list[Edge], probabilities: ClassProbabilities, blanks: bool) -> list[Edge]:
    """Return the edges between symbols, and with ``blanks`` those between a symbol and a blank face.

    Where a set has no blanks, a blank face is a tile lying face down, in no tableau.
    """
    bare = probabilities.is_blank().astype(int)
    return [link for link in found if bare[link.a] + bare[link.b] <= int(blanks)]


def decode_symbols(probabilities: ClassProbabilities, turns: NDArray[np.int_]) -> list[Choice]:
    """Return the choice for each tile, given its turn in ``turns``, (n,), -1 where it is not known."""
    likely, tile = symbol_likelihoods(probabilities, turns), np.arange(len(turns))
    order = np.argsort(-likely, axis=1)
    best, other = order[:, 0], order[:, min(1, order.shape[1] - 1)]
    sure = np.minimum(likely[tile, best], 1.0).tolist()
    resolved = np.where(turns >= 0, turns, probabilities.p_symbol[tile, best].argmax(1)).tolist()
    symbols = probabilities.symbols
    return [
        Choice(symbols[b], t, c, symbols[o] if o != b else None)
        for b, t, c, o in zip(best.tolist(), resolved, sure, other.tolist(), strict=True)
    ]


def symbol_likelihoods(probabilities: ClassProbabilities, turns: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return the probability of each symbol on each tile, given ``turns`` as above, (n, symbols).

    It is summed over turns for a symbol that looks alike in all: a value in the corner, where a Q has its
    tail, must not count against an upright O.
    """
    chance, tile = probabilities.p_symbol, np.arange(len(turns))
    any_turn = chance.sum(2)
    by_turn = chance.sum(1)
    known = turns >= 0
    turnless = np.array([symbol in ROUND for symbol in probabilities.symbols], np.bool_)
    in_turn = np.where(turnless, any_turn, chance[tile, :, np.maximum(turns, 0)] + ODD_TURN * any_turn)
    by_symbol = np.where(known[:, None], in_turn, any_turn)
    fitting = np.where(known, by_turn[tile, np.maximum(turns, 0)] / np.maximum(by_turn.max(1), TINY), 1.0)
    share = by_symbol / np.maximum(by_symbol.sum(1, keepdims=True), TINY)
    return np.asarray(share * (fitting * by_turn.sum(1))[:, None])


def over_counted(chosen: Mapping[int, Choice], counts: Mapping[str, int] | None) -> set[int]:
    """Return the least confident tiles of every symbol that is seen more often than the set has it.

    All of them where it is seen more than twice as often: then a cloth's print looks like it.
    """
    if not counts:
        return set()
    seen = Counter(choice.symbol for choice in chosen.values())
    out: set[int] = set()
    for symbol, many in seen.items():
        if many > (most := counts.get(symbol, many)):
            same = sorted(
                (k for k in chosen if chosen[k].symbol == symbol), key=lambda k: chosen[k].confidence
            )
            out |= set(same[: many - most] if many <= 2 * most else same)
    return out


RowCheck = Callable[[tuple[str, ...]], bool | None]
"""Whether a row of symbols is valid, ``""`` a blank; ``None`` where that cannot be said."""

Likely = Mapping[str, float]
"""The probability of each candidate symbol of a tile."""

LEAST = 0.005
"""Probability from which a symbol is a candidate."""
MOST = 200
"""Most readings compared of tiles that share rows, the likeliest: a bound on the time."""
INVALID_ROW_WEIGHT = 0.01
"""Factor on a reading's probability for every invalid row, as players seldom err."""


def decode_with_lexicon(
    chosen: Mapping[int, Choice],
    unsure: Set[int],
    cells: Mapping[int, Place],
    probabilities: ClassProbabilities,
    row_check: RowCheck,
) -> dict[int, Choice]:
    """Return the choices for tiles of one tableau that its rows correct.

    Doubted tiles are decoded again, and so are all in invalid rows; no confidence rises above the probability
    of what is seen.

    Parameters
    ----------
    chosen
        The choices for tiles that show a symbol, by their number in ``probabilities``.
    unsure
        Those of them that are in doubt.
    cells
        Row and column of every tile of the tableau.
    row_check
        Tells whether a row is valid.
    """
    grid = {cell: chosen[k].symbol if k in chosen else BLANK for k, cell in cells.items()}
    odd = {place for run in runs(grid) if row_check(run.symbols) is False for place in run.places}
    number = {cell: k for k, cell in cells.items() if k in chosen and (k in unsure or cell in odd)}
    if not number:
        return {}
    likely = dict(zip(number, symbol_options(list(number.values()), chosen, probabilities), strict=True))
    decoded = best_symbols(
        grid, {cell: shares for cell, shares in likely.items() if len(shares) > 1}, row_check
    )
    return {
        k: replace(
            chosen[k], symbol=decoded[cell], confidence=likely[cell][decoded[cell]], runner_up=grid[cell]
        )
        for cell, k in number.items()
        if decoded.get(cell, grid[cell]) != grid[cell]
    }


def symbol_options(
    numbers: Sequence[int], chosen: Mapping[int, Choice], probabilities: ClassProbabilities
) -> list[Likely]:
    """Return the candidates of some tiles; what is chosen keeps its confidence."""
    turns = np.array([chosen[k].turn for k in numbers], np.intp)
    shares = symbol_likelihoods(probabilities.kept(np.array(numbers, np.intp)), turns)
    return [
        {probabilities.symbols[at]: float(on_tile[at]) for at in np.flatnonzero(on_tile > LEAST)}
        | {chosen[k].symbol: max(chosen[k].confidence, TINY)}
        for k, on_tile in zip(numbers, shares, strict=True)
    ]


def best_symbols(grid: Grid, likely: Mapping[Place, Likely], row_check: RowCheck) -> dict[Place, str]:
    """Return the likeliest symbols of a tableau's doubted tiles, given which rows are valid.

    ``grid`` is the tableau as read so far, ``likely`` has the candidates of the tiles in doubt.
    """
    rows = [run for run in runs(grid) if not likely.keys().isdisjoint(run.places)]
    decoded: dict[Place, str] = {}
    for places in linked_places(rows, likely.keys()):
        theirs = [run for run in rows if not places.isdisjoint(run.places)]
        every = ranked_readings({place: likely[place] for place in places})
        decoded |= max(
            ((log_score(grid, likely, one, theirs, row_check), one) for one in every), key=itemgetter(0)
        )[1]
    return decoded


def linked_places(rows: Sequence[Run], unsure: Set[Place]) -> list[set[Place]]:
    """Return the doubted places in parts that share no row: the connected components over rows."""
    parts: list[set[Place]] = []
    for row in rows:
        here = unsure & set(row.places)
        joined = set(here).union(*(part for part in parts if part & here))
        parts = [*(part for part in parts if not part & here), joined]
    return parts


def ranked_readings(likely: Mapping[Place, Likely]) -> Iterator[dict[Place, str]]:
    """Yield joint readings of tiles, the likeliest first, at most ``MOST`` of them."""
    options = [sorted(shares.items(), key=lambda one: -one[1]) for shares in likely.values()]
    first = (0,) * len(options)
    ahead, met = [(0.0, first)], {first}
    for _ in range(MOST):
        if not ahead:
            return
        off, ranks = heappop(ahead)
        decoded = (these[rank][0] for these, rank in zip(options, ranks, strict=True))
        yield dict(zip(likely, decoded, strict=True))
        for k, these in enumerate(options):
            following = (*ranks[:k], ranks[k] + 1, *ranks[k + 1 :])
            if following[k] < len(these) and following not in met:
                met.add(following)
                heappush(ahead, (off + log(these[ranks[k]][1] / these[following[k]][1]), following))


def log_score(
    grid: Grid,
    likely: Mapping[Place, Likely],
    decoded: Mapping[Place, str],
    rows: Sequence[Run],
    row_check: RowCheck,
) -> float:
    """Return the log probability of a reading, up to a constant, given which rows are valid."""
    whole = {**grid, **decoded}
    invalid = sum(row_check(tuple(whole[place] for place in row.places)) is False for row in rows)
    return invalid * log(INVALID_ROW_WEIGHT) + sum(
        log(likely[place][symbol]) for place, symbol in decoded.items()
    )
