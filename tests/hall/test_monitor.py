"""How often the hall's live pages are drawn, by a clock that the test turns."""

from __future__ import annotations

import time

import pytest

from companion.hall.hall import Hall
from companion.hall.pages.monitor import MAX_PAGE_AGE_S, MIN_RENDER_INTERVAL_S, HallMonitor


@pytest.fixture
def now_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock's seconds."""
    found = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: found[0])
    return found


def test_pages_are_drawn_at_most_so_often_however_much_changes(hall: Hall, now_s: list[float]) -> None:
    monitor = HallMonitor(hall)
    found = []
    for wait_s in (0.0, MIN_RENDER_INTERVAL_S / 2, MIN_RENDER_INTERVAL_S):
        now_s[0] += wait_s
        hall.intake.revision += 1
        found.append(monitor.poll_log())
    assert found == [True, False, True]


def test_a_wall_that_was_opened_is_good_for_others_for_a_moment(hall: Hall, now_s: list[float]) -> None:
    monitor = HallMonitor(hall)
    found = []
    for wait_s in (0.0, MAX_PAGE_AGE_S / 2, MAX_PAGE_AGE_S):
        now_s[0] += wait_s
        monitor.notify()
        found.append(monitor.page())
    assert found == [1, 1, 3]
