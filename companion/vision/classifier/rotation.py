"""Rotation refinement: detections that cannot be read are tried in other turns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, crop_source
from companion.vision.detector.detections import Detections
from companion.vision.pipeline.frame import with_replaced

TURNS = (-0.15, 0.15, -0.3, 0.3, -0.45, 0.45)
"""Turns tried of such a detection, in radians: seen steeply, a tile that lies askew is no square."""
SURE = 0.9
"""Probability of the best class from which a detection keeps its turn."""
READABLE, GAIN = 0.9, 0.2
"""Probability in another turn, and gain over the own one, from which that turn is taken."""
BARELY = 0.5
"""Probability of no tile from which it is no reason to keep the turn: askew it may be one."""
MOST = 100
"""Most detections tried in one picture, the strongest: a bound on what a wild pattern can cost."""


def refine_rotation(
    classifier: Classifier, grey: NDArray[np.uint8], detections: Detections, probabilities: ClassProbabilities
) -> tuple[Detections, ClassProbabilities]:
    """Return detections in a grey picture, and their probabilities, rotated where they are read better so."""
    sure = np.maximum(probabilities.p_best_symbol(), probabilities.p_blank)
    unsure = np.flatnonzero(
        np.maximum(sure, np.where(probabilities.p_background < BARELY, probabilities.p_background, 0)) < SURE
    )[:MOST]
    if not len(unsure):
        return detections, probabilities
    told = classify_rotations(classifier, grey, detections.kept(unsure))
    read = np.maximum(told.p_best_symbol(), told.p_blank).reshape(len(TURNS), len(unsure))
    better = read.max(0) > np.maximum(READABLE, sure[unsure] + GAIN)
    turned, way = unsure[better], np.array(TURNS)[read.argmax(0)[better]]
    if not len(turned):
        return detections, probabilities
    turns = detections.turns.copy()
    turns[turned] += way
    detections = replace(detections, turns=turns)
    again = classifier.classify(*crop_source(grey, detections.kept(turned)))
    return detections, with_replaced(probabilities, turned, again)


def classify_rotations(
    classifier: Classifier, grey: NDArray[np.uint8], detections: Detections
) -> ClassProbabilities:
    """Return the probabilities of detections in every turn of ``TURNS``, turn by turn."""
    some = detections.kept(np.tile(np.arange(len(detections)), len(TURNS)))
    some = replace(some, turns=some.turns + np.repeat(TURNS, len(detections)))
    return classifier.classify_once(*crop_source(grey, some))
