"""What the table says of its own sight: said once, kept in the log, and people judge until it sees again."""

from __future__ import annotations

from typing import Any

import pytest

from companion.events.codec import decode
from companion.model.calls import SECOND, Noted, Seen
from companion.model.sightings import Sighting
from companion.rules import event as ev
from companion.rules.record import record
from tests.rules.playing import Table


def table(policy: str = "strict") -> Table:
    """Return a game of Bananagrams under way, without any tile seen."""
    made = Table("bananagrams", 2, policy=policy)
    made.host(0, "start")
    made.call(1, 1, "split")
    return made


def noted(
    made: Table, at: float, text: str, sees: bool | None = None, seats: tuple[int, ...] = ()
) -> list[Any]:
    return [one.event for one in made.match.handle(Noted(int(at * SECOND), text, sees, seats))]


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
    events = made.match.handle(Noted(2 * SECOND, "power came back", sees))
    assert record(made.state, events) == ["0:02.000  table: power came back"]


def test_a_ruling_taken_back_gives_no_sight_back() -> None:
    made = table()
    made.rule(2, "rule_word", word="qat", valid=True)
    noted(made, 3, "the camera is gone", False)
    made.rule(4, "undo")
    assert made.state.blind == (1, 2)


def test_only_the_seats_that_nobody_sees_are_judged_by_people() -> None:
    made = table()
    assert noted(made, 2, "the left camera is gone", False, (2,)) == [
        ev.SightLost("the left camera is gone", (2,))
    ]
    assert not made.call(3, 1, "peel")["accepted"]
    assert made.call(4, 2, "peel")["accepted"]
    noted(made, 5, "it is back", True, (2,))
    assert not made.call(6, 2, "peel")["accepted"]


def test_a_seat_more_that_nobody_sees_is_news_and_one_fewer_too() -> None:
    made = table()
    noted(made, 2, "the left camera is gone", False, (2,))
    assert noted(made, 3, "the right one too", False, (1, 2)) == [ev.SightLost("the right one too", (1, 2))]
    assert made.state.blind == (1, 2)
    assert noted(made, 4, "the right one is back", True, (1,)) == [
        ev.SightBack("the right one is back", (1,))
    ]
    assert made.state.blind == (2,)


@pytest.mark.parametrize(("unseen", "confirmed"), [(2, True), (1, False)])
def test_a_round_waits_only_for_doubts_that_the_table_sees(unseen: int, confirmed: bool) -> None:
    made = Table("league_city", 2)
    made.host(0, "start")
    made.call(1, 1, "go")
    made.match.handle(Seen(2 * SECOND, 2, Sighting(("CAT",), doubts=((0, 1),))))
    noted(made, 3, "a camera is gone", False, (unseen,))
    made.rule(4, "end_round")
    assert made.host(5, "confirm")["accepted"] is confirmed


def test_a_log_of_before_names_no_seats() -> None:
    old = decode({"SightLost": ev.SightLost}, "SightLost", 1, '{"text": "the camera is gone"}')
    assert old == ev.SightLost("the camera is gone", ())
