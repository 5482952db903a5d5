"""Whole flows in real browsers, over a simulated table where bots play."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import cv2
import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from companion.bootstrap.simulated.game import SimulatedGame
from companion.rules import event as ev
from tests.web.browsing import BUSY, Pages, Screen, chromium, pages
from tests.web.made import PIN
from tests.web.relay import Relay, relay
from tests.web.simulated import Playing, playing

pytestmark = pytest.mark.live

NUMBER = "return Number(document.body.dataset.number || 0)"

LISTEN = f"""
window.heard = [];
document.addEventListener("companion:news", ({{ detail }}) => {{
  window.heard.push(...detail.events.map((one) => one.number));
}});
{NUMBER}
"""
"""Has a page note the number of each event that reaches it from now on; returns the last one before."""

OF_THE_GAME = (
    *("/", "/tv", "/seat/1", "/games", "/replay/{game}?at=9", "/results/{game}"),
    *("/referee", "/referee/challenge/1", "/host"),
)
"""Pages that look otherwise with every game."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playing]:
    """A simulated table with two bots, who wait for a game."""
    plan = SimulatedGame.of("chew", 2, 1, tmp_path_factory.mktemp("table"))
    with playing(plan) as found:
        yield found


@pytest.fixture(scope="module")
def served(table: Playing) -> Iterator[Pages]:
    """The pages of that table."""
    with pages(table.log, table.line, table.log.parent / "web") as found:
        yield found


@pytest.fixture(scope="module")
def desk(served: Pages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """The host's phone, with the PIN chosen."""
    with chromium(tmp_path_factory.mktemp("host")) as browser:
        found = Screen(served.address, browser, expected=[BUSY])
        found.size(390, 844)
        found.welcome(served.code, PIN)
        yield found


@pytest.fixture(scope="module")
def network(served: Pages) -> Iterator[Relay]:
    """What lies between a viewer and the pages."""
    with relay(int(served.address.rpartition(":")[2])) as found:
        yield found


@pytest.fixture(scope="module")
def viewer(network: Relay, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """Somebody else's phone."""
    with chromium(tmp_path_factory.mktemp("viewer")) as browser:
        found = Screen(f"http://127.0.0.1:{network.port}", browser, expected=[BUSY])
        found.size(390, 844)
        yield found


@pytest.fixture(autouse=True)
def no_fault_in_any_console(desk: Screen, viewer: Screen) -> Iterator[None]:
    """Fail every flow that a browser complains of."""
    yield
    assert (desk.faults(), viewer.faults()) == ([], [])


@pytest.fixture(scope="module")
def game(desk: Screen, table: Playing) -> Playing:
    """A game that the host has set up on the phone, and started when the tiles were on the table."""
    desk.go("/host/new")
    desk.press('a[href="/host/new/chew"]')
    desk.write("#name-1", "Ada")
    desk.write("#name-2", "Ben")
    desk.write("#option-rounds", "1")
    desk.write("#option-handicaps-1", "3")
    desk.write("#option-handicaps-2", "3")
    with table.going():
        desk.browser.find_element(By.CSS_SELECTOR, "form button.wide").submit()
        desk.until(lambda: "The game is set up" in desk.text())
        desk.until(lambda: table.simulated_table.ready)
        desk.press('[value="start"]')
        desk.until(lambda: table.happened(ev.RoundStarted))
    return table


def watching(phone: Screen) -> int:
    """Have a phone show the scoreboard and note what reaches it; return the last event it knew before.

    The last call before may still have more to say, so that both are done in one step.
    """
    phone.go("/")
    phone.until(lambda: phone.script(NUMBER))
    return int(phone.script(LISTEN))


def goes_on(game: Playing, calls: int = 2) -> None:
    """Let the bots play until so many more calls were accepted."""
    many = game.happened(ev.CallAccepted) + calls
    game.goes_on(lambda: game.happened(ev.CallAccepted) >= many, "the next calls")


def misses_nothing(phone: Screen, game: Playing, first: int) -> None:
    """Check that every event of the log after a first one reaches a phone, each once and in order.

    The last call may still have more to say when the players stop: the log is looked at until both agree.
    """
    phone.until(lambda: phone.script(NUMBER) == game.rows()[-1].number > first)
    phone.until(lambda: phone.script("return window.heard") == [row.number for row in game.rows()][first:])


def scanned(drawn: bytes) -> str:
    """Return what a QR code says, as a phone's camera reads it."""
    picture = np.asarray(Image.open(io.BytesIO(drawn)).convert("L"))
    return str(cv2.QRCodeDetectorAruco().detectAndDecode(picture)[0])


def test_a_host_sets_up_a_game_on_a_phone_and_the_simulated_table_plays_it(
    desk: Screen, game: Playing
) -> None:
    set_up = game.rows()[0].body
    assert all(told in set_up for told in ("chew", "Ada", "Ben"))
    desk.go("/")
    goes_on(game, 3)
    told = desk.until(lambda: desk.text('[data-region="calls"]').lower())
    assert "flip" in told or "draw three" in told


def test_a_viewer_sees_every_event_of_the_log_without_reloading(viewer: Screen, game: Playing) -> None:
    first = watching(viewer)
    goes_on(game)
    misses_nothing(viewer, game, first)


def test_a_phone_that_lost_the_network_says_so_and_then_misses_nothing(
    viewer: Screen, network: Relay, game: Playing
) -> None:
    first = watching(viewer)
    viewer.script("document.body.dataset.patience = 1")
    network.cut()
    viewer.until(lambda: "Not connected" in viewer.text("#stale"))
    goes_on(game)
    assert viewer.script(NUMBER) == first
    network.mend()
    misses_nothing(viewer, game, first)
    viewer.until(lambda: not viewer.text("#stale"))
    assert [fault for fault in viewer.faults() if "net::ERR_" not in fault] == []


def test_pages_that_were_killed_come_back_and_no_phone_misses_anything(
    viewer: Screen, game: Playing, tmp_path: Path
) -> None:
    with pages(game.log, game.line, tmp_path) as before:
        phone = Screen(before.address, viewer.browser)
        first = watching(phone)
        before.process.kill()
    goes_on(game)
    with pages(game.log, game.line, tmp_path, int(before.address.rpartition(":")[2])):
        misses_nothing(phone, game, first)
    viewer.go("/")
    assert [fault for fault in viewer.faults() if "net::ERR_" not in fault] == []


def test_a_player_scans_the_code_of_a_seat_and_calls_from_the_phone(
    desk: Screen, viewer: Screen, game: Playing
) -> None:
    desk.size(390, 844, scale=3)
    desk.go("/host")
    code = desk.browser.find_element(By.CSS_SELECTOR, ".qr:nth-child(2) img")
    desk.script("arguments[0].scrollIntoView({block: 'center'})", code)
    address = str(desk.until(lambda: scanned(code.screenshot_as_png)))  # the picture comes after the page
    desk.size(390, 844)
    viewer.browser.get(address)
    viewer.until(lambda: "Ben" in viewer.text("h1"))
    viewer.press("main form button")
    viewer.until(lambda: "My tiles" in viewer.text())
    viewer.write("#lookup-word", "quiz")
    with game.going():
        viewer.press('button[form="call-lookup"]')
        viewer.until(lambda: "quiz" in viewer.text('[data-region="calls"]').lower())
    calls = [one.event for one in game.events if isinstance(one.event, ev.CallAccepted)]
    assert [(call.seat, call.details["by"]) for call in calls if call.call == "lookup"] == [(2, "phone")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page_of_a_game_that_is_played(
    desk: Screen, game: Playing, scheme: str
) -> None:
    desk.size(390, 844, scheme)
    for path in OF_THE_GAME:
        desk.go(path.format(game=quote(game.name)))
        assert (path, desk.violations()) == (path, [])


def test_the_referee_overturns_a_done_and_play_goes_on_until_the_host_confirms(
    desk: Screen, viewer: Screen, game: Playing
) -> None:
    game.goes_on(lambda: game.happened(ev.RoundEnded) == 1, "a Done that ends the round")
    watching(viewer)
    desk.go("/referee")
    desk.press('details:has([value="overturn_done"]) summary')
    Select(desk.browser.find_element(By.ID, "overturn_done-seat")).select_by_value(str(game.done))
    desk.write("#overturn_done-reason", "a word is no word")
    with game.going():
        desk.press('form:has([value="overturn_done"]) button')
        viewer.until(lambda: "a word is no word" in viewer.text('[data-region="calls"]'))
        assert game.happened(ev.PlayReopened) == 1
        viewer.until(lambda: game.happened(ev.RoundEnded) == 2)
        desk.go("/host")
        desk.press('[value="confirm"]')
        viewer.until(lambda: game.happened(ev.GameEnded))
    viewer.until(lambda: "wins" in viewer.text('[data-region="seats"]'))


def test_what_a_browser_complains_of_is_noticed(viewer: Screen) -> None:
    viewer.go("/")
    viewer.script(
        "console.error('a fault'); document.body.setAttribute('onclick', 'alert()'); document.body.click();"
    )
    told = "\n".join(viewer.faults())
    assert "a fault" in told
    assert "Content Security Policy" in told
