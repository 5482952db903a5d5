"""Tiles in a picture of which nobody knows how large they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, crop_source
from companion.vision.detector.detections import Detections, detect_at_scale, no_detections, working_scale
from companion.vision.detector.shapes import LARGEST, SMALLEST, fit_shapes, weighted_median
from companion.vision.networks import Detector

SCALES = (0.06, 0.14, 0.32, 0.75)
"""Shrinkings tried when nobody knows how large a tile is: 20 to 400 pixels become 9 to 26."""
SMALLEST_PX, LARGEST_PX = 8.0, 28.0
"""Breadth of the tiles that the detector can be trusted with, in pixels at the working scale."""
TOO_LARGE_PX = 8.7
"""Tiles broader than this at one scale, in pixels, are seen well enough there: finer scales are not tried."""
HOPELESS = 0.01
"""A detection that is a tile with less than this chance is dropped before shapes are made even."""
PLENTY = 4.0
"""With so much proof at one scale, a finer one that has less than half of it ends the search."""
AMPLE = 8.0
"""With so much proof of tiles that are too large for the finer scales, those are not tried."""
VOTERS = 150
"""Detections of a scale that are asked how large tiles are, the strongest: as many as a set has tiles."""
STRESS = 3
"""Power of that chance by which a detection counts: a cloth's pattern makes many weak detections."""


def scale_search(
    detector: Detector, classifier: Classifier, grey: NDArray[np.uint8]
) -> tuple[Detections, float | None]:
    """Return the places that may be tiles and the scale they were found at, ``None`` where none was."""
    side = estimate_side(detector, classifier, grey)
    return (no_detections(), None) if side is None else detect_at_side(detector, classifier, grey, side)


def detect_at_side(
    detector: Detector, classifier: Classifier, grey: NDArray[np.uint8], side: float
) -> tuple[Detections, float]:
    """Return the places that may be tiles of a known breadth, in pixels, and the scale they were found at.

    Those that show a symbol or a bare face say how all are shaped, as a cloth's pattern makes many others.
    """
    scale = working_scale(side)
    detections = detect_at_scale(detector, grey, scale, (SMALLEST * side, LARGEST * side))
    probabilities = classifier.classify_once(*crop_source(grey, detections))
    weights = detections.scores * (1 - probabilities.p_background)
    likely = weights > HOPELESS
    return fit_shapes(detections.kept(likely), weights[likely] ** STRESS), scale


def estimate_side(detector: Detector, classifier: Classifier, grey: NDArray[np.uint8]) -> float | None:
    """Return the breadth of the tiles in a picture, in pixels, ``None`` where no tile is seen.

    Symbols tell it; bare faces are asked only where no scale shows a symbol.
    """
    looks: list[tuple[Detections, ClassProbabilities]] = []
    proofs: list[float] = []
    for scale in SCALES:
        looks.append(classify_at_scale(detector, classifier, grey, scale))
        proofs.append(float(tile_evidence(*looks[-1]).sum()))
        if max(proofs) > PLENTY and proofs[-1] < max(proofs) / 2:
            break
        if (
            proofs[-1] > AMPLE
            and weighted_median(looks[-1][0].sides, tile_evidence(*looks[-1])) > TOO_LARGE_PX / scale
        ):
            break
    if max(proofs) > 0:
        best = looks[int(np.argmax(proofs))]
        return weighted_median(best[0].sides, tile_evidence(*best))
    bare = [
        np.maximum(0, 2 * detections.scores * probabilities.p_blank - 1)
        for detections, probabilities in looks
    ]
    k = int(np.argmax([some.sum() for some in bare]))
    return weighted_median(looks[k][0].sides, bare[k]) if bare[k].sum() > 0 else None


def tile_evidence(detections: Detections, probabilities: ClassProbabilities) -> NDArray[np.float64]:
    """Return how much each detection speaks for tiles of its size being there, 0 to 1, (n,)."""
    return np.asarray(np.maximum(0, 2 * detections.scores * probabilities.p_best_symbol() - 1))


def classify_at_scale(
    detector: Detector, classifier: Classifier, grey: NDArray[np.uint8], scale: float
) -> tuple[Detections, ClassProbabilities]:
    """Return what is found at one scale, with its names after one look."""
    detections = detect_at_scale(detector, grey, scale, (SMALLEST_PX / scale, LARGEST_PX / scale), VOTERS)
    return detections, classifier.classify_once(*crop_source(grey, detections))
