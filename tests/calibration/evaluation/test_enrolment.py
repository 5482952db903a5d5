from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import Scene
from calibration.drawing.tiles import DrawnTile
from calibration.evaluation import enrolment
from calibration.evaluation.enrolment import EnrolmentTrial, enrolment_trial, kind_metrics, truth_of
from calibration.evaluation.scoring import Score
from companion.errors import BadEnrolment

SQUARE = np.array([[0.0, 0], [10, 0], [10, 10], [0, 10]])


def test_enrolled_tiles_must_be_right_and_never_silently_wrong() -> None:
    right, silent, doubts = kind_metrics("ours", Score(pictures=2, tiles=200, right=198, silent=1, doubts=4))
    assert (right.value, right.good, silent.good, doubts.value) == (99.0, False, False, 2.0)


def test_a_blank_counts_as_one_only_in_a_crossword() -> None:
    laid = [PlacedTile(0, 0, 0, "", 0), PlacedTile(0, 0, 0, "", -1), PlacedTile(0, 0, 0, "A", -1)]
    drawn = tuple(DrawnTile(one, SQUARE, one.symbol or None) for one in laid)
    truth = truth_of(Scene(np.zeros((20, 20), np.uint8), drawn, 10.0))
    assert [tile.symbol for tile in truth.tiles or ()] == ["", None, "A"]


@pytest.mark.slow
def test_a_family_is_read_on_any_table_and_on_patterned_cloths() -> None:
    one = enrolment_trial(np.random.default_rng((60_000, 1, 0)), ("A", "D", "K", ""))
    assert (one.score.pictures, one.cloths.pictures) == (2, 2)
    assert one.score.right > one.score.tiles / 2


def test_every_kind_patterned_cloths_and_what_was_refused_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, cloths = Score(pictures=2, tiles=76, right=76), Score(pictures=2, tiles=50, right=49, silent=1)
    monkeypatch.setattr(
        enrolment, "enrolment_trial", lambda *_: EnrolmentTrial(1, 400.0, seen, cloths, Score(pictures=1))
    )
    told: list[str] = []
    metrics = {metric.what: metric for metric in enrolment.enrolment_metrics(2, told.append)}
    assert told[:2] == ["hand-made binary tiles, family 1 of 2", "hand-made binary tiles, family 2 of 2"]
    assert metrics["hand-made letters: symbols right"].value == 100
    assert metrics["hand-made, on patterned cloths: symbols right"].value == 98
    assert metrics["hand-made, on patterned cloths: silent faults"].value == 6
    assert metrics["hand-made: enrolment photographs refused"].value == 6
    assert metrics["hand-made: families that could not enrol"].good


def test_a_family_that_could_not_enrol_is_told_and_the_others_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = Score(pictures=2, tiles=76, right=76)
    met = iter([None, *[EnrolmentTrial(0, 400.0, seen, seen, Score())] * 5])

    def one(*_: object) -> EnrolmentTrial:
        if (family := next(met)) is None:
            raise BadEnrolment("none of its photographs was understood")
        return family

    monkeypatch.setattr(enrolment, "enrolment_trial", one)
    metrics = {metric.what: metric for metric in enrolment.enrolment_metrics(2, lambda _: None)}
    given_up = metrics["hand-made: families that could not enrol"]
    assert (given_up.value, given_up.good) == (1, False)
    assert metrics["hand-made binary tiles: symbols right"].value == 100


def test_where_no_family_could_enrol_that_is_told_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> EnrolmentTrial:
        raise BadEnrolment("none of its photographs was understood")

    monkeypatch.setattr(enrolment, "enrolment_trial", none)
    metrics = {metric.what: metric for metric in enrolment.enrolment_metrics(1, lambda _: None)}
    assert metrics["hand-made: families that could not enrol"].value == 3
    assert "hand-made: learn a set" not in metrics
