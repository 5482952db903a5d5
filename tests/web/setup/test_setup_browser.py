"""From a simulated table that nobody has set up to a game that is played, on a host's phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from companion.bootstrap.simulated.game import SimulatedGame
from companion.rpc import TableClient
from companion.rules import event as ev
from companion.web.setup.routes import STEPS
from tests.web.browsing import TOO_SMALL, Screen, chromium, pages
from tests.web.made import PIN
from tests.web.simulated import Playing, playing

pytestmark = pytest.mark.live

ANSWERED_S = 90
"""How long a busy machine may take to look through a camera anew."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playing]:
    """A table with marker cards and tiles on it, of which nothing is known."""
    folder = tmp_path_factory.mktemp("table")
    with playing(replace(SimulatedGame.of("bananagrams", 3, 1, folder), uncalibrated=True)) as found:
        yield found


@pytest.fixture(scope="module")
def phone(table: Playing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """The host's phone."""
    folder = tmp_path_factory.mktemp("host")
    with pages(table.log, table.line, folder / "kept") as served, chromium(folder / "chromium") as browser:
        found = Screen(served.address, browser)
        found.size(360, 800)
        found.welcome(served.code, PIN)
        yield found


@pytest.fixture
def host(table: Playing, phone: Screen) -> Iterator[Screen]:
    """The host, while time goes on at the table; whatever the browser complains of is a fault."""
    with table.going():
        yield phone
    assert phone.faults() == []


def does(host: Screen, what: str) -> None:
    """Press a button that has the table do something, and wait for its page."""
    before = host.browser.find_element(By.TAG_NAME, "main").id
    host.press(f'button[value="{what}"]')
    host.until(lambda: host.browser.find_element(By.TAG_NAME, "main").id != before, ANSWERED_S)


def state(host: Screen, step: str) -> str:
    """Return how far a step is, as the row of steps says it."""
    found = host.browser.find_element(By.CSS_SELECTOR, f'.stepper a[href="/host/table/{step}"]')
    return str(found.get_attribute("class")).removeprefix("state-")


def test_the_overview_shows_the_live_picture_and_what_is_to_do(host: Screen, table: Playing) -> None:
    host.until(lambda: len(TableClient(table.line).status().cameras) == 1)
    host.press('a[href="/host/table"]')
    host.until(lambda: host.text().count("to do") == 6)
    picture = "return document.querySelector('img[data-look]')"
    host.until(lambda: host.script(f"{picture}.naturalWidth") >= 480)
    first = host.script(f"{picture}.src")
    host.until(lambda: host.script(f"{picture}.src") != first)  # it goes on by itself


def test_the_light_is_checked(host: Screen) -> None:
    host.go("/host/table/picture")
    does(host, "light")
    assert "The light: good" in host.text()
    assert "Sharpness: good" in host.text()


def test_the_markers_show_the_table(host: Screen, table: Playing) -> None:
    host.go("/host/table/corners")
    does(host, "markers")
    assert "Found by 4 markers" in host.text()
    assert state(host, "corners") == state(host, "seats") == "done"
    assert (Path(table.simulated_table.config.log).parent / "bananagrams.profile.toml").exists()


def corner(host: Screen, name: str) -> tuple[float, float]:
    """Return where a corner is, as its fields say."""
    zone, k = name.split()
    x, y = (host.script(f"return document.querySelector('[name={zone}-{axis}-{k}]').value") for axis in "xy")
    return float(x), float(y)


def test_a_zone_is_moved_by_keys_and_by_dragging_and_its_neighbour_moves_along(host: Screen) -> None:
    host.go("/host/table/seats")
    handles = host.until(lambda: host.browser.find_elements(By.CSS_SELECTOR, ".handle"))
    assert len(handles) == 4
    assert handles[3].get_attribute("aria-label").startswith("Corner 4 of Seat 1")
    x, y = corner(host, "zone0 3")
    shared = [zone for zone in (1, 2, 3) for k in range(4) if corner(host, f"zone{zone} {k}") == (x, y)]
    handles[3].send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_LEFT)
    assert corner(host, "zone0 3") == pytest.approx((x - 0.4, y + 0.8), abs=0.011)
    handles[3].send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)
    assert corner(host, "zone0 3") == pytest.approx((x - 0.35, y + 0.8), abs=0.011)
    host.script("document.querySelector('.marked').scrollIntoView({block: 'center'})")
    ActionChains(host.browser).drag_and_drop_by_offset(handles[3], -8, 6).perform()
    moved = corner(host, "zone0 3")
    assert moved[0] < x - 1.5
    assert moved[1] > y + 2
    assert shared
    corners = [corner(host, f"zone{zone} {k}") for zone in set(shared) for k in range(4)]
    assert corners.count(moved) == len(shared)
    does(host, "zones")
    assert "The zones are kept" in host.text()
    assert corner(host, "zone0 3") == pytest.approx(moved, abs=0.05)


def test_corners_are_tapped_where_no_markers_lie(host: Screen) -> None:
    host.go("/host/table/corners")
    host.press("section.card > details > summary")
    picture = host.browser.find_element(By.CSS_SELECTOR, ".marked img")
    host.script("arguments[0].scrollIntoView({block: 'center'})", picture)
    wide, high = picture.size["width"], picture.size["height"]
    for x, y in ((0.2, 0.25), (0.8, 0.25), (0.8, 0.75), (0.2, 0.75)):
        at = round((x - 0.5) * wide), round((y - 0.5) * high)
        ActionChains(host.browser).move_to_element_with_offset(picture, *at).click().perform()
    found = [corner(host, f"tap {k}") for k in range(4)]
    assert found[0] == pytest.approx((20, 25), abs=0.5)
    assert found[2] == pytest.approx((80, 75), abs=0.5)


def test_tiles_and_buttons_are_looked_after(host: Screen) -> None:
    host.go("/host/table/tiles")
    does(host, "tile")
    assert "pixels broad" in host.text()
    host.go("/host/table/buttons")
    host.until(lambda: len(host.browser.find_elements(By.CSS_SELECTOR, ".press.pressed")) == 9)
    host.press('form[data-quiet] button[value="2"]')
    host.until(lambda: "light of seat 2" in host.text("#says"))


RENEWED = """
const part = document.querySelector("[data-renew]"), done = arguments[0];
const held = (text) => `<p>${text}</p><button name="do" value="leave">Leave it</button>`;
part.innerHTML = held("one picture");
part.querySelector("button").focus();
const next = `<div data-renew="${part.dataset.renew}">${held("two pictures")}</div>`;
window.fetch = async () => new Response(next);
new MutationObserver(() => setTimeout(() => done([part.innerText, document.activeElement.value])))
  .observe(part, { childList: true });
"""
"""Returns text and focus after the part of a step that the table changes has changed."""


def test_what_the_table_changes_by_itself_leaves_the_focus_where_it_is(host: Screen) -> None:
    host.go("/host/table/buttons")
    text, focused = host.browser.execute_async_script(RENEWED)
    assert "two pictures" in text
    assert focused == "leave"


def test_the_camera_stands_still_and_nothing_is_left_to_do(host: Screen) -> None:
    host.go("/host/table/check")
    does(host, "drift")
    assert "The camera stands as it did." in host.text()
    assert [state(host, step.name) for step in STEPS] == ["free"] + 6 * ["done"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("step", ["", *(f"/{step.name}" for step in STEPS)])
def test_axe_finds_nothing_and_every_step_fits_a_small_phone(host: Screen, step: str, scheme: str) -> None:
    host.size(320, 640, scheme)
    host.go(f"/host/table{step}")
    assert host.violations() == []
    assert host.script("return document.documentElement.scrollWidth") <= 320
    assert host.script(TOO_SMALL) == []
    host.size(360, 800)


def test_the_game_is_started_and_played_through_what_was_set_up(host: Screen, table: Playing) -> None:
    host.go("/host/table/check")
    host.press('.buttons a[href="/host"]')
    host.press('button[value="start"]')
    host.until(lambda: table.happened(ev.RoundStarted) == 1, ANSWERED_S)
    host.until(lambda: table.happened(ev.CallAccepted) >= 2, ANSWERED_S)
    seen = [one.event for one in table.events if isinstance(one.event, ev.TilesSeen)]
    assert {one.seat for one in seen} == {1, 2, 3}
    assert table.state is not None
    assert not table.state.blind
    host.go("/host/table/seats")
    assert "a game is being played" in host.text()
