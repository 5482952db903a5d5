"""What stays in doubt is shown to a second reader once, and its answer counts while the tile lies there."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.reading import Tile
from companion.vision.tracking import Tracker
from companion.vision.tracking.track import MAX_OBSERVATIONS
from tests.vision.simple_table import LETTERS, MS, Watch

PLACE, ELSEWHERE = (300, 200), (500, 400)
UNSURE, SURE = 0.8, 0.99
LONG = MAX_OBSERVATIONS + 4
"""Frames after which the tracker's own looks are over."""


class Second:
    """A second reader that answers only when it is let; it keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: dict[int, NDArray[np.uint8]] = {}
        self.room = True
        self._said: list[tuple[int, NDArray[np.float64]]] = []

    def ask(self, number: int, crop: NDArray[np.uint8], symbols: tuple[str, ...]) -> bool:
        assert symbols == tuple(LETTERS)
        if self.room:
            assert number not in self.shown
            self.shown[number] = crop
        return self.room

    def answers(self) -> list[tuple[int, NDArray[np.float64]]]:
        said, self._said = self._said, []
        return said

    def say(self, letter: str, sure: float = 0.99) -> None:
        """Say the same of every tile that was shown."""
        chances = np.zeros(len(LETTERS))
        chances[LETTERS.index(letter)] = sure
        self._said = [(number, chances) for number in self.shown]


@pytest.fixture
def second() -> Second:
    return Second()


def watch(second: Second, sure: float = UNSURE, letter: str = "A") -> Watch:
    """Return a table with one tile, of which a reader is so sure."""
    one = Watch(sure)
    one.steady = Tracker(one.reader, 150 * MS, 3600 * 1000 * MS, second)
    one.table.tiles = {PLACE: letter}
    one.see(3)
    return one


def only(one: Watch) -> Tile:
    """Return the table's only tile, one frame later."""
    (tile,) = one.see().reading.tiles
    return tile


def test_a_doubt_that_stays_is_shown_once(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    assert len(second.shown) == 1
    one.see(LONG)
    assert len(second.shown) == 1


def test_the_second_reader_is_shown_the_tile(second: Second) -> None:
    watch(second).see(LONG)
    (crop,) = second.shown.values()
    assert crop.shape == (32, 32)
    assert crop[16, 16] < 40 < 200 < crop[4, 4]


def test_nothing_is_asked_before_the_trackers_own_looks_are_over(second: Second) -> None:
    watch(second).see(2)
    assert second.shown == {}


def test_what_is_no_doubt_is_not_shown(second: Second) -> None:
    watch(second, SURE).see(LONG)
    assert second.shown == {}


def test_two_readers_that_agree_settle_the_doubt(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    assert only(one).doubt
    second.say("A")
    tile = only(one)
    assert (tile.symbol, tile.doubt) == ("A", False)
    assert not only(one).doubt


def test_a_second_reader_that_disagrees_leaves_the_doubt_and_names_its_letter(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    second.say("D")
    tile = only(one)
    assert tile.doubt
    assert {tile.symbol, tile.alternative} == {"A", "D"}


def test_a_silent_second_reader_changes_nothing(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    before = only(one)
    second.say("A", 0.0)
    assert only(one) == before


def test_an_answer_about_a_tile_that_was_taken_away_is_dropped(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    one.table.tiles = {ELSEWHERE: "B"}
    one.see(4)
    second.say("A")
    tile = only(one)
    assert (tile.symbol, tile.doubt) == ("B", True)


def test_an_answer_about_another_tile_in_that_place_is_dropped_and_that_one_is_shown(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    one.table.tiles = {PLACE: "E"}
    one.see(4)
    second.say("A")
    assert only(one).symbol == "E"
    one.see(LONG)
    assert len(second.shown) == 2


def test_what_was_said_of_a_tile_is_forgotten_when_another_lies_there(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    second.say("A")
    assert not only(one).doubt
    one.table.tiles = {PLACE: "E"}
    one.see(4)
    assert (only(one).symbol, only(one).doubt) == ("E", True)


def test_a_doubt_that_finds_no_room_is_shown_later(second: Second) -> None:
    second.room = False
    one = watch(second)
    one.see(LONG)
    second.room = True
    one.see(2)
    assert len(second.shown) == 1


def test_more_looks_at_a_settled_tile_keep_it_settled(second: Second) -> None:
    one = watch(second)
    one.see(LONG)
    second.say("A")
    one.see()
    one.steady.request_detection()
    one.see(3)
    assert not only(one).doubt
