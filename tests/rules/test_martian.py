"""Martian Boggle, sentence by sentence (martian_boggle.txt); SETTLED.md's points with their switches."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadCall, BadSetUp
from tests.rules.martian import HOMES, ROWS, WORDS, laid, move, passes, played, roll, seen, spells
from tests.rules.playing import Table, hands, places, scores

FIVE = ["crane", "house", "light", "plumb", "quiet"]
"""Values 7, 8, 9, 11, 14; together 49."""

OTHERS = ["tiger", "bread", "mouse", "stone", "light"]
"""Values 6, 8, 7, 5, 9; together 35."""


class TestSetUp:
    @pytest.mark.parametrize("seats", [1, 3])
    def test_two_play(self, seats: int) -> None:
        with pytest.raises(BadSetUp, match=f"2 to 2 players; got {seats}"):
            Table("martian_boggle", seats)

    def test_of_100_letter_tiles_25_lie_on_the_board_and_75_in_the_bag(self) -> None:
        assert laid().state.pool == 75

    def test_five_large_pieces_begin_on_each_home_row(self) -> None:
        table = Table("martian_boggle")
        table.line(0, board=seen(*ROWS, pieces={"1": [[4, 0], [4, 1], [4, 2], [4, 3], [3, 4]]}))
        assert table.host(1, "start")["reason"] == (
            "the pieces of seat 1 begin on their home row, row 5; they are seen at "
            "row 4 column 5, row 5 column 1, row 5 column 2, row 5 column 3, row 5 column 4"
        )

    def test_the_board_may_be_seen_after_the_start_too(self) -> None:
        table = Table("martian_boggle", words=WORDS)
        table.host(0, "start")
        table.line(1, board=seen(*ROWS))
        assert spells(table, 2, 1, "crane")["accepted"] is True

    def test_seat_1_begins(self) -> None:
        table = laid()
        assert roll(table, 1, 2, 1, 1)["reason"] == "it is seat 1's turn"
        assert roll(table, 1, 1, 1, 1)["accepted"] is True


class TestDiceAndMoves:
    def test_two_four_sided_dice_are_rolled(self) -> None:
        for dice in ([2], [2, 5], [0, 1], [1, 2, 3], 4):
            with pytest.raises(BadCall, match="'dice' must be"):
                laid().call(1, 1, "roll", dice=dice)

    def test_dice_are_rolled_once_a_turn(self) -> None:
        table = laid()
        roll(table, 1, 1, 2, 4)
        assert roll(table, 2, 1, 1, 1)["reason"] == "you have rolled 2 and 4 already"

    def test_players_roll_before_they_move(self) -> None:
        assert move(laid(), 1, 1, [4, 0], [3, 0])["reason"] == "roll your dice first"

    def test_the_example_of_2_and_4_is_allowed(self) -> None:
        """Up one and to the northwest; another up two, to the northeast, and up one more."""
        table = laid()
        table.rule(1, "set_pieces", seat=2, cells=[[0, 0], [1, 4], [0, 2], [0, 3], [0, 4]])
        roll(table, 2, 1, 2, 4)
        assert move(table, 3, 1, [4, 3], [2, 2])["accepted"] is True
        assert move(table, 4, 1, [4, 0], [0, 1])["accepted"] is True

    def test_pieces_may_not_end_on_others(self) -> None:
        table = laid()
        roll(table, 1, 1, 4, 4)
        assert move(table, 2, 1, [4, 0], [4, 1])["reason"] == "there is a piece at row 5 column 2 already"
        assert move(table, 3, 1, [4, 0], [0, 0])["reason"] == "there is a piece at row 1 column 1 already"

    def test_the_entirety_of_the_roll_may_move_any_one_piece(self) -> None:
        table = laid("TIGER", *ROWS[1:])
        roll(table, 1, 1, 1, 2)
        assert move(table, 2, 1, [4, 0], [1, 3])["accepted"] is True

    def test_one_die_may_move_one_piece_and_the_other_a_different_one(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 3)
        assert move(table, 2, 1, [4, 0], [1, 0])["accepted"] is True
        assert move(table, 3, 1, [4, 1], [3, 1])["accepted"] is True

    def test_the_roll_may_not_be_split_in_any_other_way(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 3)
        move(table, 2, 1, [4, 0], [2, 0])
        assert move(table, 3, 1, [4, 1], [2, 1])["reason"] == (
            "that takes 2 steps; 1 and 3 move one piece 4 steps, or one piece 1 and another 3; "
            "used: 2 by the piece now at row 3 column 1"
        )

    def test_a_third_piece_may_not_move(self) -> None:
        table = laid()
        roll(table, 1, 1, 2, 2)
        move(table, 2, 1, [4, 0], [3, 0])
        move(table, 3, 1, [4, 1], [3, 1])
        assert move(table, 4, 1, [4, 2], [3, 2])["accepted"] is False

    def test_more_steps_than_rolled_are_refused_with_the_numbers(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 1)
        assert move(table, 2, 1, [4, 0], [1, 0])["reason"] == (
            "that takes 3 steps; 1 and 1 move one piece 2 steps, or one piece 1 and another 1"
        )

    def test_a_player_does_not_have_to_use_all_of_the_roll(self) -> None:
        table = laid()
        roll(table, 1, 1, 4, 4)
        move(table, 2, 1, [4, 0], [3, 0])
        assert table.call(3, 1, "end_turn")["turn"] == 2

    def test_pieces_move_one_at_a_time_and_on_with_the_rest_of_their_steps(self) -> None:
        table = laid()
        roll(table, 1, 1, 2, 2)
        move(table, 2, 1, [4, 0], [3, 0])
        assert move(table, 3, 1, [3, 0], [1, 2])["accepted"] is True
        assert move(table, 4, 1, [1, 2], [3, 2])["accepted"] is False

    def test_pieces_may_not_pass_through_others(self) -> None:
        table = laid()
        table.rule(1, "set_pieces", seat=2, cells=[[3, 0], [3, 1], [0, 0], [0, 1], [0, 2]])
        roll(table, 2, 1, 4, 4)
        assert move(table, 3, 1, [4, 0], [2, 0])["reason"] == (
            "no way to row 3 column 1 is free: pieces may not pass through others"
        )

    def test_only_ones_own_pieces_move(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 1)
        assert move(table, 2, 1, [0, 0], [1, 0])["reason"] == "you have no piece at row 1 column 1"

    def test_the_variant_has_no_diagonals_for_movement(self) -> None:
        for orthogonal, accepted in ((True, False), (False, True)):
            table = laid(orthogonal=orthogonal)
            roll(table, 1, 1, 1, 1)
            move(table, 2, 1, [4, 0], [3, 0])
            assert move(table, 3, 1, [4, 1], [3, 2])["accepted"] is accepted


class TestTurns:
    def test_a_turn_is_over_when_the_entirety_of_the_roll_is_used(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 1)
        move(table, 2, 1, [4, 0], [2, 0])
        assert roll(table, 3, 2, 1, 1)["turn"] == 2
        assert spells(table, 4, 1, "crane")["reason"] == "it is seat 2's turn"

    def test_a_word_that_the_last_step_lands_on_may_still_be_called(self) -> None:
        table = laid("TIGER", "ABCDE", "FGHIJ", "CLMNO", "XRANE")
        roll(table, 1, 1, 1, 1)
        move(table, 2, 1, [4, 0], [3, 0])
        move(table, 3, 1, [4, 4], [3, 3])
        move(table, 3, 1, [3, 3], [4, 4])
        table.rule(4, "read_tile", cell=[3, 3], symbol="e")
        assert table.call(5, 1, "word", word="crane")["accepted"] is True

    def test_the_last_step_ends_the_turn_where_the_house_wants_that(self) -> None:
        table = laid(word_after_roll=False)
        roll(table, 1, 1, 1, 1)
        assert move(table, 2, 1, [4, 0], [2, 0])["turn"] == 2
        assert spells(table, 3, 1, "crane")["reason"] == "it is seat 2's turn"

    def test_a_refused_call_does_not_take_over_a_turn_that_is_used_up(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 1)
        move(table, 2, 1, [4, 0], [2, 0])
        assert move(table, 3, 2, [0, 0], [1, 0])["turn"] == 1

    def test_players_roll_before_they_end_their_turn(self) -> None:
        assert laid().call(1, 1, "end_turn")["reason"] == "roll your dice first"

    def test_the_next_turn_has_a_roll_of_its_own(self) -> None:
        table = laid()
        passes(table, 1, 1)
        passes(table, 2, 2)
        assert roll(table, 3, 1, 4, 4)["accepted"] is True


class TestWords:
    def test_a_word_gives_its_five_tiles_to_the_player_and_five_from_the_bag_to_the_board(self) -> None:
        told = spells(laid(), 1, 1, "crane")
        assert (hands(told), told["pool"], told["turn"]) == ([5, 0], 70, 2)

    def test_the_letters_may_be_in_any_order(self) -> None:
        assert spells(laid(*ROWS[:4], "NEARC"), 1, 1, "crane")["accepted"] is True

    def test_a_word_may_be_called_before_rolling(self) -> None:
        assert spells(laid(), 1, 1, "crane")["accepted"] is True

    def test_a_word_may_be_called_after_rolling_and_ends_the_turn(self) -> None:
        table = laid()
        roll(table, 1, 1, 4, 4)
        assert spells(table, 2, 1, "crane")["turn"] == 2
        assert move(table, 3, 1, [4, 0], [3, 0])["reason"] == "it is seat 2's turn"

    def test_a_word_may_be_called_between_the_dice(self) -> None:
        table = laid(*ROWS[:3], "CLMNO", "XRANE")
        roll(table, 1, 1, 1, 4)
        move(table, 2, 1, [4, 0], [3, 0])
        assert table.call(3, 1, "word", word="crane")["accepted"] is True

    def test_a_word_may_only_be_called_during_ones_own_turn(self) -> None:
        assert spells(laid(), 1, 2, "tiger")["reason"] == "it is seat 1's turn"

    @pytest.mark.parametrize(("word", "count"), [("cane", 4), ("cranes", 6)])
    def test_words_have_five_letters(self, word: str, count: int) -> None:
        reason = f"a word has five letters; {word.upper()} has {count}"
        assert spells(laid(policy="off"), 1, 1, word)["reason"] == reason

    def test_the_letters_must_be_under_ones_five_pieces(self) -> None:
        assert spells(laid(), 1, 1, "house")["reason"] == "HOUSE is not under your pieces: C R A N E"

    def test_the_word_must_be_in_the_list(self) -> None:
        assert spells(laid(), 1, 1, "nacre")["reason"] == "not valid: NACRE"

    def test_the_referees_ruling_on_a_word_counts(self) -> None:
        table = laid()
        table.rule(1, "rule_word", word="nacre", valid=True)
        assert spells(table, 2, 1, "nacre")["accepted"] is True

    def test_a_blank_stands_for_any_letter(self) -> None:
        table = laid(*ROWS[:4], "CRA?E")
        assert scores(spells(table, 1, 1, "crane")) == [3 * 6, 0]

    def test_a_word_may_be_called_before_the_first_move_and_counts_three_times(self) -> None:
        assert scores(spells(laid(), 1, 1, "crane")) == [21, 0]

    def test_the_house_may_want_a_move_before_the_first_word(self) -> None:
        table = laid(*ROWS[:3], "CLMNO", "XRANE", word_before_move=False)
        assert spells(table, 1, 1, "crane")["reason"] == "move a piece before you call your first word"
        roll(table, 2, 1, 1, 4)
        move(table, 3, 1, [4, 0], [3, 0])
        assert table.call(4, 1, "word", word="crane")["accepted"] is True

    def test_a_wrong_call_moves_nothing_and_the_turn_goes_on(self) -> None:
        told = spells(laid(), 1, 1, "house")
        assert (told["turn"], told["pool"], hands(told)) == (1, 75, [0, 0])

    @pytest.mark.parametrize("word", ["house", "nacre", "cane"])
    def test_a_wrong_call_may_lose_the_turn(self, word: str) -> None:
        told = spells(laid(bad_call="lose_turn"), 1, 1, word)
        assert (told["accepted"], told["turn"]) == (False, 2)

    def test_a_wrong_call_after_a_used_up_turn_loses_ones_own(self) -> None:
        table = laid(bad_call="lose_turn")
        roll(table, 1, 1, 1, 1)
        move(table, 2, 1, [4, 0], [2, 0])
        assert spells(table, 3, 2, "house")["turn"] == 1
        assert roll(table, 4, 1, 3, 3)["accepted"] is True

    def test_a_letter_that_is_not_read_costs_no_turn(self) -> None:
        table = Table("martian_boggle", words=WORDS, bad_call="lose_turn")
        table.host(0, "start")
        assert spells(table, 1, 1, "crane")["turn"] == 1

    def again(self, **options: Any) -> dict[str, Any]:
        table = laid(**options)
        spells(table, 1, 1, "crane", "crane")
        passes(table, 2, 2)
        return spells(table, 3, 1, "crane")

    def test_a_players_five_words_are_different(self) -> None:
        assert self.again()["reason"] == "you have spelled CRANE already"

    def test_the_house_may_let_a_word_count_again(self) -> None:
        assert scores(self.again(unique=False)) == [42, 0]

    def test_both_players_may_spell_the_same_word(self) -> None:
        table = laid("CRANE", *ROWS[1:])
        spells(table, 1, 1, "crane")
        assert scores(spells(table, 2, 2, "crane")) == [21, 21]


class TestAdjacency:
    def word_at(self, *cells: list[int], **options: Any) -> float:
        """Return the score of CRANE (7) under pieces on these squares."""
        table = laid(**options)
        table.rule(1, "set_pieces", seat=1, cells=list(cells))
        for cell, symbol in zip(cells, "crane", strict=True):
            table.rule(2, "read_tile", cell=cell, symbol=symbol)
        return scores(table.call(3, 1, "word", word="crane"))[0]

    def test_all_five_adjacent_to_each_other_diagonals_included_triple_the_score(self) -> None:
        assert self.word_at([1, 0], [2, 1], [3, 2], [2, 3], [1, 4]) == 21

    def test_four_but_no_less_double_it(self) -> None:
        assert self.word_at([1, 0], [2, 1], [3, 2], [2, 3], [4, 0]) == 14

    def test_three_do_not(self) -> None:
        assert self.word_at([1, 0], [2, 1], [3, 2], [4, 4], [3, 4]) == 7

    def test_the_variant_has_no_diagonals_for_adjacency(self) -> None:
        assert self.word_at([1, 0], [2, 1], [3, 2], [2, 3], [1, 4], orthogonal=True) == 7

    def test_the_house_may_count_all_pieces_that_touch_another(self) -> None:
        assert self.word_at([1, 0], [2, 1], [3, 2], [4, 4], [3, 4], adjacency="touching") == 21

    def test_the_house_may_want_every_two_to_touch_which_five_cannot(self) -> None:
        assert self.word_at([1, 0], [2, 1], [3, 2], [2, 3], [1, 4], adjacency="pairwise") == 7
        assert self.word_at([1, 1], [1, 2], [2, 1], [2, 2], [3, 3], adjacency="pairwise") == 14


class TestEnding:
    def test_the_game_ends_with_the_second_players_fifth_word(self) -> None:
        """Seat 1: 3 * (7 + 8); seat 2: 3 * 35 + 5."""
        told = played(laid(), ["crane", "house", "", "", ""], OTHERS)
        assert (told["phase"], scores(told), places(told)) == ("judging", [45, 110], [2, 1])

    def test_a_starter_with_five_words_leaves_the_second_player_one_more_turn(self) -> None:
        table = laid()
        told = played(table, FIVE, OTHERS[:4])
        assert (told["phase"], told["turn"]) == ("playing", 2)
        assert roll(table, 20, 2, 1, 2)["accepted"] is True
        assert table.call(21, 2, "end_turn")["phase"] == "judging"

    def test_the_second_player_may_spell_another_word_in_that_turn(self) -> None:
        """3 * 49 + 5 for having five first; 3 * 35 without it."""
        told = played(laid(), FIVE, OTHERS)
        assert (told["phase"], scores(told), told["winner"]) == ("judging", [152, 105], 1)

    def test_the_last_turn_is_over_too_when_its_roll_is_used_up(self) -> None:
        table = laid(scoring="craft")
        played(table, FIVE, OTHERS[:4])
        roll(table, 20, 2, 1, 1)
        move(table, 21, 2, [0, 0], [1, 0])
        move(table, 22, 2, [0, 4], [1, 4])
        told = roll(table, 23, 1, 1, 1)
        assert (told["reason"], told["phase"]) == ("seat 2 has used up the last turn", "judging")
        assert scores(told) == [16, 12]

    def test_a_wrong_call_may_lose_the_last_turn(self) -> None:
        table = laid(bad_call="lose_turn")
        played(table, FIVE, OTHERS[:4])
        assert spells(table, 20, 2, "cane")["phase"] == "judging"

    def test_craft_tiles_give_each_word_one_point_and_the_bonus_is_one(self) -> None:
        assert scores(played(laid(scoring="craft"), FIVE, OTHERS)) == [3 * 5 + 1, 3 * 5]

    def test_before_the_end_the_scores_are_those_of_the_words(self) -> None:
        assert scores(played(laid(), FIVE, OTHERS[:4])) == [147, 78]

    def test_the_tally_is_told(self) -> None:
        table = laid()
        told = played(table, FIVE, OTHERS)
        assert {
            "words 147 + bonus 5 - overtime 0 = 152" in event.get("text", "") for event in told["events"]
        } == {True, False}

    def test_the_highest_total_wins_even_without_the_bonus(self) -> None:
        """Seat 1: 3 * 35 + 5 = 110; seat 2: 3 * (14 + 11 + 9 + 8) = 126."""
        table = laid("QUIET", *ROWS[1:4], "TIGER")
        told = played(table, OTHERS, ["quiet", "plumb", "light", "house"])
        passes(table, 20, 2)
        told = table.host(21, "confirm")
        assert (scores(told), told["winner"], told["phase"]) == ([110, 126], 2, "over")

    def test_equal_points_are_nobodys_win(self) -> None:
        table = laid("CRANE", *ROWS[1:])
        spells(table, 1, 1, "crane")
        spells(table, 2, 2, "crane")
        told = table.host(3, "end")
        assert (scores(told), places(told), told["winner"]) == ([21, 21], [1, 1], None)

    def test_letters_of_another_language_have_the_values_of_their_set(self) -> None:
        """English CRANE 7; German C4 R1 A1 N1 E1 = 8."""
        assert scores(spells(laid(letter_values="scrabble-de"), 1, 1, "crane")) == [24, 0]

    def test_a_letter_without_a_value_is_refused_but_for_craft_tiles(self) -> None:
        for scoring, reason in (("values", "Ä has no value in scrabble-en"), ("craft", None)):
            table = laid(*ROWS[:4], "CRÄNE", scoring=scoring, policy="off")
            assert spells(table, 1, 1, "cräne")["reason"] == reason

    def test_the_game_is_one_round(self) -> None:
        table = laid()
        table.host(1, "end")
        assert table.host(2, "next_round")["reason"] == "the game is over"

    def test_time_may_end_it_without_a_bonus(self) -> None:
        table = laid(cap_s=60)
        spells(table, 1, 1, "crane")
        told = roll(table, 60, 2, 1, 1)
        assert (told["phase"], scores(told), places(told)) == ("judging", [21, 0], [1, 2])

    def test_the_host_may_end_a_tallied_game(self) -> None:
        table = laid()
        played(table, FIVE, OTHERS)
        told = table.host(30, "end")
        assert (told["phase"], told["winner"], told["seats"][0]["total"]) == ("over", 1, 152)


def test_home_rows_in_these_tests_are_the_games() -> None:
    assert HOMES["1"][0] == [4, 0]
