"""How far confidence can be believed: of tiles that are 90 % sure, 90 of 100 should be right.

Guo et al., On Calibration of Modern Neural Networks, 2017: the reliability diagram and the expected
calibration error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from calibration.evaluation.figure import Figure, percent
from calibration.evaluation.readings import ReaderFor, Table, Tell, share
from calibration.evaluation.scoring import paired, reach_of
from calibration.evaluation.truth import Truth
from companion.model.reading import Reading

EDGES = (0.0, 0.5, 0.7, 0.85, 0.95, 0.99, 1.0)
"""Bounds of the bins of confidence: most tiles are very sure, so the bins get finer towards 1."""

Pairs = list[tuple[float, bool]]
"""How sure the reader is of each tile that it found, and whether it is right."""


def reliability_figures(
    name: str, tables: Iterable[Table], reader_for: ReaderFor, tell: Tell
) -> Iterator[Figure]:
    """Yield a reliability diagram, bin by bin, and the expected calibration error, in per cent."""
    pairs: Pairs = []
    for called, frame, truth in tables:
        tell(called)
        pairs += confidences(truth, reader_for(truth.tile_set, truth.board).read(frame))
    if not pairs:
        yield Figure.missing(f"{name}: calibration error", "no tile was found whose truth is known")
        return
    sure, right = (np.array(side, float) for side in zip(*pairs, strict=True))
    which = bins(sure)
    for k in range(len(EDGES) - 1):
        here = which == k
        if here.any():
            what = f"{name}: right of those {EDGES[k]:.0%} to {EDGES[k + 1]:.0%} sure"
            told = f"{percent(float(sure[here].sum()), int(here.sum())):.2f} % sure on average"
            yield share(what, (int(right[here].sum()), int(here.sum())), None, told)
    error = 100 * calibration_error(sure, right)
    yield Figure(f"{name}: expected calibration error", error, "%", how=f"{len(pairs):,} tiles")


def confidences(truth: Truth, reading: Reading) -> Pairs:
    """Return how sure a reader is of each tile that lies where one is known, and whether rightly."""
    known = [tile for tile in truth.tiles or () if not tile.covered and tile.symbol is not None]
    seen = [tile for tile in reading.tiles if tile.symbol]
    reach = reach_of(known, 0.0)
    found = paired([tile.centre for tile in known], [tile.centre for tile in seen], reach)
    return [(seen[j].confidence, seen[j].symbol == known[i].symbol) for i, j in found]


def bins(sure: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the number of the bin of each confidence, (n,)."""
    return np.clip(np.searchsorted(EDGES, sure, side="right") - 1, 0, len(EDGES) - 2)


def calibration_error(sure: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the distance between confidence and the share of right ones, the mean of all tiles' bins."""
    which = bins(sure)
    return sum(
        abs(float(sure[which == k].sum() - right[which == k].sum())) for k in range(len(EDGES) - 1)
    ) / len(sure)
