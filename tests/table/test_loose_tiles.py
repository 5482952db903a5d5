"""Loose tiles that lie plainly in sight, from frame to frame; tiles that a hand is near are not told."""

from __future__ import annotations

import pytest

from companion.model.reading import Tile
from companion.table.rest_history import (
    LOOSE_TILE_RETENTION_NS,
    MAX_HELD_NS,
    MIN_LIFT_NS,
    LooseTiles,
    NewTile,
)
from companion.table.seating_plan import FirstCameraPlan
from companion.table.zoned_seats import ZonedSeats
from companion.vision.grid.homography import Box, Points
from companion.vision.tracking import TrackedReading
from tests.table.playing import NO_LOOK, reading_of
from tests.table.playing import tile as lying
from tests.table.test_views import HALVES


def tile(letter: str = "Q", x: float = 100.0) -> Tile:
    return reading_of((letter, x, 100)).tiles[0]


def told(loose: LooseTiles, at_ns: int, *tiles: Tile) -> list[tuple[str, int, int]]:
    return [(one.symbol, one.from_ns, one.until_ns) for one in loose.update(tiles, at_ns)]


def test_a_tile_that_is_seen_again_where_it_lay_has_stayed() -> None:
    loose = LooseTiles()
    assert told(loose, 10, tile()) == [("Q", 10, 10)]
    assert told(loose, 20, tile(x=101)) == [("Q", 10, 20)]


@pytest.mark.parametrize("other", [tile("U"), tile(x=130.0)])
def test_another_tile_or_one_elsewhere_has_come_anew(other: Tile) -> None:
    loose = LooseTiles()
    told(loose, 10, tile())
    assert told(loose, 20, other) == [("Q", 10, 10), (other.symbol, 20, 20)]


def test_a_tile_that_was_out_of_sight_once_may_have_been_moved_meanwhile() -> None:
    loose = LooseTiles()
    told(loose, 10, tile())
    told(loose, 20)
    assert told(loose, 30, tile()) == [("Q", 10, 10), ("Q", 30, 30)]


def test_a_tile_is_certain_to_lie_there_up_to_the_newest_look_at_the_whole_picture() -> None:
    loose = LooseTiles()
    loose.update([tile()], 10, 5)
    loose.update([tile()], 20, 20)
    loose.update([tile()], 30, 20)
    (tracked,) = loose.update((), 40, 40)
    assert [tracked.certain(at_ns) for at_ns in (9, 10, 20, 21)] == [False, True, True, False]


class TestLaid:
    """A loose tile is lifted at 20, and one that shows the same is seen laid at 50; hands take 7."""

    @pytest.fixture
    def loose(self, monkeypatch: pytest.MonkeyPatch) -> LooseTiles:
        monkeypatch.setattr("companion.table.rest_history.MIN_LIFT_NS", 7)
        loose = LooseTiles()
        told(loose, 10, tile())
        told(loose, 20)
        return loose

    @pytest.mark.parametrize(
        ("laid", "until_ns", "known"),
        [
            (NewTile("Q", 40), 40, True),
            (NewTile("Q", 5), 17, True),  # that place was bare before it was lifted
            (NewTile("Q", 0), 17, True),  # nobody knows until when it was bare
            (NewTile("U", 40), 10, False),  # another tile
            (NewTile("Q", 40, back=True), 10, False),  # it was out of sight
        ],
    )
    def test_what_is_laid_later_was_not_laid_while_its_new_place_was_bare(
        self, loose: LooseTiles, laid: NewTile, until_ns: int, known: bool
    ) -> None:
        assert [(one.until_ns, one.laid) for one in loose.update((), 50, laid=[laid])] == [(until_ns, known)]

    def test_a_tile_is_laid_once(self, loose: LooseTiles) -> None:
        loose.update((), 50, laid=[NewTile("Q", 40)])
        assert [one.until_ns for one in loose.update((), 90, laid=[NewTile("Q", 80)])] == [40]

    def test_what_was_lifted_long_ago_may_be_another(self, loose: LooseTiles) -> None:
        late_ns = 10 + MAX_HELD_NS
        assert [one.laid for one in loose.update((), late_ns, laid=[NewTile("Q", 40)])] == [False]

    def test_one_that_seemed_to_lie_loose_when_it_was_laid_is_not_matched_with_a_tile_moved_later(
        self,
    ) -> None:
        loose = LooseTiles()
        told(loose, 10, tile())
        loose.update([tile()], 50, laid=[NewTile("Q", 40)])  # a hand hides that it has left
        told(loose, 60)
        assert [(one.until_ns, one.laid) for one in loose.update((), 90, laid=[NewTile("Q", 80)])] == [
            (50, False)
        ]

    def test_two_that_are_laid_at_once_are_both_matched(self) -> None:
        loose = LooseTiles()
        told(loose, 10, tile(), tile(x=300.0))
        told(loose, 20)
        seen = loose.update((), 50, laid=[NewTile("Q", 40), NewTile("Q", 45)])
        assert sorted((one.until_ns, one.laid) for one in seen) == [(10, False), (MIN_LIFT_NS + 10, True)]
        assert loose.update((), 90, laid=[NewTile("Q", 80)]) == seen

    def test_a_tile_that_still_lies_loose_is_another(self) -> None:
        loose = LooseTiles()
        told(loose, 10, tile())
        seen = loose.update([tile()], 50, laid=[NewTile("Q", 40)])
        assert [(one.until_ns, one.laid) for one in seen] == [(50, False)]


def test_what_ended_long_ago_is_forgotten() -> None:
    loose = LooseTiles()
    told(loose, 10, tile())
    assert told(loose, 11 + LOOSE_TILE_RETENTION_NS) == []


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

    view = ZonedSeats(HALVES, as_it_is)
    reading = reading_of(("CAT", 300, 400), loose=[lying("Q", 100, 400)])
    view.seen(reading)
    now = TrackedReading(reading, NO_LOOK, 0, 0, not veiled, obscured=veiled)
    assert [one.symbol for one in FirstCameraPlan({"top": view}).loose({"top": now}, 1)] == seen
