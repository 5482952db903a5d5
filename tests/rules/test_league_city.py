"""league_city.txt sentence by sentence, up to the final DONE, with what SETTLED.md settles of it."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadOption, BadSetUp
from companion.events.replay import history, set_up_of
from tests.rules.playing import Table, gone, hands, stairs, texts


class TestSetUp:
    def test_all_tiles_are_arranged_in_the_middle(self) -> None:
        assert Table("league_city").state.pool == 144

    def test_each_player_selects_a_pre_determined_number_of_starting_tiles(self) -> None:
        line = Table("league_city", 3, start_tiles=7).host(0, "start")
        assert (hands(line), line["pool"]) == ([7, 7, 7], 123)

    def test_the_tiles_lie_face_down_until_go(self) -> None:
        line = Table("league_city", 2, start_tiles=7).host(0, "start")
        assert ([seat["face_down"] for seat in line["seats"]], line["phase"]) == ([7, 7], "setup")

    @pytest.mark.parametrize(
        ("players", "tiles"), [(1, 21), (2, 21), (4, 21), (5, 15), (6, 15), (7, 11), (8, 11), (13, 11)]
    )
    def test_21_15_or_11_by_players_are_suggested(self, players: int, tiles: int) -> None:
        assert hands(Table("league_city", players).host(0, "start")) == [tiles] * players

    def test_it_is_determined_prior_to_the_game_and_stands_in_its_first_event(self) -> None:
        table = Table("league_city", 2, start_tiles=7)
        assert set_up_of(history(table.log, "test")).options["start_tiles"] == 7

    def test_more_starting_tiles_than_the_box_holds_are_refused_with_the_numbers(self) -> None:
        with pytest.raises(BadSetUp, match="5 players with 29 tiles each take 145, and the box holds 144"):
            Table("league_city", 5, start_tiles=29)

    def test_starting_tiles_may_take_the_whole_box(self) -> None:
        assert Table("league_city", 2, start_tiles=72).host(0, "start")["pool"] == 0

    def test_a_number_of_starting_tiles_is_not_negative(self) -> None:
        with pytest.raises(BadOption, match="'start_tiles' must be a whole number from 0 to 144; got -1"):
            Table("league_city", 2, start_tiles=-1)


class TestGo:
    def drawn(self, *face_down: int, **options: Any) -> dict[str, Any]:
        table = Table("league_city", 2, start_tiles=7, **options)
        table.host(0, "start")
        for seat, tiles in enumerate(face_down, 1):
            table.sees(0.5, seat, face_down=tiles)
        return table.call(1, 2, "go")

    @pytest.mark.parametrize("seat", [1, 2, 3])
    def test_anyone_may_say_go_to_start_the_round(self, seat: int) -> None:
        table = Table("league_city", 3)
        table.host(0, "start")
        line = table.call(1, seat, "go")
        assert (line["phase"], [s["face_down"] for s in line["seats"]]) == ("playing", [0, 0, 0])

    def test_go_may_only_be_said_when_all_players_have_selected_their_tiles(self) -> None:
        line = self.drawn(5, 7)
        assert line["reason"] == "seat 1 has 5 of 7 tiles: GO comes when all have drawn"
        assert line["phase"] == "setup"

    def test_go_is_valid_as_soon_as_the_final_player_has_a_finger_on_the_final_tile(self) -> None:
        assert self.drawn(7, 6)["phase"] == "playing"

    def test_two_players_short_of_a_tile_have_no_final_tile_yet(self) -> None:
        assert self.drawn(6, 6)["accepted"] is False

    def test_tiles_turned_up_too_early_are_drawn_all_the_same(self) -> None:
        table = Table("league_city", 2, start_tiles=7)
        table.host(0, "start")
        table.sees(0.5, 1, "AA", loose="Q", face_down=4)
        assert table.call(1, 1, "go")["accepted"] is True

    def test_players_whose_tiles_nobody_counted_are_taken_at_their_word(self) -> None:
        assert self.drawn()["phase"] == "playing"

    def test_a_false_go_stands_under_advise_with_a_warning(self) -> None:
        line = self.drawn(5, 7, policy="advise")
        assert line["accepted"] is True
        assert "seat 1 has 5 of 7 tiles: GO comes when all have drawn" in texts(line)

    def test_people_judge_a_go_where_the_policy_is_off(self) -> None:
        assert texts(self.drawn(5, 7, policy="off")) == ["GO!"]

    def test_go_before_the_host_has_started_is_refused(self) -> None:
        assert Table("league_city").call(0, 1, "go")["reason"] == "the host has not started the game yet"

    def test_a_second_go_is_refused(self) -> None:
        assert gone().call(2, 2, "go")["reason"] == "play has begun already"

    @pytest.mark.parametrize("call", ["done", "trade", "not_done"])
    def test_before_go_nothing_else_may_be_said(self, call: str) -> None:
        table = Table("league_city")
        table.host(0, "start")
        assert table.call(1, 1, call)["accepted"] is False


class TestWords:
    def done(self, *grid: str, tiles: int, **options: Any) -> str | None:
        table = gone(start_tiles=tiles, **options)
        table.sees(2, 1, *grid)
        reason: str | None = table.call(3, 1, "done")["reason"]
        return reason

    def test_words_are_made_in_a_crossword_fashion(self) -> None:
        assert self.done("CAT", ".T.", tiles=4) is None

    def test_each_word_must_connect_to_another_word(self) -> None:
        assert self.done("CAT..", "...AT", tiles=5) == "the tableau is in 2 parts"

    def test_no_backwards_spellings_left_to_right(self) -> None:
        assert self.done("TAC", tiles=3) == "not valid: TAC"

    def test_no_backwards_spellings_up_to_down(self) -> None:
        assert self.done("T", "A", "C", tiles=3) == "not valid: TAC"

    def test_words_may_be_spelled_up_to_down(self) -> None:
        assert self.done("C", "A", "T", tiles=3) is None

    def test_a_word_is_valid_if_and_only_if_it_is_a_dictionary_word_and_so_no_texas(self) -> None:
        assert self.done("TEXAS", tiles=5) == "not valid: TEXAS"

    def test_the_host_determines_which_dictionary_is_valid(self) -> None:
        assert self.done("TEXAS", tiles=5, words=("texas",)) is None

    def test_a_word_may_stand_twice(self) -> None:
        assert self.done("AAA", "A..", tiles=4, words=("aa", "aaa")) is None
        assert self.done("AA", "A.", tiles=3) is None

    def test_duplicate_words_may_be_switched_off(self) -> None:
        assert self.done("AA", "A.", tiles=3, duplicates=False) == "not valid: AA"


class TestTrade:
    def traded(self, pool: int, **options: Any) -> dict[str, Any]:
        return gone(start_tiles=7, pool=pool, **options).call(2, 1, "trade")

    def counts(self, line: dict[str, Any]) -> list[list[int]]:
        return [event["counts"] for event in line["events"] if "counts" in event]

    def test_at_any_time_a_player_may_trade_in_a_tile_and_do_so_again(self) -> None:
        table = gone(start_tiles=7)
        table.call(2, 1, "trade")
        line = table.call(2, 1, "trade")
        assert (hands(line), line["pool"]) == ([11, 7], 126)

    def test_the_tile_is_returned_and_then_three_are_drawn(self) -> None:
        line = self.traded(130)
        assert (self.counts(line), hands(line), line["pool"]) == ([[-1, 0], [3, 0]], [9, 7], 128)

    @pytest.mark.parametrize(("pool", "hand", "left"), [(3, 9, 1), (2, 9, 0), (1, 8, 0), (0, 7, 0)])
    def test_if_three_are_not_available_the_player_must_take_the_remaining_tiles(
        self, pool: int, hand: int, left: int
    ) -> None:
        line = self.traded(pool)
        assert (hands(line), line["pool"]) == ([hand, 7], left)

    @pytest.mark.parametrize(("pool", "hand", "left"), [(3, 9, 1), (2, 8, 1), (1, 7, 1)])
    def test_the_house_may_have_three_drawn_first_so_that_the_tile_cannot_come_back(
        self, pool: int, hand: int, left: int
    ) -> None:
        line = self.traded(pool, trade_return="draw_first")
        assert self.counts(line)[1] == [-1, 0]
        assert (hands(line), line["pool"]) == ([hand, 7], left)

    def test_then_nothing_can_be_drawn_from_an_empty_pool(self) -> None:
        line = self.traded(0, trade_return="draw_first")
        assert line["reason"] == "the pool is empty: there is nothing to draw for your tile"

    def test_a_trade_after_the_round_is_refused(self) -> None:
        table = gone(pool=0, policy="off")
        table.call(2, 1, "done")
        assert table.call(3, 1, "trade")["reason"] == "the round has ended and is being judged"


class TestDone:
    def done(self, pool: int, seats: int = 4, caller: int = 2, **options: Any) -> dict[str, Any]:
        return gone(seats, pool=pool, start_tiles=7, policy="off", **options).call(3, caller, "done")

    def test_a_player_who_has_used_all_tiles_says_done_and_all_must_draw_two(self) -> None:
        table = gone(3, start_tiles=7)
        table.sees(2, 1, *stairs(7))
        line = table.call(3, 1, "done")
        assert (hands(line), line["pool"], line["phase"]) == ([9, 9, 9], 117, "playing")
        assert texts(line) == ["DONE: two tiles each"]

    def test_exactly_two_for_each_are_enough(self) -> None:
        line = self.done(8)
        assert (hands(line), line["pool"], line["phase"]) == ([9, 9, 9, 9], 0, "playing")

    @pytest.mark.parametrize(
        ("pool", "drawn"),
        [
            (7, [2, 1, 2, 2]),
            (6, [1, 1, 2, 2]),
            (5, [1, 1, 2, 1]),
            (4, [1, 1, 1, 1]),
            (3, [1, 0, 1, 1]),
            (2, [0, 0, 1, 1]),
            (1, [0, 0, 1, 0]),
        ],
    )
    def test_with_too_few_one_each_goes_round_from_the_callers_left_until_none_is_left(
        self, pool: int, drawn: list[int]
    ) -> None:
        line = self.done(pool)
        assert (hands(line), line["pool"]) == ([7 + more for more in drawn], 0)
        shared = f"the last {pool} tiles are" if pool > 1 else "the last tile is"
        assert texts(line) == [f"DONE: {shared} shared out"]

    def test_the_left_of_the_last_seat_is_the_first(self) -> None:
        assert hands(self.done(1, caller=4)) == [8, 7, 7, 7]

    def test_a_disqualified_player_draws_nothing(self) -> None:
        table = gone(3, pool=3, start_tiles=7, policy="off")
        table.rule(2, "disqualify", seat=2)
        assert hands(table.call(3, 1, "done")) == [8, 7, 9]

    @pytest.mark.parametrize(("pool", "each", "left"), [(8, 2, 0), (7, 1, 3), (4, 1, 0)])
    def test_the_house_may_share_out_equal_numbers_only(self, pool: int, each: int, left: int) -> None:
        line = self.done(pool, remainder="equal_only")
        assert (hands(line), line["pool"], line["phase"]) == ([7 + each] * 4, left, "playing")

    def test_then_a_rest_too_small_for_all_counts_as_no_tiles_left(self) -> None:
        line = self.done(3, remainder="equal_only")
        assert (hands(line), line["pool"], line["phase"]) == ([7, 7, 7, 7], 3, "judging")

    @pytest.mark.parametrize(
        ("sees", "reason"),
        [
            ({"grid": stairs(6), "loose": "Q"}, "1 tile is not placed yet: Q"),
            ({"grid": stairs(6)}, "seat 1 has 7 face-up tiles by count; 6 are seen in the tableau"),
            ({"grid": stairs(7, last="Z")}, "not valid: AZ"),
            ({"grid": stairs(7), "doubts": [[0, 0]]}, "the table is not sure of the tile at row 1 column 1"),
        ],
    )
    def test_done_with_a_bad_grid_is_refused_under_strict_and_stands_with_a_warning_under_advise(
        self, sees: dict[str, Any], reason: str
    ) -> None:
        for policy, accepted in (("strict", False), ("advise", True)):
            table = gone(start_tiles=7, policy=policy)
            table.line(2, seat=1, sees=sees)
            line = table.call(3, 1, "done")
            assert line["accepted"] is accepted
            assert any(reason in text for text in [line["reason"] or "", *texts(line)])
            assert hands(line) == ([9, 9] if accepted else [7, 7])

    def test_a_player_whom_the_camera_has_not_seen_is_not_done(self) -> None:
        assert gone().call(2, 1, "done")["reason"] == "the camera has not seen seat 1's tiles yet"


class TestDonesAtOnce:
    def both(self, apart_s: float, **options: Any) -> dict[str, Any]:
        table = gone(3, start_tiles=7, **options)
        table.sees(2, 1, *stairs(7))
        table.sees(2, 2, *stairs(7))
        table.call(3, 1, "done")
        return table.call(3 + apart_s, 2, "done")

    @pytest.mark.parametrize("apart_s", [0, 0.005])
    def test_inside_the_tie_window_tiles_are_drawn_once(self, apart_s: float) -> None:
        line = self.both(apart_s)
        assert (line["accepted"], hands(line)) == (True, [9, 9, 9])

    def test_after_it_the_new_tiles_must_be_used_first(self) -> None:
        line = self.both(0.005000001)
        assert line["reason"] == "seat 2 has 9 face-up tiles by count; 7 are seen in the tableau"

    def test_the_window_is_the_hosts_to_set(self) -> None:
        assert self.both(0.05, tie_ms=50)["accepted"] is True

    def test_inside_it_a_bad_grid_is_still_refused(self) -> None:
        table = gone(3, start_tiles=7)
        table.sees(2, 1, *stairs(7))
        table.sees(2, 2, *stairs(7, last="Z"))
        table.call(3, 1, "done")
        assert table.call(3, 2, "done")["reason"] == "not valid: AZ"

    def test_a_seat_that_drew_one_of_the_last_tiles_has_but_one_to_spare(self) -> None:
        table = gone(3, start_tiles=7, pool=4)
        table.sees(2, 1, *stairs(7))
        table.sees(2, 3, *stairs(6))
        table.call(3, 1, "done")
        line = table.call(3, 3, "done")
        assert line["reason"] == "seat 3 has 8 face-up tiles by count; 6 are seen in the tableau"

    def test_the_done_that_takes_the_last_tiles_is_not_followed_by_a_final_one_at_once(self) -> None:
        table = gone(2, start_tiles=7, pool=4, policy="off")
        table.call(3, 1, "done")
        assert table.call(3, 2, "done")["phase"] == "playing"
