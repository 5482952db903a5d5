"""Tiles are chosen on a photograph: the referee taps them, and whoever settles a doubt sees the tile."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.errors import Unanswered
from companion.model.status import CloseUp
from tests.web.made import Desk, monitor, token


def test_the_referee_taps_a_tile_on_the_photograph(host: FlaskClient, desk: Desk) -> None:
    assert 'href="/referee/look/1"' in host.get("/referee").text
    page = host.get("/referee/look/1").text
    assert '<image href="/close-up/7.jpg" width="160" height="80"/>' in page
    assert re.search(
        r'<a href="/referee/tile/1/0,0" aria-label="Row 1, column 1: C"><polygon class="doubt"', page
    )
    assert host.get("/close-up/7.jpg").data.startswith(b"\xff\xd8 close")
    assert desk.heard == [("close_up", 1), ("close_up_picture", 7)]


def test_a_tile_on_the_photograph_that_is_no_more_read_cannot_be_tapped(host: FlaskClient) -> None:
    page = host.get("/referee/look/1").text
    photograph = re.search(r'<svg class="photo".*?</svg>', page, re.S)
    assert photograph is not None
    assert photograph[0].count("<polygon") == 1  # of the seat's six tiles one is in the close-up


def test_where_there_is_no_picture_the_drawn_tiles_are_tapped(
    host: FlaskClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(**_given: object) -> CloseUp:
        raise Unanswered("the camera sees no tile there now")

    monkeypatch.setattr(desk, "close_up", none)
    page = host.get("/referee/look/1").text
    assert "the camera sees no tile there now" in page
    assert "<image" not in page
    assert 'href="/referee/tile/1/0,0"' in page


def test_pages_without_a_table_show_the_drawn_tiles(host: FlaskClient, app: Flask) -> None:
    monitor(app).table = None
    page = host.get("/referee/look/1").text
    assert "<image" not in page
    assert 'href="/referee/tile/1/0,0"' in page


def test_where_nothing_lies_nothing_can_be_looked_at(host: FlaskClient) -> None:
    assert host.get("/referee/look/2").status_code == 404
    assert host.get("/referee/look/0").status_code == 404
    assert host.get("/referee/look/9").status_code == 404


def test_a_challenge_is_judged_on_the_photograph(host: FlaskClient) -> None:
    assert '<image href="/close-up/7.jpg"' in host.get("/referee/challenge/1").text


def test_a_doubt_shows_the_tile_that_it_is_about(host: FlaskClient, desk: Desk) -> None:
    for path in ("/referee", "/referee/tile/1/0,0", "/seat/1"):
        assert 'src="/tile/1/0,0.jpg"' in host.get(path).text
    assert host.get("/tile/1/0,0.jpg").data.startswith(b"\xff\xd8 tile")
    assert desk.heard[-1] == ("tile_picture", 1, (0, 0))


def test_a_player_sees_the_own_tiles_alone(app: Flask, desk: Desk, host: FlaskClient) -> None:
    player = app.test_client()
    assert player.get("/tile/1/0,0.jpg").status_code == 403
    assert player.get("/referee/look/1").status_code in {302, 403}
    assert player.get("/close-up/7.jpg").status_code in {302, 403}
    assert desk.heard == []
    assert token(host)


def test_a_tile_that_is_gone_has_no_picture(
    host: FlaskClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(**_given: object) -> bytes:
        raise Unanswered("no tile is seen there any more")

    monkeypatch.setattr(desk, "tile_picture", none)
    assert host.get("/tile/1/0,0.jpg").status_code == 404
