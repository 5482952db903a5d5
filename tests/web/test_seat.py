"""A player's page."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.events.log import EventLog
from companion.web.app import create_app
from tests.web.made import Desk, begun, sent, token, watching


def test_a_seat_page_shows_the_tableau_what_is_loose_and_what_is_doubted(phone: FlaskClient) -> None:
    page = phone.get("/seat/1").text
    assert page.count('<g class="tile') == 6  # CATS, O, Q
    assert page.count('class="tile doubt"') == 1
    assert 'class="letter">Z<' in page
    assert "It is C" in page


def test_no_page_says_anything_of_words_before_the_call(phone: FlaskClient) -> None:
    for path in (
        "/seat/1",
        "/",
        "/replay/one",
        "/api/v1/state",
        "/api/v1/games/one/events",
        "/api/v1/games/one/events?after=5",
    ):
        page = phone.get(path).text
        assert "SOQ" not in page, path
        assert "invalid_words" not in page, path
        assert 'tile bad"' not in page, path
        assert 'tile good"' not in page, path
    assert "told after a call" in phone.get("/seat/1").text


def test_where_the_camera_advises_the_seat_page_marks_words(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        begun(log, policy="advise")
        app = create_app(tmp_path / "log", None, tmp_path / "kept")
        watching(app).look()
        page = app.test_client().get("/seat/1").text
    assert page.count('class="tile bad"') == 3  # SOQ
    assert page.count('class="tile ask"') == 2  # A and T of CATS, whose C is in doubt
    assert page.count('class="tile doubt"') == 1


def test_the_referee_may_settle_a_doubt_before_any_seat(host: FlaskClient, desk: Desk) -> None:
    assert sent(host, "/seat/1/settle", {"tile": "2,3:N"}).json == {
        "accepted": True,
        "says": "heard",
        "number": None,
    }
    assert desk.heard == [("settle", 1, (2, 3), "N")]


@pytest.mark.parametrize("tile", ["", "2", "2,x:N", "-1,2:N", "99999,99999:N", "1,2:" + "N" * 9])
def test_what_is_no_tile_is_refused(host: FlaskClient, desk: Desk, tile: str) -> None:
    assert sent(host, "/seat/1/settle", {"tile": tile}).status_code == 400
    assert desk.heard == []


def test_what_the_table_refuses_is_told_where_it_was_asked(host: FlaskClient, desk: Desk) -> None:
    desk.refuses = "not now"
    assert sent(host, "/seat/1/call", {"call": "peel"}).json["says"] == "not now"
    assert sent(host, "/seat/1/call", {"call": "shout"}).status_code == 400


def test_without_scripting_the_answer_is_a_notice_on_the_page(host: FlaskClient) -> None:
    answer = host.post(
        "/seat/1/call", data={"csrf_token": token(host), "call": "peel"}, follow_redirects=True
    )
    assert "heard" in answer.text
    assert "Ada" in answer.text
