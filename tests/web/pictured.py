"""Takes the README's picture of the pages: ``python -m tests.web.pictured companion/pictures/pages.jpg``."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from shutil import which

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from companion.events.log import EventLog
from companion.events.match import Match
from companion.line import PictureKind, SeatStatus, Status, serve
from companion.model.calls import MILLISECOND, SECOND, Called, Order, Ordered, Seen
from companion.model.sightings import Sighting
from companion.rules.registry import game
from companion.words import default_lexicon
from tests.web.made import Desk

ROOT = Path(__file__).parents[2]
NAMES = ("Ada", "Ben", "Chloe", "Dev")
SHOTS = (("/", 390, 780, "light"), ("/seat/1", 390, 780, "dark"), ("/tv", 1280, 780, "dark"))
"""Page, width, height and scheme."""

FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --hide-scrollbars"
)


class Drawn(Desk):
    """A table whose camera sees the picture of the demo."""

    def status(self) -> Status:
        seats = tuple(SeatStatus(number, name, "idle") for number, name in enumerate(NAMES, 1))
        return replace(super().status(), at_ns=83 * SECOND, seats=seats)

    def picture(self, kind: PictureKind, width: int, camera: int) -> bytes:  # noqa: ARG002
        return (ROOT / "companion" / "pictures" / "demo.jpg").read_bytes()


def play(log: EventLog) -> None:
    """Play a game up to a moment worth a picture."""
    match = Match.begun(log, "one", game("bananagrams"), NAMES, {"series": "best_of_3"}, default_lexicon())
    seen = (
        (("BANANA", "...E..", ".GRAPE", "...R..", "OVEN..", "...D.."), "QZ", ((2, 3),)),
        (("SQUARE", ".U....", ".I....", ".ZEBRA", "......", "......"), "KE", ()),
        (("WINDOWS", "..O....", "..T....", "..EARTH", "....A..", "....I..", "....NET"), "K", ()),
        (("FLAME", "..P..", "..PIE", "..L..", "..ENDS"), "TO", ()),
    )
    match.hear(Ordered(0, Order.START))
    match.hear(Called(SECOND, 2, "split"))
    for number, (grid, loose, doubts) in enumerate(seen, 1):
        match.hear(Seen((20 + number) * SECOND, number, Sighting(grid, loose, 0, doubts)))
    match.hear(Called(45 * SECOND, 1, "peel"))
    match.hear(Called(46 * SECOND + 2 * MILLISECOND, 2, "dump"))
    match.hear(Called(61 * SECOND, 3, "bananas"))


def taken(address: str, folder: Path) -> Image.Image:
    """Return the pages side by side."""
    options = Options()
    options.binary_location = which("chromium") or ""
    for flag in (*FLAGS.split(), f"--user-data-dir={folder / 'chromium'}"):
        options.add_argument(flag)
    whole = Image.new("RGB", (sum(width + 24 for _, width, _, _ in SHOTS) + 24, 780 + 48), "#8a8375")
    left = 24
    with webdriver.Chrome(options=options, service=Service(which("chromedriver"))) as browser:
        for page, width, height, scheme in SHOTS:
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            browser.get(address + page)
            shot = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
            whole.paste(shot.crop((0, 0, width, height)), (left, 24))
            left += width + 24
    return whole


def main(target: Path) -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as place, EventLog(Path(place) / "log") as log:
        folder = Path(place)
        play(log)
        words = ["--log", folder / "log", "--table", folder / "line", "--kept", folder / "kept", "--port", 0]
        command = [sys.executable, "-P", "-m", "companion", "web", *map(str, words)]
        with (
            serve(folder / "line", Drawn()),
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as web,
        ):
            address = next(line for line in web.stdout or () if line.startswith("http")).strip().rstrip("/")
            taken(address, folder).save(target, quality=82, optimize=True)
            web.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
