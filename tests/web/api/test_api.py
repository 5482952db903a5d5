"""The interface for programs, and what watches over the device."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from companion.config.parse import parsed
from companion.errors import BadConfig
from companion.events.exported import row_from_json
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called
from companion.model.seats import MAX_SEATS
from companion.version import VERSION
from companion.web.api.__main__ import text
from companion.web.api.openapi import CallBody, EventNumber, RulingBody, schema
from companion.web.api.routes import OPENAPI_PATH
from companion.web.live.monitor import MAX_RECENT_EVENTS
from tests.web.made import Desk, begun, monitor, token


@pytest.fixture
def bearer(host: FlaskClient) -> dict[str, str]:
    """The header of a program that the host has given a token."""
    page = host.post(
        "/host/tokens", data={"csrf_token": token(host), "name": "bot"}, follow_redirects=True
    ).text
    found = re.search(r"shown only now: (\S+)</p>", page)
    assert found
    return {"Authorization": f"Bearer {found[1]}"}


def json_of(answer: Any) -> Any:
    return answer.json


def test_the_description_names_every_way_in_and_no_other(app: Flask, phone: FlaskClient) -> None:
    described = json_of(phone.get("/api/v1/openapi.json"))
    told = {(f"/api/v1{path}", method) for path, methods in described["paths"].items() for method in methods}
    there = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
        if rule.rule.startswith("/api/") and method in {"GET", "POST"}
    }
    assert told == there


@pytest.mark.parametrize(
    ("path", "answered"),
    [
        ("/state", "/state"),
        ("/table", "/table"),
        ("/games", "/games"),
        ("/games/{name}/events", "/games/one/events?after=2"),
    ],
)
def test_what_is_answered_is_as_described(phone: FlaskClient, path: str, answered: str) -> None:
    described = json_of(phone.get("/api/v1/openapi.json"))
    answer = described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    validator = Draft202012Validator({**described, **answer})
    assert list(validator.iter_errors(json_of(phone.get(f"/api/v1{answered}")))) == []


def test_the_description_that_ships_is_that_of_the_routes() -> None:
    """``python -m companion.web.api`` writes it anew."""
    assert OPENAPI_PATH.read_text(encoding="utf-8") == text()


def test_what_is_sent_is_as_described(phone: FlaskClient) -> None:
    described = json_of(phone.get("/api/v1/openapi.json"))
    call = Draft202012Validator({**described, "$ref": "#/components/schemas/Call"})
    assert call.is_valid({"seat": 2, "call": "dump", "details": {"letter": "A"}})
    assert not call.is_valid({"seat": 2})
    assert not call.is_valid({"seat": 2, "call": "dump", "whom": 1})
    assert described["paths"]["/calls"]["post"]["security"] == [{"token": []}]


def test_a_hall_that_knows_an_events_hash_gets_the_rows_after_it(phone: FlaskClient, log: EventLog) -> None:
    rows = list(log.rows("one"))
    answer = phone.get(f"/api/v1/events?game=one&after=2&known={rows[0].hash.hex()}")
    body = json_of(answer)
    assert [row_from_json(one) for one in body["events"]] == rows[2:]
    assert body["last"] == len(rows)


@pytest.mark.parametrize("known", ["", "0" * 64, "x", "00"])
def test_rows_hold_verdicts_and_are_refused_to_who_knows_no_hash(phone: FlaskClient, known: str) -> None:
    assert phone.get(f"/api/v1/events?game=one&known={known}").status_code == 403
    assert phone.get(f"/api/v1/events?game=two&known={known}").status_code == 404


def test_the_state_is_the_games(phone: FlaskClient) -> None:
    state = json_of(phone.get("/api/v1/state"))
    assert (state["pool"], state["phase"], state["seats"][0]["hand"]) == (81, "playing", 21)


def test_events_come_after_a_number(phone: FlaskClient, match: Match) -> None:
    body = json_of(phone.get("/api/v1/games/one/events?after=2"))
    assert [one["number"] for one in body["events"]] == list(range(3, match.number + 1))
    assert json_of(phone.get("/api/v1/games")) == {"games": ["one"], "current": "one"}
    assert phone.get("/api/v1/games/two/events").status_code == 404


def test_a_program_hears_events_as_they_happen(app: Flask, match: Match, phone: FlaskClient) -> None:
    stream: Any = iter(phone.get(f"/api/v1/live?after={match.number - 1}").response)
    assert next(stream) == b"retry: 2000\n\n"  # at once, so that a program knows that it is heard
    assert next(stream).startswith(f"id: {match.number} one\n".encode())
    match.handle(Called(40 * SECOND, 2, "dump"))
    monitor(app).poll_log()
    first = json.loads(next(stream).decode().partition("data: ")[2])
    assert (first["event"], first["seat"], first["call"]) == ("CallAccepted", 2, "dump")


def test_a_program_hears_a_new_game_from_its_first_event_on(
    app: Flask, match: Match, log: EventLog, phone: FlaskClient
) -> None:
    stream: Any = iter(phone.get(f"/api/v1/live?after={match.number - 1}").response)
    assert next(stream) == b"retry: 2000\n\n"
    assert next(stream).startswith(f"id: {match.number} one\n".encode())
    other = begun(log, "two")
    while other.number <= match.number:  # it is as long as the old one by the time that anybody looks
        other.handle(Called((40 + other.number) * SECOND, 2, "dump"))
    monitor(app).poll_log()
    projection = monitor(app).projection
    assert projection
    assert projection.name == "two"
    assert next(stream).startswith(b"id: 1 two\n")


def test_a_program_that_slept_through_the_start_of_a_game_gets_all_of_it(
    app: Flask, match: Match, log: EventLog, phone: FlaskClient
) -> None:
    stream: Any = iter(phone.get(f"/api/v1/live?after={match.number - 1}").response)
    last_id = [next(stream), next(stream)][1].decode().partition("\n")[0].removeprefix("id: ")
    other = begun(log, "zwei ½")
    while other.number <= match.number:
        other.handle(Called((40 + other.number) * SECOND, 2, "dump"))
    monitor(app).poll_log()
    stream = iter(phone.get("/api/v1/live", headers={"Last-Event-ID": last_id}).response)
    assert [next(stream), next(stream)][1].startswith(b"id: 1 zwei%20%C2%BD\n")
    stream = iter(phone.get("/api/v1/live", headers={"Last-Event-ID": "1 zwei%20%C2%BD"}).response)
    assert [next(stream), next(stream)][1].startswith(b"id: 2 zwei%20%C2%BD\n")


def test_a_program_that_missed_more_events_than_are_in_memory_gets_them_from_the_log(
    app: Flask, match: Match, phone: FlaskClient
) -> None:
    while match.number <= MAX_RECENT_EVENTS + 1:
        match.handle(Called((40 + match.number) * SECOND, 2, "dump"))
    monitor(app).poll_log()
    stream: Any = iter(phone.get("/api/v1/live?after=0").response)
    told = [re.findall(rb"^id: (\d+)", next(stream)) for _ in range(match.number + 1)]
    assert [int(one[0]) for one in told[1:]] == list(range(1, match.number + 1))


@pytest.mark.parametrize("path", ["/games/{name}/events", "/games/{name}/export/{form}"])
def test_a_damaged_game_is_refused_by_a_status_that_is_described(
    phone: FlaskClient, log: EventLog, tmp_path: Path, path: str
) -> None:
    begun(log, "two")
    with closing(sqlite3.connect(tmp_path / "log")) as connection, connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("UPDATE events SET at_ns = at_ns + 1 WHERE game = 'two' AND number = 3")
    answer = phone.get("/api/v1" + path.format(name="two", form="csv"))
    described = json_of(phone.get("/api/v1/openapi.json"))["paths"][path]["get"]["responses"]
    assert answer.status_code == 409
    assert str(answer.status_code) in described
    assert set(json_of(answer)) == {"error", "says"}


def test_calls_rulings_and_orders_need_a_token(
    phone: FlaskClient, desk: Desk, bearer: dict[str, str]
) -> None:
    asked = [
        ("/api/v1/calls", {"seat": 2, "call": "dump"}),
        ("/api/v1/rulings", {"ruling": "undo", "reason": "wrong"}),
        ("/api/v1/orders", {"order": "pause"}),
    ]
    for path, body in asked:
        assert phone.post(path, json=body).status_code == 401
        assert phone.post(path, json=body, headers={"Authorization": "Bearer wrong"}).status_code == 403
        assert json_of(phone.post(path, json=body, headers=bearer))["accepted"] is True
    assert desk.heard == [
        ("call", 2, "dump", {}, "api"),
        ("ruling", "undo", "wrong", None, {}),
        ("order", "pause"),
    ]


def test_a_token_is_asked_for_as_http_says(phone: FlaskClient, bearer: dict[str, str]) -> None:
    """RFC 9110, 11.1 and 11.6.1: a scheme has no case, and a 401 names the scheme that is wanted."""
    asked = {"seat": 2, "call": "dump"}
    assert phone.post("/api/v1/calls", json=asked).headers["WWW-Authenticate"].startswith("Bearer")
    small = {"Authorization": bearer["Authorization"].replace("Bearer", "bearer")}
    assert phone.post("/api/v1/calls", json=asked, headers=small).status_code == 200


@pytest.mark.parametrize("after", ["abc", "-1", "1.5", "\u00b2", "", "9" * 30])
@pytest.mark.parametrize("path", ["games/one/events?", "events?game=one&", "live?"])
def test_a_number_of_an_event_that_is_none_is_refused(phone: FlaskClient, path: str, after: str) -> None:
    answer = phone.get(f"/api/v1/{path}after={after}")
    assert answer.status_code == 400
    assert "after" in json_of(answer)["says"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("calls", []),
        ("calls", {"seat": "2", "call": "dump"}),
        ("calls", {"seat": True, "call": "dump"}),
        ("calls", {"seat": 9, "call": "dump"}),
        ("calls", {"seat": 2, "call": "shout"}),
        ("calls", {"seat": 2, "call": "dump", "details": 3}),
        ("rulings", {"ruling": "undo", "reason": " "}),
        ("rulings", {"ruling": ["undo"], "reason": "x"}),
        ("rulings", {"ruling": "undo", "reason": "x", "seat": "one"}),
        ("rulings", {"ruling": "undo", "reason": "x" * 201}),
        ("rulings", {"ruling": "undo", "reason": "x", "seat": True}),
        ("calls", {"seat": 2, "call": "dump", "details": {"letter": json.loads("[" * 500 + "]" * 500)}}),
        ("calls", {"seat": 2, "call": "dump", "details": {"letter": 10**30}}),
        ("calls", {"seat": 2, "call": "dump", "details": {"letter": float("inf")}}),
        ("orders", {"order": ["pause"]}),
        ("orders", {"order": "\ud800"}),
    ],
)
def test_what_cannot_be_understood_is_refused_in_words(
    phone: FlaskClient, desk: Desk, bearer: dict[str, str], path: str, body: Any
) -> None:
    answer = phone.post(f"/api/v1/{path}", json=body, headers=bearer)
    assert answer.status_code == 400
    assert json_of(answer)["says"]
    assert desk.heard == []


def test_json_of_too_many_levels_is_refused_in_words(phone: FlaskClient, bearer: dict[str, str]) -> None:
    body = "[" * 5_000 + "]" * 5_000
    answer = phone.post("/api/v1/calls", data=body, content_type="application/json", headers=bearer)
    assert answer.status_code == 400
    assert "levels" in json_of(answer)["says"]


def test_every_seat_that_a_table_may_have_is_heard_of() -> None:
    assert parsed({"seat": MAX_SEATS, "call": "peel"}, CallBody).seat == MAX_SEATS
    with pytest.raises(BadConfig, match=f"1 to {MAX_SEATS}"):
        parsed({"seat": MAX_SEATS + 1, "call": "peel"}, CallBody)


def test_bounds_are_described() -> None:
    shared: dict[str, Any] = {}
    schema(RulingBody, shared)
    told = shared["Ruling"]["properties"]
    assert told["reason"] == {"type": "string", "maxLength": 200}
    assert told["seat"] == {
        "anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_SEATS}, {"type": "null"}]
    }
    assert schema(EventNumber, {}) == {"type": "integer", "minimum": 0}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("calls", {"seat": 2, "call": "dump", "whom": 1}),
        ("rulings", {"ruling": "undo", "reason": "x", "whom": 1}),
        ("orders", {"order": "pause", "whom": 1}),
    ],
)
def test_a_field_that_there_is_not_is_refused_by_its_name(
    phone: FlaskClient, desk: Desk, bearer: dict[str, str], path: str, body: Any
) -> None:
    answer = phone.post(f"/api/v1/{path}", json=body, headers=bearer)
    assert answer.status_code == 400
    assert "'whom'" in json_of(answer)["says"]
    assert desk.heard == []


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "POST"])
def test_a_method_that_is_not_described_is_answered_by_those_that_are(
    phone: FlaskClient, method: str
) -> None:
    answer = phone.open("/api/v1/state", method=method)
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD"}
    assert json_of(answer)["error"] == "Method Not Allowed"


def test_what_is_sent_to_an_address_that_there_is_not_is_told_so(phone: FlaskClient) -> None:
    assert phone.post("/api/v1/nowhere", json={}).status_code == 404


def test_health_and_metrics_tell_of_log_table_and_camera(phone: FlaskClient) -> None:
    assert json_of(phone.get("/healthz")) == {"well": True, "log": "ok", "table": "ok", "version": VERSION}
    told = phone.get("/metrics").text
    assert 'companion_camera_fps{camera="0"} 9.5' in told
    assert "companion_table_answers 1" in told
    assert float(re.findall(r"^companion_web_resident_bytes (\S+)$", told, re.MULTILINE)[0]) > 1e6


def test_phones_that_look_for_the_internet_stay_on_the_hotspot(phone: FlaskClient) -> None:
    assert phone.get("/generate_204").status_code == 204
    assert "Success" in phone.get("/hotspot-detect.html").text
    assert phone.get("/connecttest.txt").text == "Microsoft Connect Test"
    assert phone.get("/success.txt?ipv4").text == "success\n"
    assert phone.get("/canonical.html").text.startswith(
        '<meta http-equiv="refresh" content="0;url=https://supp'
    )
