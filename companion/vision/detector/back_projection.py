"""Tiles that do not stand out in grey, found by the colour that all tiles of a set have in common."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import SetNamer, cut_from
from companion.vision.detector.detections import APART, Finds, find, halved
from companion.vision.networks import Finder
from companion.vision.picture import grey
from companion.vision.pipeline.colour_model import EDGED, SURE, probed
from companion.vision.pipeline.edge_contrast import weakest_steps
from companion.vision.pipeline.frame import Look, evened_with, together

SPREAD = 0.15
"""How far faces of one set differ in colour, in the measure of ``probed``."""
ENOUGH = 8
"""From so many sure tiles on it is known what colour they have."""
LARGEST_PX = 48.0
"""Tiles broader than this, in pixels, are looked at in a picture of half the size: colour needs no detail."""
SIDES = 0.7, 1.4
"""Breadth of such a tile against the others'."""
SHOWN = 0.5
"""What plainly ends, as ``EDGED`` says, need only be likelier to show a symbol than not."""
LOGARITHMS = np.log(np.arange(256) + 8.0).astype(np.float32)


def with_alike(frame: NDArray[np.uint8], look: Look, finder: Finder, namer: SetNamer) -> Look:
    """Return a look with further tiles: of the others' colour, size and shape, that surely show a symbol.

    ``frame`` is the whole picture in colour, (h, w, 3).
    """
    sure = (look.names.likeliest() > SURE) & (look.finds.scores > SURE / 2)
    if look.scale is None or sure.sum() < ENOUGH:
        return look
    known = look.finds.kept(sure)
    faces = np.median(probed(frame, known.centres, known.vectors()), axis=0)
    finds = evened_with(_found(frame, faces, finder, look.scale, float(np.median(known.sides))), known)
    away = np.linalg.norm(finds.centres[:, None] - look.finds.centres, axis=-1)
    finds = finds.kept(np.asarray((away > APART * look.finds.sides).all(1)))
    names = namer.names(*cut_from(grey(frame), finds))
    ends = weakest_steps(frame, finds.quads()) > EDGED
    shown = names.likeliest() > np.where(ends, SHOWN, SURE)
    finds, names = together(look.finds, finds.kept(shown)), together(look.names, names.kept(shown))
    return replace(look, finds=finds, names=names)


def likeness(frame: NDArray[np.uint8], faces: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return how much each pixel has the colour of faces, 0 to 255, (h, w); ``faces`` (3,) as ``probed``."""
    blue, green, red = cv2.split(np.asarray(cv2.LUT(frame, LOGARITHMS), np.float32))
    tone, cool, warm = (np.float32(value) for value in faces)
    off = ((blue + green + red) / 6 - tone) ** 2 + (blue - green - cool) ** 2 + (red - green - warm) ** 2
    return np.asarray(255 * np.exp(off / np.float32(-2 * SPREAD**2)), np.uint8)


def _found(
    frame: NDArray[np.uint8], faces: NDArray[np.float64], finder: Finder, scale: float, side: float
) -> Finds:
    """Return what the finder sees in a picture of likeness, in the frame's own pixels."""
    times = max(0, int(np.log2(2 * side / LARGEST_PX)))
    grown = 2**times
    between = SIDES[0] * side / grown, SIDES[1] * side / grown
    finds = find(finder, likeness(halved(frame, times), faces), scale * grown, between)
    return replace(finds, centres=(finds.centres + 0.5) * grown - 0.5, shapes=finds.shapes * grown)
