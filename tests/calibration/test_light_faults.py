"""Drawn faults of light are where their truth says."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing.light_faults import captured_with, flickering, with_glare, with_shadow
from tests.calibration.light.made import table

EVEN = np.full((100, 200), 100, np.float32)


def test_a_lamp_outshines_white_where_the_truth_says() -> None:
    picture, truth = with_glare(EVEN, (0.25, 0.5), 0.1)
    assert picture[50, 50] > 255
    assert truth[50, 50]
    assert not truth[50, 150]
    assert picture[50, 150] == pytest.approx(100)
    assert (picture[truth] > 255).all()


def test_a_shadow_leaves_so_much_light() -> None:
    half = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [0.0, 1.0]])
    picture, truth = with_shadow(EVEN, half, left=0.4, soft_px=1.0)
    assert picture[50, 30] == pytest.approx(40, abs=0.5)
    assert picture[50, 170] == pytest.approx(100, abs=0.5)
    assert truth[50, 30]
    assert not truth[50, 170]


def test_rows_flicker_and_columns_do_not() -> None:
    first, second = flickering(EVEN, 2, 0.1, 1.0)
    assert np.ptp(first, axis=1).max() == 0
    assert first.max() == pytest.approx(110, abs=0.1)
    assert first.min() == pytest.approx(90, abs=0.1)
    assert not np.allclose(first, second)


def test_tiles_lie_all_over_the_lit_table() -> None:
    middles = table().quads.mean(1) / table().size
    assert len(middles) == 28
    assert middles.min() < 0.15
    assert middles.max() > 0.85


def test_a_photograph_has_eight_bits_and_noise() -> None:
    taken = captured_with(EVEN * 3, np.random.default_rng(1))
    assert taken.dtype == np.uint8
    assert taken.max() == 255
    assert captured_with(EVEN, np.random.default_rng(1), noise=5).std() == pytest.approx(5, rel=0.1)
