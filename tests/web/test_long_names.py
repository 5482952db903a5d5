"""Eight players with long names, on a phone and on the big screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Order, Ordered, Ruling, Seen
from companion.model.sightings import Sighting
from companion.rpc import serve
from companion.rules.registry import game
from tests.rules.playing import stairs
from tests.web.browsing import Screen, chromium, pages
from tests.web.made import PIN, WORDS, Desk

pytestmark = pytest.mark.slow

NAMES = [f"{number}{'W' * 39}" for number in range(1, 9)]

OUTSIDE = """
return [...document.querySelectorAll(".player .figure")]
  .filter((one) => one.getBoundingClientRect().right > one.closest(".player").getBoundingClientRect().right)
  .map((one) => one.textContent);
"""
"""Returns the figures that stick out of their player's card."""


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """A host's browser before a series of eight that is being played."""
    folder = tmp_path_factory.mktemp("table")
    with (
        chromium(tmp_path_factory.mktemp("chromium")) as browser,
        EventLog(folder / "log") as log,
        serve(folder / "socket", Desk()),
    ):
        options = {"policy": "advise", "series": "best_of_3"}
        match = Match.begun(log, "one", game("bananagrams"), NAMES, options, WORDS)
        match.handle(Ordered(0, Order.START))
        match.handle(Called(SECOND, 1, "split"))
        for seat in range(1, 9):
            match.handle(Seen(2 * SECOND, seat, Sighting(tuple(stairs(11)))))
        match.handle(Ruling(3 * SECOND, "warn", "x" * 100, 2))
        with pages(folder / "log", folder / "socket", folder / "kept") as found:
            made = Screen(found.address, browser)
            made.size(390, 844)
            made.welcome(found.code, PIN)
            yield made


@pytest.mark.parametrize(
    "path", ["/", "/seat/2", "/games", "/replay/one?at=7", "/results/one", "/referee", "/host"]
)
def test_a_page_with_long_names_fits_320_px(screen: Screen, path: str) -> None:
    screen.size(320, 640)
    screen.go(path)
    assert screen.script("return document.documentElement.scrollWidth") <= 320


def test_the_figures_of_eight_players_stay_in_their_cards_on_the_big_screen(screen: Screen) -> None:
    screen.go("/")
    screen.press('.language [value="de"]')
    screen.until(lambda: "Stand" in screen.text(".top"))
    screen.size(1024, 700)
    screen.go("/tv")
    assert "gewonnene Runden" in screen.text()
    assert screen.script(OUTSIDE) == []
