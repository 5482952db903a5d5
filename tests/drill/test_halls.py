"""The drills of a hall, each with a little harm; ``companion drill hall`` does more of it."""

from __future__ import annotations

import os
import random

import pytest

from companion.drill.halls import drills
from companion.drill.halls.deliveries import forged
from companion.drill.halls.drills import drilled
from companion.drill.halls.phones import phones
from companion.errors import BadMessage, UsageError
from companion.hall.contract import messages
from tests.hall.broker import needs_mosquitto
from tests.hall.test_intake import ROWS

KINDS = ["kills", "gone", "deliveries", "damage", "clocks", "topics"]


def tell(_what: str) -> None:
    """Nobody watches."""


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_the_hall_stands_as_the_tables_logs_say_after(name: str) -> None:
    found = drilled(name, 3, 1, tell)
    assert found.faults == []
    assert found.count >= 3
    assert found.measured["events compared"] > 100


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="a disk of its own is mounted by root alone")
def test_the_hall_stands_as_the_tables_logs_say_after_its_disk_failed() -> None:
    found = drilled("disks", 3, 1, tell)
    assert found.faults == []
    assert len(found.measured) == 5


@needs_mosquitto
@pytest.mark.slow
def test_phones_are_served_while_an_evening_goes_on() -> None:
    found = phones(20, 1, late_ms=5000.0, stay_s=2.0)
    assert found.faults == []
    assert found.measured["answers"] > 20


def test_who_may_not_mount_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UsageError, match="sudo"):
        drilled("disks", 1, 1, tell)


def test_every_kind_of_harm_that_is_named_is_done() -> None:
    assert {*KINDS, "disks"} == set(drills.DRILLS)


def test_what_is_forged_is_never_what_the_table_sent() -> None:
    rng = random.Random(1)
    sent = messages.Events("t1", "0001", tuple(ROWS[5:9]), 9)
    whole = messages.events_payload(sent)
    kinds = set()
    for _ in range(200):
        for payload in forged(whole, "t1", {("t1", "0001"): ROWS[4]}, rng):
            try:
                found = messages.events_of(payload, "t1")
            except BadMessage:
                kinds.add("broken")
                continue
            fits = found.rows[0].chained("0001", ROWS[found.rows[0].number - 2].hash) == found.rows[0].hash
            kinds.add("hangs together" if fits else "does not")
            assert payload != whole
    assert kinds == {"broken", "hangs together", "does not"}
