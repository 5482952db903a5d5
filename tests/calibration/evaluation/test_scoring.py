"""Scores worked out by hand."""

from __future__ import annotations

import dataclasses

import pytest

from calibration.evaluation.scoring import GridMatch, Score, best_match, match_points, score, side_of, total
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.grid import parse_grid
from companion.model.reading import Piece, Reading
from tests.made_up import reading, square, tableau, tile

SIDE = 40.0


def true(symbol: str | None, x: float, covered: bool = False) -> TrueTile:
    return TrueTile(symbol, (x, 100.0), SIDE, covered)


def seen(*tiles: tuple[str | None, float, bool]) -> Reading:
    return reading(others=tuple(tile(symbol, (x, 100.0), doubt) for symbol, x, doubt in tiles))


def counts(one: Score) -> dict[str, int]:
    return {name: int(count) for name, count in dataclasses.asdict(one).items() if count}


def test_tiles_are_right_wrong_missed_invented_and_a_sure_fault_is_silent() -> None:
    truth = Truth("x", tiles=(true("A", 100), true("B", 200), true("C", 300)))
    one = score(truth, seen(("A", 105, False), ("X", 210, False), ("E", 500, True)))
    assert counts(one) == {
        "pictures": 1, "tiles": 3, "right": 1, "wrong": 1, "missed": 1,
        "invented": 1, "silent": 1, "doubts": 1,
    }  # fmt: skip


def test_an_invented_tile_without_a_doubt_is_silent() -> None:
    one = score(Truth("x", tiles=()), seen(("E", 500, False)))
    assert counts(one) == {"pictures": 1, "invented": 1, "silent": 1, "empty": 1, "invented_on_empty": 1}


def test_a_covered_tile_may_be_seen_or_not_and_named_as_one_likes() -> None:
    truth = Truth("x", tiles=(true("A", 100), true("B", 200, covered=True)))
    right = {"pictures": 1, "tiles": 1, "right": 1}
    assert counts(score(truth, seen(("A", 100, False)))) == right
    assert counts(score(truth, seen(("A", 100, False), ("X", 200, False)))) == right


@pytest.mark.parametrize(("x", "found"), [(119, 1), (121, 0)])
def test_a_tile_is_seen_within_half_its_side(x: float, found: int) -> None:
    assert score(Truth("x", tiles=(true("A", 100),)), seen(("A", x, False))).right == found


def test_where_no_side_is_known_the_seen_tiles_tell_it() -> None:
    truth = Truth("x", tiles=(TrueTile("A", (100.0, 100.0)),))
    assert score(truth, seen(("A", 119, False))).right == 1


def test_the_nearest_are_paired_first_and_each_but_once() -> None:
    here, there = [(0.0, 0.0), (10.0, 0.0)], [(4.0, 0.0), (1.0, 0.0), (40.0, 0.0)]
    assert match_points(here, there, 20) == [(0, 1), (1, 0)]
    assert match_points(here, [], 20) == []


def test_the_side_of_a_tile_is_that_of_a_square_as_large() -> None:
    assert side_of(((0, 0), (20, 0), (20, 80), (0, 80))) == 40
    assert side_of(square(100, 100)) == SIDE


def test_tiles_face_down_are_counted_and_no_symbols() -> None:
    truth = Truth("x", tiles=(true("A", 100), true(None, 200)), face_down=1)
    fine, short = seen(("A", 100, False), (None, 200, False)), seen(("A", 100, False))
    assert counts(score(truth, fine)) == {
        "pictures": 1, "tiles": 1, "right": 1, "counted_down": 1, "exact_down": 1
    }  # fmt: skip
    assert score(truth, short).exact_down == 0


def test_what_lies_in_an_area_that_is_not_judged_does_not_count() -> None:
    truth = Truth("x", tiles=(true("A", 100),), ignore_boxes=((0.75, 0, 1, 1),))
    assert counts(score(truth, seen(("A", 100, False), ("X", 460, True)))) == {
        "pictures": 1, "tiles": 1, "right": 1
    }  # fmt: skip


CAT = parse_grid(["CAT", "..O"])


def read_as(drawing: str, *loose: str, doubts: dict[tuple[int, int], str | None] | None = None) -> Reading:
    others = tuple(tile(symbol, (500.0, 100.0 + 50 * k)) for k, symbol in enumerate(loose))
    return reading(tableau(drawing, doubts), others=others)


def test_a_tableau_is_exact_wherever_its_rows_begin() -> None:
    one = score(Truth("x", grids=(CAT,)), read_as(". . . .\n. C A T\n. . . O"))
    assert counts(one) == {
        "pictures": 1, "tiles": 4, "right": 4, "tableaux": 1, "exact": 1, "uncovered": 1, "uncovered_exact": 1
    }  # fmt: skip


def test_on_a_board_rows_and_columns_are_the_boards_own() -> None:
    board = Truth("x", board="scrabble", grids=(CAT,))
    assert score(board, read_as("C A T\n. . O")).exact == 1
    assert score(board, read_as(". . . .\n. C A T\n. . . O")).exact == 0


def test_a_tableau_with_a_cell_too_many_or_too_few_is_not_exact() -> None:
    truth = Truth("x", grids=(CAT,))
    assert score(truth, read_as("C A T S\n. . O .")).exact == 0
    assert score(truth, read_as("C A T")).exact == 0


def test_where_places_are_unknown_symbols_are_counted() -> None:
    one = score(Truth("x", grids=(CAT,), loose=("S",)), read_as("C A T\n. . N", "S", "E"))
    # C A T S are there, N stands for O, E is one too many; N and E are more than the table has
    assert (one.tiles, one.right, one.wrong, one.missed, one.invented) == (5, 4, 1, 0, 1)
    assert one.silent == 2


def test_a_doubted_cell_is_no_silent_fault() -> None:
    one = score(Truth("x", grids=(CAT,)), read_as("C A T\n. . N", doubts={(1, 2): "O"}))
    assert (one.wrong, one.silent, one.doubts) == (1, 0, 1)


def test_sure_letters_in_each_others_cells_are_silent_although_all_letters_are_there() -> None:
    one = score(Truth("x", grids=(CAT,)), read_as("C A O\n. . T"))
    assert (one.right, one.wrong, one.silent) == (4, 0, 2)


def test_a_tableau_that_nobody_saw_fits_nowhere() -> None:
    assert best_match(CAT, (), fixed=False) == GridMatch()
    assert best_match(CAT, (tableau("X"),), fixed=False) == GridMatch()


def test_of_several_tableaux_the_one_that_fits_best_counts() -> None:
    assert best_match(CAT, (tableau("C A R"), tableau("C A T")), fixed=False) == GridMatch(3, 0, 0)


def test_a_covered_tableau_counts_among_all_alone() -> None:
    truth = Truth("x", grids=(CAT, parse_grid(["NO"])), covered=frozenset({1}))
    one = score(truth, read_as("C A T\n. . O"))
    assert (one.tableaux, one.exact, one.uncovered, one.uncovered_exact) == (2, 1, 1, 1)


RED = [Piece("red", 0, col, "large") for col in range(3)]
"""Three red pyramids in the first row of a board."""


def on_board(*pieces: Piece) -> Reading:
    return dataclasses.replace(reading(), pieces=pieces)


def test_pyramids_are_right_from_whichever_side_the_board_is_looked_at() -> None:
    # the first row, from the board's left side, is its last column from bottom to top
    turned = on_board(*(Piece("pink", 4 - col, 0, "large") for col in range(3)))
    one = score(Truth("x", tiles=(), pieces=tuple(RED)), turned)
    assert (one.pieces, one.pieces_right, one.pieces_silent) == (3, 3, 0)


def test_two_colours_may_be_called_anything_but_not_be_mixed_up() -> None:
    truth = Truth("x", tiles=(), pieces=(*RED, Piece("cyan", 3, 1, "large")))
    mixed = on_board(*(Piece("a", 0, col, "large") for col in range(2)), Piece("b", 0, 2, "large"))
    one = score(truth, mixed)
    assert (one.pieces, one.pieces_right, one.pieces_silent) == (4, 2, 1)


def test_a_doubted_pyramid_is_no_silent_fault_and_one_beside_the_board_does_not_count() -> None:
    seen = on_board(*RED, Piece("red", 4, 4, "large", doubt=True), Piece("red", 2, 7, "small"))
    one = score(Truth("x", tiles=(), pieces=tuple(RED)), seen)
    assert (one.pieces, one.pieces_right, one.pieces_silent) == (3, 3, 0)


def test_what_is_seen_on_a_covered_tile_without_a_symbol_is_no_invention() -> None:
    one = score(Truth("x", tiles=(true(None, 100, covered=True),)), seen(("-", 102, False)))
    assert (one.invented, one.silent) == (0, 0)


def test_scores_add_up() -> None:
    assert total([Score(1, 5, 4), Score(1, 3, 3, silent=1)]) == Score(2, 8, 7, silent=1)
    assert total([]) == Score()
