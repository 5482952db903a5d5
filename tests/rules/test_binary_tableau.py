"""A board of equations judged without a game, as ``companion read`` does it."""

from __future__ import annotations

import pytest

from companion.model.grid import Grid, parse_grid
from companion.model.squares import BOARD_SIDE_SQUARES
from companion.model.verdicts import TableauVerdict
from companion.rules.binary_scrabble.board import letter_factor, word_factor
from companion.rules.binary_scrabble.tableau import judge_equations
from companion.rules.binary_scrabble.value import EquationRules
from companion.vision.grid.scrabble import LAYOUT


def board(*rows: str) -> Grid:
    return parse_grid([row.split() for row in rows])


def judged(*rows: str, agreed: EquationRules | None = None) -> TableauVerdict:
    return judge_equations(board(*rows), set(), agreed or EquationRules())


CROSSED = ("1 + 1 = 1 0", "= . . . . .", "1 . . . . .")


def test_every_run_of_a_valid_board_is_a_true_equation() -> None:
    found = judged(*CROSSED)
    assert [(word.text, word.direction, word.valid) for word in found.words] == [
        ("1+1=10", "across", True),
        ("1=1", "down", True),
    ]
    assert (found.valid, found.islands) == (True, 1)


def test_one_false_equation_spoils_the_board() -> None:
    found = judged("1 + 1 = 1 0", "= . . . . .", "0 . . . . .")
    assert [word.valid for word in found.words] == [True, False]
    assert found.valid is False


def test_two_tiles_side_by_side_are_no_equation() -> None:
    assert judged("1 = 1", "0 . .").valid is False


def test_two_groups_are_no_valid_board() -> None:
    found = judged("1 = 1 . 0 = 0")
    assert (found.islands, found.valid) == (2, False)


@pytest.mark.parametrize("rows", [(), ("1",)])
def test_a_board_without_an_equation_is_not_valid(rows: tuple[str, ...]) -> None:
    assert judged(*rows).valid is False


def test_a_doubted_symbol_leaves_its_equations_to_the_table() -> None:
    found = judge_equations(board(*CROSSED), {(2, 0)})
    assert [word.valid for word in found.words] == [True, None]
    assert found.valid is None


def test_a_blank_leaves_an_equation_to_the_table_where_a_symbol_makes_it_true() -> None:
    assert judged("1 + 1 ? 1 0").valid is None
    assert judged("1 + 1 = ? 1 1").valid is False  # 11 after any symbol is no 10


def test_more_blanks_than_the_box_has_are_left_to_the_table() -> None:
    assert judged("1 ? ? ? ? 0").valid is None


def test_who_has_agreed_on_the_standard_order_is_judged_by_it() -> None:
    assert judged("1 + 1 x 1 0 = 1 1").valid is False
    assert judged("1 + 1 x 1 0 = 1 1", agreed=EquationRules(order="standard")).valid is True


class TestPremiumSquares:
    def test_the_corners_and_the_middles_of_the_sides_are_triple_words(self) -> None:
        triple = {
            (row, col)
            for row in range(BOARD_SIDE_SQUARES)
            for col in range(BOARD_SIDE_SQUARES)
            if word_factor((row, col)) == 3
        }
        assert triple == {(row, col) for row in (0, 7, 14) for col in (0, 7, 14)} - {(7, 7)}

    def test_there_are_17_double_words_on_the_diagonals(self) -> None:
        double = [
            (row, col)
            for row in range(BOARD_SIDE_SQUARES)
            for col in range(BOARD_SIDE_SQUARES)
            if word_factor((row, col)) == 2
        ]
        assert len(double) == 17
        assert all(row in {col, BOARD_SIDE_SQUARES - 1 - col} for row, col in double)
        assert (7, 7) in double

    def test_there_are_12_triple_letters_and_24_double_letters(self) -> None:
        factors = [
            letter_factor((row, col))
            for row in range(BOARD_SIDE_SQUARES)
            for col in range(BOARD_SIDE_SQUARES)
        ]
        assert (factors.count(3), factors.count(2)) == (12, 24)
        assert (letter_factor((1, 5)), letter_factor((0, 3)), letter_factor((7, 11))) == (3, 2, 2)

    def test_they_are_the_squares_that_the_camera_finds_a_board_by(self) -> None:
        kinds = {0: (1, 1), 1: (3, 1), 2: (2, 1), 3: (1, 3), 4: (1, 2)}
        assert all(
            (word_factor((row, col)), letter_factor((row, col))) == kinds[int(LAYOUT[row, col])]
            for row in range(BOARD_SIDE_SQUARES)
            for col in range(BOARD_SIDE_SQUARES)
        )
