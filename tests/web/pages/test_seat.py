"""A player's page."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Noted, Order, Ordered, Seen
from companion.model.sightings import Sighting
from companion.model.status import Face, SeatStatus
from companion.web.app import create_app
from companion.web.auth.roles import seat_code
from tests.rules.martian import laid, passes, roll
from tests.rules.playing import Table
from tests.rules.playing_binary import FIRST, Equations
from tests.web.made import Desk, begun, monitor, sent, shows, token


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
        monitor(app).poll_log()
        page = app.test_client().get("/seat/1").text
    assert page.count('class="tile bad"') == 3  # SOQ
    assert page.count('class="tile ask"') == 2  # A and T of CATS, whose C is in doubt
    assert page.count('class="tile doubt"') == 1


def test_the_referee_may_settle_a_doubt_before_any_seat(host: FlaskClient, desk: Desk) -> None:
    assert sent(host, "/seat/1/settle", {"tile": "2,3:N:M"}).json == {
        "accepted": True,
        "says": "heard",
        "number": None,
    }
    assert desk.heard == [("settle", 1, (2, 3), "N", "M")]


@pytest.mark.parametrize("tile", ["", "2", "2,x:N", "-1,2:N", "99999,99999:N", "1,2:" + "N" * 9, "1,2:N:M:L"])
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


def test_a_doubt_offers_every_symbol_of_the_tiles_in_play(app: Flask, host: FlaskClient, desk: Desk) -> None:
    desk.faces = (Face("C", "C"), Face("Ä", "Ä"), Face("AND", "AND"), Face("x", "×"), Face("", ""))
    monitor(app).poll_status()
    page = host.get("/seat/1").text
    offered = re.findall(r'name="tile" value="0,0:([^"]*)">([^<]*)<', page)
    assert offered == [("C:C", "It is C"), ("Ä:C", "Ä"), ("AND:C", "AND"), ("x:C", "×"), (":C", "blank")]


def test_what_was_not_read_beside_a_tile_is_asked_about_in_its_own_words(
    app: Flask, match: Match, host: FlaskClient
) -> None:
    match.handle(Seen(21 * SECOND, 1, Sighting(("CATS", "...O", "...Q"), "Z", 0, ((0, 0),), ((0, 0),))))
    monitor(app).poll_log()
    for path in ("/seat/1", "/referee"):
        page = host.get(path).text
        assert re.findall(r'value="0,0:([^"]*)">([^<]*)<', page) == [("C:C", "Nothing lies there")], path
        assert "The camera cannot read what lies beside it." in page
    assert "What lies beside this tile?" in host.get("/seat/1").text


def test_a_blank_in_a_tableau_is_settled_as_a_blank(host: FlaskClient, desk: Desk) -> None:
    sent(host, "/seat/1/settle", {"tile": "0,0:"})
    assert desk.heard == [("settle", 1, (0, 0), "", None)]


def calls(player: FlaskClient) -> list[str]:
    """The calls that a seat's page offers as buttons."""
    return re.findall(r'<button form="call-(\w+)"', player.get("/seat/2").text)


@pytest.fixture
def player(app: Flask) -> FlaskClient:
    """The phone of seat 2."""
    client = app.test_client()
    with app.test_request_context():
        code = seat_code(2)
    client.post(f"/claim/2/{code}", data={"csrf_token": token(client)})
    return client


def test_only_calls_that_mean_something_now_are_buttons(
    app: Flask, match: Match, player: FlaskClient
) -> None:
    assert calls(player) == ["peel", "dump"]  # SPLIT was said, and the bunch is not too small
    match.handle(Ordered(30 * SECOND, Order.PAUSE))
    monitor(app).poll_log()
    assert calls(player) == []
    assert "Play is paused" in player.get("/seat/2").text


def test_who_is_not_on_turn_is_offered_no_turn(app: Flask, player: FlaskClient) -> None:
    table = Equations()
    shows(app, table)
    assert calls(player) == []
    table.plays(1, FIRST)
    shows(app, table)
    assert calls(player) == ["play", "exchange", "pass", "challenge"]


def rolled() -> Table:
    """Return a game of Martian Boggle in which seat 2 has rolled 1 and 2."""
    table = laid()
    passes(table, 1, 1)
    roll(table, 2, 2, 1, 2)
    return table


def test_dice_are_one_tap(app: Flask, player: FlaskClient, desk: Desk) -> None:
    table = laid()
    passes(table, 1, 1)
    shows(app, table)
    page = player.get("/seat/2").text
    assert len(re.findall(r'<button form="call-roll"[^>]* name="dice"', page)) == 10  # 1 1, 1 2 ... 4 4
    sent(player, "/seat/2/call", {"call": "roll", "dice": "1 4"})
    assert desk.heard[-1][:4] == ("call", 2, "roll", {"dice": [1, 4]})


def test_a_move_is_a_tap_on_the_own_piece_and_one_on_a_free_square(
    app: Flask, player: FlaskClient, desk: Desk
) -> None:
    shows(app, rolled())
    page = player.get("/seat/2").text
    own = re.findall(r'<input form="call-move" type="radio" name="from" value="([^"]+)"', page)
    free = re.findall(r'<button form="call-move" class="square" name="to" value="([^"]+)"', page)
    assert (own, len(free)) == ([f"0,{col}" for col in range(5)], 15)
    sent(player, "/seat/2/call", {"call": "move", "from": own[0], "to": free[0]})
    assert desk.heard[-1][:4] == ("call", 2, "move", {"from": [0, 0], "to": [1, 0]})


def test_somebody_elses_phone_has_no_buttons_to_call(phone: FlaskClient) -> None:
    assert calls(phone) == []


def test_a_call_that_waits_for_the_camera_is_told(app: Flask, desk: Desk, phone: FlaskClient) -> None:
    assert "Looking at your tiles" not in phone.get("/seat/1").text
    desk.changes = {"waiting": (1,)}
    monitor(app).poll_status()
    page = phone.get("/seat/1").text
    assert page.count("Looking at your tiles") == 2  # it is read aloud too
    assert "Looking at your tiles" in page.partition('role="status" data-region="aloud"')[2][:200]
    assert "Looking at your tiles" not in phone.get("/seat/2").text
    assert phone.get("/").text.count("looking at the tiles") == 1
    assert phone.get("/tv").text.count("looking at the tiles") == 1


def test_a_seat_is_told_what_its_light_says_to_draw(app: Flask, desk: Desk, phone: FlaskClient) -> None:
    desk.changes = {"seats": (SeatStatus(1, "Ada", "draw", 3), SeatStatus(2, "Bo", "turn", 1))}
    monitor(app).poll_status()
    assert "Draw 3 tiles" in phone.get("/seat/1").text
    assert "Turn 1 tile over" in phone.get("/seat/2").text
    assert "Draw" not in phone.get("/seat/3").text


def test_a_seat_that_no_camera_sees_is_told_so(app: Flask, match: Match, phone: FlaskClient) -> None:
    match.handle(Noted(30 * SECOND, "the camera is gone", sees=False, seats=(2,)))
    monitor(app).poll_log()
    assert "people judge your calls" in phone.get("/seat/2").text
    assert "people judge your calls" not in phone.get("/seat/1").text


def test_a_camera_that_is_behind_is_told(app: Flask, desk: Desk, phone: FlaskClient) -> None:
    desk.changes = {"behind_s": 1.0}
    monitor(app).poll_status()
    assert "The camera is behind" not in phone.get("/seat/1").text
    desk.changes = {"behind_s": 4.0}
    monitor(app).poll_status()
    assert "The camera is behind" in phone.get("/seat/1").text
    assert "The camera is behind" in phone.get("/").text


def test_the_pool_is_told_by_count_and_as_seen(app: Flask, desk: Desk, phone: FlaskClient) -> None:
    assert "by count" not in phone.get("/").text
    desk.changes = {"pool_seen": 79, "pool_counted": 81}
    monitor(app).poll_status()
    assert "In the middle: 81 by count, 79 seen" in phone.get("/").text


@pytest.mark.parametrize("path", ["/", "/tv", "/seat/1", "/referee"])
def test_who_has_not_drawn_and_whose_tiles_touch_is_told(
    app: Flask, desk: Desk, host: FlaskClient, path: str
) -> None:
    notes = ("Ada has 20 of 22 tiles", "the tiles of Ada touch those of Bo: move them apart")
    desk.changes = {"seats": (SeatStatus(1, "Ada", "draw", 1, notes=notes),)}
    monitor(app).poll_status()
    page = unescape(host.get(path).text).lower()
    assert [note for note in notes if note.lower() not in page] == []


@pytest.mark.parametrize("path", ["/host", "/referee"])
def test_tiles_in_nobodys_part_are_told_to_host_and_referee(
    app: Flask, desk: Desk, host: FlaskClient, path: str
) -> None:
    desk.changes = {"notes": ("3 tiles lie in nobody's part",)}
    monitor(app).poll_status()
    assert "3 tiles lie in nobody's part" in unescape(host.get(path).text)


@pytest.mark.parametrize("path", ["/", "/tv", "/seat/1", "/referee", "/host"])
def test_while_the_table_is_behind_each_page_says_once_that_calls_wait(
    app: Flask, desk: Desk, host: FlaskClient, path: str
) -> None:
    desk.changes = {"behind_s": 9.0}
    monitor(app).poll_status()
    page = host.get(path).text
    assert page.count("The camera is behind") == 1
    assert "wait" in page.partition("The camera is behind")[2][:80]
    assert "The camera is sure" not in page


def test_what_never_stands_still_wakes_nobody(app: Flask, desk: Desk) -> None:
    desk.changes = {"started_s": 10.0, "behind_s": 0.1}
    monitor(app).poll_status()
    before = monitor(app).revision
    desk.changes = {"started_s": 11.0, "behind_s": 0.2}
    monitor(app).poll_status()
    assert monitor(app).revision == before


def details(desk: Desk) -> object:
    """What the last call took along."""
    return desk.heard[-1][3]


def test_a_new_blank_is_asked_for_where_it_lies(app: Flask, player: FlaskClient, desk: Desk) -> None:
    desk.faces = (Face("0", "0"), Face("1", "1"), Face("", ""))
    monitor(app).poll_status()
    table = Equations()
    table.plays(1, FIRST)
    table.lay((8, 5, "down", "?"))
    shows(app, table)
    page = player.get("/seat/2").text
    assert "The blank in row 9, column 6 stands for" in page
    assert page.count('name="blanks"') == 1
    sent(player, "/seat/2/call", {"call": "play", "blanks": "8,5:1"})
    assert details(desk) == {"blanks": [[8, 5, "1"]]}


def test_what_others_hold_is_told_seat_by_seat(app: Flask, player: FlaskClient, desk: Desk) -> None:
    shows(app, Equations())
    sent(player, "/seat/2/call", {"call": "out", "unplayed-1": "0 1 and ?"})
    assert details(desk) == {"unplayed": {"1": ["0", "1", "AND", ""]}}
