"""Detections whose turn the detector misjudged are turned until their symbol can be read."""

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
"""What is named surer than this in its own turn is left as it is."""
READABLE, GAIN = 0.9, 0.2
"""What is so sure in another turn, and by so much surer than before, shows that the turn was misjudged."""
BARELY = 0.5
"""What is no tile with at least this chance is turned too: askew it may be one."""
MOST = 100
"""Detections turned in one picture, the strongest: a bound on what a wild pattern can cost."""


def refine_rotation(
    classifier: Classifier, grey: NDArray[np.uint8], detections: Detections, probabilities: ClassProbabilities
) -> tuple[Detections, ClassProbabilities]:
    """Return detections in a grey picture, and their names, with those turned that are read better so."""
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
    """Return what detections are named in every turn, turn by turn."""
    some = detections.kept(np.tile(np.arange(len(detections)), len(TURNS)))
    some = replace(some, turns=some.turns + np.repeat(TURNS, len(detections)))
    return classifier.classify_once(*crop_source(grey, some))
