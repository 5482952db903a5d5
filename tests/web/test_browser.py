"""The pages in a real browser, as people use them: phone-sized, live, by keyboard and by eye."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import axe_core_python
import pytest
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from companion.events.log import EventLog
from companion.events.match import Match
from companion.line import serve
from companion.model.calls import SECOND, Called
from tests.web.made import PIN, Desk, begun

AXE = Path(axe_core_python.__file__).with_name("axe.min.js")

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --disable-dev-shm-usage"
)

TOO_SMALL = """
const kinds = "button, .button, nav a, summary, input:not([type=hidden]), select";
const targets = document.querySelectorAll(kinds);
return [...targets].filter((one) => one.checkVisibility())
  .filter((one) => (one.closest("label") || one).getBoundingClientRect().height < 47.5)
  .map((one) => one.outerHTML.slice(0, 99));
"""
"""Returns what is lower than a finger needs."""

PATIENCE_S = 30
"""Seconds that a busy machine may take for anything."""

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
    "/host",
    "/host/new",
    "/host/new/chew",
    "/host/new/binary_scrabble",
)


@dataclass
class Table:
    """A table with its pages, and a browser of the host's before them."""

    match: Match
    desk: Desk
    address: str
    code: str
    browser: webdriver.Chrome

    def go(self, path: str) -> None:
        self.browser.get(self.address + path)

    def text(self, where: str = "main") -> str:
        return self.browser.find_element(By.CSS_SELECTOR, where).text

    def until(self, so: Callable[[], Any]) -> Any:
        moved = (StaleElementReferenceException, NoSuchElementException)
        return WebDriverWait(self.browser, PATIENCE_S, 0.05, moved).until(lambda _: so())

    def hears(self, time: str) -> None:
        """Wait until a call of that time is on the page."""
        self.until(lambda: time in self.text('[data-region="calls"]'))

    def reloaded(self, time: str) -> bool:
        """Load the page anew and say whether a call of that time is on it."""
        self.browser.refresh()
        return time in self.text('[data-region="calls"]')

    def press(self, where: str) -> None:
        self.until(lambda: self.pressed(where))

    def pressed(self, where: str) -> bool:
        self.browser.find_element(By.CSS_SELECTOR, where).click()
        return True

    def write(self, where: str, what: str) -> None:
        field = self.until(lambda: self.browser.find_element(By.CSS_SELECTOR, where))
        field.clear()
        field.send_keys(what)

    def size(self, width: int, height: int, scheme: str = "light") -> None:
        given = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", given)
        wants = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": name, "value": value} for name, value in wants.items()]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def faults(self) -> list[str]:
        """What the browser complained of since the last time, but for the page that is not there."""
        browser: Any = self.browser
        return [one["message"] for one in browser.get_log("browser") if "/nowhere" not in one["message"]]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Chromium of Debian, with nothing to show and nobody to talk to."""
    options = Options()
    options.binary_location = which("chromium") or ""
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    found = webdriver.Chrome(options=options, service=Service(which("chromedriver")))
    yield found
    found.quit()


@pytest.fixture(scope="module")
def table(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Table]:
    """A game that is played, and its pages from a process of their own."""
    folder, desk = tmp_path_factory.mktemp("table"), Desk()
    words = [
        "web",
        "--log",
        folder / "log",
        "--table",
        folder / "socket",
        "--kept",
        folder / "kept",
        "--port",
        "0",
    ]
    command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
    with EventLog(folder / "log") as log, serve(folder / "socket", desk):
        match = begun(log)
        with subprocess.Popen(
            command, cwd=root, stdout=subprocess.PIPE, text=True, env={**os.environ}
        ) as process:
            said = [process.stdout.readline(), process.stdout.readline()] if process.stdout else []
            code = re.findall(r"code (\d{8})", said[0])[0]
            yield Table(match, desk, said[1].strip().rstrip("/"), code, browser)
            process.terminate()


@pytest.fixture(scope="module")
def host(table: Table) -> Table:
    """The host has chosen the PIN, in the browser."""
    table.size(390, 844)
    table.go("/host")
    table.write("#code", table.code)
    table.write("#pin", PIN)
    table.write("#again", PIN)
    table.press("form.card button")
    table.until(lambda: "Seats" in table.text())
    return table


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [*OPEN, *CLOSED])
def test_axe_finds_nothing_and_the_browser_does_not_complain(host: Table, path: str, scheme: str) -> None:
    host.size(390, 844, scheme)
    host.go(path)
    host.browser.execute_script("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    host.browser.execute_script(AXE.read_text(encoding="utf-8"))
    wanted = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = host.browser.execute_async_script("axe.run(arguments[0]).then(arguments[1])", wanted)
    told = [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]]
    assert told == []
    assert host.faults() == []


@pytest.mark.parametrize("path", [*OPEN, *CLOSED])
def test_every_page_fits_320_px_and_every_target_a_finger(host: Table, path: str) -> None:
    host.size(320, 640)
    host.go(path)
    wide = host.browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= 320
    assert host.browser.execute_script(TOO_SMALL) == []


def test_a_viewer_sees_every_event_without_reloading(host: Table) -> None:
    host.size(390, 844)
    host.go("/")
    host.browser.execute_script("window.same = true")
    for at_s in (60, 61, 62):
        host.match.hear(Called(at_s * SECOND, 3, "dump"))
        host.hears(f"1:0{at_s - 60}")
    assert host.browser.execute_script("return window.same && document.body.dataset.number") == str(
        host.match.number
    )
    assert host.faults() == []


def test_when_the_network_drops_the_page_says_how_old_it_is_and_catches_up(host: Table) -> None:
    host.go("/")
    host.until(lambda: host.browser.execute_script("return document.body.dataset.number"))
    host.browser.execute_script("document.body.dataset.patience = 1")
    host.browser.execute_cdp_cmd("Network.enable", {})
    offline(host.browser, True)
    host.until(lambda: "Not connected" in host.text("#stale"))
    host.match.hear(Called(70 * SECOND, 2, "dump"))
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
        host.match.hear(Called(80 * SECOND, 2, "dump"))
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
    host.browser.find_element(By.CSS_SELECTOR, "form button.wide").submit()
    host.until(lambda: "The game is set up" in host.text())
    assert host.desk.heard[-1][:3] == ("set_up", "league_city", ("Ada", "Bo"))
    assert host.desk.heard[-1][3]["policy"] == "advise"


def test_the_referee_settles_a_doubt_and_overturns_a_done_without_leaving_the_page(host: Table) -> None:
    host.go("/referee")
    host.press(".doubt button.primary")
    host.until(lambda: host.text("#says") == "✓ heard" or "heard" in host.text("#says"))
    assert ("settle", 1, (0, 0), "C") in host.desk.heard
    host.press('details:has([value="overturn_done"]) summary')
    Select(host.browser.find_element(By.ID, "overturn_done-seat")).select_by_value("2")
    host.write("#overturn_done-reason", "CATZ is no word")
    host.press('form:has([value="overturn_done"]) button')
    host.until(lambda: ("ruling", "overturn_done", "CATZ is no word", 2, {}) in host.desk.heard)
    assert host.browser.current_url.endswith("/referee")
    assert host.faults() == []


def test_a_seat_is_claimed_by_its_code_and_calls(host: Table) -> None:
    host.size(390, 844)
    host.browser.delete_all_cookies()
    host.go("/enter")
    host.write("#pin", PIN)
    host.press("form.card button")
    host.go("/claim/2/" + "A" * 10)
    host.press("main form button")
    host.until(lambda: "code is not right" in host.text())
    host.go("/seat/2")
    host.until(lambda: "Is this your seat?" in host.text())


def test_the_judge_turns_the_whole_screen_and_clears_itself(host: Table) -> None:
    host.browser.delete_all_cookies()
    host.go("/enter?to=/judge")
    host.write("#pin", PIN)
    host.press("form.card button")
    host.write("#words", "1")
    host.press("form.card button")
    host.write("#word1", "cat")
    host.press("form.card button.primary")
    host.until(lambda: "ACCEPTABLE" in host.text())
    green = host.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert green == "rgb(13, 107, 48)"
    host.until(lambda: "How many words?" in host.text())
