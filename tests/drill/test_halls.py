"""The drills of a hall, each with a little harm; ``companion drill hall`` does more of it."""

from __future__ import annotations

import os
import random
from itertools import islice
from pathlib import Path

import pytest

from companion.drill.halls import drills
from companion.drill.halls.cameras import WALL_ATTENTION_PATTERN
from companion.drill.halls.drills import run_drill
from companion.drill.halls.hall_processes import HallProcesses
from companion.drill.halls.load import hall_load, lateness, phones
from companion.drill.halls.message_faults import forged_messages
from companion.errors import BadMessage, UsageError
from companion.hall.contract import messages
from tests.hall.broker import needs_mosquitto
from tests.hall.test_intake import ROWS

KINDS = ["kills", "gone", "deliveries", "damage", "clocks", "cameras", "topics"]


def progress(_what: str) -> None:
    """Nobody watches."""


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_the_hall_stands_as_the_tables_logs_say_after(name: str) -> None:
    found = run_drill(name, 3, 1, progress)
    assert found.faults == []
    assert found.count >= 3
    assert found.measured["events compared"] > 100


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="a disk of its own is mounted by root alone")
def test_the_hall_stands_as_the_tables_logs_say_after_its_disk_failed() -> None:
    found = run_drill("disks", 3, 1, progress)
    assert found.faults == []
    assert len(found.measured) == 5


@needs_mosquitto
@pytest.mark.slow
def test_phones_are_served_while_an_evening_goes_on() -> None:
    found = phones(20, 1, late_ms=5000.0, stay_s=2.0)
    assert found.faults == []
    assert found.measured["answers"] > 20


@needs_mosquitto
@pytest.mark.slow
def test_tables_and_phones_at_once_are_measured_and_nothing_is_lost() -> None:
    found = hall_load(3, 8, 1, progress, late_ms=10_000.0, stay_s=2.0)
    assert found.faults == []
    assert found.measured["events shown"] > 20
    assert found.measured["events compared"] > 100
    assert 0 < found.measured["press to page, ms at the median"] < 10_000


@needs_mosquitto
def test_an_evening_goes_on_with_the_kinds_of_harm_where_the_one_before_ended(tmp_path: Path) -> None:
    venue = HallProcesses(tmp_path / "venue", tmp_path / "hall", 1, before=4)
    assert list(islice(venue.in_turn("abc"), 5)) == ["b", "c", "a", "b", "c"]


@needs_mosquitto
def test_a_few_tables_have_a_process_each_and_many_share_some(tmp_path: Path) -> None:
    few = HallProcesses(tmp_path / "few", tmp_path / "hall", 1)
    many = HallProcesses(tmp_path / "many", tmp_path / "hall", 1, tables=60)
    assert [len(part) for part in few.parts] == [1] * 4
    assert [len(part) for part in many.parts] == [25, 25, 10]


def test_a_press_counts_from_its_own_moment_to_the_first_message_that_shows_it() -> None:
    pressed = {"t1": [(1, 0), (2, 5), (3, 9), (1, 20), (2, 25)], "t2": [(1, 8)]}
    shown = {"t1": [(1, 2), (3, 12), (1, 22)]}
    late_s, missed = lateness(pressed, shown, 1, 21)
    assert late_s == pytest.approx([7e-9, 3e-9, 2e-9])
    assert missed == 1


def test_an_event_counts_as_shown_where_the_next_game_is_shown_instead() -> None:
    late_s, missed = lateness({"t1": [(1, 0), (9, 5), (1, 7)]}, {"t1": [(1, 6), (1, 10)]}, 4, 6)
    assert late_s == pytest.approx([5e-9])
    assert missed == 0


def test_what_the_wall_says_of_a_table_without_camera_is_found() -> None:
    page = '<li class="bad"><b>Table 2</b> <span class="sign">Camera</span> <span class="why">x</span></li>'
    assert [one.groups() for one in WALL_ATTENTION_PATTERN.finditer(page)] == [("Table 2", "Camera")]


def test_who_may_not_mount_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UsageError, match="sudo"):
        run_drill("disks", 1, 1, progress)


def test_every_kind_of_harm_that_is_named_is_done() -> None:
    assert {*KINDS, "disks"} == set(drills.DRILLS)


def test_what_is_forged_is_never_what_the_table_sent() -> None:
    rng = random.Random(1)
    sent = messages.Events("t1", "0001", tuple(ROWS[5:9]), 9)
    whole = messages.events_payload(sent)
    kinds = set()
    for _ in range(200):
        for payload in forged_messages(whole, "t1", {("t1", "0001"): ROWS[4]}, rng):
            try:
                found = messages.read_events(payload, "t1")
            except BadMessage:
                kinds.add("broken")
                continue
            fits = found.rows[0].chain_hash("0001", ROWS[found.rows[0].number - 2].hash) == found.rows[0].hash
            kinds.add("hangs together" if fits else "does not")
            assert payload != whole
    assert kinds == {"broken", "hangs together", "does not"}
