"""Lenses, ways to hold the board, and sights of it without a picture."""

from __future__ import annotations

from itertools import islice

import numpy as np

from calibration.drawing.lens_board import BoardPose, corners_px, guided_poses
from calibration.lens import BoardDetection
from companion.model.profile import Lens

SIZE = (960, 540)


def ordinary(bend: float = -0.15) -> Lens:
    """Return a lens of a focal length of 700 px whose straight lines bulge."""
    matrix = (700.0, 0.0, 485.0, 0.0, 700.0, 265.0, 0.0, 0.0, 1.0)
    return Lens("ordinary", matrix, (bend, 0.05, 0.001, -0.0008, 0.0), 0.0)


def fisheye() -> Lens:
    matrix = (365.0, 0.0, 485.0, 0.0, 365.0, 265.0, 0.0, 0.0, 1.0)
    return Lens("fisheye", matrix, (-0.02, 0.004, -0.003, 0.0006), 0.0)


def sight(lens: Lens, held: BoardPose, noise_px: float = 0.05, seed: int = 0) -> BoardDetection:
    """Return what is seen of a board that is held so: the corners that lie in the picture."""
    corners = corners_px(lens, held)
    corners = corners + np.random.default_rng(seed).normal(0, noise_px, corners.shape)
    inside = ((corners > 5) & (corners < np.array(SIZE) - 5)).all(1)
    return BoardDetection(np.flatnonzero(inside), corners[inside], SIZE, 1.5)


def sights(lens: Lens, count: int = 12, noise_px: float = 0.05) -> list[BoardDetection]:
    """Return as many sights of the board as a guided person would take."""
    every = islice(guided_poses(np.random.default_rng(3), lens, SIZE), count)
    return [sight(lens, held, noise_px, seed) for seed, held in enumerate(every)]
