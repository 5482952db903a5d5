"""Loose tiles that lie plainly in sight, from frame to frame; tiles that a hand is near are not told."""

from __future__ import annotations

import pytest

from companion.model.reading import Tile
from companion.table.outlook import FirstOf
from companion.table.stays import KEPT_NS, Stays
from companion.table.views import SeatsView
from companion.table.zones import Zoned
from companion.vision.grid.homography import Points
from companion.vision.pipeline.frame import Box
from companion.vision.tracking import TrackedReading
from tests.table.playing import NO_LOOK, reading_of
from tests.table.playing import tile as lying
from tests.table.test_views import HALVES


def tile(letter: str = "Q", x: float = 100.0) -> Tile:
    return reading_of((letter, x, 100)).tiles[0]


def told(stays: Stays, at_ns: int, *tiles: Tile) -> list[tuple[str, int, int]]:
    return [(one.symbol, one.from_ns, one.until_ns) for one in stays.seen(tiles, at_ns)]


def test_a_tile_that_is_seen_again_where_it_lay_has_stayed() -> None:
    stays = Stays()
    assert told(stays, 10, tile()) == [("Q", 10, 10)]
    assert told(stays, 20, tile(x=101)) == [("Q", 10, 20)]


@pytest.mark.parametrize("other", [tile("U"), tile(x=130.0)])
def test_another_tile_or_one_elsewhere_has_come_anew(other: Tile) -> None:
    stays = Stays()
    told(stays, 10, tile())
    assert told(stays, 20, other) == [("Q", 10, 10), (other.symbol, 20, 20)]


def test_a_tile_that_was_out_of_sight_once_may_have_been_moved_meanwhile() -> None:
    stays = Stays()
    told(stays, 10, tile())
    told(stays, 20)
    assert told(stays, 30, tile()) == [("Q", 10, 10), ("Q", 30, 30)]


def test_what_ended_long_ago_is_forgotten() -> None:
    stays = Stays()
    told(stays, 10, tile())
    assert told(stays, 11 + KEPT_NS) == []


@pytest.mark.parametrize(
    ("veiled", "seen"),
    [
        ((), ["Q"]),
        (((300, 300, 340, 340),), ["Q"]),
        (((115, 390, 160, 410),), []),
        (((95, 360, 105, 385),), []),
    ],
)
def test_a_loose_tile_with_something_over_or_beside_it_is_not_plainly_in_sight(
    veiled: tuple[Box, ...], seen: list[str]
) -> None:
    def as_it_is(pixels: Points) -> Points:
        return pixels

    view = SeatsView(Zoned(HALVES, as_it_is))
    reading = reading_of(("CAT", 300, 400), loose=[lying("Q", 100, 400)])
    view.seen(reading)
    now = TrackedReading(reading, NO_LOOK, 0, 0, not veiled, veiled=veiled)
    assert [one.symbol for one in FirstOf({"top": view}).loose({"top": now}, 1)] == seen
