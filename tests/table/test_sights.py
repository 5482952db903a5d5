"""What the cameras tell on the way to the game."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from companion.model.calls import Seen
from companion.model.sightings import Board, Sighting
from companion.table.clock import GameClock
from companion.table.loop import Loop
from companion.table.sights import Sights


def told(*seen: Seen) -> list[Any]:
    """Return what the game hears of some sightings."""
    heard: list[Seen] = []
    loop = SimpleNamespace(tell=heard.append)
    sights = Sights(cast("Loop", loop), cast("GameClock", SimpleNamespace(now=lambda: 0)))
    for one in seen:
        sights.seen(one)
    return [one.what for one in heard]


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
