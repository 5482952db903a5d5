"""Who sits where."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.table.zones import SEATS_PER_SIDE, default_zones, with_board
from companion.errors import UsageError
from companion.model.profile import Marker, Zone, ZoneKind
from companion.model.reading import Corners
from companion.table.zoned_seats import is_inside_polygon

SIZE = (1200.0, 800.0)


def zone_at(zones: tuple[Zone, ...], x: float, y: float) -> Zone:
    """Return the zone of a place; what lies in the middle comes before the seats."""
    return [zone for zone in zones if is_inside_polygon(zone.corners_mm, np.array([[x, y]]))[0]][-1]


def test_four_players_sit_clockwise_from_the_near_side() -> None:
    zones = default_zones(4, *SIZE)
    at = [(600.0, 790.0), (10.0, 400.0), (600.0, 10.0), (1190.0, 400.0)]
    assert [zone_at(zones, *place).seat for place in at] == [1, 2, 3, 4]


def test_each_player_reads_towards_the_own_right() -> None:
    assert [zone.facing_deg for zone in default_zones(4, *SIZE)[:4]] == [0.0, 90.0, 180.0, 270.0]


def test_two_players_share_the_table_by_its_long_sides() -> None:
    zones = default_zones(2, *SIZE)
    assert [zone_at(zones, x, y).seat for x, y in ((10.0, 790.0), (1190.0, 790.0), (10.0, 10.0))] == [1, 1, 2]


def test_several_at_one_side_sit_clockwise_too() -> None:
    zones = default_zones(6, *SIZE)
    assert [zone_at(zones, x, 790.0).seat for x in (1000.0, 200.0)] == [1, 2]
    assert [zone_at(zones, x, 10.0).seat for x in (200.0, 1000.0)] == [4, 5]


def test_the_pool_is_in_the_middle() -> None:
    assert zone_at(default_zones(4, *SIZE), 600.0, 400.0).kind is ZoneKind.POOL


def test_a_board_may_lie_there_instead() -> None:
    zones = default_zones(4, *SIZE, (320.0, 300.0))
    assert zones[-1].kind is ZoneKind.BOARD
    assert cv2.contourArea(np.array(zones[-1].corners_mm, np.float32)) == pytest.approx(320 * 300)


@pytest.mark.parametrize("seats", SEATS_PER_SIDE)
def test_seats_cover_the_table_and_do_not_overlap(seats: int) -> None:
    zones = default_zones(seats, *SIZE)
    areas = [cv2.contourArea(np.array(zone.corners_mm, np.float32)) for zone in zones]
    assert sum(areas[:-1]) == pytest.approx(1200 * 800, rel=1e-4)
    assert [zone.seat for zone in zones] == [*range(1, seats + 1), None]


def test_the_pool_is_where_the_heap_lies_and_the_seats_share_the_rest() -> None:
    zones = default_zones(2, *SIZE, heap=(50.0, 200.0, 350.0, 600.0))
    assert [zone.seat for zone in zones] == [1, 2, None]
    assert zones[-1].corners_mm == ((50.0, 200.0), (350.0, 200.0), (350.0, 600.0), (50.0, 600.0))
    assert [zone_at(zones, 900.0, y).seat for y in (410.0, 390.0)] == [1, 2]


@pytest.mark.parametrize("seats", [3, 5, 6, 7, 8])
def test_what_lies_before_a_player_is_that_players_whoever_sits_at_the_next_side(seats: int) -> None:
    zones, many = default_zones(seats, *SIZE), SEATS_PER_SIDE[seats][0]
    step = SIZE[0] / many
    for number in range(1, many + 1):
        middle = SIZE[0] - (number - 0.5) * step
        around = [(middle + 0.2 * across * step, y) for across in (-1, 1) for y in (600.0, 790.0)]
        assert {zone_at(zones, *place).seat for place in around} == {number}


@pytest.mark.parametrize("seats", [0, 14])
def test_a_table_for_nobody_or_too_many_is_refused(seats: int) -> None:
    with pytest.raises(UsageError, match="1 to 13 seats"):
        default_zones(seats, *SIZE)


def square(x: float, y: float) -> Corners:
    return ((x, y), (x + 30, y), (x + 30, y + 30), (x, y + 30))


def test_markers_at_a_boards_corners_say_where_it_lies() -> None:
    places = {4: (270.0, 170.0), 5: (600.0, 170.0), 6: (600.0, 500.0), 7: (270.0, 500.0)}
    markers = [Marker(number, square(*place)) for number, place in places.items()]
    board = with_board(default_zones(4, *SIZE), markers)[-1]
    assert (board.kind, board.corners_mm[0], board.corners_mm[2]) == (
        ZoneKind.BOARD,
        (300.0, 200.0),
        (600.0, 500.0),
    )


def test_three_of_a_boards_markers_say_nothing() -> None:
    zones = default_zones(4, *SIZE)
    markers = [Marker(number, square(300.0, 300.0)) for number in (4, 5, 6)]
    assert with_board(zones, markers) == zones
