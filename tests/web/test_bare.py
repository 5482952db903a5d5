"""Pages over a log in which nothing was played yet, and pages that no table answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache

from companion.events.log import EventLog
from companion.web import tokens
from companion.web.app import create_app
from companion.web.keeping import Kept
from tests.web.made import PIN, monitor, token

JSON = {"Accept": "application/json"}


@pytest.fixture
def bare(tmp_path: Path, compiled: FileSystemBytecodeCache) -> Iterator[Flask]:
    """The pages of an empty log, without a table."""
    with EventLog(tmp_path / "log"):
        found = create_app(tmp_path / "log", None, tmp_path / "kept")
        found.jinja_env.bytecode_cache = compiled
        monitor(found).poll_log()
        yield found


@pytest.fixture
def lonely(bare: Flask) -> FlaskClient:
    """The phone of their host."""
    client = bare.test_client()
    code = bare.extensions["pins"].first
    given = {"csrf_token": token(client, "/welcome"), "code": code, "pin": PIN, "again": PIN}
    assert client.post("/welcome", data=given).location == "/host"
    return client


@pytest.mark.parametrize(
    "path",
    ["/", "/tv", "/referee", "/host", "/games", "/help", "/join", "/judge", "/live/score", "/live/referee"],
)
def test_before_any_game_every_page_is_there(lonely: FlaskClient, path: str) -> None:
    with lonely.get(path, buffered=False) as answer:
        assert answer.status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/seat/1", 404),
        ("/claim/1/AAAAAAAAAA", 404),
        ("/referee/challenge/1", 404),
        ("/referee/tile/1/0/0", 404),
        ("/replay/one", 404),
        ("/results/one", 404),
        ("/results/one.pdf", 404),
        ("/picture/plain.jpg", 404),
        ("/evidence/1.jpg", 503),
        ("/api/v1/state", 404),
        ("/api/v1/live", 404),
        ("/api/v1/table", 503),
        ("/host/new/nothing", 404),
        ("/healthz", 200),
        ("/metrics", 200),
    ],
)
def test_what_needs_a_game_or_a_table_says_that_it_is_not_there(
    lonely: FlaskClient, path: str, status: int
) -> None:
    assert lonely.get(path).status_code == status


@pytest.mark.parametrize(
    ("path", "values", "status"),
    [
        ("/ruling", {"ruling": "set_score", "reason": "x"}, 400),
        ("/referee/challenge", {"seat": "1"}, 400),
        ("/order", {"order": "start"}, 503),
        ("/host/new/nothing", {"name-01": "Ada"}, 404),
        ("/host/pin", {"role": "nobody", "pin": PIN, "again": PIN}, 400),
        ("/seat/1/call", {"call": "peel"}, 400),
    ],
)
def test_what_is_sent_before_any_game_is_refused_in_words(
    lonely: FlaskClient, path: str, values: dict[str, str], status: int
) -> None:
    answer = lonely.post(path, data={"csrf_token": token(lonely), **values}, headers=JSON)
    assert answer.status_code == status
    assert "<h1>" in answer.text or answer.json


def test_a_game_that_begins_is_shown_and_one_that_was_asked_for_by_name_is_waited_for(
    bare: Flask, tmp_path: Path
) -> None:
    waiting = create_app(tmp_path / "log", None, tmp_path / "kept", game="later")
    assert not monitor(waiting).poll_log()
    assert "No game yet" in waiting.test_client().get("/").text
    assert monitor(bare).projection is None


def test_pages_of_a_log_that_was_only_just_begun_show_no_fault(tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    app = create_app(tmp_path / "log", None, tmp_path / "kept")
    monitor(app).poll_log()
    assert app.test_client().get("/healthz").get_json()["well"] is True


def test_a_token_that_is_taken_back_opens_nothing_and_too_many_are_refused(
    lonely: FlaskClient, tmp_path: Path
) -> None:
    kept = Kept(tmp_path / "kept")
    for number in range(tokens.MAX_TOKENS):
        tokens.issue(kept, f"bot {number}", f"secret {number}")
    given = {"csrf_token": token(lonely), "name": "one more"}
    assert "take one back first" in lonely.post("/host/tokens", data=given, follow_redirects=True).text
    mark = tokens.tokens(kept)[0]["mark"]
    lonely.post("/host/tokens", data={"csrf_token": token(lonely), "revoke": mark})
    assert (tokens.is_valid_token(kept, "secret 0"), tokens.is_valid_token(kept, "secret 1")) == (False, True)


def test_where_all_streams_are_taken_programs_are_asked_to_come_back(app: Flask) -> None:
    app.extensions["companion"].channels.slots.taken = 10_000
    assert app.test_client().get("/api/v1/live?after=1").status_code == 503
