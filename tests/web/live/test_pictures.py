"""The README's pictures of the pages, taken anew from a game of bots.

Set ``PICTURES=companion/pictures`` to keep them.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from PIL import Image
from selenium.webdriver.common.by import By

from companion.bootstrap.simulated.game import SimulatedGame
from companion.cli import main
from companion.model.calls import Order
from companion.rpc import TableClient
from companion.rules import event as ev
from tests.web.browsing import BUSY, NAME, UNSAFE, Screen, chromium, pages
from tests.web.made import PIN
from tests.web.simulated import Playing, playing

pytestmark = pytest.mark.live

LAST = "00001 kitchen 2026-11-20 20.15"
"""Last evening's game."""

HIGH, GAP, GROUND = 720, 28, "#8a8375"
"""Height of a screen and breadth of what is between two, in pixels; colour of a sheet."""

BROAD = {"pages": 1600, "desks": 1120}
"""Breadth of each sheet in pixels."""

MOST_BYTES = 150_000

THERE = """
return (!document.body.dataset.live || document.body.dataset.number) &&
  [...document.images].every((one) => one.complete && one.naturalWidth);
"""
"""Returns whether a page has heard of the game and shows all its pictures."""


LANGUAGE = "return document.documentElement.lang"
"""Returns the language of a page."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A page as it is pictured: its address, by day or night, how broad, what is judged, the language."""

    path: str
    scheme: str = "light"
    width: int = 390
    words: tuple[str, ...] = ()
    language: str = "en"


SEATS = Shot("/host/table/seats")
"""Where the table is set up, before a game."""

SHEETS = {
    "pages": ((Shot("/"), Shot("/tv", "dark", 1280), Shot("/seat/1", "dark", language="de")),),
    "desks": (
        (Shot("/host"), SEATS, Shot("/host/new"), Shot("/referee", "dark")),
        (
            Shot("/judge?words=2", words=("quartz", "jib")),
            Shot("/replay/{last}?at=24", "dark"),
            Shot("/results/{last}", language="de"),
            Shot("/join"),
        ),
    ),
}
"""The sheets and what is on them, row by row, from left to right."""


def last_evening(root: Path, log: Path) -> None:
    """Play a whole game of three rounds, written down for another test."""
    script = (root / "tests" / "games" / "league_city_jamesian.jsonl").read_text("utf-8")
    set_up, _, rest = script.partition("\n")
    given = json.loads(set_up)
    given["seats"] = [name.title() for name in given["seats"]]
    written = log.with_name("last.jsonl")
    written.write_text(f"{json.dumps(given)}\n{rest}", "utf-8")
    assert main(["referee", str(written), "--log", str(log), "--game", LAST]) == 0


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Playing]:
    """A table that four bots have poured their tiles onto, and last evening's game in its log."""
    plan = SimulatedGame.of("bananagrams", 4, 3, tmp_path_factory.mktemp("table"))
    last_evening(root, plan.folder / "games.db")
    with playing(plan) as found:
        found.goes_on(lambda: found.simulated_table.ready, "tiles on the table")
        yield found


@pytest.fixture(scope="module")
def screen(table: Playing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """The host's browser before the pages of that table."""
    folder = tmp_path_factory.mktemp("host")
    with pages(table.log, table.line, folder / "web") as served, chromium(folder / "chromium") as browser:
        found = Screen(served.address.replace("127.0.0.1", NAME), browser, expected=[BUSY, UNSAFE])
        found.welcome(served.code, PIN)
        yield found


@pytest.fixture(scope="module")
def set_up(table: Playing, screen: Screen) -> Image.Image:
    """A picture of the table being set up, for which its camera looks anew."""
    with table.going():
        return taken(screen, SEATS)


@pytest.fixture(scope="module")
def middle(table: Playing, set_up: Image.Image) -> Image.Image:
    """The same picture, and a game that has come to its middle since."""
    with table.going():
        TableClient(table.line).order(Order.START)
    table.goes_on(lambda: table.happened(ev.CallAccepted) > 3, "the middle of the game")
    return set_up


def taken(screen: Screen, shot: Shot) -> Image.Image:
    """Return a page as it looks when all on it is there."""
    screen.size(shot.width, HIGH, shot.scheme)
    screen.go(shot.path.format(last=quote(LAST)))
    if screen.script(LANGUAGE) != shot.language:
        screen.press(f'.language [value="{shot.language}"]')
        screen.until(lambda: screen.script(LANGUAGE) == shot.language)
        screen.go(shot.path.format(last=quote(LAST)))
    for number, word in enumerate(shot.words, 1):
        screen.write(f"#word{number}", word)
    if shot.words:
        screen.press("form.card button.primary")
        screen.until(lambda: screen.browser.find_element(By.CSS_SELECTOR, ".verdict"))
    screen.until(lambda: screen.script(THERE))
    picture = Image.open(io.BytesIO(screen.browser.get_screenshot_as_png())).convert("RGB")
    assert picture.size == (shot.width, HIGH)
    return picture


def sheet(rows: list[list[Image.Image]], shown: int) -> Image.Image:
    """Return pictures side by side, row by row, on a sheet as broad as it is shown."""
    broad = max(sum(one.width + GAP for one in row) for row in rows) + GAP
    whole = Image.new("RGB", (broad, len(rows) * (HIGH + GAP) + GAP), GROUND)
    for number, row in enumerate(rows):
        left = GAP
        for one in row:
            whole.paste(one, (left, number * (HIGH + GAP) + GAP))
            left += one.width + GAP
    return whole.resize((shown, round(whole.height * shown / broad)), Image.Resampling.LANCZOS)


@pytest.mark.parametrize("name", SHEETS)
def test_every_page_is_pictured_as_the_readme_shows_it(
    screen: Screen, middle: Image.Image, name: str, root: Path, tmp_path: Path
) -> None:
    made = Path(os.environ.get("PICTURES", tmp_path)) / f"{name}.jpg"
    rows = [[middle if shot is SEATS else taken(screen, shot) for shot in row] for row in SHEETS[name]]
    sheet(rows, BROAD[name]).save(made, quality=66, optimize=True)
    assert screen.faults() == []
    kept = root / "companion" / "pictures" / made.name
    written = [root / "README.md", root / "companion/docs/pages.md"]
    assert any(f"pictures/{made.name})" in path.read_text("utf-8") for path in written)
    with Image.open(kept) as old, Image.open(made) as new:
        assert old.size == new.size
    assert max(made.stat().st_size, kept.stat().st_size) < MOST_BYTES
