"""What was heard in two versions, or is damaged in the copies: the table's own word decides."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import astuple, replace
from pathlib import Path
from typing import cast

import pytest

from companion.drill.broken_inputs import LOG_CORRUPTIONS
from companion.drill.mutation import mutated
from companion.events.log import Row
from companion.hall.contract import messages
from companion.hall.contract.topics import Channel, answers, topic
from companion.hall.intake import Intake
from companion.hall.mqtt import MqttConnection, Received
from companion.hall.replica import LogReplica
from tests.hall.test_intake import KEY, ROWS, RequestTransport, deliver, delivery

HEAD = ROWS[-1]


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    with LogReplica(tmp_path / "copies.db") as replica:
        yield Intake(replica)


def fitting(row: Row, before: bytes) -> Row:
    """An event that its table never had, and that hangs together with the one before."""
    other = replace(row, body=row.body + " ")
    return replace(other, hash=other.chain_hash("0001", before))


def answered(intake: Intake) -> None:
    """Let the table answer what the hall asks, from its own log, until it asks nothing more."""
    intake.requests.link = cast("MqttConnection", RequestTransport())
    for _ in range(20):
        for gap in intake.gaps.values():
            gap.due_s = 0.0
        intake.step()
        if KEY not in intake.gaps:
            return
        after = intake.conflicts.after.get(KEY, intake.number(KEY))
        some = messages.Events("t1", "0001", tuple(ROWS[after : after + 7]), len(ROWS))
        payload = messages.events_payload(some)
        correlation = intake.requests.replays.get(KEY, b"")
        deliver(intake, Received(answers("hall", "t1"), payload, "", correlation))


def summary(row: Row) -> Received:
    head = {"number": row.number, "hash": row.hash.hex()}
    body = {"table": "t1", "name": "T", "game": "0001", "head": head}
    return Received(topic("t1", Channel.SUMMARY), messages.payload(body))


@pytest.mark.parametrize("number", [1, 2, 9, len(ROWS) - 1])
def test_a_forged_event_that_came_first_gives_way_to_the_tables_own(intake: Intake, number: int) -> None:
    forged = fitting(ROWS[number], ROWS[number - 1].hash)
    deliver(intake, delivery(*ROWS[:number], forged), delivery(*ROWS[number:]))
    assert intake.tables["t1"].fault
    answered(intake)
    assert intake.replica.rows(KEY) == ROWS
    assert intake.tables["t1"].fault == ""


@pytest.mark.parametrize("number", [1, 9, len(ROWS) - 2])
def test_a_forged_event_gives_way_where_the_tables_own_was_lost(intake: Intake, number: int) -> None:
    forged = fitting(ROWS[number], ROWS[number - 1].hash)
    deliver(intake, delivery(*ROWS[:number], forged), delivery(*ROWS[number + 1 :]))
    answered(intake)
    assert intake.replica.rows(KEY) == ROWS


def test_a_summary_shows_that_the_newest_event_is_forged(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[:-1], fitting(HEAD, ROWS[-2].hash)), summary(HEAD))
    answered(intake)
    assert intake.replica.rows(KEY) == ROWS


def test_a_forged_event_behind_the_last_one_is_taken_back(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.hall.conflicts.MAX_SUMMARY_LAG_S", 0.0)
    further = fitting(replace(HEAD, number=HEAD.number + 1), HEAD.hash)
    deliver(intake, delivery(*ROWS, further), summary(HEAD))
    intake.step()
    answered(intake)
    assert intake.replica.rows(KEY) == ROWS


def test_a_forged_event_that_came_later_changes_nothing(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS), delivery(fitting(ROWS[3], ROWS[2].hash)))
    answered(intake)
    assert intake.replica.rows(KEY) == ROWS
    assert intake.replica.editions.get(KEY, 0) == 0
    assert intake.tables["t1"].fault == ""


def test_what_gave_way_is_kept_as_an_earlier_edition(intake: Intake) -> None:
    forged = fitting(ROWS[2], ROWS[1].hash)
    deliver(intake, delivery(*ROWS[:2], forged), delivery(*ROWS[2:]))
    answered(intake)
    query = "SELECT hash FROM events WHERE edition = 0 AND number = 3"
    assert intake.replica.connection.execute(query).fetchone() == (forged.hash,)


def test_a_game_of_a_closed_round_is_never_changed_and_the_wall_says_so(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS))
    intake.conflicts.closed = lambda key: key == KEY
    deliver(intake, delivery(fitting(ROWS[3], ROWS[2].hash)))
    answered(intake)
    assert intake.replica.rows(KEY) == ROWS
    assert "two versions" in intake.tables["t1"].fault


@pytest.mark.parametrize("number", [0, -1, 2**70, 1])
def test_a_summary_of_a_game_that_nobody_has_heard_of_ends_nothing(intake: Intake, number: int) -> None:
    told = {"table": "t1", "name": "T", "game": "0001", "head": {"number": number, "hash": "zz"}}
    deliver(intake, Received(topic("t1", Channel.SUMMARY), messages.payload(told)), delivery(*ROWS))
    assert intake.replica.rows(KEY) == ROWS


def test_an_old_message_that_comes_late_does_not_end_the_search_for_what_is_missing(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[:5]), summary(HEAD), delivery(*ROWS[:5]))
    assert KEY in intake.gaps
    answered(intake)
    assert intake.replica.rows(KEY) == ROWS
    assert KEY not in intake.gaps


def test_an_answer_to_an_earlier_request_does_not_end_it_either(intake: Intake) -> None:
    deliver(intake, delivery(*ROWS[:5]), summary(HEAD))
    old = messages.events_payload(messages.Events("t1", "0001", (), 5))
    deliver(intake, Received(answers("hall", "t1"), old, "", b"replay 0"))
    assert KEY in intake.gaps


def test_games_without_end_are_waited_for_up_to_a_bound(intake: Intake) -> None:
    for number in range(300):
        events = messages.Events("t1", f"{number:04}", (ROWS[5],), 9)
        deliver(intake, Received(topic("t1", Channel.EVENTS), messages.events_payload(events)))
    assert len(intake.gaps) == len(intake.out_of_order) == 100


def reopened(path: Path) -> list[Row]:
    """The copies as a hall has them that was started anew, and whose table answers."""
    with LogReplica(path) as replica:
        intake = Intake(replica)
        intake.verify([KEY])
        intake.request_updates([KEY])
        answered(intake)
        return replica.rows(KEY)


def kept(path: Path) -> None:
    with LogReplica(path) as replica:
        replica.insert([(KEY, row) for row in ROWS])


@pytest.mark.parametrize("change", LOG_CORRUPTIONS)
def test_an_event_that_was_changed_in_the_copies_is_asked_for_again(tmp_path: Path, change: str) -> None:
    path = tmp_path / "copies.db"
    kept(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("DROP TRIGGER no_update; DROP TRIGGER no_delete;")
        try:
            connection.execute(change, (4,))
        except sqlite3.IntegrityError:
            assert "NULL" in change  # such an event SQLite itself refuses
    assert reopened(path) == ROWS


@pytest.mark.parametrize("seed", [*range(30), 47, 251, 275, 319, 339, 347])
def test_a_damaged_file_is_set_aside_and_what_it_held_is_asked_for_again(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "copies.db"
    kept(path)
    path.write_bytes(mutated(path.read_bytes(), random.Random(seed)))
    assert reopened(path) == ROWS


def test_copies_of_the_first_format_are_brought_to_this_one(tmp_path: Path) -> None:
    path = tmp_path / "copies.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.executescript(
            """
            CREATE TABLE events (source TEXT NOT NULL, game TEXT NOT NULL, number INTEGER NOT NULL,
                at_ns INTEGER NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL,
                hash BLOB NOT NULL, PRIMARY KEY (source, game, number)) WITHOUT ROWID;
            CREATE TRIGGER no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'no'); END;
            CREATE TRIGGER no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'no'); END;
            PRAGMA user_version=1;
            """
        )
        old.executemany(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [(*KEY, *astuple(row)) for row in ROWS]
        )
    with LogReplica(path) as replica:
        assert replica.rows(KEY) == ROWS
        assert replica.heads()[KEY] == (HEAD.number, HEAD.hash)
        with pytest.raises(Exception, match="append-only"):
            replica.connection.execute("DELETE FROM events")
