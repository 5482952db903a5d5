"""Lexicon decoding: doubted tiles are read so that their rows are words; the doubt stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from heapq import heappop, heappush
from math import log
from operator import itemgetter

import numpy as np

from companion.model.grid import Grid, Place, Run, runs
from companion.model.tiles import BLANK
from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.decoding.choices import TINY, Choice, symbol_likelihoods

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
