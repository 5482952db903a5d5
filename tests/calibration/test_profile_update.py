"""Where the heap of face-down tiles is seen to lie."""

from __future__ import annotations

import pytest

from calibration.table.profile_update import pool_rectangle, with_seats
from companion.model.profile import ZoneKind
from companion.model.reading import Tile
from tests.table.playing import SIDE, tile
from tests.table.test_views import profile


def lying(many: int, left: float, top: float, symbol: str | None = None) -> list[Tile]:
    """Return tiles in rows of four, half a side apart."""
    step = 1.5 * SIDE
    return [tile(symbol, left + step * (n % 4), top + step * (n // 4)) for n in range(many)]


def test_the_pool_is_the_largest_heap_of_face_down_tiles_and_what_is_around_it() -> None:
    tiles = [*lying(12, 100, 150), *lying(9, 400, 350)]
    assert pool_rectangle(tiles, profile()) == pytest.approx((70, 120, 220, 240))


def test_a_heap_at_the_edge_ends_there() -> None:
    assert pool_rectangle(lying(12, 10, 150), profile()) == pytest.approx((0, 120, 130, 240))


def test_a_tile_that_has_spilt_from_the_heap_does_not_make_it_larger() -> None:
    tiles = [*lying(12, 100, 150), tile(None, 120, 255)]
    assert pool_rectangle(tiles, profile()) == pytest.approx((70, 120, 220, 240))


@pytest.mark.parametrize("tiles", [lying(7, 100, 150), lying(20, 100, 150, "A"), []])
def test_few_tiles_and_those_face_up_are_no_pool(tiles: list[Tile]) -> None:
    assert pool_rectangle(tiles, profile()) is None


def test_tiles_all_over_the_table_show_no_pool() -> None:
    spread = [tile(None, x, y) for x in range(20, 640, 40) for y in range(20, 480, 40)]
    assert pool_rectangle(spread, profile()) is None


@pytest.mark.parametrize("seats", range(1, 13))
def test_there_is_a_pool_at_every_number_of_seats(seats: int) -> None:
    for tiles in ((), lying(12, 100, 150)):
        shared = with_seats(profile(), seats, None, tiles)
        assert [zone.kind for zone in shared.zones].count(ZoneKind.POOL) == 1
