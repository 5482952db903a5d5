from __future__ import annotations

import numpy as np

from calibration.evaluation.metric import Metric
from calibration.evaluation.results import EvaluationResults, Targets, evaluate, score_metrics
from calibration.evaluation.scoring import Score
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.reading import Reading
from companion.vision.camera_frame import CameraFrame
from tests.made_up import reading, tile

FRAME = np.zeros((400, 600), np.uint8)
AB = Truth("letters", tiles=(TrueTile("A", (100.0, 100.0), 40.0), TrueTile("B", (200.0, 100.0), 40.0)))


class SeesA:
    """Reads an A wherever the table may be."""

    def read(self, frame: CameraFrame) -> Reading:
        return reading(others=(tile("A", (100.0, 100.0)),), size=(frame.shape[1], frame.shape[0]))


def metrics(asked: Targets, *scores: Score) -> dict[str, Metric]:
    names = tuple(f"picture {k}" for k in range(len(scores)))
    found = score_metrics(
        "kind", EvaluationResults(names, scores, tuple(10.0 + k for k in range(len(scores)))), asked
    )
    return {metric.what.removeprefix("kind: "): metric for metric in found}


def test_each_picture_is_read_by_the_reader_of_its_set_and_named_before() -> None:
    told: list[str] = []
    asked_for: list[tuple[str, str | None]] = []

    def reader_for(name: str, board: str | None) -> SeesA:
        asked_for.append((name, board))
        return SeesA()

    done = evaluate([("one", FRAME, AB), ("two", FRAME, Truth("signs", "scrabble"))], reader_for, told.append)
    assert (told, asked_for) == (["one", "two"], [("letters", None), ("signs", "scrabble")])
    assert [(score.right, score.missed) for score in done.scores] == [(1, 1), (0, 0)]
    assert (done.names, len(done.took_ms)) == (("one", "two"), 2)


def test_symbols_are_told_as_a_share_with_all_that_went_wrong() -> None:
    one = Score(1, tiles=200, right=197, wrong=2, missed=1, invented=4, silent=3, doubts=5)
    found = metrics(Targets(right=99, doubts=2), one)
    assert found["symbols right"] == Metric(
        "kind: symbols right",
        98.5,
        "%",
        None,
        99,
        "197 of 200; 2 wrong, 1 missed, 4 invented; 1 picture; see picture 0",
    )
    assert (found["silent faults"].value, found["silent faults"].good) == (3, False)
    assert (found["doubts"].value, found["doubts"].target_text) == (2.5, "at most 2 %")


def test_the_first_pictures_with_silent_faults_are_named() -> None:
    fine, faulty = Score(1, tiles=1, right=1), Score(1, tiles=1, wrong=1, silent=1)
    assert metrics(Targets(), fine, faulty)["silent faults"].how == "see picture 1"
    assert metrics(Targets(), *[faulty] * 6)["silent faults"].how == (
        "see picture 0, picture 1, picture 2, picture 3, 2 more"
    )


def test_inventions_are_asked_about_only_where_that_is_said() -> None:
    assert "invented" not in metrics(Targets(), Score(1, invented=1))
    assert metrics(Targets(invented=0), Score(1, invented=1))["invented"].good is False


def test_empty_tables_have_a_line_of_their_own() -> None:
    found = metrics(Targets(), Score(1, invented=1, empty=1, invented_on_empty=1), Score(1, tiles=3, right=3))
    assert (found["invented on empty tables"].value, found["invented on empty tables"].how) == (
        1,
        "1 picture",
    )


def test_tableaux_are_told_by_number_by_picture_and_uncovered() -> None:
    first = Score(1, tiles=9, tableaux=2, exact=2, uncovered=2, uncovered_exact=2)
    second = Score(1, tiles=9, tableaux=2, exact=1, uncovered=1, uncovered_exact=1)
    found = metrics(Targets(exact=100, whole=50, uncovered=98), first, second)
    assert (found["tableaux exact"].value, found["tableaux exact"].good) == (75, False)
    assert found["tableaux exact"].how == "3 of 4; see picture 1"
    assert found["pictures with every tableau exact"].value == 50
    assert found["uncovered tableaux exact"].how == "3 of 3"


def test_face_down_tiles_are_told_where_somebody_counted_them() -> None:
    found = metrics(Targets(down=95), Score(1, tiles=1, counted_down=1, exact_down=1), Score(1, tiles=1))
    assert found["pictures with face-down tiles exact"].value == 100
    assert "pictures with face-down tiles exact" not in metrics(Targets(), Score(1, tiles=1))


def test_the_time_is_the_median_of_all_pictures() -> None:
    assert metrics(Targets(), Score(1), Score(1), Score(1))["a picture"].value == 11


def test_no_picture_gives_a_line_that_says_so() -> None:
    (only,) = score_metrics("kind", EvaluationResults((), (), ()), Targets())
    assert (only.value_text, only.how) == ("not measured", "there are no pictures with a truth file")
