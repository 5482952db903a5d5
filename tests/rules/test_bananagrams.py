"""bananagrams.txt sentence by sentence, and what SETTLED.md settles of it."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadOption, BadSetUp
from tests.rules.playing import Table, hands, stairs


def splitted(seats: int = 2, **options: Any) -> Table:
    """Return a table at which all have turned their tiles up at second 1."""
    table = Table("bananagrams", seats, **options)
    table.host(0, "start")
    table.call(1, 1, "split")
    return table


def endgame(seats: int = 2, pool: int = 1, **options: Any) -> Table:
    """Return a table with so few tiles left, everybody's 21 tiles placed in good words."""
    table = splitted(seats, **options)
    table.set_pool(pool)
    for seat in range(1, seats + 1):
        table.sees(2, seat, *stairs(21))
    return table


class TestSetUp:
    def test_the_box_holds_144_tiles_and_all_lie_in_the_bunch(self) -> None:
        assert Table("bananagrams").state.pool == 144

    @pytest.mark.parametrize(
        ("players", "tiles", "bunch"),
        [
            (2, 21, 102),
            (3, 21, 81),
            (4, 21, 60),
            (5, 15, 69),
            (6, 15, 54),
            (7, 11, 67),
            (8, 11, 56),
            (13, 11, 1),
        ],
    )
    def test_players_draw_21_or_15_or_11_tiles_by_their_number(
        self, players: int, tiles: int, bunch: int
    ) -> None:
        line = Table("bananagrams", players).host(0, "start")
        assert (hands(line), line["pool"]) == ([tiles] * players, bunch)

    def test_solitaire_starts_with_21_tiles(self) -> None:
        assert hands(Table("bananagrams", 1).host(0, "start")) == [21]

    def test_fourteen_players_are_refused_with_the_numbers(self) -> None:
        with pytest.raises(BadSetUp, match="1 to 13 players; got 14"):
            Table("bananagrams", 14)

    def test_tiles_stay_hidden_until_split_is_called(self) -> None:
        line = Table("bananagrams").host(0, "start")
        assert [seat["face_down"] for seat in line["seats"]] == [21, 21]
        assert line["phase"] == "setup"


class TestSplit:
    def test_one_player_says_split_and_all_turn_their_tiles_up(self) -> None:
        table = Table("bananagrams")
        table.host(0, "start")
        line = table.call(1, 2, "split")
        assert [seat["face_down"] for seat in line["seats"]] == [0, 0]
        assert line["phase"] == "playing"

    def test_split_before_the_hosts_start_is_refused(self) -> None:
        line = Table("bananagrams").call(0, 1, "split")
        assert (line["accepted"], line["reason"]) == (False, "the host has not started the game yet")

    def test_a_second_split_is_refused(self) -> None:
        assert splitted().call(2, 2, "split")["reason"] == "play has begun already"

    def test_peel_before_split_is_refused(self) -> None:
        table = Table("bananagrams")
        table.host(0, "start")
        assert table.call(1, 1, "peel")["reason"] == "play has not begun yet"


class TestGrid:
    def test_words_read_left_to_right_and_top_to_bottom_only(self) -> None:
        line = splitted().sees(2, 1, "TAC", "O..")
        assert line["seats"][0]["verdict"]["invalid_words"] == ["TAC"]

    def test_a_word_upwards_is_no_word(self) -> None:
        assert splitted().sees(2, 1, "T", "A", "C")["seats"][0]["verdict"]["invalid_words"] == ["TAC"]

    def test_all_words_must_interconnect_in_one_grid(self) -> None:
        line = splitted().sees(2, 1, "AT..", "..TO")
        assert line["seats"][0]["verdict"]["islands"] == 2
        assert line["seats"][0]["verdict"]["valid"] is False

    def test_all_words_must_be_dictionary_words(self) -> None:
        assert splitted().sees(2, 1, "CATO")["seats"][0]["verdict"]["invalid_words"] == ["CATO"]

    def test_the_same_word_twice_is_fine_unless_switched_off(self) -> None:
        line = splitted().sees(2, 1, *stairs(21))
        assert line["seats"][0]["verdict"]["valid"] is True

    def test_the_same_word_twice_is_invalid_where_the_house_forbids_it(self) -> None:
        line = splitted(duplicates=False).sees(2, 1, *stairs(21))
        assert line["seats"][0]["verdict"]["invalid_words"] == ["AA"]

    def test_players_may_rearrange_their_grid_at_any_time(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.call(2, 1, "peel")
        assert table.sees(3, 1, "AT", loose="A" * 20)["seats"][0]["placed"] == 2
        assert table.sees(4, 1, *stairs(22))["seats"][0]["verdict"]["valid"] is True


class TestPeel:
    def test_everybody_takes_one_tile(self) -> None:
        table = splitted(3)
        table.sees(2, 2, *stairs(21))
        line = table.call(3, 2, "peel")
        assert (line["accepted"], hands(line), line["pool"]) == (True, [22, 22, 22], 78)

    def test_peel_with_loose_tiles_is_refused_and_says_how_many(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(19), loose="QZ")
        line = table.call(3, 1, "peel")
        assert (line["accepted"], line["reason"], hands(line)) == (
            False,
            "2 tiles are not placed yet: Q Z",
            [21, 21],
        )

    def test_peel_with_a_tile_that_nobody_sees_is_refused_with_the_counts(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(20))
        assert (
            table.call(3, 1, "peel")["reason"]
            == "seat 1 has 21 face-up tiles by count; 20 are seen in the tableau"
        )

    def test_peel_with_a_grid_in_two_parts_is_refused(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(19), "." * 15 + "AA")
        assert table.call(3, 1, "peel")["reason"] == "the tableau is in 2 parts"

    def test_peel_without_a_sighting_is_refused_under_strict(self) -> None:
        assert splitted().call(3, 1, "peel")["reason"] == "the camera has not seen seat 1's tiles yet"

    def test_peel_without_a_sighting_stands_with_a_warning_under_advise(self) -> None:
        line = splitted(policy="advise").call(3, 1, "peel")
        assert line["accepted"] is True
        assert {
            "event": "Warned",
            "seat": 1,
            "text": "the camera has not seen seat 1's tiles yet",
        }.items() <= line["events"][1].items()

    def test_people_judge_a_peel_where_the_policy_is_off(self) -> None:
        line = splitted(policy="off").call(3, 1, "peel")
        assert line["accepted"] is True
        assert "Warned" not in [event["event"] for event in line["events"]]

    def test_words_are_judged_at_the_end_only(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21, last="Z"))
        assert table.call(3, 1, "peel")["accepted"] is True

    def test_strict_peel_judges_the_words_of_every_peel(self) -> None:
        table = splitted(strict_peel=True)
        table.sees(2, 1, *stairs(21, last="Z"))
        assert table.call(3, 1, "peel")["reason"] == "not valid: AZ"

    @pytest.mark.parametrize(("bunch", "accepted"), [(3, True), (2, False), (0, False)])
    def test_peel_needs_a_tile_in_the_bunch_for_every_active_player(self, bunch: int, accepted: bool) -> None:
        assert endgame(3, bunch).call(3, 1, "peel")["accepted"] is accepted

    def test_peel_with_too_few_tiles_says_so(self) -> None:
        reason = endgame(3, 2).call(3, 1, "peel")["reason"]
        assert reason == "2 tiles are left in the bunch for 3 players: no more PEELs, BANANAS wins"

    def test_a_solitaire_peel_draws_to_the_last_tile(self) -> None:
        line = endgame(1, 1).call(3, 1, "peel")
        assert (hands(line), line["pool"]) == ([22], 0)


class TestPeelsAtOnce:
    def both(self, apart_s: float, **options: Any) -> dict[str, Any]:
        table = splitted(**options)
        table.sees(2, 1, *stairs(21))
        table.sees(2, 2, *stairs(21))
        table.call(3, 1, "peel")
        return table.call(3 + apart_s, 2, "peel")

    @pytest.mark.parametrize("apart_s", [0, 0.000000001, 1.5])
    def test_two_peels_within_the_window_draw_one_tile_each_once(self, apart_s: float) -> None:
        line = self.both(apart_s)
        assert (line["accepted"], hands(line)) == (True, [22, 22])

    def test_a_peel_one_nanosecond_after_the_window_is_one_of_its_own(self) -> None:
        line = self.both(1.500000001)
        assert line["reason"] == "seat 2 has 22 face-up tiles by count; 21 are seen in the tableau"

    def test_the_window_is_the_hosts_to_set(self) -> None:
        assert self.both(1.0, peel_merge_ms=999)["accepted"] is False
        assert self.both(1.0, peel_merge_ms=1000)["accepted"] is True

    def test_the_window_ends_when_the_caller_has_placed_the_new_tile(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.call(3, 1, "peel")
        table.sees(3.5, 2, *stairs(22))
        line = table.call(3.6, 2, "peel")
        assert (line["accepted"], hands(line)) == (True, [23, 23])

    def test_a_peel_in_the_window_from_an_unfinished_grid_is_still_refused(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.sees(2, 2, *stairs(19), loose="QZ")
        table.call(3, 1, "peel")
        assert table.call(3.5, 2, "peel")["reason"] == "2 tiles are not placed yet: Q Z"

    def test_the_new_tile_may_lie_loose_already(self) -> None:
        table = splitted()
        table.sees(2, 1, *stairs(21))
        table.call(3, 1, "peel")
        table.sees(3.5, 2, *stairs(21), loose="Q")
        assert hands(table.call(3.6, 2, "peel")) == [22, 22]

    def test_without_a_camera_the_window_alone_decides(self) -> None:
        assert hands(self.both(1.5, policy="off")) == [22, 22]
        assert hands(self.both(1.6, policy="off")) == [23, 23]


class TestDump:
    def test_one_tile_goes_back_and_three_are_drawn_at_any_time(self) -> None:
        line = splitted().call(2, 2, "dump")
        assert (line["accepted"], hands(line), line["pool"]) == (True, [21, 23], 100)

    def test_a_player_may_dump_any_number_of_times(self) -> None:
        table = splitted()
        for second in range(2, 7):
            line = table.call(second, 1, "dump")
        assert (hands(line), line["pool"]) == ([31, 21], 92)

    @pytest.mark.parametrize("bunch", [0, 1, 2])
    def test_dump_with_fewer_than_three_in_the_bunch_is_refused(self, bunch: int) -> None:
        line = endgame(2, bunch).call(3, 1, "dump")
        assert (line["accepted"], line["pool"]) == (False, bunch)

    def test_dump_with_exactly_three_is_fine(self) -> None:
        assert endgame(2, 3).call(3, 1, "dump")["pool"] == 1

    def test_the_refusal_says_how_many_are_left(self) -> None:
        assert (
            endgame(2, 1).call(3, 1, "dump")["reason"]
            == "DUMP takes three tiles, and 1 tile is left in the bunch"
        )

    def test_the_host_may_let_a_dump_take_the_rest_with_the_returned_tile_among_it(self) -> None:
        line = endgame(2, 1, dump_short="take_rest").call(3, 1, "dump")
        assert (hands(line), line["pool"]) == ([22, 21], 0)

    def test_drawn_first_the_returned_tile_stays_in_the_bunch(self) -> None:
        line = endgame(2, 1, dump_short="take_rest", dump_order="draw_first").call(3, 1, "dump")
        assert (hands(line), line["pool"]) == ([21, 21], 1)

    def test_taking_the_rest_of_an_empty_bunch_is_refused(self) -> None:
        assert endgame(2, 0, dump_short="take_rest").call(3, 1, "dump")["accepted"] is False

    def test_the_tile_is_returned_first_as_the_log_shows(self) -> None:
        counts = [event["counts"] for event in splitted().call(2, 1, "dump")["events"] if "counts" in event]
        assert counts == [[-1, 0], [3, 0]]

    def test_the_host_may_have_three_drawn_first(self) -> None:
        events = splitted(dump_order="draw_first").call(2, 1, "dump")["events"]
        assert [event["counts"] for event in events if "counts" in event] == [[3, 0], [-1, 0]]


class TestBananas:
    @pytest.mark.parametrize("name", ["bananas", "bananagrams"])
    def test_the_first_to_use_all_tiles_wins_under_either_name(self, name: str) -> None:
        line = endgame().call(3, 2, name)
        assert (line["accepted"], line["winner"], line["seats"][1]["place"]) == (True, 2, 1)

    def test_the_winner_stands_when_the_host_confirms(self) -> None:
        table = endgame()
        assert table.call(3, 2, "bananas")["phase"] == "judging"
        line = table.host(4, "confirm")
        assert (line["phase"], line["winner"], line["seats"][1]["total"]) == ("over", 2, 1)

    def test_bananas_while_peels_are_possible_is_refused(self) -> None:
        line = endgame(2, 2).call(3, 1, "bananas")
        assert line["reason"] == "2 tiles are left in the bunch for 2 players: say PEEL"

    def test_bananas_with_an_unplaced_tile_is_refused_and_nobody_is_out(self) -> None:
        table = endgame()
        table.sees(2.5, 1, *stairs(20), loose="Q")
        line = table.call(3, 1, "bananas")
        assert (line["reason"], hands(line)) == ("1 tile is not placed yet: Q", [21, 21])

    def test_an_invalid_word_disqualifies_and_all_tiles_go_back(self) -> None:
        table = endgame(3)
        table.sees(2.5, 1, *stairs(21, last="Z"))
        line = table.call(3, 1, "bananas")
        assert (line["accepted"], line["winner"], hands(line), line["pool"]) == (False, None, [0, 21, 21], 22)
        assert line["reason"] == "not valid: AZ; seat 1 is disqualified and 21 tiles go back to the bunch"

    def test_a_disqualified_player_is_out_of_the_round(self) -> None:
        table = endgame(3)
        table.sees(2.5, 1, *stairs(21, last="Z"))
        table.call(3, 1, "bananas")
        assert table.call(4, 1, "dump")["reason"] == "seat 1 is out of this round"

    def test_the_remaining_players_play_on_and_peels_are_possible_again(self) -> None:
        table = endgame(3)
        table.sees(2.5, 1, *stairs(21, last="Z"))
        table.call(3, 1, "bananas")
        line = table.call(4, 2, "peel")
        assert (line["accepted"], hands(line), line["phase"]) == (True, [0, 22, 22], "playing")

    def test_a_frozen_endgame_stays_one_when_tiles_come_back(self) -> None:
        table = splitted(3, freeze_endgame=True)
        table.set_pool(3)
        for seat in (1, 2, 3):
            table.sees(2, seat, *stairs(21))
        table.call(3, 1, "peel")
        table.sees(4, 1, *stairs(22, last="Z"))
        table.call(5, 1, "bananas")
        table.sees(6, 2, *stairs(22))
        assert table.call(7, 2, "peel")["accepted"] is False
        assert table.call(8, 2, "bananas")["winner"] == 2

    def test_the_last_player_wins_only_with_a_valid_finish(self) -> None:
        table = endgame(2)
        table.sees(2.5, 1, *stairs(21, last="Z"))
        line = table.call(3, 1, "bananas")
        assert (line["winner"], line["phase"]) == (None, "playing")

    def test_the_host_may_let_the_last_player_standing_win(self) -> None:
        table = endgame(2, last_standing_wins=True)
        table.sees(2.5, 1, *stairs(21, last="Z"))
        line = table.call(3, 1, "bananas")
        assert (line["winner"], line["phase"]) == (2, "judging")

    def test_a_round_that_the_last_player_does_not_finish_is_void(self) -> None:
        table = endgame(2)
        table.sees(2.5, 1, *stairs(21, last="Z"))
        table.call(3, 1, "bananas")
        line = table.host(4, "end")
        assert (line["winner"], line["phase"]) == (None, "over")

    def test_a_round_is_void_when_nobody_is_left(self) -> None:
        table = endgame(1, 0)
        table.sees(2.5, 1, *stairs(21, last="Z"))
        line = table.call(3, 1, "bananas")
        assert "RoundVoided" in [event["event"] for event in line["events"]]

    def test_a_doubted_tile_must_be_read_first_and_disqualifies_nobody(self) -> None:
        table = endgame()
        table.sees(2.5, 1, *stairs(21, last="Z"), doubts=[[10, 10]])
        line = table.call(3, 1, "bananas")
        assert (
            line["reason"]
            == "the table is not sure of the tile at row 10 column 10; the referee must read it"
        )
        assert hands(line) == [21, 21]

    def test_advise_lets_an_invalid_grid_stand_with_a_warning_for_the_others_to_inspect(self) -> None:
        table = endgame(policy="advise")
        table.sees(2.5, 1, *stairs(21, last="Z"))
        line = table.call(3, 1, "bananas")
        assert (line["winner"], line["phase"]) == (1, "judging")
        assert "not valid: AZ" in [event.get("text") for event in line["events"]]

    def test_others_may_inspect_and_the_referee_disqualifies_the_winner(self) -> None:
        table = endgame(3, policy="advise")
        table.call(3, 1, "bananas")
        line = table.rule(4, "overturn_done", seat=1, reason="AA is no word")
        assert (line["winner"], line["phase"], hands(line), line["pool"]) == (
            None,
            "playing",
            [0, 21, 21],
            22,
        )

    def test_overturning_who_has_not_won_is_refused(self) -> None:
        assert endgame().rule(3, "overturn_done", seat=1)["reason"] == "seat 1 has not won"

    def test_the_winning_call_is_told_by_the_name_that_the_host_chose(self) -> None:
        line = endgame(call_name="bananagrams").call(3, 1, "bananas")
        assert "seat 1: BANANAGRAMS!" in [event.get("reason") for event in line["events"]]


class TestSimultaneousFinish:
    def both(self, apart_s: float, second: list[str], **options: Any) -> dict[str, Any]:
        table = endgame(words=("aa", "cat", "at", "to", "aaa", "aaaaaaa"), **options)
        table.sees(2.5, 2, *second)
        table.call(3, 1, "bananas")
        return table.call(3 + apart_s, 2, "bananas")

    def test_the_first_edge_wins_outside_the_tie_window(self) -> None:
        line = self.both(0.006, stairs(21))
        assert (line["accepted"], line["winner"]) == (False, 1)
        assert line["reason"] == "seat 1 was first and is being judged"

    def test_most_words_win_inside_the_tie_window(self) -> None:
        # seat 1 has 20 words AA; seat 2 a block of 3 by 7: 7 down and 3 across, 10 words
        assert self.both(0.005, ["AAAAAAA"] * 3)["winner"] == 1

    def test_the_longest_word_wins_where_the_host_says_so(self) -> None:
        assert self.both(0.005, ["AAAAAAA"] * 3, tie="longest")["winner"] == 2

    def test_equal_words_leave_it_to_the_edge(self) -> None:
        assert self.both(0.005, stairs(21))["winner"] == 1

    def test_the_later_edge_wins_inside_the_window_with_more_words(self) -> None:
        table = endgame(words=("aa", "aaa", "aaaaaaa"))
        table.sees(2.5, 1, *["AAAAAAA"] * 3)
        assert table.call(3, 1, "bananas")["winner"] == 1
        line = table.call(3.005, 2, "bananas")
        assert (line["accepted"], line["winner"], line["seats"][0]["place"]) == (True, 2, None)

    def test_the_edge_alone_decides_where_the_host_says_so(self) -> None:
        table = endgame(words=("aa", "aaa", "aaaaaaa"), tie="edge")
        table.sees(2.5, 1, *["AAAAAAA"] * 3)
        table.call(3, 1, "bananas")
        assert table.call(3.005, 2, "bananas")["winner"] == 1

    def test_all_play_on_until_one_clearly_finishes_where_the_host_says_so(self) -> None:
        table = endgame(tie="play_on")
        table.call(3, 1, "bananas")
        line = table.call(3.005, 2, "bananas")
        assert (line["winner"], line["phase"], line["seats"][0]["score"]) == (None, "playing", 0)
        assert table.call(4, 2, "bananas")["winner"] == 2

    def test_who_called_with_a_phony_finisher_is_not_hurt_by_the_tiles_that_came_back(self) -> None:
        table = endgame()
        table.sees(2.5, 1, *stairs(21, last="Z"))
        table.call(3, 1, "bananas")
        assert table.call(3.005, 2, "bananas")["winner"] == 2

    def test_the_other_finisher_inherits_when_the_winner_is_overturned(self) -> None:
        table = endgame(3, policy="advise")
        table.call(3, 1, "bananas")
        table.call(3.004, 2, "bananas")
        line = table.rule(4, "overturn_done", seat=1, reason="AA is no word")
        assert (line["winner"], line["phase"]) == (2, "judging")

    def test_a_second_call_of_the_winner_changes_nothing(self) -> None:
        table = endgame()
        table.call(3, 1, "bananas")
        assert table.call(3.001, 1, "bananas")["accepted"] is False


class TestSeries:
    def win(self, table: Table, at: float, seat: int) -> dict[str, Any]:
        table.call(at, 1, "split")
        table.set_pool(1)
        table.sees(at, seat, *stairs(21))
        table.call(at, seat, "bananas")
        return table.host(at, "confirm")

    def test_a_single_round_ends_with_one_valid_winner(self) -> None:
        table = Table("bananagrams")
        table.host(0, "start")
        assert self.win(table, 1, 2)["phase"] == "over"
        assert table.host(2, "next_round")["reason"] == "the game is over"

    @pytest.mark.parametrize("series", ["best_of_3", 3, "best of 3", "first_to_2", "first to 2"])
    def test_two_rounds_decide_the_best_of_three(self, series: str | int) -> None:
        table = Table("bananagrams", series=series)
        table.host(0, "start")
        assert self.win(table, 1, 2)["phase"] == "judging"
        table.host(2, "next_round")
        assert self.win(table, 3, 1)["winner"] == 1
        assert table.host(4, "next_round")["round"] == 3
        line = self.win(table, 5, 2)
        assert (line["phase"], line["winner"], [seat["total"] for seat in line["seats"]]) == (
            "over",
            2,
            [1, 2],
        )

    def test_the_best_of_five_needs_three(self) -> None:
        table = Table("bananagrams", series="best_of_5")
        table.host(0, "start")
        for number in (1, 2):
            assert self.win(table, number, 1)["phase"] == "judging"
            table.host(number, "next_round")
        assert self.win(table, 3, 1)["phase"] == "over"

    @pytest.mark.parametrize("series", ["best_of_4", "first_to_0", "long", 2, True])
    def test_a_series_that_nobody_can_play_is_refused(self, series: object) -> None:
        with pytest.raises(BadOption, match="'series' must be single, best_of_ and an odd number"):
            Table("bananagrams", series=series)

    def test_the_next_round_deals_from_a_full_bunch(self) -> None:
        table = Table("bananagrams", series=3)
        table.host(0, "start")
        table.call(1, 1, "split")
        table.call(2, 1, "dump")
        table.call(2, 1, "dump")
        table.rule(3, "disqualify", seat=1)
        table.rule(3, "disqualify", seat=2)
        line = table.host(4, "confirm", "next_round")
        assert (hands(line), line["pool"]) == ([21, 21], 102)
