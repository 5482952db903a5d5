"""Squares of Martian Boggle: ways, rolls and neighbours, worked out on paper."""

from __future__ import annotations

import pytest

from companion.rules.martian_boggle.squares import (
    HOME_ROWS,
    adjacent,
    groups,
    roll_allows,
    square,
    squares_text,
    steps,
)

BLOCK = [(1, 1), (1, 2), (2, 1), (2, 2)]


class TestWays:
    def test_one_space_a_number_in_any_direction_diagonals_included(self) -> None:
        assert steps((4, 0), (2, 1), [], orthogonal=False) == 2
        assert steps((4, 0), (0, 4), [], orthogonal=False) == 4

    def test_in_the_variant_a_diagonal_space_takes_two_steps(self) -> None:
        assert steps((4, 0), (2, 1), [], orthogonal=True) == 3

    def test_a_way_bends_round_pieces(self) -> None:
        wall = [(1, 0), (1, 1), (1, 2), (1, 3)]
        assert steps((0, 0), (2, 0), wall, orthogonal=False) == 7 + 1
        assert steps((0, 0), (2, 0), wall, orthogonal=True) == 4 + 2 + 4

    def test_a_diagonal_between_two_pieces_passes_through_neither(self) -> None:
        assert steps((0, 0), (1, 1), [(0, 1), (1, 0)], orthogonal=False) == 1

    def test_there_is_no_way_through_pieces_on_all_sides(self) -> None:
        assert steps((0, 0), (2, 2), [(0, 1), (1, 0), (1, 1)], orthogonal=False) is None

    def test_there_is_no_way_onto_a_piece(self) -> None:
        assert steps((0, 0), (0, 1), [(0, 1)], orthogonal=False) is None

    def test_home_rows_are_the_last_for_seat_1_and_the_first_for_seat_2(self) -> None:
        assert HOME_ROWS[0] == ((4, 0), (4, 1), (4, 2), (4, 3), (4, 4))
        assert HOME_ROWS[1] == ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4))

    def test_squares_are_told_in_reading_order(self) -> None:
        assert squares_text([(4, 0), (2, 3)]) == "row 3 column 4, row 5 column 1"

    @pytest.mark.parametrize("given", [[5, 0], [0, -1], [0], [0, 0, 0], "00", [True, 0], [0.0, 0], None])
    def test_what_is_no_square_is_refused(self, given: object) -> None:
        with pytest.raises(ValueError, match="must be a square"):
            square(given)


class TestRolls:
    @pytest.mark.parametrize(
        ("walked", "allowed"),
        [
            ([], True),
            ([6], True),  # both dice for one piece
            ([7], False),
            ([2, 4], True),  # a die each for two
            ([4, 2], True),
            ([1, 3], True),  # steps are left over
            ([3, 3], False),  # "may not split the entire amount rolled in any other way"
            ([1, 5], False),
            ([1, 1, 1], False),
        ],
    )
    def test_two_and_four_allow_all_six_on_one_piece_or_a_die_each_on_two(
        self, walked: list[int], allowed: bool
    ) -> None:
        assert roll_allows((2, 4), walked) is allowed


class TestNeighbours:
    def test_pieces_that_touch_by_corners_are_one_group(self) -> None:
        assert groups([(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)], orthogonal=False) == [5]

    def test_in_the_variant_corners_do_not_touch(self) -> None:
        assert groups([(0, 0), (1, 1), (1, 2)], orthogonal=True) == [2, 1]

    @pytest.mark.parametrize(
        ("squares", "group", "touching", "pairwise"),
        [
            ([(4, 0), (4, 1), (4, 2), (4, 3), (4, 4)], 5, 5, 2),
            ([*BLOCK, (3, 3)], 5, 5, 4),
            ([*BLOCK, (4, 4)], 4, 4, 4),
            ([(0, 0), (0, 1), (0, 2), (4, 3), (4, 4)], 3, 5, 2),
            ([(0, 0), (0, 1), (2, 2), (4, 3), (4, 4)], 2, 4, 2),
            ([(0, 0), (0, 2), (0, 4), (2, 0), (2, 2)], 1, 0, 1),
        ],
    )
    def test_adjacent_pieces_are_counted_as_the_house_wants(
        self, squares: list[tuple[int, int]], group: int, touching: int, pairwise: int
    ) -> None:
        assert adjacent(squares, "group", orthogonal=False) == group
        assert adjacent(squares, "touching", orthogonal=False) == touching
        assert adjacent(squares, "pairwise", orthogonal=False) == pairwise
