"""Letters on a Volcano board that lie open, told from those under a pyramid by the colour of their faces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.grid.volcano.board import Volcano
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.pipeline.colour_model import face_colours
from companion.vision.pipeline.frame import FrameDetections

Mask = NDArray[np.bool_]

BARE = 0.25
"""A letter on the board whose colour is farther from the middle one's may lie under a pyramid."""
ALIKE, SPREAD = 0.15, 2.5
"""A tile's colour is at most so far from those on the board, and so many times as far as most of them are."""
MOST = 90
"""Percentile of those that are most of them."""


def has_other_colour(frame: Picture, look: FrameDetections, board: Volcano, sure: Mask | None = None) -> Mask:
    """Return which faces have another tone than the letters that lie open on the board, (n,).

    ``sure``, (n,), are those that surely show a letter, by default all; grey tells nothing.
    """
    known = board.holds(look.detections.centres) & (True if sure is None else sure)
    if frame.ndim == 2 or not known.any():
        return np.zeros(len(known), np.bool_)
    tones = face_colours(frame, look.detections.centres, look.detections.vectors())[:, 1:]
    away = np.linalg.norm(tones - np.median(tones[known], 0), axis=1)
    bare = known & (away < BARE)
    away = np.linalg.norm(tones - np.median(tones[bare if bare.any() else known], 0), axis=1)
    return np.asarray(away > max(ALIKE, SPREAD * float(np.percentile(away[bare], MOST) if bare.any() else 0)))
