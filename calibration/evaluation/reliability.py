"""Calibration of the reader's confidence: reliability diagram and expected calibration error.

Guo et al., "On Calibration of Modern Neural Networks" (2017): of the tiles with a confidence of 90 %, 90 of
100 should be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from calibration.evaluation.metric import Metric, Progress, percent
from calibration.evaluation.results import LabelledPicture, ReaderFactory, share_metric
from calibration.evaluation.scoring import match_points, match_radii
from calibration.evaluation.truth import Truth
from companion.model.reading import Reading

EDGES = (0.0, 0.5, 0.7, 0.85, 0.95, 0.99, 1.0)
"""Bounds of the bins of confidence, finer towards 1, where most tiles are."""

Pairs = list[tuple[float, bool]]
"""The confidence of each matched tile, and whether its symbol is right."""


def reliability_metrics(
    name: str, tables: Iterable[LabelledPicture], reader_for: ReaderFactory, progress: Progress
) -> Iterator[Metric]:
    """Yield the accuracy of each bin of confidence, and the expected calibration error, in per cent."""
    pairs: Pairs = []
    for picture_name, frame, truth in tables:
        progress(picture_name)
        pairs += confidences(truth, reader_for(truth.tile_set, truth.board).read(frame))
    if not pairs:
        yield Metric.not_measured(f"{name}: calibration error", "no tile was found whose truth is known")
        return
    confidence, right = (np.array(side, float) for side in zip(*pairs, strict=True))
    which = bins(confidence)
    for k in range(len(EDGES) - 1):
        here = which == k
        if here.any():
            what = f"{name}: right of those {EDGES[k]:.0%} to {EDGES[k + 1]:.0%} sure"
            average = f"{percent(float(confidence[here].sum()), int(here.sum())):.2f} % sure on average"
            yield share_metric(what, (int(right[here].sum()), int(here.sum())), None, average)
    error = 100 * calibration_error(confidence, right)
    yield Metric(f"{name}: expected calibration error", error, "%", how=f"{len(pairs):,} tiles")


def confidences(truth: Truth, reading: Reading) -> Pairs:
    """Return the confidence of each read tile that matches a true one, and whether its symbol is right."""
    known = [tile for tile in truth.tiles or () if not tile.covered and tile.symbol is not None]
    seen = [tile for tile in reading.tiles if tile.symbol]
    reach = match_radii(known, 0.0)
    found = match_points([tile.centre for tile in known], [tile.centre for tile in seen], reach)
    return [(seen[j].confidence, seen[j].symbol == known[i].symbol) for i, j in found]


def bins(confidence: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the index of the bin of each confidence, (n,)."""
    return np.clip(np.searchsorted(EDGES, confidence, side="right") - 1, 0, len(EDGES) - 2)


def calibration_error(confidence: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the expected calibration error, 0 to 1: the mean |confidence - accuracy| of its bins."""
    which = bins(confidence)
    return sum(
        abs(float(confidence[which == k].sum() - right[which == k].sum())) for k in range(len(EDGES) - 1)
    ) / len(confidence)
