"""bananagrams.txt 6 and 7: how a round and a series end, with what SETTLED.md settles of it."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadOption
from tests.rules.playing import Table, endgame, hands, splitted, stairs


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

    def test_a_bunch_that_the_opening_hands_left_small_is_frozen_too(self) -> None:
        """13 players draw 143 tiles and leave one; a disqualified one's eleven make it twelve for twelve."""
        table = splitted(13, freeze_endgame=True, policy="off")
        table.rule(2, "disqualify", seat=13)
        assert table.call(3, 1, "peel")["accepted"] is False

    def test_a_bunch_that_a_dump_left_small_stays_frozen_after_a_disqualification(self) -> None:
        table = splitted(3, freeze_endgame=True, policy="off")
        table.set_pool(4)
        table.call(2, 1, "dump")
        table.rule(3, "disqualify", seat=3)
        assert table.call(4, 1, "peel")["accepted"] is False

    def test_a_dump_that_draws_first_freezes_no_bunch_that_is_large_enough_after_it(self) -> None:
        table = splitted(3, freeze_endgame=True, policy="off", dump_order="draw_first")
        table.set_pool(5)
        table.call(2, 1, "dump")
        assert table.call(3, 1, "peel")["accepted"] is True

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
            == "the table is not sure of the tile at row 11 column 11; the referee must read it"
        )
        assert hands(line) == [21, 21]

    def test_a_tile_that_was_not_read_must_be_looked_at_first_and_disqualifies_nobody(self) -> None:
        table = endgame()
        table.sees(2.5, 1, *stairs(21, last="Z"), doubts=[[10, 10]], unread=[[10, 10]])
        reason = table.call(3, 1, "bananas")["reason"]
        assert reason == (
            "the table cannot read what lies beside the tile at row 11 column 11: lay it straight, out of "
            "reflections; or the referee says that nothing lies there"
        )
        table.rule(4, "read_tile", seat=1, cell=[10, 10], symbol="Z")
        assert "not valid" in str(table.call(5, 1, "bananas"))

    def test_a_doubted_letter_comes_before_one_beside_which_another_was_not_read(self) -> None:
        table = endgame()
        table.sees(2.5, 1, *stairs(21, last="Z"), doubts=[[9, 10], [10, 10]], unread=[[10, 10]])
        assert "not sure of the tile at row 10 column 11" in table.call(3, 1, "bananas")["reason"]

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
