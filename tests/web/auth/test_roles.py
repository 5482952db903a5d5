"""Who may do what, and how they come in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.errors import BadPin
from companion.version import VERSION
from companion.web.auth.pins import Pins, weakness
from companion.web.auth.roles import seat_code
from companion.web.keeping import Kept
from tests.web.made import PIN, Desk, sent, token

ORDER = {"order": "pause"}


@pytest.mark.parametrize(
    "path", ["/host", "/host/new", "/host/new/chew", "/referee", "/referee/challenge/1", "/evidence/3.jpg"]
)
def test_before_a_pin_was_chosen_every_closed_page_leads_to_the_welcome(
    phone: FlaskClient, path: str
) -> None:
    assert phone.get(path).location == "/welcome"


def test_the_host_chooses_a_pin_with_the_code_on_the_console_once(
    host: FlaskClient, phone: FlaskClient
) -> None:
    assert f"Tableau Companion {VERSION}" in host.get("/host").text
    assert phone.get("/welcome").location == "/host"
    assert phone.post("/welcome", data={"csrf_token": token(phone)}).status_code == 403
    assert phone.get("/host").location == "/enter?to=/host"


def test_without_the_code_nobody_becomes_host(phone: FlaskClient) -> None:
    given = {"csrf_token": token(phone), "code": "00000000x", "pin": PIN, "again": PIN}
    assert "not right" in phone.post("/welcome", data=given).text
    assert phone.get("/host").location == "/welcome"


def test_the_pin_opens_the_page_that_was_asked_for(host: FlaskClient, phone: FlaskClient) -> None:
    assert host.get("/host").status_code == 200
    given = {"csrf_token": token(phone), "pin": PIN, "to": "/referee"}
    assert phone.post("/enter", data=given).location == "/referee"
    assert phone.get("/referee").status_code == 200
    assert phone.post("/leave", data={"csrf_token": token(phone)}).location == "/"
    assert phone.get("/referee").status_code == 302


def test_the_referee_is_no_host(host: FlaskClient, phone: FlaskClient) -> None:
    given = {"csrf_token": token(host), "role": "referee", "pin": "739104", "again": "739104"}
    assert host.post("/host/pin", data=given).location == "/host"
    phone.post("/enter", data={"csrf_token": token(phone), "pin": "739104"})
    assert phone.get("/referee").status_code == 200
    assert phone.get("/host").status_code == 302
    assert phone.post("/host/lights", data={"csrf_token": token(phone)}).status_code == 403


def test_a_new_pin_sends_all_other_phones_out(host: FlaskClient, phone: FlaskClient) -> None:
    phone.post("/enter", data={"csrf_token": token(phone), "pin": PIN})
    host.post(
        "/host/pin", data={"csrf_token": token(host), "role": "host", "pin": "771203", "again": "771203"}
    )
    assert host.get("/host").status_code == 200
    assert phone.get("/host").status_code == 302


@pytest.mark.parametrize(
    "path",
    [
        "/order",
        "/ruling",
        "/seat/1/call",
        "/host/new/chew",
        "/enter",
        "/leave",
        "/judge",
        "/host/pin",
        "/host/tokens",
        "/claim/1/x",
    ],
)
def test_no_form_is_taken_without_the_token_of_its_page(host: FlaskClient, desk: Desk, path: str) -> None:
    assert host.post(path, data=ORDER).status_code == 400
    assert host.post(path, data={**ORDER, "csrf_token": "made up"}).status_code == 400
    assert [one for one in desk.heard if one[0] != "picture"] == []


def test_a_viewer_can_neither_order_nor_rule_nor_call(phone: FlaskClient, desk: Desk) -> None:
    for path in ("/order", "/ruling", "/seat/1/call", "/seat/1/settle", "/referee/challenge", "/host/tokens"):
        assert sent(phone, path, ORDER).status_code == 403
    assert phone.get("/live/referee").status_code == 403
    assert desk.heard == []


def test_whoever_scans_a_seats_code_sits_there_and_nowhere_else(
    host: FlaskClient, app: Flask, desk: Desk
) -> None:
    with app.test_request_context():
        code = seat_code(2)
    phone = app.test_client()
    assert "That is my seat" in phone.get(f"/claim/2/{code}").text
    assert phone.post(f"/claim/2/{code}", data={"csrf_token": token(phone)}).location == "/seat/2"
    assert sent(phone, "/seat/2/call", {"call": "dump"}).json["accepted"] is True
    assert sent(phone, "/seat/1/call", {"call": "dump"}).status_code == 403
    assert desk.heard == [("call", 2, "dump", {}, "phone")]
    assert host.get("/host").text.count('class="qr"') == 3


def test_a_wrong_seat_code_opens_nothing(host: FlaskClient, phone: FlaskClient) -> None:
    assert host.get("/").status_code == 200
    assert phone.post("/claim/2/AAAAAAAAAA", data={"csrf_token": token(phone)}).status_code == 403


def test_three_wrong_pins_close_the_door_for_a_minute_also_after_a_restart(tmp_path: Path) -> None:
    now = [1000.0]
    pins = Pins(Kept(tmp_path), lambda: now[0])
    pins.choose("host", PIN)
    for _ in range(3):
        with pytest.raises(BadPin, match="not right"):
            pins.role_of("111222", "phone")
    again = Pins(Kept(tmp_path), lambda: now[0])
    with pytest.raises(BadPin, match="Try again in 61 seconds"):
        again.role_of(PIN, "phone")
    now[0] += 60
    assert again.role_of(PIN, "phone") == "host"


@pytest.mark.parametrize("pin", ["", "12345", "111111", "123456", "987654", "121212", "1" * 65])
def test_a_pin_that_is_guessed_at_once_is_refused(pin: str) -> None:
    assert weakness(pin)


def test_nobody_else_may_read_what_is_kept_and_no_pin_stands_there(host: FlaskClient, tmp_path: Path) -> None:
    assert host.get("/").status_code == 200
    kept = list((tmp_path / "kept").glob("*.json"))
    assert {path.name for path in kept} >= {"secret.json", "pins.json", "epoch.json"}
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert not any(PIN in path.read_text() for path in kept)


def test_a_damaged_file_of_what_is_kept_opens_nothing(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    Pins(kept).choose("host", PIN)
    (tmp_path / "failures.json").write_text("{broken")
    (tmp_path / "pins.json").write_text("[1, 2]")
    with pytest.raises(BadPin):
        Pins(kept).role_of(PIN, "phone")


def test_sessions_cannot_be_made_up(host: FlaskClient, app: Flask) -> None:
    assert host.get("/").status_code == 200
    forged = app.test_client()
    forged.set_cookie("session", "eyJyb2xlIjoiaG9zdCIsImVwb2NoIjoxfQ.aaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbb")
    assert forged.get("/host").status_code == 302


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(phone: FlaskClient) -> None:
    cookie = phone.get("/welcome").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert re.search(r"SameSite=Lax", cookie)
