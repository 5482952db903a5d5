"""What tiles in doubt say, told by what their rows would mean: the guess gets better, the doubt stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product
from math import log
from operator import itemgetter

import numpy as np

from companion.model.grid import Grid, Place, Run, runs
from companion.model.tiles import BLANK
from companion.reading.decode import TINY, Choice, likelihoods
from companion.reading.name import Names

Sense = Callable[[Sequence[str]], bool | None]
"""Whether symbols side by side mean something, ``""`` a blank; ``None`` where nobody can say."""

LEAST = 0.005
"""A symbol less likely than this is not thought of."""
MOST = 64
"""So many readings of tiles that share rows are compared at most."""
SENSELESS = 0.01
"""A reading is so much less likely for every row that means nothing, as players seldom err."""


@dataclass(frozen=True, slots=True)
class Tableau:
    """A tableau as read so far: its symbols, ``""`` a blank, and how likely each is on the tiles in doubt."""

    grid: Grid
    unsure: Mapping[Place, Mapping[str, float]]


def by_sense(
    chosen: Mapping[int, Choice], unsure: Set[int], cells: Mapping[int, Place], names: Names, sense: Sense
) -> dict[int, Choice]:
    """Return the choices for the tiles of one tableau that are better ones for what their rows mean.

    ``chosen`` has the tiles that show a symbol, ``unsure`` those of them that are in doubt, ``cells`` the
    row and column of every tile of the tableau, all by the tile's number in ``names``.
    """
    number = {cell: k for k, cell in cells.items() if k in unsure}
    likely = {cell: likely_on(chosen[k], names, k) for cell, k in number.items()}
    lies = Tableau({cell: chosen[k].symbol if k in chosen else BLANK for k, cell in cells.items()}, likely)
    said = meant(lies, sense)
    return {
        k: replace(chosen[k], symbol=said[cell], confidence=likely[cell][said[cell]], other=chosen[k].symbol)
        for cell, k in number.items()
        if said[cell] != chosen[k].symbol
    }


def likely_on(choice: Choice, names: Names, number: int) -> dict[str, float]:
    """Return how likely each symbol that is worth a thought is on a tile, the choice itself among them."""
    (shares,) = likelihoods(names.kept(np.array([number])), np.array([choice.turn])).tolist()
    likely = {symbol: share for symbol, share in zip(names.symbols, shares, strict=True) if share > LEAST}
    return likely | {choice.symbol: max(choice.confidence, TINY)}


def meant(lies: Tableau, sense: Sense) -> dict[Place, str]:
    """Return the likeliest symbols of a tableau's tiles in doubt, given which rows mean something."""
    rows = [run for run in runs(lies.grid) if not lies.unsure.keys().isdisjoint(run.places)]
    said: dict[Place, str] = {}
    for places in sharing(rows, lies.unsure.keys()):
        theirs = [run for run in rows if not places.isdisjoint(run.places)]
        worths = [(worth(lies, reading, theirs, sense), reading) for reading in readings(lies, places)]
        said |= max(worths, key=itemgetter(0))[1]
    return said


def sharing(rows: Sequence[Run], unsure: Set[Place]) -> list[set[Place]]:
    """Return the places in doubt, those together that share a row, also by way of others."""
    parts: list[set[Place]] = []
    for row in rows:
        here = unsure & set(row.places)
        joined = set(here).union(*(part for part in parts if part & here))
        parts = [*(part for part in parts if not part & here), joined]
    return parts


def readings(lies: Tableau, places: Set[Place]) -> Iterator[dict[Place, str]]:
    """Yield what tiles in doubt may say together, at most ``MOST`` readings, the one so far first."""
    many = int(MOST ** (1 / len(places)) + TINY)
    options = []
    for place in places:
        likely, now = lies.unsure[place], lies.grid[place]
        others = sorted(likely.keys() - {now}, key=lambda symbol: (-likely[symbol], symbol))
        options.append([now, *others][:many])
    for symbols in product(*options):
        yield dict(zip(places, symbols, strict=True))


def worth(lies: Tableau, reading: Mapping[Place, str], rows: Sequence[Run], sense: Sense) -> float:
    """Return how likely a reading is, in logarithms, given what its rows mean."""
    grid = {**lies.grid, **reading}
    senseless = sum(sense([grid[place] for place in row.places]) is False for row in rows)
    seen = sum(log(lies.unsure[place][symbol]) for place, symbol in reading.items())
    return seen + senseless * log(SENSELESS)
