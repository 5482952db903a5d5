"""What everybody at the table sees."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import gevent
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.errors import Unanswered
from companion.events.match import Match
from companion.model.calls import SECOND, Called
from companion.rpc import TableClient
from companion.web.app import create_app
from companion.web.i18n.language import use_language
from companion.web.live.monitor import TableMonitor
from tests.web.made import NAMES, OWN, Desk, monitor


def test_the_scoreboard_is_whole_without_scripting(phone: FlaskClient) -> None:
    page = phone.get("/").text
    assert "Ada" in page
    assert ">81<" in page  # 144 tiles less three hands of 21
    assert "Round 1" in page
    assert "SPLIT" in page
    assert "few (4 words" in page
    assert "lamp camera" in page
    assert "light: draw" in page


def test_names_are_text_and_never_markup(phone: FlaskClient) -> None:
    for path in ("/", "/tv", "/games", "/replay/one", "/results/one", "/seat/2"):
        page = phone.get(path).text
        assert "Bo &lt;b&gt;bold&lt;/b&gt;" in page, path
        assert "<b>bold" not in page, path


@pytest.mark.parametrize(
    "path", ["/", "/tv", "/games", "/replay/one", "/judge", "/help", "/seat/1", "/enter"]
)
def test_no_page_runs_or_loads_anything_that_is_not_its_own(phone: FlaskClient, path: str) -> None:
    answer = phone.get(path, follow_redirects=True)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"<script(?![^>]*src=)|\son\w+=|\sstyle=|<style|javascript:", answer.text) == []
    assert re.findall(r'(?:src|href|action)="(?!/|\?|#)[^"]*"', answer.text) == []


def test_a_page_before_the_first_game_says_so_and_what_comes(tmp_path: Path) -> None:
    app = create_app(tmp_path / "none", None, tmp_path / "kept")
    client = app.test_client()
    assert "No game yet" in client.get("/").text
    for path in ("/tv", "/games", "/help", "/judge"):
        assert client.get(path).status_code == 200


def test_the_first_paint_is_small(phone: FlaskClient) -> None:
    packed = {"Accept-Encoding": "gzip"}
    page = phone.get("/", headers=packed)
    parts = [page.data] + [
        phone.get(link, headers=packed).data
        for link in re.findall(r'(?:src|href)="(/static/[^"]+)', gzip.decompress(page.data).decode())
    ]
    assert len(parts) == 4
    assert sum(map(len, parts)) < 30_000


def test_files_are_kept_by_phones_until_they_change(phone: FlaskClient) -> None:
    link = re.search(r"/static/style.css\?v=\w+", phone.get("/").text)
    assert link
    assert "31536000" in phone.get(link[0]).headers["Cache-Control"]
    assert "31536000" not in phone.get("/static/style.css?v=old").headers["Cache-Control"]
    assert phone.get("/static/nothing.css").status_code == 404
    assert phone.get("/static/..%2Fapp.py").status_code == 404


def test_a_running_clock_is_told_with_what_it_needs_to_run_on(phone: FlaskClient) -> None:
    found = re.search(
        r'class="clock round" data-ms="(\d+)" data-step="(-?\d)" data-at="(\d+)"', phone.get("/").text
    )
    assert found
    assert found.groups() == ("0", "1", "1000")  # it runs since SPLIT, one second into the game


def test_a_page_follows_the_log_and_the_game_that_begins_next(
    app: Flask, match: Match, phone: FlaskClient
) -> None:
    match.handle(Called(30 * SECOND, 3, "dump"))
    assert "DUMP" not in phone.get("/").text
    assert monitor(app).poll_log()
    assert "DUMP" in phone.get("/").text
    assert not monitor(app).poll_log()


def test_a_log_that_is_no_log_is_told_on_the_page(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("no log at all, but long enough to be looked at")
    app = create_app(tmp_path / "log", None, tmp_path / "kept")
    found: TableMonitor = monitor(app)
    found.poll_log()
    assert found.fault
    assert app.test_client().get("/healthz").status_code == 503


def test_while_no_table_answers_the_public_waits_and_only_the_host_reads_why(
    match: Match, tmp_path: Path
) -> None:
    assert match.number
    app = create_app(tmp_path / "log", TableClient(tmp_path / "nobody"), tmp_path / "kept")
    monitor(app).poll_log()
    monitor(app).poll_status()
    page = app.test_client().get("/").text
    assert "Waiting for the table." in page
    assert "nobody" not in page
    services = app.extensions["companion"]
    with app.test_request_context(), use_language("de"):
        assert "an nobody antwortet" not in services.live_pages["score"].draw(services, 0)["table"]
        assert (
            f"{tmp_path / 'nobody'} antwortet kein Tisch"
            in services.live_pages["host"].draw(services, 0)["table"]
        )


def test_a_live_page_gets_all_regions_first_and_then_what_changed(
    app: Flask, match: Match, phone: FlaskClient
) -> None:
    stream = iter(phone.get("/live/score").response)
    assert b"retry" in next(stream)
    number, first = heard(next(stream))
    assert number == match.number
    assert set(first["regions"]) == {"head", "seats", "calls", "board", "table", "words"}
    match.handle(Called(30 * SECOND, 3, "dump"))
    monitor(app).poll_log()
    number, news = heard(next(stream))
    assert number == match.number
    assert set(news["regions"]) == {"head", "seats", "calls"}
    assert [one["text"] for one in news["events"] if one["text"]] == [f"{NAMES[2]}: DUMP"]


def heard(message: object) -> tuple[int, dict[str, Any]]:
    assert isinstance(message, bytes)
    head, _, body = message.decode().partition("\ndata: ")
    found = json.loads(body)
    return int(head.removeprefix("id: ")), found


def test_a_phone_that_slept_gets_every_event_that_it_missed(
    app: Flask, match: Match, phone: FlaskClient
) -> None:
    slept_at = match.number
    match.handle(Called(30 * SECOND, 3, "dump"))
    match.handle(Called(31 * SECOND, 2, "dump"))
    monitor(app).poll_log()
    stream = iter(phone.get("/live/score", headers={"Last-Event-ID": str(slept_at)}).response)
    next(stream)
    _, news = heard(next(stream))
    assert [one["number"] for one in news["events"]] == list(range(slept_at + 1, match.number + 1))


@pytest.mark.parametrize("last", ["-1", "9999999999999999", "x", "٣"])
def test_a_strange_last_number_harms_nobody(phone: FlaskClient, last: str) -> None:
    stream = iter(phone.get("/live/score", query_string={"after": last}).response)
    next(stream)
    assert heard(next(stream))[1]["regions"]


def test_phones_that_ask_while_a_picture_is_taken_get_that_one(app: Flask, desk: Desk) -> None:
    asked = [gevent.spawn(app.test_client().get, "/picture/read.jpg") for _ in range(3)]
    gevent.joinall(asked, raise_error=True)
    assert [one.value.status_code for one in asked] == [200, 200, 200]
    assert [one for one in desk.heard if one[0] == "picture"] == [("picture", "read", 640, 0)]


def test_what_kept_a_picture_from_being_taken_is_told_to_all_who_asked(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lidded(_desk: Desk, **_asked: object) -> bytes:
        raise Unanswered("take the lid off the lens")

    monkeypatch.setattr(Desk, "picture", lidded)
    asked = [gevent.spawn(app.test_client().get, "/picture/read.jpg") for _ in range(2)]
    gevent.joinall(asked, raise_error=True)
    assert [one.value.status_code for one in asked] == [503, 503]
    assert all("take the lid off" in one.value.text for one in asked)


def test_a_picture_is_taken_once_a_second_for_everybody(phone: FlaskClient, desk: Desk) -> None:
    for wide in (600, 640, 700):
        answer = phone.get(f"/picture/read.jpg?w={wide}")
        assert answer.content_type == "image/jpeg"
    assert [one for one in desk.heard if one[0] == "picture"] == [("picture", "read", 640, 0)]


@pytest.mark.parametrize(
    "path",
    [
        "/live/nothing",
        "/live/seat-x",
        "/live/seat-999",
        "/picture/secret.jpg",
        "/replay/two",
        "/games/one.exe",
        "/seat/9",
        "/seat/0",
    ],
)
def test_what_is_not_there_is_not_found(phone: FlaskClient, path: str) -> None:
    assert phone.get(path).status_code == 404


@pytest.mark.parametrize(
    ("back", "goes"),
    [("/tv", "/tv"), ("//evil.example", "/"), ("https://evil.example", "/"), ("/\\evil.example", "/")],
)
def test_a_change_of_language_leads_back_to_these_pages_only(
    phone: FlaskClient, back: str, goes: str
) -> None:
    answer = phone.post("/language", data={"language": "de", "back": back}, headers=OWN)
    assert answer.location == goes
    assert "language=de" in answer.headers["Set-Cookie"]
