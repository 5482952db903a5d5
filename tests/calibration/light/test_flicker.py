"""Bands of lamps on the mains, from frames of a still table."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing.light_faults import flickering
from calibration.light.check import flicker
from tests.calibration.light.made import table, taken


@pytest.mark.parametrize("swing", [0.02, 0.05, 0.2])
@pytest.mark.parametrize("bands", [1.0, 2.5, 8.0])
def test_swing_and_bands_are_measured(swing: float, bands: float) -> None:
    found = flicker([taken(picture) for picture in flickering(table().picture, 4, swing, bands)])
    assert found is not None
    assert found.swing == pytest.approx(swing, rel=0.25)
    assert abs(found.bands - bands) <= 1


def test_light_that_changes_from_frame_to_frame_as_a_whole_is_measured() -> None:
    frames = [taken(table().picture * np.float32(1 + 0.1 * way)) for way in (-1, 1, -1, 1)]
    found = flicker(frames)
    assert found is not None
    assert found.bands == 0
    assert found.swing == pytest.approx(0.1 * 2**0.5, rel=0.1)


def test_a_hand_that_moves_over_the_table_is_no_flicker() -> None:
    frames = []
    for step in range(4):
        picture = table().picture.copy()
        picture[100:400, 100 + 120 * step : 260 + 120 * step] = 150
        frames.append(taken(picture))
    found = flicker(frames)
    assert found is not None
    assert found.swing < 0.015


def test_noise_is_no_flicker() -> None:
    found = flicker([taken(table().picture, seed=seed) for seed in range(4)])
    assert found is not None
    assert found.swing < 0.005


def test_too_few_frames_tell_nothing() -> None:
    assert flicker([taken(table().picture)] * 2) is None


def test_frames_that_are_black_or_burnt_tell_nothing() -> None:
    assert flicker([np.zeros((90, 120), np.uint8)] * 4) is None
    assert flicker([np.full((90, 120), 255, np.uint8)] * 4) is None
