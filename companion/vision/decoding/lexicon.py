"""What tiles in doubt say, told by what their rows would mean: the guess gets better, the doubt stays."""

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
"""Whether symbols side by side mean something, ``""`` a blank; ``None`` where nobody can say."""

Likely = Mapping[str, float]
"""How likely each symbol that is worth a thought is on a tile."""

LEAST = 0.005
"""A symbol less likely than this is not worth a thought."""
MOST = 200
"""So many readings of tiles that share rows are compared at most, the likeliest."""
INVALID_ROW_WEIGHT = 0.01
"""A reading is so much less likely for every row that means nothing, as players seldom err."""


def decode_with_lexicon(
    chosen: Mapping[int, Choice],
    unsure: Set[int],
    cells: Mapping[int, Place],
    probabilities: ClassProbabilities,
    sense: RowCheck,
) -> dict[int, Choice]:
    """Return the choices for tiles of one tableau that are better ones for what their rows mean.

    Tiles in doubt are thought of again, and so are all in rows that mean nothing; nothing is said that is
    surer than it can be seen.

    Parameters
    ----------
    chosen
        What is thought of the tiles that show a symbol, by their number in ``probabilities``.
    unsure
        Those of them that are in doubt.
    cells
        Row and column of every tile of the tableau.
    """
    grid = {cell: chosen[k].symbol if k in chosen else BLANK for k, cell in cells.items()}
    odd = {place for run in runs(grid) if sense(run.symbols) is False for place in run.places}
    number = {cell: k for k, cell in cells.items() if k in chosen and (k in unsure or cell in odd)}
    if not number:
        return {}
    likely = dict(zip(number, symbol_options(list(number.values()), chosen, probabilities), strict=True))
    said = best_symbols(grid, {cell: shares for cell, shares in likely.items() if len(shares) > 1}, sense)
    return {
        k: replace(chosen[k], symbol=said[cell], confidence=likely[cell][said[cell]], runner_up=grid[cell])
        for cell, k in number.items()
        if said.get(cell, grid[cell]) != grid[cell]
    }


def symbol_options(
    numbers: Sequence[int], chosen: Mapping[int, Choice], probabilities: ClassProbabilities
) -> list[Likely]:
    """Return how likely each symbol that is worth a thought is on some tiles, what is chosen as it was."""
    turns = np.array([chosen[k].turn for k in numbers], np.intp)
    shares = symbol_likelihoods(probabilities.kept(np.array(numbers, np.intp)), turns)
    return [
        {probabilities.symbols[at]: float(on_tile[at]) for at in np.flatnonzero(on_tile > LEAST)}
        | {chosen[k].symbol: max(chosen[k].confidence, TINY)}
        for k, on_tile in zip(numbers, shares, strict=True)
    ]


def best_symbols(grid: Grid, likely: Mapping[Place, Likely], sense: RowCheck) -> dict[Place, str]:
    """Return the likeliest symbols of a tableau's tiles in doubt, given which rows mean something.

    ``grid`` is the tableau as read so far, ``likely`` has the tiles in doubt.
    """
    rows = [run for run in runs(grid) if not likely.keys().isdisjoint(run.places)]
    said: dict[Place, str] = {}
    for places in linked_places(rows, likely.keys()):
        theirs = [run for run in rows if not places.isdisjoint(run.places)]
        every = ranked_readings({place: likely[place] for place in places})
        said |= max(((log_score(grid, likely, one, theirs, sense), one) for one in every), key=itemgetter(0))[
            1
        ]
    return said


def linked_places(rows: Sequence[Run], unsure: Set[Place]) -> list[set[Place]]:
    """Return the places in doubt, those together that share a row, also by way of others."""
    parts: list[set[Place]] = []
    for row in rows:
        here = unsure & set(row.places)
        joined = set(here).union(*(part for part in parts if part & here))
        parts = [*(part for part in parts if not part & here), joined]
    return parts


def ranked_readings(likely: Mapping[Place, Likely]) -> Iterator[dict[Place, str]]:
    """Yield what tiles may say together, the likeliest first, at most ``MOST`` readings."""
    options = [sorted(shares.items(), key=lambda one: -one[1]) for shares in likely.values()]
    first = (0,) * len(options)
    ahead, met = [(0.0, first)], {first}
    for _ in range(MOST):
        if not ahead:
            return
        off, ranks = heappop(ahead)
        said = (these[rank][0] for these, rank in zip(options, ranks, strict=True))
        yield dict(zip(likely, said, strict=True))
        for k, these in enumerate(options):
            following = (*ranks[:k], ranks[k] + 1, *ranks[k + 1 :])
            if following[k] < len(these) and following not in met:
                met.add(following)
                heappush(ahead, (off + log(these[ranks[k]][1] / these[following[k]][1]), following))


def log_score(
    grid: Grid,
    likely: Mapping[Place, Likely],
    said: Mapping[Place, str],
    rows: Sequence[Run],
    sense: RowCheck,
) -> float:
    """Return how likely a reading is, in logarithms, given what its rows mean."""
    whole = {**grid, **said}
    senseless = sum(sense(tuple(whole[place] for place in row.places)) is False for row in rows)
    return senseless * log(INVALID_ROW_WEIGHT) + sum(
        log(likely[place][symbol]) for place, symbol in said.items()
    )
