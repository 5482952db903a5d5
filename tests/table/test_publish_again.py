"""What is told once more at the start of a round, and once only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.table.publisher import SightingPublisher
from tests.table.playing import FakeHealth
from tests.table.test_publisher import Hearing, frame, of_two_cameras

SAME = replace(frame(130, "AT"), since_ns=100)


@pytest.fixture
def heard() -> Hearing:
    return Hearing()


@pytest.fixture
def publisher(heard: Hearing) -> SightingPublisher:
    """Two cameras, of which the left one has seen two seats."""
    found = of_two_cameras(heard)
    found.update("left", frame(100, "AT"))
    found.update("left", frame(120, "AT"))
    assert [one.seat for one in heard.told] == [1, 2]
    return found


def test_the_same_is_told_again_once_that_is_asked_for(publisher: SightingPublisher, heard: Hearing) -> None:
    publisher.publish_again()
    publisher.update("left", SAME)
    publisher.update("left", replace(SAME, at_ns=140))
    assert [(one.seat, one.at_ns) for one in heard.told[2:]] == [(1, 100), (2, 100)]


def test_what_is_asked_for_as_the_camera_goes_is_told_once_it_is_back(
    publisher: SightingPublisher, heard: Hearing
) -> None:
    publisher.publish_again()
    publisher.update_health("left", FakeHealth("gone", "sends no picture"))
    publisher.update_health("left", FakeHealth())
    publisher.update("left", SAME)
    assert [(one.seat, one.at_ns) for one in heard.told[2:]] == [(1, 100), (2, 100)]


def test_a_place_that_is_seen_later_is_told_again_then(publisher: SightingPublisher, heard: Hearing) -> None:
    publisher.update("right", frame(125, "TO"))
    publisher.update_health("right", FakeHealth("gone", "sends no picture"))
    del heard.told[:]
    publisher.publish_again()
    publisher.update("left", SAME)
    assert [one.seat for one in heard.told] == [1, 2]
    publisher.update("right", frame(145, "TO"))
    assert [one.seat for one in heard.told[2:]] == [1, 2, 3]
