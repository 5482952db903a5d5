"""Tiles that grey does not show, detected in the back-projection of the colour of the sure ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, crop_source
from companion.vision.colour import back_project
from companion.vision.detector.detections import NMS_DISTANCE, Detections, detect_at_scale, halved
from companion.vision.networks import Detector
from companion.vision.picture import grey
from companion.vision.pipeline.colour_model import SURE, face_colours
from companion.vision.pipeline.contrast import weakest_edge
from companion.vision.pipeline.frame import FrameDetections, concatenated, conform_shapes

SPREAD = 0.15
"""Standard deviation of the faces of one set, in log-chroma."""
ENOUGH = 8
"""From so many sure tiles on it is known what colour they have."""
LARGEST_PX = 48.0
"""Tiles broader than this, in pixels, are looked at in a picture of half the size: colour needs no detail."""
SIDES = 0.7, 1.4
"""Breadth of such a tile against the others'."""
EDGED, SHOWN = 0.25, 0.5
"""What ends with more contrast than the first need only be likelier to show a symbol than not."""


def add_back_projected(
    frame: NDArray[np.uint8], look: FrameDetections, detector: Detector, classifier: Classifier
) -> FrameDetections:
    """Return detections with further ones: of the others' colour, size and shape, that surely show a symbol.

    ``frame`` is the whole picture in colour, (h, w, 3).
    """
    sure = (look.probabilities.p_best_symbol() > SURE) & (look.detections.scores > SURE / 2)
    if look.scale is None or sure.sum() < ENOUGH:
        return look
    known = look.detections.kept(sure)
    faces = np.median(face_colours(frame, known.centres, known.vectors()), axis=0)
    detections = conform_shapes(
        _found(frame, faces, detector, look.scale, float(np.median(known.sides))), known
    )
    away = np.linalg.norm(detections.centres[:, None] - look.detections.centres, axis=-1)
    detections = detections.kept(np.asarray((away > NMS_DISTANCE * look.detections.sides).all(1)))
    probabilities = classifier.classify(*crop_source(grey(frame), detections))
    ends = weakest_edge(frame, detections.quads()) > EDGED
    shown = probabilities.p_best_symbol() > np.where(ends, SHOWN, SURE)
    detections, probabilities = (
        concatenated(look.detections, detections.kept(shown)),
        concatenated(look.probabilities, probabilities.kept(shown)),
    )
    return replace(look, detections=detections, probabilities=probabilities)


def _found(
    frame: NDArray[np.uint8], faces: NDArray[np.float64], detector: Detector, scale: float, side: float
) -> Detections:
    """Return what the detector sees in a back-projection, in the frame's own pixels."""
    times = max(0, int(np.log2(2 * side / LARGEST_PX)))
    grown = 2**times
    between = SIDES[0] * side / grown, SIDES[1] * side / grown
    detections = detect_at_scale(
        detector, back_project(halved(frame, times), faces, SPREAD), scale * grown, between
    )
    return replace(
        detections, centres=(detections.centres + 0.5) * grown - 0.5, shapes=detections.shapes * grown
    )
