"""The numbers of a seat that pages show large."""

from __future__ import annotations

from companion.rules.figures import Figure
from tests.rules.martian import laid
from tests.rules.playing import Table, all_flipped, endgame, splitted, stairs, started
from tests.rules.playing_binary import FIRST, Equations


def figures(table: Table, seat: int = 1) -> list[tuple[float, str]]:
    found: tuple[Figure, ...] = tuple(table.match.game.figures(table.state, seat))
    return [(one.value, one.counts) for one in found]


def test_a_race_shows_how_many_tiles_are_left_to_place() -> None:
    table = splitted()
    table.sees(2, 1, *stairs(17), loose="ABC")
    assert figures(table) == [(4, "to place")]  # 21 of the opening hand, 17 of them in the tableau


def test_where_no_camera_sees_a_seat_its_tiles_in_hand_are_shown() -> None:
    assert figures(splitted()) == [(21, "in hand")]


def test_a_series_shows_the_rounds_won_too() -> None:
    table = endgame(series="best_of_3")
    assert figures(table) == [(0, "to place"), (0, "rounds won")]
    table.call(3, 1, "bananas")
    assert figures(table) == [(1, "rounds won")]


def test_a_chew_round_shows_points_once_it_is_judged_and_totals_from_the_second_on() -> None:
    table = started()
    all_flipped(table)
    table.sees(2, 1, *stairs(20))
    table.call(3, 1, "done")
    table.host(4, "confirm")
    assert figures(table) == [(2, "points")]  # the first of two
    table.host(5, "next_round")
    assert figures(table) == [(21, "in hand"), (2, "in all")]  # the winner's handicap set has one more


def test_binary_scrabble_shows_points_while_they_count() -> None:
    table = Equations()
    table.plays(1, FIRST)
    assert figures(table) == [(16, "points")]  # (6 tiles + bonus 2) x 2
    assert figures(table, 2) == [(0, "points")]


def test_martian_boggle_shows_points_and_words() -> None:
    table = laid()
    table.call(5, 1, "word", word="crane")
    assert figures(table)[1] == (1, "of 5 words")
    assert figures(table)[0] == (table.state.seat(1).score, "points")
    assert table.state.seat(1).score > 0
