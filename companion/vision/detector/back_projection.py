"""Tiles that do not stand out in grey, found by the colour that all tiles of a set have in common."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, crop_source
from companion.vision.detector.detections import NMS_DISTANCE, Detections, detect_at_scale, halved
from companion.vision.networks import Detector
from companion.vision.picture import grey
from companion.vision.pipeline.colour_model import EDGED, SURE, log_chroma
from companion.vision.pipeline.edge_contrast import weakest_edge
from companion.vision.pipeline.frame import FrameDetections, concatenated, conform_shapes

SPREAD = 0.15
"""How far faces of one set differ in colour, in the measure of ``log_chroma``."""
ENOUGH = 8
"""From so many sure tiles on it is known what colour they have."""
LARGEST_PX = 48.0
"""Tiles broader than this, in pixels, are looked at in a picture of half the size: colour needs no detail."""
SIDES = 0.7, 1.4
"""Breadth of such a tile against the others'."""
SHOWN = 0.5
"""What plainly ends, as ``EDGED`` says, need only be likelier to show a symbol than not."""
LOGARITHMS = np.log(np.arange(256) + 8.0).astype(np.float32)


def add_back_projected(
    frame: NDArray[np.uint8], look: FrameDetections, detector: Detector, classifier: Classifier
) -> FrameDetections:
    """Return a look with further tiles: of the others' colour, size and shape, that surely show a symbol.

    ``frame`` is the whole picture in colour, (h, w, 3).
    """
    sure = (look.probabilities.p_best_symbol() > SURE) & (look.detections.scores > SURE / 2)
    if look.scale is None or sure.sum() < ENOUGH:
        return look
    known = look.detections.kept(sure)
    faces = np.median(log_chroma(frame, known.centres, known.vectors()), axis=0)
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


def back_project(frame: NDArray[np.uint8], faces: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return how much each pixel has the colour of faces, 0 to 255, (h, w); ``faces`` (3,) in log-chroma."""
    blue, green, red = cv2.split(np.asarray(cv2.LUT(frame, LOGARITHMS), np.float32))
    tone, cool, warm = (np.float32(value) for value in faces)
    off = ((blue + green + red) / 6 - tone) ** 2 + (blue - green - cool) ** 2 + (red - green - warm) ** 2
    return np.asarray(255 * np.exp(off / np.float32(-2 * SPREAD**2)), np.uint8)


def _found(
    frame: NDArray[np.uint8], faces: NDArray[np.float64], detector: Detector, scale: float, side: float
) -> Detections:
    """Return what the detector sees in a picture of likeness, in the frame's own pixels."""
    times = max(0, int(np.log2(2 * side / LARGEST_PX)))
    grown = 2**times
    between = SIDES[0] * side / grown, SIDES[1] * side / grown
    detections = detect_at_scale(detector, back_project(halved(frame, times), faces), scale * grown, between)
    return replace(
        detections, centres=(detections.centres + 0.5) * grown - 0.5, shapes=detections.shapes * grown
    )
