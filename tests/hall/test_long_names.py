"""The hall's pages with long names on a phone, as a browser lays them out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from flask.testing import FlaskClient
from selenium import webdriver

from companion.hall.hall import Hall
from companion.hall.register import PlayerRow
from tests.hall.tables import Tables
from tests.web.browsing import Screen, chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(which("chromium") is None, reason="chromium is not installed"),
]

STYLE_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)">')


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser."""
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


@pytest.mark.parametrize(
    "path", ["/", "/rounds", "/players", "/players/p1", "/standings", "/screen", "/announcer", "/director"]
)
def test_a_page_with_long_names_fits_320_px(
    browser: webdriver.Chrome, director: FlaskClient, hall: Hall, tables: Tables, tmp_path: Path, path: str
) -> None:
    tables.online("t1", "t2")
    hall.service.open("W" * 40, "chew_evening", {"rounds": 2})
    hall.service.enter([PlayerRow(f"{number}{'W' * 39}", "C" * 60) for number in range(8)])
    hall.service.draw(hall.conductor.tables(), hall.conductor.results())
    tables.play_round()
    page = STYLE_SHEET.sub(
        lambda link: f"<style>{director.get(link[1]).text}</style>", director.get(path).text
    )
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    screen = Screen(tmp_path.as_uri(), browser)
    screen.size(320, 640)
    screen.go("/page.html")
    assert screen.script("return document.documentElement.scrollWidth") <= 320
