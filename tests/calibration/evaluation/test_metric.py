from __future__ import annotations

import math

import pytest

from calibration.evaluation.metric import Metric, format_value, percent


@pytest.mark.parametrize(
    ("metric", "good"),
    [
        (Metric("a", 3, "ms", most=3), True),
        (Metric("a", 3.1, "ms", most=3), False),
        (Metric("a", 98, "%", least=98), True),
        (Metric("a", 97.9, "%", least=98), False),
        (Metric("a", 97.9, "%"), True),
        (Metric.not_measured("a", "no table"), False),
    ],
)
def test_a_figure_is_good_where_it_was_measured_and_keeps_its_limits(metric: Metric, good: bool) -> None:
    assert metric.good is good


@pytest.mark.parametrize(
    ("metric", "asked"),
    [
        (Metric("a", 3, "ms", most=12), "at most 12 ms"),
        (Metric("a", 3, "%", least=99.95), "at least 99.95 %"),
        (Metric("a", 3, "", most=0), "none"),
        (Metric("a", 3, "ms"), ""),
    ],
)
def test_what_is_asked_is_told_in_words(metric: Metric, asked: str) -> None:
    assert metric.target_text == asked


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (99.995, "%", "99.995 %"),
        (100, "%", "100 %"),
        (98.10427, "%", "98.1 %"),
        (12.3456, "ms", "12.35 ms"),
        (1234.5, "ms", "1,234 ms"),
        (0, "", "0"),
    ],
)
def test_no_fault_is_rounded_away_from_a_percentage(value: float, unit: str, text: str) -> None:
    assert format_value(value, unit) == text


def test_what_was_not_measured_says_so_and_why() -> None:
    metric = Metric.not_measured("photographs", "no folder")
    assert (metric.value_text, metric.how) == ("not measured", "no folder")


def test_a_share_of_nothing_is_no_number() -> None:
    assert percent(1, 8) == 12.5
    assert math.isnan(percent(0, 0))
