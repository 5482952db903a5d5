"""A person without a mouse keeps the place on a page that changes by itself."""

from __future__ import annotations

import pytest

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
