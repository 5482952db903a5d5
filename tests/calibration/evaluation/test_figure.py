from __future__ import annotations

import math

import pytest

from calibration.evaluation.figure import Figure, percent, written


@pytest.mark.parametrize(
    ("figure", "good"),
    [
        (Figure("a", 3, "ms", most=3), True),
        (Figure("a", 3.1, "ms", most=3), False),
        (Figure("a", 98, "%", least=98), True),
        (Figure("a", 97.9, "%", least=98), False),
        (Figure("a", 97.9, "%"), True),
        (Figure.missing("a", "no table"), False),
    ],
)
def test_a_figure_is_good_where_it_was_measured_and_keeps_its_limits(figure: Figure, good: bool) -> None:
    assert figure.good is good


@pytest.mark.parametrize(
    ("figure", "asked"),
    [
        (Figure("a", 3, "ms", most=12), "at most 12 ms"),
        (Figure("a", 3, "%", least=99.95), "at least 99.95 %"),
        (Figure("a", 3, "", most=0), "none"),
        (Figure("a", 3, "ms"), ""),
    ],
)
def test_what_is_asked_is_told_in_words(figure: Figure, asked: str) -> None:
    assert figure.asked == asked


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
    assert written(value, unit) == text


def test_what_was_not_measured_says_so_and_why() -> None:
    figure = Figure.missing("photographs", "no folder")
    assert (figure.measured, figure.how) == ("not measured", "no folder")


def test_a_share_of_nothing_is_no_number() -> None:
    assert percent(1, 8) == 12.5
    assert math.isnan(percent(0, 0))
