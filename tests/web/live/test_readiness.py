"""The doctor's lines on the host's page."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import gevent
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.errors import Unanswered
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.phrases import phrase
from companion.model.status import CheckLine
from companion.rpc import TableClient
from companion.rules.registry import game
from companion.web.app import create_app
from companion.web.live.monitor import FAILURE_MESSAGE
from companion.web.live.readiness import CHECK_INTERVAL_S, PAGE_LOAD_WINDOW_S, ReadinessChecks
from companion.web.services import Services
from tests.web.made import NAMES, WORDS, Desk, monitor

BLACK = CheckLine("lamp camera", "picture", False, "it is black", "Take the lid off.", essential=True)
HOT = CheckLine("machine", "temperature", False, "84 °C", "Give it air.")
FINE = CheckLine("machine", "disk space", True, "9,000 MB are free", essential=True)


def readiness(app: Flask) -> ReadinessChecks:
    found: Services = app.extensions["companion"]
    return found.readiness


def looked(checks: ReadinessChecks, desk: Desk, *lines: CheckLine) -> None:
    """Let the table find some lines, and ask it."""
    desk.lines[:] = lines
    checks.check()


def test_each_line_says_how_it_is_and_what_is_amiss_how_to_mend_it(
    app: Flask, host: FlaskClient, desk: Desk
) -> None:
    looked(readiness(app), desk, FINE, HOT, BLACK)
    page = host.get("/host").text
    amiss = page[page.index('data-region="lacking"') : page.index('data-region="checks"')]
    assert "9,000 MB" not in amiss
    assert amiss.index("it is black") < amiss.index("84 °C")  # what is essential comes first
    assert "Take the lid off." in amiss
    assert "9,000 MB are free" in page[page.index('data-region="checks"') :]


def test_a_held_button_is_named_in_the_language_spoken(app: Flask, host: FlaskClient, desk: Desk) -> None:
    seat, button = phrase("seat %(seat)s", seat=2), phrase("button %(button)s", button=1)
    looked(readiness(app), desk, CheckLine(seat, button, False, phrase("is closed all the time")))
    host.set_cookie("language", "de")
    assert "Platz 2: Knopf 1" in host.get("/host").text


def test_before_anything_was_looked_at_the_page_says_so_and_afterwards_that_all_is_well(
    app: Flask, host: FlaskClient, desk: Desk
) -> None:
    assert "The table is looking itself over" in host.get("/host").text
    looked(readiness(app), desk, FINE)
    assert "nothing that was looked at is amiss" in host.get("/host").text


def test_what_is_essential_is_seen_beside_the_button_that_starts_a_game(
    log: EventLog, desk: Desk, tmp_path: Path
) -> None:
    Match.begun(log, "new", game("bananagrams"), NAMES, {}, WORDS)
    app = create_app(tmp_path / "log", TableClient(tmp_path / "socket"), tmp_path / "kept")
    monitor(app).poll_log()
    looked(readiness(app), desk, FINE, HOT, BLACK)
    with app.test_request_context():
        orders = str(draw(app)["orders"])
    assert "Start" in orders
    assert "Before a game can start: lamp camera, picture: it is black" in orders
    assert "84 °C" not in orders
    looked(readiness(app), desk, FINE, HOT)
    assert "Before a game can start" not in str(draw(app)["orders"])


def draw(app: Flask) -> Any:
    services: Any = app.extensions["companion"]
    return services.live_pages["host"].draw(services, 0)


def test_phones_hear_of_a_change_for_better_or_worse_but_not_of_figures(app: Flask, desk: Desk) -> None:
    checks = readiness(app)
    looked(checks, desk, FINE)
    revision = monitor(app).revision
    looked(checks, desk, CheckLine("machine", "disk space", True, "8,999 MB are free", essential=True))
    assert monitor(app).revision == revision
    assert checks.lines[0].says == "8,999 MB are free"
    looked(checks, desk, FINE, BLACK)
    assert monitor(app).revision == revision + 1


def test_the_table_is_asked_only_while_a_host_looks_on(app: Flask, host: FlaskClient) -> None:
    checks, now = readiness(app), [100.0]
    checks.clock = lambda: now[0]
    assert not checks.due()
    host.get("/host")
    assert checks.due()
    checks.check()
    assert not checks.due()
    now[0] += CHECK_INTERVAL_S
    assert checks.due()
    now[0] += PAGE_LOAD_WINDOW_S
    assert not checks.due()
    stream = cast("Generator[bytes, None, None]", iter(host.get("/live/host").response))
    next(stream)
    assert checks.due()
    stream.close()
    assert not checks.due()


def test_a_table_that_does_not_answer_is_told_in_place_of_its_lines(
    app: Flask, host: FlaskClient, desk: Desk
) -> None:
    checks = readiness(app)
    looked(checks, desk, FINE)

    class Gone(TableClient):
        def checkup(self) -> Any:
            raise Unanswered("no table answers there")

    checks.monitor.table = Gone(Path("nowhere"))
    checks.check()
    assert checks.lines == ()
    assert "no table answers there" in host.get("/host").text


def test_where_only_the_log_is_shown_nobody_is_asked(match: Match, tmp_path: Path) -> None:
    assert match.number
    checks = readiness(create_app(tmp_path / "log", None, tmp_path / "kept"))
    checks.check()
    checks.run()
    assert checks.lines == ()


def test_a_checkup_is_made_by_itself_soon_after_the_page_was_loaded(
    app: Flask, host: FlaskClient, desk: Desk
) -> None:
    desk.lines[:] = [BLACK]
    task = gevent.spawn(readiness(app).run)
    try:
        host.get("/host")
        with gevent.Timeout(20):
            while "it is black" not in host.get("/host").text:
                gevent.sleep(0.05)
    finally:
        task.kill()


def test_a_checkup_that_fails_is_told_on_the_page_and_to_who_asks_for_health(
    app: Flask, host: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = readiness(app)
    with monkeypatch.context() as broken:
        broken.setattr("gevent.sleep", lambda _seconds: broken.setattr(checks.monitor, "table", None))
        broken.setattr(ReadinessChecks, "due", lambda _self: True)
        broken.setattr(ReadinessChecks, "check", lambda _self: 1 / 0)
        checks.run()
    assert FAILURE_MESSAGE in host.get("/host").text
    assert host.get("/healthz").get_json()["checkup"] == FAILURE_MESSAGE
