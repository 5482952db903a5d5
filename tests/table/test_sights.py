"""What the cameras tell on the way to the game."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from companion.model.calls import Noted, Seen
from companion.model.sightings import Board, Sighting
from companion.table.clock import GameClock
from companion.table.eyes import Eye
from companion.table.loop import Loop
from companion.table.sights import Sights
from companion.vision.tracking import TrackedReading


def told(*seen: Seen) -> list[Any]:
    """Return what the game hears of some sightings."""
    heard: list[Seen] = []
    loop = SimpleNamespace(tell=heard.append)
    sights = Sights(cast("Loop", loop), cast("GameClock", SimpleNamespace(now=lambda: 0)))
    for one in seen:
        sights.seen(one)
    return [one.what for one in heard]


def test_a_camera_that_takes_more_for_tiles_than_there_are_is_told_of_once_until_it_does_not() -> None:
    heard: list[Noted] = []
    loop = SimpleNamespace(tell=heard.append, state=SimpleNamespace(numbers=(1, 2)))
    sights = Sights(cast("Loop", loop), cast("GameClock", SimpleNamespace(now=lambda: 0)))
    for _ in range(2):
        sights.crowded("left", crowded=True)
    (noted,) = heard
    assert "too busy" in noted.text
    assert sights.notes == (noted.text,)
    sights.crowded("left", crowded=False)
    assert not sights.notes


def test_an_eye_knows_when_more_is_taken_for_tiles_than_there_are() -> None:
    reading = cast("TrackedReading", SimpleNamespace(still=True, reading=SimpleNamespace(tiles=[None] * 181)))
    nothing = cast("Any", None)
    eye = Eye("left", nothing, nothing, nothing, most=144)
    assert eye.too_many(reading)
    assert not replace(eye, most=145).too_many(reading)
    assert not replace(eye, most=None).too_many(reading)


def test_a_board_with_pyramids_tells_the_letter_under_one_and_since_when_it_lies_there() -> None:
    stands = ((1, ((0, 0),)),)
    first, last = (
        Board(((0, 0, "A"), (0, 1, "B")), ((1, ((0, 1),)),)),
        Board(((0, 0, "R"),), stands, ((0, 0),)),
    )
    found = told(Seen(5, None, first), Seen(9, None, last))[-1]
    assert (found.symbols()[0, 0], found.doubts, found.since) == ("A", (), ((0, 0, 0),))


def test_tiles_of_seats_and_boards_without_pyramids_are_told_as_they_are() -> None:
    board, tiles = Board(((7, 7, "1"),)), Sighting(("CAT",))
    assert told(Seen(5, None, board), Seen(6, 1, tiles)) == [board, tiles]
