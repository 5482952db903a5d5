"""A backup brought back by the host."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.restoring import MAX_BACKUP_BYTES, preview_restore, restore_backup
from companion.model.calls import SECOND, Order, Ordered
from companion.model.status import Answer
from companion.web.pages.maintenance import MAX_FORM_BYTES
from tests.events.logs import packed
from tests.web.made import Desk, begun, monitor, token


@pytest.fixture
def backup(tmp_path: Path) -> bytes:
    """A backup of another machine: two games that were played there."""
    with EventLog(tmp_path / "other") as log:
        begun(log, "monday")
        begun(log, "tuesday")
    return packed(tmp_path / "other").getvalue()


def chosen(phone: FlaskClient, body: bytes, via: str = "/host") -> Any:
    """What the page answers to a file."""
    given = {"csrf_token": token(phone, via), "backup": (io.BytesIO(body), "games.zip")}
    return phone.post("/host/restore", data=given, content_type="multipart/form-data")


def brought(phone: FlaskClient, page: str) -> Any:
    """What the page answers to the button below what it would do."""
    mark = re.search(r'name="mark" value="(\w+)"', page)
    assert mark
    given = {"csrf_token": token(phone, "/host"), "mark": mark[1]}
    return phone.post("/host/restore/now", data=given, follow_redirects=True)


def ended(app: Flask, match: Match) -> None:
    """End the game at the table."""
    match.handle(Ordered(90 * SECOND, Order.END))
    monitor(app).poll_log()


def test_the_host_reads_what_a_backup_would_bring_before_anything_is_done(
    app: Flask, host: FlaskClient, match: Match, desk: Desk, backup: bytes, tmp_path: Path
) -> None:
    ended(app, match)
    page = chosen(host, backup).text
    assert "holds 2 games" in page
    assert "2 of them are missing here" in page
    assert re.search(r"monday</th><td>\d+</td><td>comes back", page)
    assert "Bring 2 games back" in page
    assert [one for one in desk.heard if one[0] == "restore"] == []
    with EventLog(tmp_path / "log", writable=False) as log:
        assert log.games() == ["one"]


def test_the_table_gets_the_games_that_were_looked_through_one_by_one(
    app: Flask, host: FlaskClient, match: Match, desk: Desk, backup: bytes, tmp_path: Path
) -> None:
    ended(app, match)
    page = brought(host, chosen(host, backup).text).text
    heard = [one[1:] for one in desk.heard if one[0] == "restore"]
    games = [one.game for body, _ in heard for one in preview_restore(io.BytesIO(body), tmp_path / "none")]
    assert games == ["monday", "tuesday"]
    assert [keep for _, keep in heard] == [True, False]
    assert "The games are back." in page
    assert "The log as it was before is kept as heard." in page
    again = {"csrf_token": token(host, "/host"), "mark": "0" * 64}
    assert (
        "Choose the file of the backup again"
        in host.post("/host/restore/now", data=again, follow_redirects=True).text
    )


def test_games_that_come_back_are_listed_and_the_game_at_the_table_stays_on_the_pages(
    app: Flask,
    host: FlaskClient,
    match: Match,
    desk: Desk,
    backup: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended(app, match)
    monkeypatch.setattr(
        desk,
        "restore",
        lambda backup, **_: Answer(True, str(restore_backup(io.BytesIO(backup), tmp_path / "log", "one"))),
    )
    page = chosen(host, backup).text
    brought(host, page)
    monitor(app).poll_log()
    shown = monitor(app).projection
    assert shown is not None
    assert shown.name == "one"
    listed = host.get("/games").text
    assert "monday" in listed
    assert "tuesday" in listed
    assert "0 of them are missing here" in chosen(host, backup).text


def test_while_a_game_is_played_nothing_is_brought_back(host: FlaskClient, desk: Desk, backup: bytes) -> None:
    page = chosen(host, backup).text
    assert "A game is being played; end it first" in page
    assert "/host/restore/now" not in page
    assert [one for one in desk.heard if one[0] == "restore"] == []


def test_what_the_table_refuses_is_told_and_the_backup_stays_ready(
    app: Flask, host: FlaskClient, match: Match, desk: Desk, backup: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(app, match)
    page = chosen(host, backup).text
    monkeypatch.setattr(desk, "restore", lambda **_: Answer(False, "a game is being played; end it first"))
    assert "a game is being played; end it first" in brought(host, page).text
    monkeypatch.undo()
    assert "The games are back" in brought(host, page).text


@pytest.mark.parametrize(
    ("body", "says"), [(b"no archive", "no backup of a table"), (b"", "Choose the file")]
)
def test_a_file_that_is_no_backup_is_refused_with_what_it_is(
    host: FlaskClient, body: bytes, says: str
) -> None:
    given = {"csrf_token": token(host, "/host"), "backup": (io.BytesIO(body), "games.zip")}
    answer = host.post("/host/restore", data=given, follow_redirects=True)
    assert says in answer.text


def test_only_the_host_may_bring_games_back(phone: FlaskClient, backup: bytes) -> None:
    assert chosen(phone, backup, via="").status_code == 403
    assert phone.post("/host/restore/now", data={"csrf_token": token(phone)}).status_code == 403


def test_a_file_that_is_too_large_is_refused_unread_and_a_stranger_may_send_far_less(
    host: FlaskClient, phone: FlaskClient
) -> None:
    class Endless(io.RawIOBase):
        """Fails whoever reads it."""

        def readable(self) -> bool:
            return True

        def readinto(self, _to: Any) -> int:
            raise AssertionError("it was read")

    for client, most in ((host, MAX_BACKUP_BYTES + MAX_FORM_BYTES), (phone, 64 * 1024)):
        sent = {
            "wsgi.input": Endless(),
            "CONTENT_LENGTH": str(most + 1),
            "CONTENT_TYPE": "multipart/form-data; boundary=x",
        }
        answer = client.post("/host/restore", environ_overrides=sent)
        assert answer.status_code == 413
