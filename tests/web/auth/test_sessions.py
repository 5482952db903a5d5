"""Sessions: what one phone may do, a clock that goes back, and the end."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import TimestampSigner

from companion.web.auth.roles import MAX_REVOKED_SESSIONS, SESSION_LIFETIME_S, RevokedSessions, seat_code
from companion.web.keeping import Kept
from tests.web.made import PIN, Desk, sent, token


def seated(app: Flask, client: FlaskClient, seat: int = 2) -> None:
    """Let a phone scan a seat's code."""
    with app.test_request_context():
        code = seat_code(seat)
    assert (
        client.post(f"/claim/{seat}/{code}", data={"csrf_token": token(client)}).location == f"/seat/{seat}"
    )


def test_a_host_who_scans_a_seats_code_stays_host_and_plays_too(
    app: Flask, host: FlaskClient, desk: Desk
) -> None:
    seated(app, host)
    assert host.get("/host").status_code == 200
    assert sent(host, "/seat/2/call", {"call": "dump"}).json["accepted"] is True
    assert desk.heard[-1] == ("call", 2, "dump", {}, "phone")


def test_a_player_who_signs_in_keeps_the_seat(app: Flask, host: FlaskClient, phone: FlaskClient) -> None:
    assert host.get("/host").status_code == 200
    seated(app, phone)
    phone.post("/enter", data={"csrf_token": token(phone), "pin": PIN})
    page = phone.get("/").text
    assert 'href="/seat/2"' in page
    assert 'href="/host"' in page


def test_a_host_who_signs_in_as_referee_too_stays_host(host: FlaskClient) -> None:
    given = {"csrf_token": token(host), "role": "referee", "pin": "739104", "again": "739104"}
    host.post("/host/pin", data=given)
    host.post("/enter", data={"csrf_token": token(host), "pin": "739104"})
    assert host.get("/host").status_code == 200


def test_viewers_see_one_way_to_sign_in_and_no_pages_that_ask_for_a_pin(phone: FlaskClient) -> None:
    page = phone.get("/").text
    assert 'href="/enter"' in page
    assert 'href="/host"' not in page
    assert 'href="/referee"' not in page


def test_who_signs_in_by_that_way_comes_to_the_own_page(host: FlaskClient, phone: FlaskClient) -> None:
    assert host.get("/host").status_code == 200
    answer = phone.post("/enter", data={"csrf_token": token(phone), "pin": PIN, "to": "/"})
    assert answer.location == "/host"


def at(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Set the clock that stamps cookies forward."""
    now_s = TimestampSigner(b"key").get_timestamp() + round(hours * 3600)
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _self: now_s)


def test_a_clock_set_back_signs_nobody_out(host: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, -0.25)
    assert host.get("/host").status_code == 200


def test_a_session_ends_by_itself(host: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, SESSION_LIFETIME_S / 3600 + 0.1)
    assert host.get("/host").status_code == 302


def test_a_clock_set_forward_by_days_signs_nobody_out(
    host: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_forward(monkeypatch, 3 * SESSION_LIFETIME_S)
    assert host.get("/host").status_code == 200


def test_a_session_from_before_the_clock_was_set_forward_ends_by_itself(
    host: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_forward(monkeypatch, 3 * SESSION_LIFETIME_S, SESSION_LIFETIME_S + 60)
    assert host.get("/host").status_code == 302


def test_a_session_from_after_the_clock_was_set_forward_lasts_no_longer(
    host: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_forward(monkeypatch, 3 * SESSION_LIFETIME_S)
    assert host.get("/host").status_code == 200
    set_forward(monkeypatch, 0, SESSION_LIFETIME_S + 60)
    assert host.get("/host").status_code == 302


def set_forward(monkeypatch: pytest.MonkeyPatch, by_s: float, passed_s: float = 0) -> None:
    """Let some time pass, and set the wall clock forward beside."""
    wall_s, steady_s = time.time(), time.monotonic()
    monkeypatch.setattr(time, "time", lambda: wall_s + passed_s + by_s)
    monkeypatch.setattr(time, "monotonic", lambda: steady_s + passed_s)


def test_a_signed_out_session_stays_so_after_the_clock_was_set_forward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = RevokedSessions(Kept(tmp_path), lambda: time.time())  # noqa: PLW0108  it is replaced below
    ended.end("one")
    set_forward(monkeypatch, 3 * SESSION_LIFETIME_S)
    ended.end("two")
    assert set(ended.known) == {"one", "two"}


def test_a_session_tells_how_long_it_lasts_whatever_a_phones_clock_shows(host: FlaskClient) -> None:
    cookie = host.get("/host").headers["Set-Cookie"]
    assert f"Max-Age={SESSION_LIFETIME_S}" in cookie
    assert "Expires=" in cookie


def test_a_copied_cookie_opens_nothing_after_its_phone_has_signed_out(app: Flask, host: FlaskClient) -> None:
    cookie = host.get_cookie("session")
    assert cookie
    host.post("/leave", data={"csrf_token": token(host)})
    thief = app.test_client()
    thief.set_cookie("session", cookie.value)
    assert thief.get("/host").status_code == 302


def test_ended_sessions_are_known_after_a_restart_and_forgotten_when_they_would_have_ended(
    tmp_path: Path,
) -> None:
    now = [1000.0]
    RevokedSessions(Kept(tmp_path), lambda: now[0]).end("one")
    again = RevokedSessions(Kept(tmp_path), lambda: now[0])
    assert "one" in again.known
    now[0] += SESSION_LIFETIME_S
    again.end("two")
    assert set(again.known) == {"two"}


def test_no_more_ended_sessions_are_kept_than_there_is_room_for(tmp_path: Path) -> None:
    ended = RevokedSessions(Kept(tmp_path), lambda: 1000.0)
    ended.known = {str(number): 1000.0 for number in range(MAX_REVOKED_SESSIONS)}
    ended.end("new")
    assert len(ended.known) == MAX_REVOKED_SESSIONS
    assert "new" in ended.known
