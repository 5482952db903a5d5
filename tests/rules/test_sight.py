"""What the table says of its own sight: said once, kept in the log, and people judge until it sees again."""

from __future__ import annotations

from typing import Any

import pytest

from companion.model.calls import SECOND, Noted
from companion.rules import event as ev
from companion.rules.printed import record
from tests.rules.playing import Table


def table(policy: str = "strict") -> Table:
    """Return a game of Bananagrams under way, without any tile seen."""
    made = Table("bananagrams", 2, policy=policy)
    made.host(0, "start")
    made.call(1, 1, "split")
    return made


def noted(made: Table, at: float, text: str, sees: bool | None = None) -> list[Any]:
    return [one.event for one in made.match.hear(Noted(int(at * SECOND), text, sees))]


def test_a_call_that_nobody_sees_is_refused_while_the_cameras_work() -> None:
    assert not table().call(2, 1, "peel")["accepted"]


def test_people_judge_while_the_table_cannot_see() -> None:
    made = table()
    assert noted(made, 2, "the camera is gone", False) == [ev.SightLost("the camera is gone")]
    assert made.call(3, 1, "peel")["accepted"]
    assert noted(made, 4, "it is back", True) == [ev.SightBack("it is back")]
    assert not made.call(5, 1, "peel")["accepted"]


def test_the_same_trouble_is_said_once() -> None:
    made = table()
    noted(made, 2, "the camera is gone", False)
    assert noted(made, 3, "the camera is gone", False) == []
    assert noted(table(), 2, "it sees", True) == []


def test_no_warning_is_given_of_what_nobody_could_see() -> None:
    made = table("advise")
    noted(made, 2, "the camera is gone", False)
    assert [one["event"] for one in made.call(3, 1, "peel")["events"]].count("Warned") == 0


@pytest.mark.parametrize("sees", [None, False])
def test_what_the_table_says_stands_in_the_record(sees: bool | None) -> None:
    made = table()
    events = made.match.hear(Noted(2 * SECOND, "power came back", sees))
    assert record(made.state, events) == ["0:02.000  table: power came back"]


def test_a_ruling_taken_back_gives_no_sight_back() -> None:
    made = table()
    made.rule(2, "rule_word", word="qat", valid=True)
    noted(made, 3, "the camera is gone", False)
    made.rule(4, "undo")
    assert made.state.blind
