"""Plays by binary_scrabble.txt and SETTLED.md: the board, the tiles, the points; all worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadCall, BadOption, BadSetUp
from companion.model.tiles import tile_set
from companion.rules.binary_scrabble.board import Tile
from companion.rules.binary_scrabble.scores import bonus, tile_value
from tests.rules.playing import Table, hands, scores, texts
from tests.rules.playing_binary import FIRST, Equations, begun

DOWN = (8, 5, "down", "= 1 AND 1")
"""1=1AND1 down from the first 1: = 1, 1 on a triple letter 3, AND 1, 1; bonus 1: 7 points."""


class TestTiles:
    def test_the_box_has_the_table_of_make_your_tiles(self) -> None:
        box = tile_set("binary")
        told = "0 28 1, 1 28 1, = 14 1, + 5 1, - 5 1, x 3 2, / 2 4, OR 4 1, AND 4 1, NOT 4 1"
        rows = [row.split() for row in told.split(", ")]
        assert box.counts == {symbol: int(count) for symbol, count, _ in rows} | {"": 3}
        assert box.values == {symbol: int(value) for symbol, _, value in rows} | {"": 0}

    def test_players_keep_nine_tiles_in_their_hand_at_all_times(self) -> None:
        table = Equations(3)
        assert [seat.hand for seat in table.state.seats] == [9, 9, 9]
        line = table.plays(1, FIRST)
        assert (hands(line), line["pool"]) == ([9, 9, 9], 100 - 27 - 6)

    def test_the_hand_is_filled_with_what_is_left(self) -> None:
        table = Equations()
        table.short(4, 9, 9)
        line = table.plays(1, FIRST)
        assert (hands(line), line["pool"], line["phase"]) == ([7, 9], 0, "playing")

    @pytest.mark.parametrize("seats", [1, 5])
    def test_two_to_four_play_as_in_scrabble(self, seats: int) -> None:
        with pytest.raises(BadSetUp, match="2 to 4 players"):
            Equations(seats)

    def test_a_board_with_tiles_on_it_must_be_cleared_before_the_start(self) -> None:
        table = Table("binary_scrabble")
        table.line(0, board={"cells": [[7, 7, "1"]]})
        line = table.host(1, "start")
        assert line["reason"] == "a tile at row 7, column 7 is not of any play: take it back first"
        table.line(2, board={"cells": []})
        assert table.host(3, "start")["accepted"]


class TestTurns:
    def test_seat_1_begins_and_the_turn_goes_clockwise(self) -> None:
        table = Equations(3)
        assert table.state.turn == 1
        assert table.plays(1, FIRST)["turn"] == 2
        assert [table.says(seat, "pass")["turn"] for seat in (2, 3, 1)] == [3, 1, 2]

    @pytest.mark.parametrize("call", ["play", "pass"])
    def test_who_is_not_on_turn_is_told_whose_turn_it_is(self, call: str) -> None:
        assert Equations().says(2, call)["reason"] == "it is seat 1's turn"

    def test_the_players_clock_runs_in_turn_and_overtime_costs_points_at_the_end(self) -> None:
        table = Equations(player_s=60, overtime_points=10)
        table.plays(1, FIRST)
        table.line(150, seat=2, call="pass")  # seat 2 took 148 s: 88 s over, two minutes begun
        assert scores(table.host(151, "end")) == [16, -20]


class TestPlacing:
    def test_the_first_equation_covers_the_middle_square(self) -> None:
        line = Equations().plays(1, (0, 0, "across", "1 = 1"))
        assert line["reason"] == "the first equation covers the middle square, row 7, column 7"

    def test_players_form_valid_equations_and_what_is_none_is_refused_and_may_be_mended(self) -> None:
        table = Equations()
        line = table.plays(1, (7, 5, "across", "1 + 1 = 1 1"))
        assert line["reason"] == "1+1=11 is no valid equation: 1+1 is 10 and 11 is 11: not equal"
        assert line["turn"] == 1
        table.cells[7, 10] = "0"
        table.shows()
        assert table.says(1, "play")["accepted"]

    def test_players_must_make_or_add_to_an_equation(self) -> None:
        line = begun().plays(2, (0, 0, "across", "1 = 1"))
        assert (
            line["reason"]
            == "the new tiles must add to an equation on the board, or cross one as an equation"
        )

    def test_you_can_add_to_both_sides_in_a_single_turn(self) -> None:
        # 11+1=100: 1 and 0 on a double letter 2, bonus 4
        line = begun().plays(2, (7, 4, "across", "1 . . . . . . 0"))
        assert scores(line) == [16, 7]

    @pytest.mark.parametrize(
        "laid",
        [
            ((7, 4, "across", "1"), (7, 12, "across", "0")),  # a gap at column 11
            ((6, 5, "across", "1"), (8, 6, "across", "1")),  # two rows, two columns
            ((0, 0, "across", "1"),),  # alone
        ],
    )
    def test_new_tiles_lie_in_one_row_or_column_without_a_gap(self, laid: tuple[Any, ...]) -> None:
        reason = begun().plays(2, *laid)["reason"]
        assert reason == "the new tiles must lie in one row or column without a gap"

    def test_only_one_new_equals_sign_a_turn_counts_tiles(self) -> None:
        line = Equations().plays(1, (7, 5, "across", "1 = 1 = 1"))
        assert line["reason"] == "only one new = sign a turn; got 2"

    def test_an_equals_sign_that_lies_already_does_not_count(self) -> None:
        assert begun().plays(2, (7, 11, "across", "= 1 0"))["accepted"]  # 1+1=10=10

    def test_a_blank_declared_equals_counts_as_one(self) -> None:
        line = Equations().plays(1, (7, 5, "across", "1 = 1 ? 1"), blanks=[[7, 8, "="]])
        assert line["reason"] == "only one new = sign a turn; got 2"

    def test_no_new_tile_is_no_play(self) -> None:
        assert begun().says(2, "play")["reason"] == "no new tile lies on the board"

    def test_more_tiles_than_the_hand_holds_are_refused(self) -> None:
        line = Equations().plays(1, (7, 2, "across", "1 1 x 1 1 = 1 0 0 1"))
        assert line["reason"] == "10 new tiles lie on the board, and you held 9"

    def test_more_tiles_of_a_kind_than_the_box_has_are_refused(self) -> None:
        line = Equations().plays(1, (7, 3, "across", "1 / 1 / 1 / 1 = 1"))
        assert line["reason"] == "3 / tiles are too many: the box has 2"

    def test_four_blanks_are_too_many(self) -> None:
        blanks = [[7, col, "1"] for col in (5, 7, 9, 10)]
        line = Equations().plays(1, (7, 5, "across", "? = ? - ? ?"), blanks=blanks)
        assert line["reason"] == "4 blanks are too many: the box has 3"

    @pytest.mark.parametrize(
        ("cell", "symbol", "why"),
        [
            ((7, 15), "1", "row 7, column 15 is off the board"),
            ((7, 11), "Q", "no tile of this game shows 'Q' (row 7, column 11)"),
        ],
    )
    def test_what_can_be_no_tile_on_the_board_is_refused(
        self, cell: tuple[int, int], symbol: str, why: str
    ) -> None:
        table = begun()
        table.cells[cell] = symbol
        table.shows()
        assert table.says(2, "play")["reason"] == why

    def test_a_board_that_nobody_has_seen_cannot_be_played_on(self) -> None:
        assert Equations().says(1, "play")["reason"] == "the board has not been seen yet"


class TestPoints:
    NINE = (7, 3, "across", "1 0 + 1 0 = 1 0 0")

    @pytest.mark.parametrize(
        ("value", "kind", "points"),
        [
            (2, "largest_bit", 2),  # 1+1=10: bonus points = 2
            (9, "largest_bit", 8),  # 11x11=1001: bonus points = 8
            (24, "largest_bit", 16),  # 1000x11=11000
            (0, "largest_bit", 0),
            (1, "largest_bit", 1),
            (-2, "largest_bit", 0),
            (2, "floor_log2", 1),
            (9, "floor_log2", 3),
            (24, "floor_log2", 4),
            (0, "floor_log2", 0),
            (1, "floor_log2", 0),
            (9, "none", 0),
        ],
    )
    def test_the_bonus_is_the_largest_bit_unless_the_house_takes_its_place_or_none(
        self, value: int, kind: str, points: int
    ) -> None:
        assert bonus(value, kind) == points

    @pytest.mark.parametrize(
        ("kind", "points"), [("largest_bit", (6 + 2) * 2), ("floor_log2", (6 + 1) * 2), ("none", 6 * 2)]
    )
    def test_the_bonus_is_added_before_double_and_triple_words(self, kind: str, points: int) -> None:
        assert scores(begun(bonus=kind).says(2, "pass")) == [points, 0]

    def test_only_newly_placed_tiles_score_and_a_letter_square_counts_as_usual(self) -> None:
        assert scores(begun().plays(2, DOWN)) == [16, 7]

    def test_a_crossing_equation_scores_too(self) -> None:
        table = begun()
        table.plays(2, DOWN)
        # 1=1: 1, = on a double letter 2, 1, bonus 1: 5; down 1=1AND11: 1 + bonus 1: 2
        line = table.plays(1, (12, 5, "across", "1 = 1"))
        assert scores(line) == [16 + 7, 7]
        assert texts(line) == ["seat 1: 1=1AND11, 1=1: 7 points"]

    def test_squares_under_tiles_that_lay_there_count_no_more(self) -> None:
        # 1+1=10=10 over the double word of the first turn: = on a double letter 2, 1, 0, bonus 2
        assert scores(begun().plays(2, (7, 11, "across", "= 1 0"))) == [16, 6]

    def test_a_triple_word_counts_three_times_what_tiles_and_bonus_make(self) -> None:
        # 1+1=10 OR 0 OR 0: OR on a double letter 2, 0, OR, 0 on the triple word, bonus 2: 7, three times
        assert scores(begun().plays(2, (7, 11, "across", "OR 0 OR 0"))) == [16, 21]

    def test_multiply_and_divide_tiles_are_worth_two_and_four(self) -> None:
        # 10/10=1: six tiles of one point, / 4, bonus 1: 11, twice
        line = Equations().plays(1, (7, 4, "across", "1 0 / 1 0 = 1"))
        assert scores(line) == [22, 0]

    def test_all_nine_tiles_at_once_bring_no_bonus(self) -> None:
        # 10+10=100: the first and the last on double letters: 7 + 2 x 2 = 11, bonus 4: 15, twice
        assert scores(Equations().plays(1, self.NINE)) == [30, 0]

    def test_bingo_gives_what_the_house_wants_for_them(self) -> None:
        assert scores(Equations(bingo=50).plays(1, self.NINE)) == [30 + 50, 0]


class TestBlanks:
    def test_a_blank_is_any_symbol_and_worth_nothing(self) -> None:
        line = Equations().plays(1, (7, 5, "across", "1 ? 1 = 1 0"), blanks=[[7, 6, "+"]])
        assert scores(line) == [(5 + 2) * 2, 0]

    def test_a_blank_that_nobody_has_declared_is_asked_for(self) -> None:
        line = Equations().plays(1, (7, 5, "across", "1 ? 1 = 1 0"))
        assert line["reason"] == "say what the blank at row 7, column 6 stands for"

    def test_what_it_stands_for_is_fixed(self) -> None:
        table = Equations()
        table.plays(1, (7, 5, "across", "? = 1"), blanks=[[7, 5, "1"]])
        line = table.plays(2, (7, 8, "across", "= 0"), blanks=[[7, 5, "0"]])
        assert line["reason"] == "no new blank lies at row 7, column 5"
        assert table.state.lying[0] == Tile(7, 5, "", "1")

    def test_it_can_be_declared_only_as_a_symbol_of_the_game(self) -> None:
        table = Equations()
        for declared in ("Q", "", 1):
            with pytest.raises(BadCall):
                table.plays(1, (7, 5, "across", "? = 1"), blanks=[[7, 5, declared]])
        with pytest.raises(BadCall, match=r"\[row, column, symbol\]"):
            table.says(1, "play", blanks=[[7, 5]])


class TestCrossings:
    """10=10 in row 7, and 1=1 down onto its first 1, so that there is an = in row 6."""

    UNCONNECTED = "the new tiles must add to an equation on the board, or cross one as an equation"

    def table(self, **options: Any) -> Equations:
        table = Equations(**options)
        assert table.plays(1, (7, 7, "across", "1 0 = 1 0"))["accepted"]
        assert table.plays(2, (5, 7, "down", "1 ="))["accepted"]
        return table

    def test_numbers_as_crossings_are_refused_unless_switched_on(self) -> None:
        line = self.table().plays(1, (6, 6, "across", "1 . 1"))
        assert line["reason"] == "10 is no valid equation: there is no = in it"

    def test_number_crossings_lets_plain_numbers_cross_for_nothing(self) -> None:
        before = self.table(number_crossings=True)
        was = [seat.score for seat in before.state.seats]
        # 1=1: two tiles on double letters 4, bonus 1; 10 down is no equation
        assert scores(before.plays(1, (6, 6, "across", "1 . 1"))) == [was[0] + 5, was[1]]

    def test_a_crossing_with_leading_zeros_is_no_number(self) -> None:
        line = self.table(number_crossings=True).plays(1, (6, 6, "across", "0 . 0"))
        assert line["reason"] == "00 is no valid equation: there is no = in it"

    def test_a_sign_in_a_crossing_is_refused_all_the_same(self) -> None:
        line = self.table(number_crossings=True).plays(1, (6, 6, "across", "1 . 1 OR 0"))
        assert line["accepted"] is False

    def test_an_equation_still_needs_to_connect_to_another_some_other_way(self) -> None:
        line = self.table(number_crossings=True).plays(1, (6, 11, "across", "1 = 1"))
        assert line["reason"] == self.UNCONNECTED

    def test_a_number_alone_is_no_turn(self) -> None:
        line = self.table(number_crossings=True).plays(1, (6, 11, "across", "1"))
        assert line["reason"] == self.UNCONNECTED

    def test_a_line_of_new_tiles_must_be_an_equation_whatever_crosses_it(self) -> None:
        line = self.table(number_crossings=True).plays(1, (5, 11, "down", "1 1"))  # 110 down
        assert line["reason"] == "110 is no valid equation: there is no = in it"


class TestXor:
    def test_an_xor_tile_is_refused_unless_switched_on(self) -> None:
        assert Equations().plays(1, (7, 5, "across", "1 XOR 0 = 1"))["reason"] == (
            "XOR is not played in this game"
        )
        assert scores(Equations(xor=True).plays(1, (7, 5, "across", "1 XOR 0 = 1"))) == [(5 + 1) * 2, 0]

    def test_it_is_worth_as_much_as_and_or_and_not(self) -> None:
        assert [tile_value(symbol) for symbol in ("XOR", "OR", "AND", "NOT")] == [1, 1, 1, 1]

    def test_a_blank_may_be_xor_where_it_is_played(self) -> None:
        line = Equations(xor=True).plays(1, (7, 5, "across", "1 ? 0 = 1"), blanks=[[7, 6, "XOR"]])
        assert scores(line) == [(4 + 1) * 2, 0]


class TestSideways:
    LAID = (7, 6, "across", "11 = 11")

    def test_an_equals_turned_sideways_is_refused(self) -> None:
        reason = Equations().plays(1, self.LAID)["reason"]
        assert reason == "the = at row 7, column 6 lies sideways, which is not played in this game"
        line = Equations().plays(1, (7, 6, "across", "= = ="), sideways=[[7, 6], [7, 8]])
        assert line["reason"] == "an = may not stand for 11 in this game"

    def test_sideways_equals_stands_for_11_and_is_worth_one(self) -> None:
        # 11=11: three tiles, bonus 2, on the middle square
        assert scores(Equations(sideways_equals=True).plays(1, self.LAID)) == [(3 + 2) * 2, 0]

    def test_a_camera_that_cannot_tell_is_told(self) -> None:
        table = Equations(sideways_equals=True)
        line = table.plays(1, (7, 6, "across", "= = ="), sideways=[[7, 6], [7, 8]])
        assert scores(line) == [10, 0]
        assert table.plays(2, (7, 9, "across", "x 1"))["accepted"]

    def test_only_a_new_equals_can_lie_sideways(self) -> None:
        table = Equations(sideways_equals=True)
        line = table.plays(1, (7, 6, "across", "1 = 1"), sideways=[[7, 6]])
        assert line["reason"] == "no new = lies at row 7, column 6"


class TestCamera:
    def test_a_tile_that_a_play_has_laid_must_lie_where_it_lay(self) -> None:
        table = begun()
        table.cells[7, 5] = "0"
        line = table.plays(2, DOWN)
        assert line["reason"] == "at row 7, column 5 lies 1 by count; 0 is seen"
        del table.cells[7, 5]
        table.shows()
        assert table.says(2, "play")["reason"] == "at row 7, column 5 lies 1 by count; none is seen"

    def test_under_advise_the_play_stands_and_the_table_warns(self) -> None:
        table = begun(policy="advise")
        table.cells[7, 6] = ""
        line = table.plays(2, DOWN)
        assert "at row 7, column 6 lies + by count; a blank is seen" in texts(line)
        assert scores(line) == [16, 7]

    def test_a_new_tile_in_doubt_is_the_referees_to_read(self) -> None:
        table = Equations()
        table.lay(FIRST)
        table.shows(doubts=[[7, 10]])
        reason = table.says(1, "play")["reason"]
        assert reason == "the tile at row 7, column 10 cannot be read: the referee says what it is"
        table.rule(table.next(), "read_tile", cell=[7, 10], symbol="0")
        assert scores(table.says(1, "play")) == [16, 0]

    def test_an_old_tile_in_doubt_is_known(self) -> None:
        table = begun()
        table.lay(DOWN)
        table.cells[7, 5] = "0"
        table.shows(doubts=[[7, 5]])
        assert table.says(2, "play")["accepted"]

    def test_off_nothing_is_held_against_a_play(self) -> None:
        line = Equations(policy="off").plays(1, (7, 5, "across", "1 + 1 = 1 1"))
        assert (line["accepted"], scores(line)) == (True, [6 * 2, 0])  # a false equation has no bonus

    def test_tiles_that_were_tried_must_be_off_the_board_for_another_turn(self) -> None:
        table = begun()
        table.lay(DOWN)
        reason = table.says(2, "pass")["reason"]
        assert reason == "a tile at row 8, column 5 is not of any play: take it back first"
        table.clear((8, 5), (9, 5), (10, 5), (11, 5))
        assert table.says(2, "pass")["accepted"]


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "first", "accepted"),
        [
            ({"order": "standard"}, "1 + 1 x 1 0 = 1 1", True),
            ({}, "1 + 1 x 1 0 = 1 1", False),
            ({"identity": "tournament"}, "1 x 1 = 1", False),
            ({}, "1 x 1 = 1", True),
            ({"double_not": True}, "NOT NOT 1 = 1", True),
            ({}, "NOT NOT 1 = 1", False),
            ({"division": "floor"}, "1 1 / 1 0 = 1", True),
            ({}, "1 1 / 1 0 = 1", False),
            ({"negatives": "on"}, "- 1 = 0 - 1", True),
            ({}, "- 1 = 0 - 1", False),
            ({"negatives": "off"}, "0 - 1 + 1 = 0", False),
            ({}, "0 - 1 + 1 = 0", True),
        ],
    )
    def test_what_was_agreed_before_the_game_judges_its_plays(
        self, options: dict[str, Any], first: str, accepted: bool
    ) -> None:
        assert Equations(**options).plays(1, (7, 4, "across", first))["accepted"] is accepted

    @pytest.mark.parametrize(
        "name",
        "order bonus negatives division double_not number_crossings identity xor sideways_equals bingo "
        "going_out exchange_least".split(),
    )
    def test_a_value_that_an_option_does_not_take_is_refused(self, name: str) -> None:
        with pytest.raises(BadOption, match=f"option '{name}'"):
            Table("binary_scrabble", **{name: "sometimes"})  # type: ignore[arg-type]
