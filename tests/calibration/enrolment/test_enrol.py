from __future__ import annotations

import numpy as np

from calibration.enrolment.enrol import Problem, enrol
from tests.shapes import SHAPES, photograph

ORDER = tuple(SHAPES)
ROWS = [["△", "△", "↑", "↑"], ["Γ", "Γ", "✚", "✚"]]


def test_photographs_become_examples_and_a_report() -> None:
    found = enrol([(photograph(ROWS), ORDER), (photograph(ROWS, seed=2), ORDER)])
    assert found.problems == ()
    assert found.examples is not None
    assert found.examples.symbols == tuple(symbol for symbol in ORDER for _ in range(4))
    assert found.report is not None
    assert [one.symbol for one in found.report.symbols] == list(ORDER)


def test_each_photograph_that_is_wrong_is_told_and_the_others_are_shown_all_the_same() -> None:
    short = photograph([ROWS[0], ROWS[1][:3]])
    found = enrol([(photograph(ROWS), ORDER), (short, ORDER), (np.full((99, 99), 9, np.uint8), ORDER)])
    assert [problem.photograph for problem in found.problems] == [1, 2]
    assert found.problems[0].text.startswith("7 tiles are seen, 1 too few")
    assert found.problems[1].text.startswith("no tile is seen")
    assert found.examples is None
    assert len(found.previews()) == 3


def test_a_symbol_that_is_shown_once_is_a_problem_of_all_photographs() -> None:
    found = enrol([(photograph([["△", "↑"], ["Γ", "✚"]]), ORDER)])
    assert found.problems == (
        Problem(None, "'△' is shown once; show at least two tiles of it, better three"),
    )
