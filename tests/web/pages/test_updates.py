"""A newer package on the host's page."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.events.match import Match
from companion.model.calls import SECOND, Order, Ordered
from companion.updating.state import REQUEST_FILE, Outcome, State, write
from companion.web.pages.maintenance import OUTCOME_TEXTS, UPDATE_STATE_KEY
from tests.web.made import monitor, sent


@pytest.fixture
def state(app: Flask, tmp_path: Path) -> Path:
    """What is known of updates: version 2 is there."""
    app.config[UPDATE_STATE_KEY] = tmp_path / "update.json"
    write(State("1", "2"), tmp_path / "update.json")
    return tmp_path / "update.json"


@pytest.fixture
def over(app: Flask, match: Match) -> None:
    """The game at the table is over."""
    match.handle(Ordered(90 * SECOND, Order.END))
    monitor(app).poll_log()


def wished(tmp_path: Path) -> str:
    path = tmp_path / "kept" / REQUEST_FILE
    return path.read_text() if path.exists() else ""


@pytest.mark.usefixtures("state", "over")
def test_the_host_has_the_offered_version_installed(host: FlaskClient, tmp_path: Path) -> None:
    assert "Version 2 is there." in host.get("/host").text
    assert sent(host, "/host/update", {"version": "2"}, "/host").location == "/host"
    assert wished(tmp_path) == "2"


@pytest.mark.usefixtures("state")
def test_an_update_waits_until_the_game_is_over(host: FlaskClient, tmp_path: Path) -> None:
    sent(host, "/host/update", {"version": "2"}, "/host")
    assert wished(tmp_path) == ""
    assert "A game is being played." in host.get("/host").text


@pytest.mark.usefixtures("state", "over")
def test_a_version_that_is_not_offered_is_not_asked_for(host: FlaskClient, tmp_path: Path) -> None:
    sent(host, "/host/update", {"version": "3"}, "/host")
    assert wished(tmp_path) == ""


@pytest.mark.usefixtures("state", "over")
def test_nobody_but_the_host_asks_for_an_update(phone: FlaskClient, tmp_path: Path) -> None:
    answer = sent(phone, "/host/update", {"version": "2"})
    assert answer.status_code == 403
    assert wished(tmp_path) == ""


@pytest.mark.parametrize("outcome", OUTCOME_TEXTS)
def test_what_became_of_an_update_is_told(outcome: Outcome, host: FlaskClient, state: Path) -> None:
    write(State("1", "", outcome, "2", "E: disk <full>"), state)
    page = host.get("/host").text
    assert OUTCOME_TEXTS[outcome] % {"version": "2"} in page
    assert "E: disk &lt;full&gt;" in page


def test_a_checkout_offers_no_update(host: FlaskClient) -> None:
    assert "/host/update" not in host.get("/host").text
