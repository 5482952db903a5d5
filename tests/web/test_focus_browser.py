"""Pages that move by themselves, for people without a mouse and for those who want less motion."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from companion import web
from tests.web.test_browser import FED, Table, browser, host, table

__all__ = ["browser", "host", "table"]

pytestmark = pytest.mark.slow

FOCUSED_AFTER = """
const card = (letter, order) => `${letter}<details id="more"><summary>More</summary></details>
  <button form="order" name="order" value="${order}">${order}</button>`;
draws(card("A", "pause"));
place.querySelector(arguments[0]).focus();
draws(card("B", arguments[1]));
return document.activeElement.dataset.region || document.activeElement.textContent;
"""
"""Returns what has the focus, a region by its name, after a region was drawn again with an order."""


@pytest.mark.parametrize(
    ("focused", "order", "after"),
    [
        ("button", "pause", "pause"),
        ("summary", "pause", "More"),
        ("button", "resume", "calls"),  # its button is gone, and another must not be pressed for it
    ],
)
def test_the_focus_stays_where_it_was_when_a_region_is_drawn_again(
    host: Table, focused: str, order: str, after: str
) -> None:
    host.go("/")
    assert host.script(FED + FOCUSED_AFTER, focused, order) == after


ROLLED = """
document.body.style.minHeight = "4000px";
let now = 0;
Date.now = () => (now += 7000); // every wait is over
const [roll, done] = arguments;
window.addEventListener("scroll", () => done(window.scrollY / innerHeight), { once: true });
new Function(roll)();
"""
"""Returns how far the big screen of a hall rolls at a time, in heights of the window."""


def test_the_big_screen_turns_screenfuls_where_motion_is_to_be_reduced(host: Table) -> None:
    host.size(1280, 720)  # a browser that asks for reduced motion
    host.go("/help")
    roll = (Path(web.__file__).parent / "static/hall.js").read_text(encoding="utf-8")
    assert 0.8 < host.browser.execute_async_script(ROLLED, roll) < 1
    host.go("/help")


@pytest.mark.parametrize(("control", "key", "at"), [("at", Keys.ARROW_LEFT, 6), ("before", Keys.ENTER, None)])
def test_a_step_of_a_replay_leaves_the_focus_on_its_control(
    host: Table, control: str, key: str, at: int | None
) -> None:
    host.go("/replay/one?at=7")
    host.script("document.getElementById(arguments[0]).focus()", control)
    host.browser.switch_to.active_element.send_keys(key)
    host.until(lambda: "at=7" not in host.browser.current_url)
    assert at is None or f"at={at}" in host.browser.current_url
    host.until(lambda: host.script("return document.activeElement.id") == control, 5)
