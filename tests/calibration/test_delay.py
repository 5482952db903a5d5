"""A camera's delay, fitted to drawn brightness that follows a flashing screen."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.delay import (
    CELLS,
    MAX_DELAY_S,
    SWITCHES,
    Floats,
    cell_brightness,
    fit_delay,
    standardised,
    switch_intervals,
)
from companion.errors import BadCapture

Pictures = list[tuple[float, np.ndarray[tuple[int], np.dtype[np.float32]]]]


def screen(rng: np.random.Generator) -> Floats:
    """The times at which a screen switches."""
    return 100 + np.cumsum(switch_intervals(rng))


def filmed(
    rng: np.random.Generator, switched_s: Floats, late_s: float, *, fps: float, bright: float = 60
) -> Pictures:
    """Noisy pictures of a screen that fills ten cells; the exposure follows it slowly, everywhere."""
    stamps = np.arange(99, switched_s[-1] + MAX_DELAY_S, 1 / fps)
    stamps += rng.uniform(0, 0.3 / fps, len(stamps))
    shown = np.searchsorted(switched_s, stamps - late_s) % 2
    cells = rng.normal(100, 3, (len(stamps), CELLS**2)) + rng.normal(0, 0.5, (len(stamps), 1)).cumsum(0)
    cells[:, 40:50] += bright * shown[:, None]
    past = np.subtract.outer(np.arange(len(stamps)), np.arange(len(stamps)))
    dimmed = np.where(past >= 0, 0.1 * 0.9 ** np.maximum(past, 0), 0) @ shown
    cells -= bright / 3 * dimmed[:, None]
    return [(float(at), row.astype(np.float32)) for at, row in zip(stamps, cells, strict=True)]


@pytest.mark.parametrize("fps", [5, 10, 30])
@pytest.mark.parametrize("late_s", [-0.4, 0.0, 0.25, 0.8, 2.5])
def test_the_delay_is_found_within_a_third_of_a_frame(fps: float, late_s: float) -> None:
    rng = np.random.default_rng(round(100 * late_s) + 1000 * round(fps))
    switched_s = screen(rng)
    delay_s = fit_delay(filmed(rng, switched_s, late_s, fps=fps), switched_s)
    assert delay_s == pytest.approx(late_s, abs=1 / fps / 3)


@pytest.mark.parametrize("seed", range(8))
def test_a_camera_that_sees_no_screen_is_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    switched_s = screen(rng)
    with pytest.raises(BadCapture, match="does not see the terminal flash"):
        fit_delay(filmed(rng, switched_s, 0.5, fps=10, bright=0), switched_s)


def test_too_few_pictures_are_refused() -> None:
    rng = np.random.default_rng(1)
    switched_s = screen(rng)
    with pytest.raises(BadCapture, match=f"only {SWITCHES - 1} pictures came"):
        fit_delay(filmed(rng, switched_s, 0.5, fps=10)[: SWITCHES - 1], switched_s)


def test_a_part_s_brightness_is_its_mean() -> None:
    frame = np.zeros((480, 960), np.uint8)
    frame[:20, :40] = 200
    cells = cell_brightness(frame)
    assert cells.shape == (CELLS**2,)
    assert cells[0] == 200
    assert not cells[1:].any()


def test_series_that_never_change_count_as_nothing() -> None:
    series = standardised(np.array([[1, 5], [3, 5]]))
    assert series.tolist() == [[-1, 0], [1, 0]]
