"""Which game the pages show while one follows another."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.events.following import LogFollower
from companion.events.log import EventLog
from companion.model.calls import SECOND, Called
from companion.model.status import Status
from companion.web.live.watching import FAILED
from tests.web.made import Desk, begun, watching


def test_a_game_that_has_begun_stays_on_the_pages_until_the_table_is_asked_again(
    app: Flask, log: EventLog
) -> None:
    found, fresh = watching(app), begun(log, "two")
    shown = []
    for number in range(3):
        fresh.handle(Called((30 + number) * SECOND, 3, "dump"))
        found.look()
        shown.append(found.story and found.story.name)
    assert shown == ["two"] * 3  # the table's answer of before it began still names the old one


def test_an_answer_that_was_asked_for_before_a_game_began_does_not_turn_the_pages_back(
    app: Flask, log: EventLog, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, asked = watching(app), desk.status

    def late() -> Status:
        answer = asked()
        begun(log, "two")
        found.look()
        return answer

    assert found.table is not None
    monkeypatch.setattr(found.table, "status", late)
    found.glance()
    assert found.story is not None
    assert found.story.name == "two"


def test_a_game_that_is_not_the_tables_is_left_for_it_when_the_table_says_so(
    app: Flask, log: EventLog
) -> None:
    found = watching(app)
    begun(log, "two")
    found.look()
    found.glance()
    assert found.story is not None
    assert found.story.name == "one"


def test_a_look_that_fails_is_told_and_logged_once_and_the_next_one_mends_it(
    app: Flask, host: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    found = watching(app)
    monkeypatch.setattr("gevent.sleep", lambda _seconds: None)
    with monkeypatch.context() as broken:
        broken.setattr(found, "follow", lambda: 1 / 0)
        broken.setattr(LogFollower, "changed", lambda _self: True)
        found.watched()
        found.watched()
    assert [one.exc_info is not None for one in caplog.records] == [True]
    assert host.get("/healthz").get_json()["log"] == FAILED
    assert FAILED in host.get("/host").text
    found.watched()
    assert host.get("/healthz").get_json()["log"] == "ok"


def test_a_glance_that_fails_is_told_and_the_next_one_mends_it(
    app: Flask, host: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = watching(app)
    with monkeypatch.context() as broken:
        broken.setattr(found, "turn", lambda: 1 / 0)
        found.glanced()
    assert host.get("/healthz").get_json()["table"] == FAILED
    found.glanced()
    assert host.get("/healthz").get_json()["well"] is True
