"""Tiles, hands and pyramids of the simulated table: places and time."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from hardware.simulated.seating import seating_at_board, seating_for_players
from hardware.simulated.tabletop import Tabletop
from hardware.simulated.world import (
    HAND_SPEED,
    MIN_PRESS_S,
    MovePyramid,
    MoveTile,
    PlacedTile,
    Pyramid,
    RestHand,
    TouchPoint,
    World,
)

HOME = ((10.0, 30.0), 0.0)


def world(*tiles: PlacedTile) -> World:
    return World((40.0, 30.0), tiles, [HOME])


def tabletop(players: int) -> Tabletop:
    return Tabletop(seating_for_players(players), ["A"] * 100 + ["B"] * 44, random.Random(1))


def test_a_tile_goes_where_the_hand_puts_it_and_shows_its_face() -> None:
    table = world(PlacedTile("Q", 10.0, 20.0))
    table.queue(0, MoveTile(0, 5.0, 6.0, 1.5))
    table.advance(10.0)
    assert table.tiles[0] == PlacedTile("Q", 5.0, 6.0, 1.5, up=True)
    assert table.arms[0].tip == HOME[0]


def test_a_hand_goes_no_faster_than_hands_do() -> None:
    table = world(PlacedTile("Q", 10.0, 2.0))
    table.queue(0, MoveTile(0, 5.0, 6.0))
    table.advance(0.5)
    assert math.dist(table.arms[0].tip, HOME[0]) == pytest.approx(HAND_SPEED / 2)
    assert table.tiles[0].x == 10.0


def test_a_tile_in_the_hand_is_held_by_it_alone() -> None:
    table = world(PlacedTile("Q", 10.0, 20.0))
    table.queue(0, MoveTile(0, 10.0, 1.0))
    table.advance(0.4 + 0.12 + 0.3)
    assert table.held_tiles == {0: 0}
    assert 1.0 < table.tiles[0].y < 20.0


def test_two_short_times_bring_a_hand_as_far_as_one_long() -> None:
    one, other = world(PlacedTile("Q", 10.0, 20.0)), world(PlacedTile("Q", 10.0, 20.0))
    for table in (one, other):
        table.queue(0, MoveTile(0, 5.0, 6.0), TouchPoint(1.0, 1.0))
    one.advance(1.0)
    for _ in range(8):
        other.advance(0.125)
    assert one.arms[0].tip == pytest.approx(other.arms[0].tip)


def test_a_pyramid_is_carried_too() -> None:
    table = world()
    table.pyramids[3] = Pyramid("red", "large", 1.5, 8.0, 8.0)
    table.queue(0, MovePyramid(3, 12.0, 9.0))
    table.advance(10.0)
    assert (table.pyramids[3].x, table.pyramids[3].y) == (12.0, 9.0)


@pytest.mark.parametrize("players", range(1, 9))
def test_no_two_players_areas_overlap_and_all_are_in_the_picture(players: int) -> None:
    seating = seating_for_players(players)
    boxes = [area.corners for area in (*seating.seats, seating.middle)]
    spans = [
        (min(x for x, _ in c), min(y for _, y in c), max(x for x, _ in c), max(y for _, y in c))
        for c in boxes
    ]
    assert len(seating.seats) == players
    for n, (left, top, right, low) in enumerate(spans):
        assert left >= 0 <= top
        assert (right, low) <= seating.size
        for other in spans[:n]:
            assert (
                right <= other[0] + 0.3
                or other[2] <= left + 0.3
                or low <= other[1] + 0.3
                or other[3] <= top + 0.3
            )


def test_a_whole_box_lies_in_the_middle_without_tiles_on_each_other() -> None:
    tiles = list(tabletop(4).world.tiles.values())
    assert Counter(tile.symbol for tile in tiles) == {"A": 100, "B": 44}
    assert not any(tile.up for tile in tiles)
    apart = min(math.dist((a.x, a.y), (b.x, b.y)) for n, a in enumerate(tiles) for b in tiles[:n])
    assert apart > 1.0


def test_nobody_takes_a_tile_that_another_has_chosen() -> None:
    table = tabletop(4)
    taken = [tile for seat in table.seats for tile in seat.draw_tiles(21)]
    assert len(set(taken)) == 84
    assert all(seat.tiles_left == 60 for seat in table.seats)


def test_a_button_is_pressed_when_the_finger_has_come_to_it() -> None:
    table = tabletop(2)
    heard: list[str] = []
    table.seats[0].on_button_call = heard.append
    table.seats[0].call_by_button("peel")
    table.advance(0.05)
    assert heard == []
    table.advance(5.0)
    assert heard == ["peel"]


def test_pyramids_line_up_on_the_home_rows() -> None:
    table = Tabletop(seating_at_board(5, 1.66, 5.6), ["A"] * 100, random.Random(1))
    table.fill_board()
    table.line_up_pyramids(("red", "blue"), 1.5)
    assert sorted(table.seats[0].pieces) == [(4, col) for col in range(5)]
    assert sorted(table.seats[0].opponent_pieces) == [(0, col) for col in range(5)]
    assert len(table.board) == 25
    assert all(table.world.tiles[tile].up for tile in table.board.values())


def test_a_hand_that_rests_stays_there_for_as_long_as_it_was_told_to_whatever_its_speed() -> None:
    table = World((40.0, 30.0), [], [HOME], speed=8.0)
    table.queue(0, RestHand(10.0, 20.0, 2.0))
    table.advance(1.9)
    assert table.arms[0].tip == (10.0, 20.0)
    table.advance(1.0)
    assert table.arms[0].tip == HOME[0]
    assert not table.arms[0].busy


def test_a_touch_before_a_move_presses_while_the_tile_still_lies_elsewhere() -> None:
    table = tabletop(4)
    seat, pressed = table.seats[0], list[str]()
    tile = seat.draw_tiles(1)[0]
    before = table.world.tiles[tile]
    seat.on_button_call = lambda call: pressed.append(f"{call} {table.world.tiles[tile] == before}")
    seat.call_by_button("peel")
    seat.place_tile(tile, 0.0, 0.0)
    while not pressed:
        table.advance(0.05)
    assert pressed == ["peel True"]


def test_a_spilt_tile_in_the_way_is_put_back_to_the_middle_first() -> None:
    table = tabletop(4)
    seat, (tile, spilled) = table.seats[0], table.pool[:2]
    table.world.put(spilled, x=seat.area.x, y=seat.area.y)
    table.spilled.append(spilled)
    seat.place_tile(tile, 0.0, 0.0)
    table.advance(30.0)
    lying = table.world.tiles[spilled]
    assert abs(lying.x - table.seating.middle.x) < table.seating.middle.width / 2
    assert math.dist((table.world.tiles[tile].x, table.world.tiles[tile].y), (seat.area.x, seat.area.y)) < 0.1


def test_seats_go_clockwise_from_the_right_end_of_the_near_side() -> None:
    seats = seating_for_players(6).seats
    assert [seat.quarter_turns for seat in seats] == [0, 0, 1, 2, 2, 3]
    assert seats[0].x > seats[1].x
    assert seats[3].x < seats[4].x


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_a_finger_stays_on_its_button_until_that_is_pressed_however_fast_hands_are(speed: float) -> None:
    table = World((40.0, 30.0), [PlacedTile("Q", 10.0, 20.0)], [HOME], speed)
    table.queue(0, TouchPoint(10.0, 28.0), MoveTile(0, 10.0, 27.0))
    table.advance(0.25)
    assert table.touched == [0]
    table.advance(MIN_PRESS_S - 0.01)
    assert table.arms[0].tip == (10.0, 28.0)
    table.advance(2.0)
    assert (table.tiles[0].x, table.tiles[0].y) == (10.0, 27.0)
