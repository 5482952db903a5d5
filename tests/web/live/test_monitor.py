"""Which game the pages show while one follows another."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.events.following import LogFollower
from companion.events.log import EventLog
from companion.model.calls import SECOND, Called
from companion.model.status import Status
from companion.web.live.monitor import FAILURE_MESSAGE
from tests.web.made import Desk, begun, monitor


def test_a_game_that_has_begun_stays_on_the_pages_until_the_table_is_asked_again(
    app: Flask, log: EventLog
) -> None:
    found, fresh = monitor(app), begun(log, "two")
    shown = []
    for number in range(3):
        fresh.handle(Called((30 + number) * SECOND, 3, "dump"))
        found.poll_log()
        shown.append(found.projection and found.projection.name)
    assert shown == ["two"] * 3  # the table's answer of before it began still names the old one


def test_an_answer_that_was_asked_for_before_a_game_began_does_not_turn_the_pages_back(
    app: Flask, log: EventLog, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, asked = monitor(app), desk.status

    def late() -> Status:
        answer = asked()
        begun(log, "two")
        found.poll_log()
        return answer

    assert found.table is not None
    monkeypatch.setattr(found.table, "status", late)
    found.poll_status()
    assert found.projection is not None
    assert found.projection.name == "two"


def test_a_game_that_is_not_the_tables_is_left_for_it_when_the_table_says_so(
    app: Flask, log: EventLog
) -> None:
    found = monitor(app)
    begun(log, "two")
    found.poll_log()
    found.poll_status()
    assert found.projection is not None
    assert found.projection.name == "one"


def test_a_look_that_fails_is_told_and_logged_once_and_the_next_one_mends_it(
    app: Flask, host: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    found = monitor(app)
    monkeypatch.setattr("gevent.sleep", lambda _seconds: None)
    with monkeypatch.context() as broken:
        broken.setattr(found, "read_log", lambda: 1 / 0)
        broken.setattr(LogFollower, "changed", lambda _self: True)
        found.try_poll_log()
        found.try_poll_log()
    assert [one.exc_info is not None for one in caplog.records] == [True]
    assert host.get("/healthz").get_json()["log"] == FAILURE_MESSAGE
    assert FAILURE_MESSAGE in host.get("/host").text
    found.try_poll_log()
    assert host.get("/healthz").get_json()["log"] == "ok"


def test_a_glance_that_fails_is_told_and_the_next_one_mends_it(
    app: Flask, host: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = monitor(app)
    with monkeypatch.context() as broken:
        broken.setattr(found, "switch_to_table_game", lambda: 1 / 0)
        found.try_poll_status()
    assert host.get("/healthz").get_json()["table"] == FAILURE_MESSAGE
    found.try_poll_status()
    assert host.get("/healthz").get_json()["well"] is True
