from __future__ import annotations

import numpy as np
import pytest

from calibration.lens.fit import rms
from companion.bench import lens as bench
from companion.bench.lens import flat_errors, lens_metrics
from companion.model.profile import Lens
from tests.calibration.lens.made import SIZE, fisheye, ordinary


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "PICTURE_SIZE_PX", SIZE)
    monkeypatch.setattr(bench, "LENSES", {"ordinary": ordinary()})
    monkeypatch.setattr(bench, "VIEWS", 8)


def test_corners_lens_and_times_are_measured() -> None:
    metrics = list(lens_metrics(lambda _: None))
    assert [metric.unit for metric in metrics] == ["px", "px", "px", "px", "s", "ms"]
    assert 0 < metrics[0].value < metrics[1].value < 1
    assert 0 < metrics[2].value < metrics[3].value < 2
    assert "8 drawn boards" in metrics[0].how


@pytest.mark.parametrize("lens", [ordinary(), fisheye()])
def test_the_true_lens_makes_a_flat_table_flat(lens: Lens) -> None:
    assert flat_errors(lens, lens).max() < 1e-3


def test_a_lens_that_bends_otherwise_does_not() -> None:
    assert flat_errors(ordinary(-0.1), ordinary(-0.2)).max() > 2


def test_the_typical_error_is_the_root_of_the_mean_square() -> None:
    assert rms(np.array([3.0, 4.0])) == pytest.approx(12.5**0.5)
