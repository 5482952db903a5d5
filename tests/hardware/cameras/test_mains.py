"""Exposures of whole flickers."""

from __future__ import annotations

import pytest

from hardware.cameras.capture_settings import flicker_ms, gain_for, whole_flickers_ms


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
    assert whole_flickers_ms(wanted, mains_hz) == pytest.approx(chosen)


def test_an_exposure_fits_into_its_frame() -> None:
    assert whole_flickers_ms(95, 50, most_ms=1000 / 15) == pytest.approx(60)
    assert whole_flickers_ms(95, 50, most_ms=5) == 5


def test_lamps_flicker_twice_a_period() -> None:
    assert flicker_ms(50) == 10
    assert flicker_ms(60) == pytest.approx(8.333, abs=1e-3)


def test_a_shorter_exposure_is_made_up_for_by_gain() -> None:
    assert gain_for(2, 13, 10, 16) == pytest.approx(2.6)
    assert gain_for(1, 15, 20, 16) == 1
    assert gain_for(12, 20, 10, 16) == 16
