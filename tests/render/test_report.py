"""What a person at a terminal is told of a picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from companion.model.grid import Direction
from companion.model.reading import Piece, Reading, Tableau, Unread
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.render.report import Line, board_sentence, counts, grid_lines, report, sentence
from tests.made_up import reading, tableau, tile


def text(lines: Iterable[Line]) -> list[str]:
    return ["".join(words for words, _ in line).rstrip() for line in lines]


def verdict(valid: bool | None, islands: int = 1, **words: bool | None) -> TableauVerdict:
    judged = (JudgedWord(word, 0, 0, Direction.ACROSS, fine) for word, fine in words.items())
    return TableauVerdict(tuple(judged), islands, valid)


def grid(one: Tableau) -> list[str]:
    return text(grid_lines(one.cells))


def test_a_whole_picture_reads_from_its_name_to_its_verdict() -> None:
    seen = reading(
        tableau("C A T\n. . O", {(1, 2): "Q"}), others=(tile("X", (300, 300)), tile(None, (400, 300)))
    )
    words = (
        JudgedWord("CAT", 0, 0, Direction.ACROSS, True),
        JudgedWord("TO", 0, 2, Direction.DOWN, None),
    )
    assert text(report("table.jpg", seen, [TableauVerdict(words, 1, None)])) == [
        "table.jpg  600 × 400 pixels, bananagrams-en",
        "",
        "Tableau 1  4 tiles, turned 0°",
        "  C  A  T",
        "  .  .  O?",
        "  valid      CAT",
        "  unsure     TO (row 1, column 3, down)",
        "  in doubt   O or Q (row 2, column 3), 61% sure",
        "",
        "5 tiles face up, 1 face down, 1 in doubt, 1 loose: X.",
        "Tableau 1: unsure: TO.",
    ]


def test_an_empty_table_is_said_to_be_empty() -> None:
    assert text(report("table.jpg", reading(), []))[-1] == "No tiles: the table is empty."


def test_a_turn_just_short_of_a_whole_one_is_none() -> None:
    seen = reading(replace(tableau("C A T"), turn_deg=359.7))
    assert text(report("table.jpg", seen, [verdict(True)]))[2] == "Tableau 1  3 tiles, turned 0°"


def test_every_tableau_has_its_own_verdict() -> None:
    seen = reading(tableau("A T"), tableau("Q Q"))
    told = text(report("x", seen, [verdict(True, AT=True), verdict(False, QQ=False)]))
    assert told[-2:] == ["Tableau 1: valid, 1 word.", "Tableau 2: not valid: QQ not in the word list."]


def test_an_empty_board_is_not_blamed_for_having_no_word() -> None:
    seen = replace(reading(tableau(".")), board="scrabble")
    assert text(report("x", seen, [verdict(False)]))[-1] == "No tiles: the table is empty."
    assert sentence(verdict(False), seen.tableaux[0]) == "no tile on it"


def test_pyramids_are_named_with_their_place() -> None:
    seen = replace(reading(), pieces=(Piece("green", 0, 3, "large"),))
    assert "  large green (row 1, column 4)" in text(report("x", seen, []))


def test_a_volcano_board_is_told_by_its_letters_and_pyramids() -> None:
    pieces = tuple(Piece(*one, "large") for one in (("red", 0, 1), ("yellow", 1, 1), ("red", 4, 4)))
    beside = Piece("red", -3, 2, "small")
    seen = replace(reading(tableau("A . C\n. E .")), board="volcano", pieces=(*pieces, beside))
    assert board_sentence(seen) == "board: 3 tiles, pyramids: 2 red, 1 yellow"
    assert board_sentence(replace(seen, pieces=(beside,))) == "board: 3 tiles, no pyramid"
    assert "no word" not in "".join(text(report("x", seen, [TableauVerdict((), 1, None)])))


def test_a_reading_with_a_verdict_too_few_is_no_report() -> None:
    with pytest.raises(ValueError, match="shorter"):
        report("x", reading(tableau("A B")), [])


def test_a_grid_is_cut_to_its_outline() -> None:
    moved = tableau(". . .\n. A B")
    assert grid(moved) == ["  A  B"]


def test_a_board_is_shown_whole_with_the_numbers_that_words_are_told_by() -> None:
    seen = replace(reading(tableau(". . .\n. A B")), board="volcano")
    told = text(report("x", seen, [TableauVerdict((), 1, None)]))
    assert told[told.index("Board  2 tiles, turned 0°") :][1:4] == [
        "     1  2  3  4  5",
        "   1 .  .  .  .  .",
        "   2 .  A  B  .  .",
    ]


def test_a_crossword_game_board_has_fifteen_rows_and_its_words_are_judged() -> None:
    seen = replace(reading(tableau("A T")), board="scrabble")
    told = text(report("x", seen, [verdict(True, AT=True)]))
    assert "  15 .  .  .  .  .  .  .  .  .  .  .  .  .  .  ." in told
    assert told[-1] == "Board: valid, 1 word."


def test_words_as_symbols_keep_the_columns_in_line() -> None:
    assert grid(tableau("1 AND 0\n= . .")) == ["  1    AND  0", "  =    .    ."]


def test_symbols_of_two_columns_keep_the_columns_in_line() -> None:
    assert grid(tableau("か き\n. さ\nA .")) == ["  か  き", "  .   さ", "  A   ."]


def test_a_blank_is_not_taken_for_a_doubt() -> None:
    assert grid(tableau("A ?")) == ["  A  _"]
    assert grid(tableau("A ?", {(0, 1): "I"})) == ["  A  _?"]


def test_a_lone_blank_is_a_grid_too() -> None:
    assert grid(tableau("?")) == ["  _"]


def test_a_doubt_that_may_be_a_blank_says_so() -> None:
    told = text(report("x", reading(tableau("I A", {(0, 0): ""})), [verdict(None, IA=None)]))
    assert "  in doubt   I or blank (row 1, column 1), 61% sure" in told


def test_a_doubt_without_a_second_guess_names_one_symbol() -> None:
    told = text(report("x", reading(tableau("I A", {(0, 0): None})), [verdict(None, IA=None)]))
    assert "  in doubt   I (row 1, column 1), 61% sure" in told


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (reading(tableau("A B")), "2 tiles face up, 0 face down, 0 in doubt, 0 loose."),
        (reading(others=(tile("A", (9, 9)),)), "1 tile face up, 0 face down, 0 in doubt, 1 loose: A."),
        (
            reading(
                others=tuple(
                    tile(s, (60.0 * n, 9), doubt=s == "A") for n, s in enumerate(["B", "", "A", "B"])
                )
            ),
            "4 tiles face up, 0 face down, 1 in doubt, 4 loose: A, B (twice), _.",
        ),
        (reading(others=(tile(None, (9, 9)),)), "0 tiles face up, 1 face down, 0 in doubt, 0 loose."),
    ],
)
def test_tiles_are_counted_by_how_they_lie(seen: Reading, told: str) -> None:
    assert counts(seen) == told


def test_how_often_a_tile_is_loose_cannot_be_taken_for_an_equation() -> None:
    loose = [tile(s, (60.0 * n, 9)) for n, s in enumerate("11×000")]
    assert counts(reading(others=tuple(loose))).endswith("6 loose: 0 (3 times), 1 (twice), ×.")


@pytest.mark.parametrize(
    ("judged", "told"),
    [
        (verdict(True, CAT=True), "valid, 1 word"),
        (verdict(True, CAT=True, AT=True), "valid, 2 words"),
        (verdict(False, CAT=True, CTA=False, ACT=False), "not valid: CTA, ACT not in the word list"),
        (verdict(False, islands=2, CAT=True), "not valid: 2 separate groups"),
        (verdict(False), "not valid: no word"),
        (verdict(False, **{"1+1=11": False}), "not valid: 1+1=11 no valid equation"),
        (verdict(False, CTA=False, QI=None), "not valid: CTA not in the word list; QI unsure"),
        (verdict(None, CAT=True, QI=None), "unsure: QI"),
        (verdict(None, islands=2, QI=None), "unsure: 2 separate groups; QI unsure"),
    ],
)
def test_a_verdict_says_why(judged: TableauVerdict, told: str) -> None:
    assert sentence(judged, tableau("C A T")) == told


def test_a_tile_that_was_not_read_is_told_with_its_place() -> None:
    seen = reading(replace(tableau("C A T"), unread=(Unread((130.4, 20.0), 0, 2),)))
    told = text(report("x", seen, [TableauVerdict((), 1, None)]))
    assert "  not read   a tile beside row 1, column 3, at pixel 130, 20" in told
    assert told[-1] == "Tableau 1: unsure: no word; 1 tile beside it not read."
