"""The hall's pages in a browser while an evening runs: on a phone and on a wall."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from tests.hall.broker import needs_mosquitto
from tests.web.browsing import ROOT, TOO_SMALL, Screen, chromium
from tests.web.made import PIN

pytestmark = [
    needs_mosquitto,
    pytest.mark.live,
    pytest.mark.skipif(which("chromium") is None, reason="chromium is not installed"),
]

PUBLIC = ("/", "/standings", "/rounds", "/screen", "/players", "/players/p3", "/help", "/enter")
KEPT = ("/director", "/referee", "/announcer", "/players/p3")
SIZES = ((390, 844), (1920, 1080))
BROADER = "return document.documentElement.scrollWidth - window.innerWidth"


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """A browser before the hall of a demo, signed in as its director."""
    words = ["hall-demo", "--tables", "3", "--rounds", "20", "--pace", "0.5", "--port", "0"]
    command = [sys.executable, "-P", "-m", "companion", *words]
    folder: Path = tmp_path_factory.mktemp("browser")
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stderr is not None
        address = next(
            translate[1] for line in demo.stderr if (translate := re.match(r"open (http\S+)/ ", line))
        )
        code = next(translate[1] for line in demo.stderr if (translate := re.search(r"code is (\d+)", line)))
        with chromium(folder) as browser:
            found = Screen(address, browser)
            found.go("/welcome")
            for where, what in (("#code", code), ("#pin", PIN), ("#again", PIN)):
                found.write(where, what)
            found.press("main form button.primary")
            found.until(lambda: "Director" in found.text())
            yield found
        demo.terminate()


@pytest.mark.parametrize("page", [*PUBLIC, *KEPT])
def test_every_page_can_be_used_by_everybody_and_fits(screen: Screen, page: str) -> None:
    for width, height in SIZES:
        screen.size(width, height)
        screen.go(page)
        assert screen.violations() == []
        assert screen.script(TOO_SMALL) == []
        assert screen.script(BROADER) <= 0
    assert screen.faults() == []


COLUMNS = "return new Set([...document.querySelectorAll('.names li')].map((one) => one.offsetLeft)).size"


def test_the_big_screen_has_one_column_on_a_phone_so_that_nothing_overlaps(screen: Screen) -> None:
    found = []
    for size in SIZES:
        screen.size(*size)
        screen.go("/screen")
        found.append(screen.script(COLUMNS))
    assert found[0] == 1
    assert found[1] > 1


ROWS = "return [...document.querySelectorAll('.ranks tr')].map((one) => getComputedStyle(one).display)"


def test_the_standings_are_one_table_with_the_best_three_in_it(screen: Screen) -> None:
    screen.go("/standings")
    screen.until(lambda: "podium" in screen.script("return document.body.innerHTML"))
    assert set(screen.script(ROWS)) == {"table-row"}


LETTER = "return parseFloat(getComputedStyle(document.querySelector('.hallgrid .seats')).fontSize)"


def test_letters_on_the_wall_grow_with_the_screen(screen: Screen) -> None:
    screen.go("/")
    screen.until(lambda: screen.script("return !!document.querySelector('.hallgrid .seats')"))
    sizes = []
    for size in (*SIZES, (3840, 2160)):
        screen.size(*size)
        sizes.append(screen.script(LETTER))
    assert sizes[0] == 16.0
    assert sizes == sorted(set(sizes))


def test_the_wall_shows_what_tables_do_without_being_asked(screen: Screen) -> None:
    screen.size(1920, 1080)
    screen.go("/")
    before = screen.text("[data-region=grid]")
    screen.until(lambda: screen.text("[data-region=grid]") != before)
    assert screen.faults() == []


FOCUS = """
const one = document.querySelector("[data-region=rows] button[value=pause]");
if (!one) return "";
one.focus();
window.drawn = one.closest("li").firstElementChild;
return one.id;
"""
DRAWN_AGAIN = """
const one = document.getElementById(arguments[0]);
return !one || one.closest("li").firstElementChild !== window.drawn;
"""
FOCUSED = "return document.activeElement.id"


def test_the_referee_page_follows_the_tables_and_leaves_the_focus_where_it_is(screen: Screen) -> None:
    screen.go("/referee")

    def left() -> bool:
        focused = screen.until(lambda: screen.script(FOCUS))
        screen.until(lambda: screen.script(DRAWN_AGAIN, focused))
        return bool(screen.script(FOCUSED) == focused)

    assert screen.until(left)
    assert screen.faults() == []


BODY = "return document.querySelector('[data-region=body]').innerHTML"


def test_a_reason_that_is_half_typed_stays_while_the_desk_follows_the_round(screen: Screen) -> None:
    screen.go("/director")
    before = screen.script(BODY)
    screen.write("#why", "a broken")
    screen.until(lambda: screen.script(BODY) != before)
    assert screen.script("return document.querySelector('#why').value") == "a broken"
    assert screen.script(FOCUSED) == "why"


TAPPED_TWICE = """
const passed = [], form = document.querySelector("form[action='/director/players/p3']");
window.addEventListener("submit", (one) => { passed.push(!one.defaultPrevented); one.preventDefault(); });
form.querySelector("#reason").value = "late";
for (const _ of [1, 2]) form.querySelector("button").click();
return passed;
"""


def test_a_finger_that_taps_twice_notes_one_penalty(screen: Screen) -> None:
    screen.go("/players/p3")
    assert screen.script(TAPPED_TWICE) == [True, False]


UNDO = "document.querySelector('.entries details')"


def test_a_second_tap_where_undo_was_undoes_no_other_entry(screen: Screen) -> None:
    screen.go("/director")
    before = screen.script(f"return {UNDO}.id")
    screen.script(f"{UNDO}.open = true; {UNDO}.querySelector('button').click()")
    screen.until(lambda: screen.script(f"return {UNDO}.id") != before)
    assert screen.script(f"return {UNDO}.querySelector('button').checkVisibility()") is False
