"""How far behind a table is with its pictures."""

from __future__ import annotations

from companion.model.calls import SECOND
from companion.table.eyes import Pace


def paced(read_s: float) -> Pace:
    """Return the pace of an eye that reads each picture for so long, and then takes the newest."""
    pace = Pace()
    for number in range(8):
        pace.taken.append(round(number * read_s * SECOND))
        pace.read.append(round((number + 1) * read_s * SECOND))
    return pace


def test_pictures_are_as_old_as_they_become_before_the_next_is_read() -> None:
    assert paced(0.1).age_ns(round(0.8 * SECOND)) == round(0.2 * SECOND)
    assert paced(2).age_ns(16 * SECOND) == 4 * SECOND


def test_a_picture_that_no_newer_one_follows_grows_old() -> None:
    assert paced(0.1).age_ns(10 * SECOND) == round(9.3 * SECOND)
