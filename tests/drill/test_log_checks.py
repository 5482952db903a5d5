"""Whether a drill would notice a loss."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.drill.log_checks import display_errors, lost_events, noted_states
from companion.drill.table_processes import state_hash
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Ruling
from tests.web.made import begun


@pytest.fixture
def match(tmp_path: Path) -> Match:
    """A game of a few events, whose last is a ruling with a reason."""
    log = EventLog(tmp_path / "log")
    found = begun(log)
    found.handle(Called(40 * SECOND, 3, "dump"))
    found.handle(Ruling(41 * SECOND, "set_score", "drill 7", 1, {"score": 5}))
    log.close()
    return found


def test_a_log_that_holds_all_that_was_answered_misses_nothing(match: Match, tmp_path: Path) -> None:
    state = {match.number: state_hash(match.state)}
    assert list(lost_events(tmp_path / "log", [(match.number - 1, "drill 7")], state)) == []


def test_an_answered_event_that_the_log_lacks_is_missed(match: Match, tmp_path: Path) -> None:
    (fault,) = lost_events(tmp_path / "log", [(match.number + 1, "")], {})
    assert f"event {match.number + 1} was answered, and the log ends at {match.number}" in fault


def test_an_event_that_is_another_than_was_answered_is_noticed(match: Match, tmp_path: Path) -> None:
    (fault,) = lost_events(tmp_path / "log", [(match.number - 1, "drill 8")], {})
    assert "was answered as 'drill 8'" in fault


def test_a_state_that_the_log_does_not_lead_to_is_noticed(match: Match, tmp_path: Path) -> None:
    (fault,) = lost_events(tmp_path / "log", [], {match.number: "another"})
    assert f"the state at event {match.number}" in fault
    later = list(lost_events(tmp_path / "log", [], {match.number + 3: "another"}))
    assert f"the log ends at {match.number}" in later[0]


def test_what_pages_showed_must_be_in_the_log_and_have_no_gaps(match: Match, tmp_path: Path) -> None:
    log, most = tmp_path / "log", match.number
    assert list(display_errors([1, 2, 3, 1, 2, most - 2, most - 1, most][:3], log)) == []
    assert "after event 2" in next(display_errors([1, 2, 4], log))
    assert f"event {most + 9}" in next(display_errors([most + 9], log))
    assert list(display_errors([], log)) == []


def test_a_note_of_a_state_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "states").write_text("3 abc\n4 de")
    assert noted_states(tmp_path / "states") == {3: "abc"}
    assert noted_states(tmp_path / "none") == {}
