"""The big screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.web.pages import scoreboard
from tests.rules.martian import laid, move, roll
from tests.rules.playing_binary import FIRST, Equations
from tests.web.made import shows

STYLE = Path(scoreboard.__file__).parents[1] / "static" / "tv.css"

READABLE = 4
"""Hundredths of the screen's height that a letter needs at five metres: 1/25."""


def test_it_shows_every_tableau_and_what_is_to_place(phone: FlaskClient) -> None:
    page = phone.get("/tv").text
    assert 'aria-label="Tableau of Ada"' in page
    assert page.count('<g class="tile') == 6  # CATS, O, Q
    assert "<b>15</b> <small>to place</small>" in page  # 21 of the opening hand less these 6
    assert page.count("<b>21</b> <small>in hand</small>") == 2


def test_it_shows_the_board_of_a_game_that_has_one_and_the_points(app: Flask, phone: FlaskClient) -> None:
    table = Equations()
    table.plays(1, FIRST)
    shows(app, table)
    page = phone.get("/tv").text
    assert page.count('<g class="tile') == 6  # 1+1=10
    assert "<b>16</b> <small>points</small>" in page


def test_it_shows_where_the_pieces_stand_though_no_camera_saw_them_move(
    app: Flask, phone: FlaskClient
) -> None:
    table = laid()
    roll(table, 5, 1, 2, 4)
    move(table, 6, 1, [4, 0], [3, 0])
    shows(app, table)
    assert 'd="M14.5 69.5l' in phone.get("/tv").text  # row 4, column 1: 14.5 + 0 x 20, 9.5 + 3 x 20


def test_it_has_the_code_to_join_by_and_no_checksum(phone: FlaskClient) -> None:
    page = phone.get("/tv", base_url="http://192.168.1.5:8080").text
    code = page.partition('class="code"')[2].partition("</a>")[0]
    assert "<svg" in code
    assert "192.168.1.5:8080" in code
    assert "sha256" not in page


def test_where_only_this_machine_reaches_the_pages_there_is_no_code(phone: FlaskClient) -> None:
    assert 'class="code"' not in phone.get("/tv", base_url="http://127.0.0.1:8080").text


def test_without_scripting_it_loads_itself_anew(phone: FlaskClient) -> None:
    assert '<noscript><meta http-equiv="refresh"' in phone.get("/tv").text


@pytest.mark.parametrize("what", ["dd", "b", "h1", "h2"])
def test_counts_names_and_scores_are_a_25th_of_the_height_at_least(what: str) -> None:
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", STYLE.read_text(encoding="utf-8"))
    declared = [rest for selector, rest in rules if re.search(rf"[ (]{what}\)? *$", selector)]
    sizes = re.findall(r"font-size: calc\(([\d.]+) \* var\(--vh\)\)", " ".join(declared))
    assert sizes
    assert min(map(float, sizes)) >= READABLE
