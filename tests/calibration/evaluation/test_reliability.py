from __future__ import annotations

import numpy as np
import pytest

from calibration.evaluation.reliability import calibration_error, confidences, reliability_metrics
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.reading import Reading
from companion.vision.camera_frame import CameraFrame
from tests.made_up import reading, tile

TRUTH = Truth("bananagrams-en", tiles=(TrueTile("A", (30.0, 30.0), 40.0), TrueTile("B", (90.0, 30.0), 40.0)))
SEEN = reading(others=(tile("A", (31.0, 30.0)), tile("C", (90.0, 31.0), True), tile("D", (300.0, 300.0))))


class Sees:
    def read(self, _frame: CameraFrame) -> Reading:
        return SEEN


def test_confidence_counts_of_tiles_that_lie_where_one_is_known() -> None:
    assert confidences(TRUTH, SEEN) == [(0.998, True), (0.61, False)]


def test_a_reader_that_is_right_as_often_as_it_is_sure_has_no_calibration_error() -> None:
    sure = np.repeat([0.6, 0.9], [10, 10])
    right = np.array([1.0] * 6 + [0.0] * 4 + [1.0] * 9 + [0.0])
    assert calibration_error(sure, right) == pytest.approx(0)


def test_a_reader_that_is_always_sure_and_half_wrong_is_off_by_half() -> None:
    assert calibration_error(np.ones(4), np.array([1.0, 0.0, 1.0, 0.0])) == pytest.approx(0.5)


def test_the_diagram_has_a_figure_for_each_bin_and_one_for_the_error() -> None:
    tables = [("one", np.zeros((400, 600), np.uint8), TRUTH)]
    found = list(reliability_metrics("all", tables, lambda _name, _board: Sees(), lambda _what: None))
    assert [one.what for one in found] == [
        "all: right of those 50% to 70% sure",
        "all: right of those 99% to 100% sure",
        "all: expected calibration error",
    ]
    assert [one.value for one in found] == [0.0, 100.0, pytest.approx((0.61 + 0.002) / 2 * 100)]
