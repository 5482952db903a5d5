"""Which calls mean something to a seat now."""

from __future__ import annotations

from companion.rules.play import available_calls
from tests.rules.martian import laid, roll
from tests.rules.playing import Table, all_flipped, endgame, gone, splitted, stairs, started
from tests.rules.playing_binary import FIRST, Equations


def calls(table: Table, seat: int = 1) -> list[str]:
    return list(available_calls(table.match.game, table.state, seat))


def test_nothing_is_called_before_the_host_starts() -> None:
    assert calls(Table("bananagrams")) == []


def test_tiles_are_turned_up_once() -> None:
    table = Table("bananagrams")
    table.host(0, "start")
    assert calls(table) == ["split"]
    table.call(1, 1, "split")
    assert calls(table) == ["peel", "dump"]


def test_the_winning_call_is_offered_by_its_name_once_the_bunch_is_too_small() -> None:
    assert calls(endgame(pool=1)) == ["bananas"]
    assert calls(endgame(pool=1, call_name="bananagrams")) == ["bananagrams"]


def test_a_player_who_is_out_calls_nothing() -> None:
    table = splitted()
    table.rule(2, "disqualify", seat=1)
    assert calls(table) == []


def test_done_is_offered_where_nothing_is_face_down_and_not_done_after_it() -> None:
    table = started()
    assert calls(table) == ["flip", "draw_three", "lookup"]
    all_flipped(table)
    assert calls(table) == ["done", "draw_three", "lookup"]
    table.sees(2, 1, *stairs(20))
    table.call(3, 1, "done")
    assert "not_done" in calls(table)
    assert "done" not in calls(table)


def test_league_city_begins_with_go() -> None:
    table = Table("league_city")
    table.host(0, "start")
    assert calls(table) == ["go"]
    assert calls(gone()) == ["trade", "done"]


def test_a_play_is_challenged_by_another_and_a_turn_is_taken_in_turn() -> None:
    table = Equations()
    assert calls(table, 2) == []
    table.plays(1, FIRST)
    assert calls(table, 1) == []
    assert calls(table, 2) == ["play", "exchange", "pass", "challenge"]


def test_dice_are_rolled_before_pieces_move() -> None:
    table = laid()
    assert calls(table, 1) == ["roll", "word"]
    roll(table, 5, 1, 2, 4)
    assert calls(table, 1) == ["move", "word", "end_turn"]
    assert calls(table, 2) == []
