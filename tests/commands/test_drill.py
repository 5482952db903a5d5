"""The drills from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from calibration.evaluation.metric import Progress
from companion.cli import main
from companion.commands import drill
from companion.drill.outcome import Outcome


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two drills, and a part of one, that are done at once."""

    def done(count: int, seed: int, progress: Progress) -> Iterator[Outcome]:
        progress("it")
        yield Outcome("shaken", count, ["a leg broke"] if seed == 13 else [], {"seed": seed})

    monkeypatch.setattr(drill, "DRILLS", {"shake": (5, done), "rock": (7, done)})
    monkeypatch.setattr(drill, "HALL_DRILL_PARTS", {"rock-softly": (3, done)})


def test_all_drills_are_printed_as_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill"]) == 0
    told = capsys.readouterr().out
    assert told.count("shaken") == 2
    assert "seed 1" in told


def test_a_loss_ends_with_status_1_and_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "shake", "--seed", "13", "--count", "2"]) == 1
    assert "shaken: a leg broke" in capsys.readouterr().out


def test_a_part_of_a_drill_is_done_alone_where_it_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "rock-softly"]) == 0
    assert capsys.readouterr().out.count("shaken") == 1


def test_programs_get_an_object_a_drill(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "rock", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "what": "shaken",
        "count": 7,
        "faults": [],
        "measured": {"seed": 1},
    }


@pytest.mark.parametrize(
    ("words", "says"), [(["roll"], "no drill 'roll'"), (["shake", "--count", "0"], "--count is 1 or more")]
)
def test_what_cannot_be_drilled_is_refused(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["drill", *words]) == 2
    assert says in capsys.readouterr().err
