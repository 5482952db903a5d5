"""Blanks, the camera, and every switch of SETTLED.md that changes what may be played; worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import BadCall, BadOption
from companion.rules.binary_scrabble.board import Tile
from companion.rules.binary_scrabble.scores import tile_value
from tests.rules.playing import Table, scores, texts
from tests.rules.playing_binary import FIRST, Equations, begun

DOWN = (8, 5, "down", "= 1 AND 1")
"""1=1AND1 down from the first 1: = 1, 1 on a triple letter 3, AND 1, 1; bonus 1: 7 points."""


class TestBlanks:
    def test_a_blank_is_any_symbol_and_worth_nothing(self) -> None:
        line = Equations().plays(1, (7, 5, "across", "1 ? 1 = 1 0"), blanks=[[7, 6, "+"]])
        assert scores(line) == [(5 + 2) * 2, 0]

    def test_a_blank_that_nobody_has_declared_is_asked_for(self) -> None:
        line = Equations().plays(1, (7, 5, "across", "1 ? 1 = 1 0"))
        assert line["reason"] == "say what the blank at row 8, column 7 stands for"

    def test_what_it_stands_for_is_fixed(self) -> None:
        table = Equations()
        table.plays(1, (7, 5, "across", "? = 1"), blanks=[[7, 5, "1"]])
        line = table.plays(2, (7, 8, "across", "= 0"), blanks=[[7, 5, "0"]])
        assert line["reason"] == "no new blank lies at row 8, column 6"
        assert table.state.board_tiles[0] == Tile(7, 5, "", "1")

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
        assert reason == "the = at row 8, column 7 lies sideways, which is not played in this game"
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
        assert line["reason"] == "no new = lies at row 8, column 7"


class TestCamera:
    def test_a_tile_that_a_play_has_laid_must_lie_where_it_lay(self) -> None:
        table = begun()
        table.cells[7, 5] = "0"
        line = table.plays(2, DOWN)
        assert line["reason"] == "at row 8, column 6 lies 1 by count; 0 is seen"
        del table.cells[7, 5]
        table.shows()
        assert table.says(2, "play")["reason"] == "at row 8, column 6 lies 1 by count; none is seen"

    def test_under_advise_the_play_stands_and_the_table_warns(self) -> None:
        table = begun(policy="advise")
        table.cells[7, 6] = ""
        line = table.plays(2, DOWN)
        assert "at row 8, column 7 lies + by count; a blank is seen" in texts(line)
        assert scores(line) == [16, 7]

    def test_a_new_tile_in_doubt_is_the_referees_to_read(self) -> None:
        table = Equations()
        table.lay(FIRST)
        table.shows(doubts=[[7, 10]])
        reason = table.says(1, "play")["reason"]
        assert reason == "the tile at row 8, column 11 cannot be read: the referee says what it is"
        table.rule(table.next(), "read_tile", cell=[7, 10], symbol="0")
        assert scores(table.says(1, "play")) == [16, 0]

    def test_what_lies_unread_beside_a_new_tile_is_looked_at_first(self) -> None:
        table = Equations()
        table.lay(FIRST)
        table.shows(doubts=[[7, 10]], unread=[[7, 10]])
        reason = table.says(1, "play")["reason"]
        assert reason.startswith("the table cannot read what lies beside the tile at row 8, column 11: ")
        table.rule(table.next(), "read_tile", cell=[7, 10], symbol="0")
        assert scores(table.says(1, "play")) == [16, 0]

    def test_a_new_tile_in_doubt_comes_before_one_beside_which_something_was_not_read(self) -> None:
        table = Equations()
        table.lay(FIRST)
        table.shows(doubts=[[7, 5], [7, 10]], unread=[[7, 5]])
        reason = table.says(1, "play")["reason"]
        assert reason == "the tile at row 8, column 11 cannot be read: the referee says what it is"

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
        assert reason == "a tile at row 9, column 6 is not of any play: take it back first"
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
        options: dict[str, Any] = {name: "sometimes"}
        with pytest.raises(BadOption, match=f"option '{name}'"):
            Table("binary_scrabble", **options)
