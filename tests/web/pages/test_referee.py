"""The referee's desk and the host's page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.datastructures import MultiDict

from companion.events.match import Match
from companion.model.calls import MILLISECOND, SECOND, Called, Order, Ordered
from companion.rpc import TableClient
from companion.rules import fields as taken
from companion.rules.options import option_values as validated
from companion.rules.play import ruling_kinds
from companion.rules.registry import entries, game
from companion.web.pages.table_requests import parse_details
from companion.web.setup.forms import changed_options, fields
from tests.web.made import NAMES, Desk, monitor, sent, token


def test_the_desk_shows_everything_words_and_all(host: FlaskClient) -> None:
    page = host.get("/referee").text
    assert "Not in the list: SOQ" in page
    assert "Row 1, column 1" in page
    for ruling in (
        "overturn_done",
        "rule_word",
        "read_tile",
        "set_score",
        "set_place",
        "disqualify",
        "reinstate",
        "undo",
    ):
        assert f'id="rule-{ruling}"' in page


def test_the_evidence_of_a_call_tells_how_close_it_was(app: Flask, match: Match, host: FlaskClient) -> None:
    match.handle(Called(30 * SECOND, 2, "dump"))
    match.handle(Called(30 * SECOND + 3 * MILLISECOND, 3, "dump"))
    monitor(app).poll_log()
    page = host.get("/referee").text
    assert "3.000 ms after the call before" in page
    assert "inside the tie window" in page
    assert host.get("/evidence/12.jpg").data.startswith(b"\xff\xd8")


@pytest.mark.parametrize(
    ("given", "heard"),
    [
        (
            {"ruling": "rule_word", "word": "zoo", "valid": "true", "reason": "agreed"},
            ("ruling", "rule_word", "agreed", None, {"word": "zoo", "valid": True}),
        ),
        (
            {"ruling": "read_tile", "cell": "2, 3", "symbol": "N", "seat": "1", "reason": "looked"},
            ("ruling", "read_tile", "looked", 1, {"cell": [2, 3], "symbol": "N"}),
        ),
        (
            {"ruling": "set_score", "score": "2.5", "seat": "3", "reason": "shared"},
            ("ruling", "set_score", "shared", 3, {"score": 2.5}),
        ),
        (
            {"ruling": "penalize", "points": "5", "seat": "3", "reason": "talked"},
            ("ruling", "penalize", "talked", 3, {"points": 5}),
        ),
        (
            {"ruling": "substitute", "player": "12", "seat": "1", "reason": "ill"},
            ("ruling", "substitute", "ill", 1, {"player": "12"}),
        ),
        (
            {"ruling": "set_clock", "seconds": "-0:30", "seat": "", "reason": "stood"},
            ("ruling", "set_clock", "stood", None, {"seconds": "-0:30"}),
        ),
        ({"ruling": "undo", "reason": "too early"}, ("ruling", "undo", "too early", None, {})),
    ],
)
def test_a_ruling_reaches_the_table_with_its_reason(
    host: FlaskClient, desk: Desk, given: Any, heard: Any
) -> None:
    assert sent(host, "/ruling", given).json["accepted"] is True
    assert desk.heard == [heard]


def test_squares_that_were_tapped_are_passed_on() -> None:
    tapped = MultiDict([("cells", "4,0:"), ("cells", "4,1:")])
    assert parse_details({"cells": taken.list_field(taken.cell, 5)}, tapped) == {"cells": [[4, 0], [4, 1]]}
    assert parse_details({"cell": taken.cell}, {"cell": "4,0"}) == {"cell": [4, 0]}


def test_nobody_types_a_row_or_a_column() -> None:
    takes = {
        (name, detail)
        for played in entries()
        for name, kind in ruling_kinds(game(played)).items()
        for detail, field in kind.takes.items()
        if field is taken.cell or "cell" in detail
    }
    assert {detail for _, detail in takes} == {"cell", "cells"}  # these are tapped


def test_a_ruling_asks_for_a_player_only_where_it_is_about_one(host: FlaskClient) -> None:
    page = host.get("/referee").text
    needed, free = (re.search(rf'<select id="{name}-seat"[^>]*>', page) for name in ("penalize", "set_clock"))
    assert needed is not None
    assert free is not None
    assert ("required" in needed[0], "required" in free[0]) == (True, False)
    assert 'id="rule_word-seat"' not in page


def test_orders_reach_the_table_and_others_do_not(host: FlaskClient, desk: Desk) -> None:
    assert sent(host, "/order", {"order": "pause"}).json["accepted"] is True
    assert sent(host, "/order", {"order": "dance"}).status_code == 400
    assert desk.heard == [("order", "pause")]


def test_a_challenge_stops_the_clocks_and_lists_the_words(host: FlaskClient, desk: Desk) -> None:
    assert (
        host.post("/referee/challenge", data={"csrf_token": token(host), "seat": "1"}).location
        == "/referee/challenge/1"
    )
    assert desk.heard == [("order", "pause")]
    page = host.get("/referee/challenge/1").text
    assert "CATS" in page
    assert "SOQ" in page
    rows = dict(re.findall(r"<b>(\w+)</b> <small>[^<]*</small>\n(.*?)</li>", page, re.DOTALL))
    closed = {word: re.findall(r" disabled>([^<]+)<", row) for word, row in rows.items()}
    assert closed == {"CATS": [], "SOQ": ["Rule it a phony"]}  # so a second tap rules nothing back
    assert host.post("/referee/challenge", data={"csrf_token": token(host), "seat": "9"}).status_code == 400


def test_a_host_sets_a_game_up_from_a_phone(host: FlaskClient, desk: Desk) -> None:
    given = {
        "csrf_token": token(host),
        "name-01": " Ada ",
        "name-02": "Bo",
        "words": "default",
        "tiles": "kitchen",
        "option-policy": "advise",
        "option-cap_s": "600",
    }
    assert host.post("/host/new/league_city", data=given).location == "/host"
    assert desk.heard == [
        (
            "set_up",
            "league_city",
            ("Ada", "Bo"),
            {"policy": "advise", "cap_s": 600, "duplicates": False},
            "default",
            "kitchen",
        )
    ]
    assert "Ada, Bo" in host.get("/host/new/chew").text  # the same players may sit down again


def test_the_handicaps_that_players_bring_are_told_where_a_game_is_set_up(
    host: FlaskClient, app: Flask, match: Match
) -> None:
    found = Match.begun(match.log, "two", game("chew"), ["Ada", "Bo"], {"handicaps": [12, 8]}, match.words)
    monitor(app).poll_log()
    given = {"csrf_token": token(host), "name-01": "Ada", "name-02": "Bo", "option-cap_s": "minus"}
    page = host.post("/host/new/chew", data=given).text
    assert "Kept from earlier games: Ada 12, Bo 8." in page
    assert found.state.started is False


def test_another_game_is_what_a_host_does_first_only_once_this_one_is_over(
    host: FlaskClient, app: Flask, match: Match
) -> None:
    assert '<a class="button" href="/host/new">' in host.get("/host").text
    match.handle(Ordered(90 * SECOND, Order.END))
    monitor(app).poll_log()
    assert '<a class="button primary" href="/host/new">' in host.get("/host").text


def test_the_tiles_of_a_game_are_chosen_among_those_known_and_those_learnt(host: FlaskClient) -> None:
    page = host.get("/host/new/chew").text
    known = '<option value="bananagrams-en" selected>English Bananagrams</option>'
    assert f'<optgroup label="Known from the start">{known}<option value="binary">' in page
    assert (
        '<optgroup label="Learnt at this table"><option value="kitchen">kitchen</option></optgroup>' in page
    )
    assert "any more" not in page


def test_tiles_that_are_gone_are_said_and_others_have_to_be_chosen(host: FlaskClient, desk: Desk) -> None:
    desk.chosen = "/var/lib/companion/tiles/cellar.json"
    page = host.get("/host/new/chew").text
    assert '<select id="tiles" name="tiles" required><option value="" selected>choose</option>' in page
    assert "The tiles cellar are not there any more: choose others, or learn them again." in page


def test_tiles_that_the_table_refuses_stay_chosen_in_the_form(host: FlaskClient, desk: Desk) -> None:
    desk.refuses = "no"
    given = {"csrf_token": token(host), "name-01": "Ada", "name-02": "Bo", "tiles": "binary"}
    page = host.post("/host/new/chew", data=given).text
    assert '<option value="binary" selected>' in page


def test_where_no_table_answers_its_tiles_are_not_asked_for(host: FlaskClient, app: Flask) -> None:
    monitor(app).table = TableClient(Path("/nowhere"))
    assert 'name="tiles"' not in host.get("/host/new/chew").text
    monitor(app).table = None
    assert 'name="tiles"' not in host.get("/host/new/chew").text


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name-01": "Ada"}, "is for 2 to 2 players; got 1"),
        ({"name-01": "Ada", "name-02": "Ada"}, "a name of its own"),
        ({"name-01": "Ada", "name-02": "B" * 41}, "1 to 40 printable characters"),
        ({"name-01": "Ada", "name-02": "Bo", "option-player_s": "minus"}, "player_s"),
    ],
)
def test_what_cannot_be_set_up_is_told_and_nothing_typed_is_lost(
    host: FlaskClient, desk: Desk, given: dict[str, str], says: str
) -> None:
    page = host.post("/host/new/martian_boggle", data={"csrf_token": token(host), **given}).text
    assert says in page
    assert 'value="Ada"' in page
    assert desk.heard == []


@pytest.mark.parametrize("name", sorted(entries()))
def test_a_form_left_alone_is_the_game_by_its_defaults(name: str) -> None:
    options = game(name).options
    form = {
        f"option-{one.option.name}": one.value
        for one in fields(options, {})
        if one.form != "flag" or one.value == "true"
    }
    assert changed_options(options, form) == {}
    assert validated(options, changed_options(options, form)) == {
        option.name: option.default for option in options
    }


def test_lights_can_be_tested_and_tokens_taken_back(host: FlaskClient, desk: Desk) -> None:
    assert sent(host, "/host/lights", {"seat": "2"}).json["accepted"] is True
    assert desk.heard == [("lights", 2)]
    host.post("/host/tokens", data={"csrf_token": token(host), "name": "<script>"})
    page = host.get("/host").text
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_the_results_of_a_game_are_a_page_and_files(host: FlaskClient) -> None:
    page = host.get("/results/one").text
    assert all(name.partition(" ")[0] in page for name in NAMES)
    for form in ("json", "csv", "txt", "tsh"):
        answer = host.get(f"/games/one.{form}")
        assert answer.status_code == 200
        assert f'filename="one.{form}"' in answer.headers["Content-Disposition"]


def test_a_replay_steps_from_call_to_call(host: FlaskClient) -> None:
    first, last = host.get("/replay/one?at=1").text, host.get("/replay/one?at=999").text
    assert "Getting ready" in first
    assert "Playing" in last
    assert "1 / " in first
    for at in ("0", "-5", "x", "9" * 30):
        assert host.get(f"/replay/one?at={at}").status_code == 200


def test_phones_join_by_a_code_and_the_wifis_is_shown_when_the_host_wants_it(host: FlaskClient) -> None:
    services = "http://192.168.4.1"
    assert host.get("/join", base_url=services).text.count('class="qr"') == 1
    host.post("/host/wifi", data={"csrf_token": token(host), "name": "Table; 1", "key": "secret"})
    assert host.get("/join", base_url=services).text.count('class="qr"') == 2


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("/ruling", {"ruling": "set_score", "reason": "x", "seat": "9" * 5000, "score": "1"}),
        ("/ruling", {"ruling": "set_score", "reason": "x", "seat": "1", "score": "[" * 1999}),
        ("/ruling", {"ruling": "set_score", "reason": "x", "seat": "1", "score": "[" * 500 + "]" * 500}),
        ("/ruling", {"ruling": "set_score", "reason": "x", "seat": "1", "score": "9" * 1999}),
        ("/ruling", {"ruling": "set_score", "reason": "\ud800", "seat": "1", "score": "1"}),
        ("/referee/challenge", {"seat": "9" * 5000}),
        ("/referee/challenge", {"seat": "٣"}),
        ("/seat/1/settle", {"tile": "٣,٣:A"}),
    ],
)
def test_no_field_however_odd_breaks_a_page(host: FlaskClient, path: str, given: dict[str, str]) -> None:
    form = urlencode({"csrf_token": token(host), **given}, errors="surrogatepass")
    answer = host.post(path, data=form, content_type="application/x-www-form-urlencoded")
    assert answer.status_code < 500
