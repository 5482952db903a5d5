"""Keypoints of the background (ORB), by which a moved camera finds its table again."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.profile import Landmark
from companion.render.pen import Points
from companion.vision.picture import Frame, shrunk

SEARCHED_PX = 1280
"""Longest side of the copy in which keypoints are detected."""

MOST = 400
"""Keypoints that are kept: the strongest of each part of the picture."""

PARTS = 8


def keypoints(grey: Frame, most: int) -> tuple[Points, NDArray[np.uint8]]:
    """Return the keypoints of a grey picture, (n, 2) in pixels, and their descriptors, (n, 32) uint8."""
    none = np.empty((0, 2)), np.empty((0, 32), np.uint8)
    small, scale = shrunk(grey, SEARCHED_PX)
    orb = cv2.ORB.create(nfeatures=8 * most, fastThreshold=7, nlevels=6)
    if min(small.shape) <= 2 * orb.getEdgeThreshold():  # it finds nothing so near to an edge
        return none
    keys, codes = orb.detectAndCompute(small, np.empty(0, np.uint8))
    if not keys:
        return none
    at = np.array([key.pt for key in keys])
    height, width = small.shape
    part = (at // (width / PARTS, height / PARTS)) @ np.array([1, PARTS])
    order = np.argsort([-key.response for key in keys], kind="stable")
    kept = [k for p in np.unique(part) for k in order[part[order] == p][: most // PARTS**2 + 1]]
    return (at[kept] + 0.5) / scale - 0.5, np.asarray(codes[kept], np.uint8)


def landmarks(grey: Frame) -> tuple[Landmark, ...]:
    """Return the landmarks of a picture for a profile, spread over all of it."""
    at, codes = keypoints(grey, MOST)
    return tuple(
        Landmark((float(x), float(y)), code.tobytes().hex()) for (x, y), code in zip(at, codes, strict=True)
    )
