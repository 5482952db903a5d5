"""Chromium of Debian, and pages in a process of their own: what tests in a browser are made of."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from typing import Any

import axe_core_python
from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).parents[2]
AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
ASKED = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
"""What axe is asked to look for."""

NAME = "tableau.local"
"""A name for this machine as phones around a table know it; nothing asks a network for it."""

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

PATIENCE_S = 60
"""Seconds that a busy machine may take for anything."""

BUSY = "status of 503"
"""What a browser notes of a table that is too busy to draw its picture: the page asks again by itself."""

UNSAFE = "Cross-Origin-Opener-Policy header has been ignored"
"""What a browser notes of pages without encryption that it reaches under a name."""

MOVED = (StaleElementReferenceException, NoSuchElementException)
"""What a page says of a thing that is not there at the moment."""

REPLACED = "does not belong to the document"
"""What the browser's driver says, as if it were a fault of its own, of a thing whose page has just gone."""


def told(so: Callable[[], Any]) -> Any:
    """Return what a page says; raise StaleElementReferenceException where it was replaced meanwhile."""
    try:
        return so()
    except WebDriverException as error:
        if REPLACED in (error.msg or ""):
            raise StaleElementReferenceException(error.msg) from error
        raise


@contextmanager
def chromium(folder: Path) -> Iterator[webdriver.Chrome]:
    """Yield a browser with nothing to show and nobody to talk to, whose own files are in a folder."""
    options = Options()
    options.binary_location = which("chromium") or ""
    for flag in (*FLAGS.split(), f"--host-resolver-rules=MAP {NAME} 127.0.0.1", f"--user-data-dir={folder}"):
        options.add_argument(flag)
    with webdriver.Chrome(options=options, service=Service(which("chromedriver"))) as found:
        yield found


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages that are served: their address, without a slash at its end, and the code of their first start."""

    address: str
    code: str
    process: subprocess.Popen[str]


@contextmanager
def pages(log: Path, line: Path, kept: Path, port: int = 0) -> Iterator[Pages]:
    """Yield pages over a log and a table's line, served by a process of their own as in the demo."""
    words = ["web", "--log", log, "--table", line, "--kept", kept, "--port", port]
    command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield served(process)
        finally:
            process.terminate()


def served(process: subprocess.Popen[str]) -> Pages:
    """Return the pages of a process as soon as it has said where they are."""
    code = ""
    for said in process.stdout or ():
        if said.startswith("http"):
            return Pages(said.strip().rstrip("/"), code, process)
        code = "".join(re.findall(r"code (\d{8})", said))
    raise AssertionError("the pages could not be started")


@dataclass
class Screen:
    """Somebody's browser before the pages at an address."""

    address: str
    browser: webdriver.Chrome
    expected: list[str] = field(default_factory=list)
    """Parts of messages in the browser's console that are right and no fault."""

    def go(self, path: str) -> None:
        self.browser.get(self.address + path)

    def script(self, text: str, *given: Any) -> Any:
        return self.browser.execute_script(text, *given)

    def text(self, where: str = "main") -> str:
        return self.browser.find_element(By.CSS_SELECTOR, where).text

    def until(self, so: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
        return WebDriverWait(self.browser, patience_s, 0.05, MOVED).until(lambda _: told(so))

    def press(self, where: str) -> None:
        self.until(lambda: self.pressed(where))

    def pressed(self, where: str) -> bool:
        self.browser.find_element(By.CSS_SELECTOR, where).click()
        return True

    def write(self, where: str, what: str) -> None:
        found = self.until(lambda: self.browser.find_element(By.CSS_SELECTOR, where))
        found.clear()
        found.send_keys(what)

    def size(self, width: int, height: int, scheme: str = "light", scale: float = 1) -> None:
        given = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 700}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", given)
        wants = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": name, "value": value} for name, value in wants.items()]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def welcome(self, code: str, pin: str) -> None:
        """Choose the host's PIN, as at the first start."""
        self.go("/host")
        for where, what in (("#code", code), ("#pin", pin), ("#again", pin)):
            self.write(where, what)
        self.press("form.card button")
        self.until(lambda: "Seats" in self.text())

    def enter(self, pin: str, to: str = "/host") -> None:
        """Sign in anew with a PIN, and go on to a page."""
        self.browser.delete_all_cookies()
        self.go(f"/enter?to={to}")
        self.write("#pin", pin)
        self.press("form.card button")
        self.until(lambda: self.browser.current_url == self.address + to)

    def violations(self) -> list[tuple[str, list[str]]]:
        """Return what axe finds on the page, with all that folds away unfolded."""
        self.script("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        self.script(AXE.read_text(encoding="utf-8"))
        found = self.browser.execute_async_script("axe.run(arguments[0]).then(arguments[1])", ASKED)
        return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]]

    def faults(self) -> list[str]:
        """Return what the browser complained of since the last time, but for what was expected."""
        browser: Any = self.browser
        said = [one["message"] for one in browser.get_log("browser")]
        return [one for one in said if not any(part in one for part in self.expected)]
