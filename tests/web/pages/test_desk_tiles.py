"""The referee's desk: what comes first, cells that are tapped, what the camera is sure of."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from companion.events.match import Match
from companion.model.calls import SECOND, Noted
from companion.web.i18n.event_text import details_text
from companion.web.i18n.language import use_language
from tests.rules.martian import laid
from tests.rules.playing import splitted, stairs
from tests.rules.playing_binary import FIRST, Equations
from tests.web.made import Desk, monitor, sent, shows


def test_rulings_come_before_the_evidence(host: FlaskClient) -> None:
    page = host.get("/referee").text
    places = [page.index(text) for text in ('data-region="doubts"', 'value="rule_word"', "<h2>Evidence")]
    assert places == sorted(places)


def test_nobody_types_a_row_or_a_column(app: Flask, host: FlaskClient) -> None:
    shows(app, laid())
    page = host.get("/referee").text
    assert "from 0" not in page
    assert re.findall(r'<input type="text"[^>]*name="(?:cell|cells)"', page) == []
    assert page.count('<input type="checkbox" name="cells"') == 25


def test_a_tile_is_tapped_where_it_is_drawn_and_said_with_one_key(host: FlaskClient, desk: Desk) -> None:
    page = host.get("/referee").text
    assert '<a href="/referee/tile/1/1,3" aria-label="Row 2, column 4: O">' in page  # the O of SOQ
    tile = host.get("/referee/tile/1/1,3").text
    assert "Row 2, column 4" in tile
    assert 'class="tile picked"' in tile
    fields = dict(re.findall(r'type="hidden" name="(ruling|seat|cell|shown)" value="([^"]*)"', tile))
    assert 'name="symbol" value="N"' in tile
    sent(host, "/ruling", {**fields, "symbol": "N", "reason": "looked"})
    assert desk.heard == [("ruling", "read_tile", "looked", 1, {"cell": [1, 3], "symbol": "N", "shown": "O"})]


def test_a_tile_of_the_board_may_be_a_blank(app: Flask, host: FlaskClient, desk: Desk) -> None:
    table = Equations()
    table.plays(1, FIRST)
    shows(app, table)
    assert '<a href="/referee/tile/0/7,5" aria-label="Row 8, column 6: 1">' in host.get("/referee").text
    given = {"ruling": "read_tile", "seat": "", "cell": "7,5", "symbol": "?", "reason": "looked"}
    sent(host, "/ruling", given)
    assert desk.heard == [("ruling", "read_tile", "looked", None, {"cell": [7, 5], "symbol": "?"})]


def test_cells_that_were_ticked_are_a_list(app: Flask, host: FlaskClient, desk: Desk) -> None:
    shows(app, laid())
    given: dict[str, Any] = {"ruling": "set_pieces", "seat": "1", "cells": ["4,0:", "4,1:"], "reason": "seen"}
    sent(host, "/ruling", given)
    assert desk.heard == [("ruling", "set_pieces", "seen", 1, {"cells": [[4, 0], [4, 1]]})]


def test_where_no_tile_lies_any_more_there_is_nothing_to_read(host: FlaskClient) -> None:
    for path in ("/referee/tile/1/9,9", "/referee/tile/9/0,0", "/referee/tile/0/0,0"):
        assert host.get(path).status_code == 404


def test_only_the_referee_reads_tiles(phone: FlaskClient) -> None:
    assert phone.get("/referee/tile/1/0,0").status_code == 302


def test_the_camera_is_sure_only_of_what_it_sees(app: Flask, match: Match, host: FlaskClient) -> None:
    page = host.get("/referee").text  # one seat was seen
    assert "does not see the tiles of Bo &lt;b&gt;bold&lt;/b&gt;, Chi &amp; Co" in page
    assert "The camera is sure" not in page
    match.handle(Noted(30 * SECOND, "the camera is gone", sees=False, seats=()))
    monitor(app).poll_log()
    assert "does not see the tiles of Ada, Bo" in host.get("/referee").text


def test_a_board_that_is_seen_without_a_doubt_is_sure(app: Flask, host: FlaskClient) -> None:
    table = Equations()
    table.plays(1, FIRST)
    shows(app, table)
    assert "The camera is sure of every tile that it sees." in host.get("/referee").text


def test_cells_are_counted_from_1_where_people_read_them() -> None:
    with use_language("en"):
        assert details_text({"from": (4, 0), "to": (3, 0)}) == " row 5 column 1 → row 4 column 1"
        assert details_text({"blanks": (((0, 8), "1"),)}) == " row 1 column 9: 1"
        assert details_text({"cell": "nowhere", "blanks": (8,)}) == " nowhere 8"  # another game's own
        assert details_text({"by": "phone"}) == " (by phone)"


def test_what_the_table_held_against_a_call_is_evidence(app: Flask, host: FlaskClient) -> None:
    table = splitted(policy="advise")
    table.sees(2, 1, *stairs(17))
    table.call(3, 1, "peel")
    shows(app, table)
    assert "stands, but the table warns" in host.get("/referee").text.partition("<h2>Evidence")[2]
