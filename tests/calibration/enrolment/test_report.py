from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.enrolment.report import OutlierExample, report_of
from companion.vision.fewshot.head import Head, Trial

FAR = 5000.0


def head(*kinds: str) -> Head:
    return Head(kinds, (), np.full(len(kinds), 4), 1.0, 0.0, np.eye(len(kinds)))


def trial(*away: list[list[float]], truth: list[int]) -> Trial:
    """Return looks at upright examples, each of which is an example of its own."""
    count = len(truth)
    return Trial(np.array(truth), np.zeros(count, int), np.array(away), np.ones(count), np.arange(count))


def near(*corners: int) -> list[float]:
    return [0.0 if k in corners else FAR for k in range(4)]


def test_symbols_that_are_told_surely_are_right_and_alike_to_none() -> None:
    report = report_of(head("A", "B"), trial([near(0), near()], [near(), near(0)], truth=[0, 1]))
    assert [one.right for one in report.symbols] == [100, 100]
    assert report.confusable == ()
    assert report.misplaced == ()


def test_symbols_alike_the_same_way_up_should_be_written_differently() -> None:
    report = report_of(head("A", "B"), trial([near(0), near(0)], [near(), near(0)], truth=[0, 1]))
    (pair,) = report.confusable
    assert (pair.one, pair.other, pair.share, pair.turned) == ("A", "B", 0.5, False)
    assert pair.advice.startswith("write 'A' and 'B' more differently")
    assert report.symbols[0].unsure == 100


def test_six_and_nine_alike_when_turned_want_a_line_under_them() -> None:
    report = report_of(head("6", "9"), trial([near(0), near(2)], [near(2), near(0)], truth=[0, 1]))
    (pair,) = report.confusable
    assert pair.turned
    assert "draw a line under '6' and '9'" in pair.advice


def test_symbols_laid_in_another_order_are_told() -> None:
    report = report_of(head("A", "B"), trial([near(), near(0)], [near(0), near()], truth=[0, 1]))
    assert report.misplaced == ("A", "B")
    assert [fault.split(";")[0] for fault in report.faults()] == [
        "the examples of A B look like other symbols"
    ]
    assert [one.wrong for one in report.symbols] == [100, 100]


def test_an_example_that_looks_like_another_symbol_is_told_by_its_number() -> None:
    a, b = [near(0), near()], [near(), near(0)]
    report = report_of(head("A", "B"), trial(a, a, b, b, b, b, truth=[0, 0, 0, 1, 1, 1]))
    assert report.outliers == (OutlierExample("A", 2),)
    (fault,) = report.faults()
    assert fault.startswith("tile 3 of 'A': unlike the others of its symbol")


def test_an_example_that_is_like_nothing_is_told() -> None:
    a, b = [near(0), near()], [near(), near(0)]
    seen = trial(a, a, b, b, b, truth=[0, 0, 1, 1, 1])
    report = report_of(head("A", ""), replace(seen, alike=np.array([0.8, 0.9, 0.8, 0.8, 0.3])))
    assert [str(one) for one in report.outliers] == ["tile 3 of a blank"]
