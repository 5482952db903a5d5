"""How often the hall's live pages are drawn, by a clock that the test turns."""

from __future__ import annotations

import time

import pytest

from companion.hall.hall import Hall
from companion.hall.pages.watching import PACE_S, PAGE_S, SHARE, HallWatching
from companion.web.live.watching import LOOK_S


@pytest.fixture
def now_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock's seconds."""
    found = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: found[0])
    return found


def rest_s(hall: Hall, now_s: list[float], served_s: float) -> float:
    """Return the seconds between two announcements where phones take some to be served."""
    watching = HallWatching(hall)
    watching.look()
    began_s = now_s[0]
    now_s[0] += LOOK_S + served_s
    hall.intake.revision += 1
    while not watching.look():
        now_s[0] += 0.01
    return now_s[0] - began_s


@pytest.mark.parametrize("served_s", [0.0, 0.02, 0.4])
def test_pages_rest_longer_the_longer_phones_take_to_be_served(
    hall: Hall, now_s: list[float], served_s: float
) -> None:
    assert rest_s(hall, now_s, served_s) == pytest.approx(max(PACE_S, SHARE * served_s), abs=0.021)


def test_a_wall_that_was_opened_is_good_for_others_for_a_moment(hall: Hall, now_s: list[float]) -> None:
    watching = HallWatching(hall)
    found = []
    for wait_s in (0.0, PAGE_S / 2, PAGE_S):
        now_s[0] += wait_s
        watching.announce()
        found.append(watching.page())
    assert found == [1, 1, 3]
