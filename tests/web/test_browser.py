"""The pages in a real browser, as people use them: phone-sized, live, by keyboard and by eye."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Order, Ordered, Seen
from companion.model.sightings import Sighting
from companion.rpc import serve
from tests.events.logs import packed
from tests.web.browsing import TOO_SMALL, Screen, chromium, pages
from tests.web.made import PIN, Desk, begun

pytestmark = pytest.mark.slow

SEEN = """
const { top, bottom, height } = document.getElementById(arguments[0]).getBoundingClientRect();
return height > 0 && top >= 0 && bottom <= innerHeight;
"""
"""Returns whether something is on the screen, without scrolling."""

OPEN = (
    "/",
    "/tv",
    "/seat/1",
    "/games",
    "/replay/one?at=7",
    "/results/one",
    "/help",
    "/join",
    "/enter",
    "/nowhere",
)
CLOSED = (
    "/judge",
    "/judge?words=2",
    "/referee",
    "/referee/challenge/1",
    "/referee/look/1",
    "/referee/tile/1/0,0",
    "/host",
    "/host/new",
    "/host/new/chew",
    "/host/new/binary_scrabble",
)


TAPS_AT_ONCE = """
const place = document.querySelector("[data-region=doubts]");
new MutationObserver((_, one) => { one.disconnect(); place.querySelector("[name=tile]").click(); })
  .observe(place, { childList: true });
"""
"""Has a page tap the first tile in doubt as soon as its doubts change."""


@dataclass(kw_only=True)
class Table(Screen):
    """A table with its pages, and a browser of the host's before them."""

    match: Match
    desk: Desk
    code: str

    def hears(self, time: str) -> None:
        """Wait until a call of that time is on the page."""
        self.until(lambda: time in self.text('[data-region="calls"]'))

    def reloaded(self, time: str) -> bool:
        """Load the page anew and say whether a call of that time is on it."""
        self.browser.refresh()
        return time in self.text('[data-region="calls"]')


def settled(table: Table) -> list[tuple[Any, ...]]:
    """Return what pages have asked to be settled."""
    return [what for what in table.desk.heard if what[0] == "settle"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser."""
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


@pytest.fixture(scope="module")
def table(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A game that is played, and its pages from a process of their own."""
    folder, desk = tmp_path_factory.mktemp("table"), Desk()
    with EventLog(folder / "log") as log, serve(folder / "socket", desk):
        match = begun(log)
        with pages(folder / "log", folder / "socket", folder / "kept") as found:
            yield Table(
                found.address, browser, expected=["/nowhere"], match=match, desk=desk, code=found.code
            )


@pytest.fixture(scope="module")
def host(table: Table) -> Table:
    """The host has chosen the PIN, in the browser."""
    table.size(390, 844)
    table.welcome(table.code, PIN)
    return table


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [*OPEN, *CLOSED])
def test_axe_finds_nothing_and_the_browser_does_not_complain(host: Table, path: str, scheme: str) -> None:
    host.size(390, 844, scheme)
    host.go(path)
    assert host.violations() == []
    assert host.faults() == []


@pytest.mark.parametrize("path", [*OPEN, *CLOSED])
def test_every_page_fits_320_px_and_every_target_a_finger(host: Table, path: str) -> None:
    host.size(320, 640)
    host.go(path)
    wide = host.script("return document.documentElement.scrollWidth")
    assert wide <= 320
    assert host.script(TOO_SMALL) == []


def test_a_viewer_sees_every_event_without_reloading(host: Table) -> None:
    host.size(390, 844)
    host.go("/")
    host.script("window.same = true")
    host.script("document.querySelector('[data-region=calls] li').kept = true")
    for at_s in (61, 62, 63):  # SPLIT was said a second into the game
        host.match.handle(Called(at_s * SECOND, 3, "dump"))
        host.hears(f"1:0{at_s - 61}")
    assert host.script("return window.same && document.body.dataset.number") == str(host.match.number)
    kept = "return [...document.querySelectorAll('[data-region=calls] li')].map((one) => !!one.kept)"
    assert host.script(kept)[3:4] == [True]  # what a screen reader has read is not read again
    assert host.faults() == []


def test_when_the_network_drops_the_page_says_how_old_it_is_and_catches_up(host: Table) -> None:
    host.go("/")
    host.until(lambda: host.script("return document.body.dataset.number"))
    host.script("document.body.dataset.patience = 1")
    host.browser.execute_cdp_cmd("Network.enable", {})
    offline(host.browser, True)
    host.until(lambda: "Not connected" in host.text("#stale"))
    host.match.handle(Called(71 * SECOND, 2, "dump"))
    offline(host.browser, False)
    host.hears("1:10")
    host.until(lambda: not host.text("#stale"))
    host.faults()  # what it says of the lost network is right


def offline(browser: webdriver.Chrome, off: bool) -> None:
    speed = {"offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", speed)
    if off:  # a stream that is open already is cut too
        browser.execute_script("window.stop()")


def test_without_scripting_the_page_is_right_on_reload(host: Table) -> None:
    host.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        host.go("/")
        host.match.handle(Called(81 * SECOND, 2, "dump"))
        host.until(lambda: host.reloaded("1:20"))
    finally:
        host.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_host_sets_a_game_up_on_a_phone(host: Table) -> None:
    host.size(390, 844)
    host.go("/host/new")
    host.press('a[href="/host/new/league_city"]')
    host.write("#name-1", "Ada")
    host.write("#name-2", "Bo")
    Select(host.browser.find_element(By.ID, "option-policy")).select_by_value("advise")
    Select(host.browser.find_element(By.ID, "tiles")).select_by_visible_text("kitchen")
    host.browser.find_element(By.CSS_SELECTOR, "form button.wide").submit()
    host.until(lambda: "The game is set up" in host.text())
    (asked,) = (one for one in host.desk.heard if one[0] == "set_up")  # the page may ask for more since
    assert asked[:3] == ("set_up", "league_city", ("Ada", "Bo"))
    assert asked[3]["policy"] == "advise"
    assert asked[5] == "kitchen"


def test_no_game_is_set_up_with_tiles_that_are_gone_before_others_are_chosen(host: Table) -> None:
    host.desk.chosen, heard = "/own/tiles/cellar.json", len(host.desk.heard)
    host.size(320, 640)
    host.go("/host/new/chew")
    assert "The tiles cellar are not there any more" in host.text()
    assert host.violations() == []
    host.write("#name-1", "Ada")
    host.write("#name-2", "Bo")
    host.press("form button.wide")
    assert host.script("return document.querySelector('#tiles').matches(':invalid')")
    assert not any(what[0] == "set_up" for what in host.desk.heard[heard:])
    host.desk.chosen = "bananagrams-en"


def test_the_referee_settles_a_doubt_and_overturns_a_done_without_leaving_the_page(host: Table) -> None:
    host.go("/referee")
    host.press(".doubt button.primary")
    host.until(lambda: host.text("#says") == "✓ heard" or "heard" in host.text("#says"))
    assert ("settle", 1, (0, 0), "C", "C") in host.desk.heard
    host.press('details:has([value="overturn_done"]) summary')
    Select(host.browser.find_element(By.ID, "overturn_done-seat")).select_by_value("2")
    host.write("#overturn_done-reason", "CATZ is no word")
    host.press('form:has([value="overturn_done"]) button')
    ruled: tuple[object, ...] = ("ruling", "overturn_done", "CATZ is no word", 2, {})
    host.until(lambda: ruled in host.desk.heard)
    host.until(lambda: host.script(SEEN, "says"))
    time.sleep(0.7)
    host.press('form:has([value="overturn_done"]) button')  # again, with impatience
    assert host.desk.heard.count(ruled) == 1
    assert host.browser.current_url.endswith("/referee")
    assert host.faults() == []


def test_a_page_that_was_open_too_long_says_so_where_the_answer_stands(host: Table) -> None:
    host.go("/referee")
    before = settled(host)
    host.script("for (const one of document.querySelectorAll('[name=csrf_token]')) one.value = 'old'")
    host.press(".doubt button.primary")
    host.until(lambda: "open for too long" in host.text("#says"))
    assert settled(host) == before
    host.faults()  # that an old form is refused is right


def test_a_tap_meant_for_a_tile_that_has_just_moved_away_settles_no_other(host: Table) -> None:
    host.go("/referee")
    host.until(lambda: host.script("return document.body.dataset.number"))
    before = settled(host)
    host.script(TAPS_AT_ONCE)
    seen = Sighting((".A..", ".CATS", "....O", "....Q"), "Z", 0, ((0, 1), (1, 1)))
    host.match.handle(Seen(70 * SECOND, 1, seen))
    host.until(lambda: "look again" in host.text("#says"))
    assert settled(host) == before
    host.match.handle(Seen(71 * SECOND, 1, Sighting(("CATS", "...O", "...Q"), "Z", 0, ((0, 0),))))
    assert host.faults() == []


def test_a_finger_that_taps_twice_gives_one_order(host: Table) -> None:
    host.go("/host")
    before = len(host.desk.heard)
    for taps in (("pause", "pause"), ("pause", "end"), ("end",)):
        host.script("for (const one of arguments) document.querySelector(`[value=${one}]`).click()", *taps)
        time.sleep(0.7)
    told = [what for what in host.desk.heard[before:] if what[0] == "order"]
    assert told == [("order", "pause"), ("order", "pause"), ("order", "end")]


RESTORED = """
const key = document.querySelector("[name=form_key]"), before = key.value;
window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
return key.value !== before;
"""


def test_the_forms_of_a_page_that_the_back_button_restores_may_be_sent_again(host: Table) -> None:
    host.go("/host")
    assert host.script(RESTORED)


LOST = """
const [name, done] = arguments, real = window.fetch;
let left = 1;
window.fetch = async (...sent) => {
  const answer = await real(...sent);
  if (left-- > 0) throw new TypeError("lost");
  return answer;
};
const tap = () => document.querySelector(`[value=${name}]`).click();
tap();
setTimeout(tap, 1000);
setTimeout(done, 2000);
"""
"""Taps twice, the second time because the answer to the first was lost on its way."""


def test_an_order_whose_answer_was_lost_counts_once_though_it_is_sent_again(host: Table) -> None:
    host.go("/host")
    before = len(host.desk.heard)
    host.browser.execute_async_script(LOST, "pause")
    assert [what for what in host.desk.heard[before:] if what[0] == "order"] == [("order", "pause")]
    host.faults()  # that an answer was lost is right


FED = """
let source;
window.EventSource = class { constructor() { source = this; } addEventListener() {} close() {} };
for (const hidden of [true, false]) {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}
const draws = (calls) => source.onmessage({ data: JSON.stringify({ now_ms: null, regions: { calls } }) });
const place = document.querySelector("[data-region=calls]");
"""
"""Has a page get its news from the test."""

DRAWN_AGAIN = """
const card = (letter) => letter + `<input form="call-move" type="radio" name="from" value="0,0">
  <input form="call-move" type="radio" name="from" value="0,1">
  <input form="call-play" type="checkbox" name="sideways" value="2,3:">`;
place.innerHTML = card("A");
for (const one of [...place.querySelectorAll("input")].slice(1)) one.click();
draws(card("B"));
return [place.textContent.trim(), ...[...place.querySelectorAll("input")].map((one) => one.checked)];
"""
"""Chooses the second piece and ticks a box, and then has the region drawn again."""


def test_what_was_chosen_and_ticked_stays_when_the_region_is_drawn_again(host: Table) -> None:
    host.go("/")
    assert host.script(FED + DRAWN_AGAIN) == ["B", False, True, True]
    host.go("/")


def test_a_seat_is_claimed_by_its_code_and_calls(host: Table) -> None:
    host.size(390, 844)
    host.enter(PIN)
    host.go("/claim/2/" + "A" * 10)
    host.press("main form button")
    host.until(lambda: "code is not right" in host.text())
    host.go("/seat/2")
    host.until(lambda: "Is this your seat?" in host.text())
    host.faults()  # that a wrong code is refused is right


def test_the_judge_turns_the_whole_screen_and_clears_itself(host: Table) -> None:
    host.enter(PIN, "/judge")
    host.write("#words", "1")
    host.press("form.card button")
    host.write("#word1", "cat")
    host.press("form.card button.primary")
    host.until(lambda: "ACCEPTABLE" in host.text())
    green = host.script("return getComputedStyle(document.body).backgroundColor")
    assert green == "rgb(13, 107, 48)"
    host.until(lambda: "How many words?" in host.text())


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of another machine, with two games."""
    folder = tmp_path_factory.mktemp("backup")
    with EventLog(folder / "log") as log:
        for name in ("monday", "tuesday"):
            begun(log, name)
    (folder / "games.zip").write_bytes(packed(folder / "log").getvalue())
    return folder / "games.zip"


def looks_through(host: Table, backup: Path) -> None:
    """Have the pages look through a backup."""
    host.go("/host")
    host.press('summary:has(+ [action="/host/restore"])')
    host.write("#backup", str(backup))
    host.press('[action="/host/restore"] button.primary')
    host.until(lambda: "The backup is sound" in host.text())


def test_axe_finds_nothing_on_what_a_backup_would_bring_while_a_game_is_played_and_after(
    host: Table, backup: Path
) -> None:
    host.enter(PIN)
    for says in ("A game is being played", "Bring 2 games back"):
        looks_through(host, backup)
        assert says in host.text()
        for scheme in ("light", "dark"):
            host.size(320, 640, scheme)
            assert host.violations() == []
            assert host.script("return document.documentElement.scrollWidth") <= 320
            assert host.script(TOO_SMALL) == []
        host.match.handle(Ordered(100 * SECOND, Order.END))
        host.go("/host")
        host.until(lambda: host.browser.find_elements(By.CSS_SELECTOR, '.primary[href="/host/new"]'))
    assert host.faults() == []
