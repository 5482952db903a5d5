"""Exposures of whole flickers."""

from __future__ import annotations

import pytest

from hardware.cameras.capture_settings import flicker_free_exposure_ms, flicker_period_ms, gain_for


@pytest.mark.parametrize(
    ("wanted", "mains_hz", "chosen"),
    [
        (10, 50, 10),
        (13, 50, 10),
        (17, 50, 20),
        (6, 50, 10),
        (33.3, 60, 4000 / 120),
        (9, 60, 1000 / 120),
        (500, 50, 100),
        (2, 50, 2),  # daylight: one flicker would be far too bright
    ],
)
def test_an_exposure_lasts_whole_flickers(wanted: float, mains_hz: int, chosen: float) -> None:
    assert flicker_free_exposure_ms(wanted, mains_hz) == pytest.approx(chosen)


def test_an_exposure_fits_into_its_frame() -> None:
    assert flicker_free_exposure_ms(95, 50, most_ms=1000 / 15) == pytest.approx(60)
    assert flicker_free_exposure_ms(95, 50, most_ms=5) == 5


def test_lamps_flicker_twice_a_period() -> None:
    assert flicker_period_ms(50) == 10
    assert flicker_period_ms(60) == pytest.approx(8.333, abs=1e-3)


def test_a_shorter_exposure_is_made_up_for_by_gain() -> None:
    assert gain_for(2, 13, 10, 16) == pytest.approx(2.6)
    assert gain_for(1, 15, 20, 16) == 1
    assert gain_for(12, 20, 10, 16) == 16
