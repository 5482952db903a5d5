"""Plays by binary_scrabble.txt and SETTLED.md: the board, the tiles, the points; all worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadSetUp
from companion.model.tiles import tile_set
from companion.rules.binary_scrabble.scores import bonus
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
        assert line["reason"] == "a tile at row 8, column 8 is not of any play: take it back first"
        table.line(2, board={"cells": []})
        assert table.host(3, "start")["accepted"]


class TestTurnedBoard:
    """Zeros and signs look alike both ways up: only later tiles tell how the board is read."""

    @pytest.fixture
    def table(self) -> Equations:
        """A game whose first play was read upside down, as the board shows now."""
        table = Equations()
        assert table.plays(1, (7, 5, "across", "0 + 0 = 0"))["accepted"]
        table.cells = {(14 - row, 14 - col): symbol for (row, col), symbol in table.cells.items()}
        return table

    def test_a_play_goes_on_where_the_board_is_read_the_other_way(self, table: Equations) -> None:
        line = table.plays(2, (8, 5, "down", "= 0 AND 1"))
        assert line["accepted"], line["reason"]
        assert [tile.cell for tile in table.state.board_tiles][:5] == [(7, 9 - n) for n in range(5)]

    def test_the_turned_play_can_be_taken_back_whole(self, table: Equations) -> None:
        table.shows()
        line = table.rule(table.next(), "take_back")
        assert (line["accepted"], table.state.board_tiles, scores(line)) == (True, (), [0, 0])

    def test_the_referees_reading_of_a_tile_turns_with_it(self, table: Equations) -> None:
        doubted = Equations()
        doubted.plays(1, (7, 5, "across", "0 + 0 = 0"))
        doubted.shows([[7, 6]])
        assert doubted.rule(doubted.next(), "read_tile", cell=[7, 6], symbol="+")["accepted"]
        doubted.cells = table.cells
        doubted.shows([[7, 8]])
        assert doubted.state.board is not None
        assert ([one.cell for one in doubted.state.tile_readings], doubted.state.board.doubts) == (
            [(7, 8)],
            (),
        )

    def test_a_covered_or_misread_tile_turns_nothing(self) -> None:
        table = Equations()
        table.plays(1, (7, 5, "across", "0 + 0 = 0"))
        table.clear((7, 6))
        table.cells |= {(7, 6): "=", (7, 8): "="}
        table.shows()
        assert [tile.cell for tile in table.state.board_tiles] == [(7, 5 + n) for n in range(5)]


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
        assert line["reason"] == "the first equation covers the middle square, row 8, column 8"

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
        ("laid", "apart"),
        [
            (((7, 4, "across", "1"), (7, 12, "across", "0")), "row 8, column 13"),  # a gap at column 12
            (((6, 5, "across", "1"), (8, 6, "across", "1")), "row 9, column 7"),  # two rows, two columns
            (((7, 4, "across", "1"), (0, 0, "across", "1")), "row 1, column 1"),  # another's stray tile
            (((0, 0, "across", "1"),), "row 1, column 1"),  # alone
        ],
    )
    def test_new_tiles_lie_in_one_row_or_column_without_a_gap(
        self, laid: tuple[Any, ...], apart: str
    ) -> None:
        reason = begun().plays(2, *laid)["reason"]
        rule = "the new tiles must lie in one row or column without a gap"
        assert reason == f"{rule}; {apart} is apart"

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
            ((7, 15), "1", "row 8, column 16 is off the board"),
            ((7, 11), "Q", "no tile of this game shows 'Q' (row 8, column 12)"),
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

    def test_signs_may_be_written_as_they_are_printed(self) -> None:
        line = Equations().plays(1, (7, 4, "across", "1 0 ÷ 1 0 = 1"))
        assert (scores(line), texts(line)) == ([22, 0], ["seat 1: 10/10=1: 22 points"])

    def test_a_blank_may_be_declared_by_a_printed_sign(self) -> None:
        line = Equations().plays(1, (7, 5, "across", "1 ? 1 = 1"), blanks=[[7, 6, "×"]])
        assert texts(line) == ["seat 1: 1x1=1: 10 points"]

    def test_all_nine_tiles_at_once_bring_no_bonus(self) -> None:
        # 10+10=100: the first and the last on double letters: 7 + 2 x 2 = 11, bonus 4: 15, twice
        assert scores(Equations().plays(1, self.NINE)) == [30, 0]

    def test_bingo_gives_what_the_house_wants_for_them(self) -> None:
        assert scores(Equations(bingo=50).plays(1, self.NINE)) == [30 + 50, 0]
