"""All tiles of a picture change shape smoothly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import Detections, fit_shapes


def grid_of_finds(noise: float, seed: int = 0) -> tuple[Detections, NDArray[np.float64]]:
    """Return detections on a tilted table, 30 to 50 pixels broad, with noisy shapes, and the true sides."""
    rng = np.random.default_rng(seed)
    centres = np.array([(x, y) for x in range(0, 1000, 200) for y in range(0, 1000, 200)], float)
    true = 30 + 20 * centres[:, 1] / 800
    shapes = np.eye(2)[None] * (true * (1 + rng.normal(0, noise, len(true))))[:, None, None]
    return Detections(centres, shapes, np.zeros(len(true)), np.full(len(true), 0.8)), true


def test_noise_of_single_shapes_is_evened_out() -> None:
    detections, true = grid_of_finds(0.05)
    assert np.abs(fit_shapes(detections).sides / true - 1).max() < 0.03


def test_a_find_of_another_size_is_left_out() -> None:
    detections, _ = grid_of_finds(0.01)
    detections.shapes[7] *= 2.5
    assert len(fit_shapes(detections)) == len(detections) - 1


def test_few_detections_share_one_shape() -> None:
    detections, _ = grid_of_finds(0.0)
    few = fit_shapes(detections.kept(np.array([0, 1, 2])))
    assert np.ptp(few.sides) < 1e-9


def test_one_find_and_none_stay_as_they_are() -> None:
    detections, _ = grid_of_finds(0.0)
    assert len(fit_shapes(detections.kept(np.array([3])))) == 1
    assert len(fit_shapes(detections.kept(np.array([], int)))) == 0
