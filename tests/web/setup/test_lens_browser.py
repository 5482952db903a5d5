"""The lens measured from a host's phone, while somebody holds the printed board before the camera."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import numpy as np
import pytest
from selenium.webdriver.common.by import By

from calibration.drawing.lens_board import draw_lens_board, guided_poses
from companion.events.log import EventLog
from companion.rpc import serve
from companion.vision.camera_frame import Frame
from tests.calibration.lens.made import SIZE, ordinary
from tests.web.browsing import TOO_SMALL, Screen, chromium, pages
from tests.web.made import PIN, Desk, begun
from tests.wizard.made import Around, Shows

pytestmark = pytest.mark.slow

DARK = np.full((SIZE[1], SIZE[0]), 90, np.uint8)
"""What the camera sees before anybody holds anything."""


@pytest.fixture(scope="module")
def boards() -> Sequence[Frame]:
    """The board as somebody holds it who does what is said."""
    rng = np.random.default_rng(4)
    held = islice(guided_poses(rng, ordinary(), SIZE), 9)
    return [draw_lens_board(rng, SIZE, ordinary(), one, severity=0.5) for one in held]


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Around:
    """A table to set up, whose camera sees what a test holds before it."""
    return Around(tmp_path_factory.mktemp("table"), Shows(DARK))


@pytest.fixture(scope="module")
def host(around: Around, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """The host's phone."""
    folder = tmp_path_factory.mktemp("host")
    with EventLog(folder / "log") as log, serve(folder / "socket", Desk(), around.wizard):
        begun(log)
        with (
            pages(folder / "log", folder / "socket", folder / "kept") as served,
            chromium(folder / "chromium") as browser,
        ):
            found = Screen(served.address, browser)
            found.size(360, 800)
            found.welcome(served.code, PIN)
            yield found


def took(host: Screen, around: Around, number: int) -> bool:
    """Return whether so many pictures of the board were kept, or are enough."""
    guide = around.wizard.state(0).guide
    return enough(host) or (guide is not None and guide.kept >= number)


def test_the_lens_is_measured_by_doing_what_the_page_says(
    host: Screen, around: Around, boards: Sequence[Frame]
) -> None:
    host.go("/host/table/picture")
    host.press("section.card > details > summary")
    host.press('button[value="guide"]')
    host.until(lambda: "Hold the lens board before the camera" in host.text('[data-renew="guide"]'))
    assert not host.browser.find_elements(By.CSS_SELECTOR, 'button[value="lens"]')
    for number, board in enumerate(boards, 1):
        around.camera.picture = board
        host.until(partial(took, host, around, number))
        if number == 1:  # the page tells it by itself, without being loaded anew
            host.until(lambda: "1 picture kept" in host.text('[data-renew="guide"]'))
    host.until(lambda: enough(host))
    host.press('button[value="lens"]')
    host.until(lambda: "The lens is measured, to" in host.text())
    assert around.profile.lens is not None
    assert around.profile.lens.matrix[0] == pytest.approx(700, rel=0.01)
    assert "The lens is measured." in host.script("return document.querySelector('main').textContent")
    assert host.faults() == []


def enough(host: Screen) -> bool:
    """Return whether the page offers to keep the lens."""
    return bool(host.browser.find_elements(By.CSS_SELECTOR, 'button[value="lens"]'))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_that_guides_is_for_everybody_and_measuring_can_be_left(
    host: Screen, around: Around, scheme: str
) -> None:
    around.camera.picture = DARK
    host.size(320, 640, scheme)
    host.go("/host/table/picture")
    host.press("section.card > details > summary")
    host.press('button[value="guide"]')
    host.until(lambda: host.browser.find_elements(By.CSS_SELECTOR, 'button[value="leave"]'))
    assert host.violations() == []
    assert host.script("return document.documentElement.scrollWidth") <= 320
    assert host.script(TOO_SMALL) == []
    host.press('button[value="leave"]')
    host.until(lambda: "The lens stays as it was." in host.text())
    assert around.wizard.state(0).guide is None
