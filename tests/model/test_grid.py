"""Grids: which words run in them, which islands they form, how they are written down and read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadGrid
from companion.model.grid import (
    MAX_GRID_SIDE_CELLS,
    Direction,
    Place,
    Run,
    at_origin,
    displacement,
    islands,
    lists,
    parse_grid,
    rows,
    runs,
)

places = st.tuples(st.integers(-9, 9), st.integers(-9, 9))
letters = st.sampled_from(["A", "Z", "Ä", "Ø", "Ж", "7", "=", ""])
long_symbols = st.sampled_from(["AND", "OR", "NOT", "1", "QU", ""])
letter_grids = st.dictionaries(places, letters, max_size=25)
symbol_grids = st.dictionaries(places, long_symbols, max_size=25)


def turned(place: Place) -> Place:
    """A place after the grid is mirrored along its diagonal."""
    return place[1], place[0]


def test_words_are_found_across_and_down_with_their_starts() -> None:
    found = runs(parse_grid(["CAT", "..O", "..P"]))
    assert found == (
        Run(("C", "A", "T"), 0, 0, Direction.ACROSS),
        Run(("T", "O", "P"), 0, 2, Direction.DOWN),
    )


def test_where_two_words_start_on_one_tile_the_one_across_comes_first() -> None:
    assert [run.text for run in runs(parse_grid(["CAT", "O..", "B.."]))] == ["CAT", "COB"]


def test_a_word_beside_a_word_makes_words_of_two_letters() -> None:
    assert [run.text for run in runs(parse_grid(["CAT", "ODE"]))] == ["CAT", "CO", "AD", "TE", "ODE"]


def test_a_single_tile_is_no_word() -> None:
    assert runs(parse_grid(["A"])) == ()


def test_a_gap_parts_two_words_of_a_row() -> None:
    assert [run.text for run in runs(parse_grid(["AT.TO"]))] == ["AT", "TO"]


def test_a_word_names_the_places_it_covers() -> None:
    assert Run(("T", "O", "P"), 4, 2, Direction.DOWN).places == ((4, 2), (5, 2), (6, 2))


def test_symbols_of_several_characters_are_joined_in_a_word() -> None:
    (equation,) = runs(parse_grid([["1", "AND", "1", "=", "1"]]))
    assert (equation.text, len(equation.symbols)) == ("1AND1=1", 5)


def test_a_blank_in_a_word_reads_as_a_question_mark() -> None:
    (word,) = runs({(0, 0): "C", (0, 1): "", (0, 2): "T"})
    assert (word.text, word.symbols) == ("C?T", ("C", "", "T"))


@given(letter_grids)
def test_each_tile_with_a_neighbour_in_its_row_lies_in_exactly_one_word_across(
    grid: dict[Place, str],
) -> None:
    across = [place for run in runs(grid) if run.direction is Direction.ACROSS for place in run.places]
    beside = [(r, c) for r, c in grid if (r, c - 1) in grid or (r, c + 1) in grid]
    assert sorted(across) == sorted(beside)


@given(letter_grids)
def test_mirroring_a_grid_swaps_across_and_down(grid: dict[Place, str]) -> None:
    mirrored = runs({turned(place): symbol for place, symbol in grid.items()})
    swapped = {(run.symbols, run.col, run.row, run.direction is Direction.ACROSS) for run in mirrored}
    assert swapped == {(run.symbols, run.row, run.col, run.direction is Direction.DOWN) for run in runs(grid)}


def test_tiles_that_touch_by_corners_only_are_two_islands() -> None:
    assert islands([(0, 0), (1, 1)]) == (frozenset({(0, 0)}), frozenset({(1, 1)}))


def test_tiles_that_touch_by_edges_are_one_island() -> None:
    assert islands([(0, 0), (0, 1), (1, 1)]) == (frozenset({(0, 0), (0, 1), (1, 1)}),)


def test_the_largest_island_comes_first() -> None:
    assert [len(island) for island in islands(parse_grid(["A.CAT", "A...."]))] == [3, 2]


def test_an_empty_table_has_no_island() -> None:
    assert islands([]) == ()


@given(letter_grids)
def test_islands_share_no_tile_and_leave_none_out(grid: dict[Place, str]) -> None:
    found = islands(grid)
    assert sum(map(len, found)) == len(grid)
    assert set().union(*found) == set(grid)


@given(letter_grids)
def test_no_word_lies_in_two_islands(grid: dict[Place, str]) -> None:
    assert all(sum(not island.isdisjoint(run.places) for island in islands(grid)) == 1 for run in runs(grid))


def test_a_grid_is_printed_with_dots_for_empty_places() -> None:
    assert rows({(3, 5): "C", (3, 6): "A", (4, 6): "T"}) == ("CA", ".T")


def test_symbols_of_several_characters_are_printed_in_columns() -> None:
    assert rows({(0, 0): "NOT", (0, 1): "1", (1, 0): "="}) == ("NOT 1", "=   .")


def test_an_empty_grid_prints_nothing() -> None:
    assert rows({}) == ()


@given(letter_grids)
def test_a_grid_of_letters_reads_back_as_it_was_printed(grid: dict[Place, str]) -> None:
    assert parse_grid(rows(grid)) == at_origin(grid)


@given(symbol_grids)
def test_a_grid_of_any_symbols_reads_back_as_it_was_listed(grid: dict[Place, str]) -> None:
    assert parse_grid(lists(grid)) == at_origin(grid)


@given(symbol_grids.filter(lambda grid: any(len(symbol) > 1 for symbol in grid.values())))
def test_printed_columns_split_into_the_listed_symbols(grid: dict[Place, str]) -> None:
    assert [line.split() for line in rows(grid)] == lists(grid)


def test_lines_of_different_lengths_are_understood() -> None:
    assert parse_grid(["A", "..B"]) == {(0, 0): "A", (1, 2): "B"}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["A B"], "row 0, column 1"),
        (["AB", "A\n"], "row 1, column 1"),
        ([["A", ""]], "row 0, column 1"),
        ([["A", 7]], "row 0, column 1"),
        ([["PYRAMIDAL"]], "row 0, column 0"),
        ([7], "row 0 .* must be text"),
        (["A", {"B": 1}], "row 1 .* must be text"),
        (["A" * (MAX_GRID_SIDE_CELLS + 1)], "301 places"),
        (["A"] * (MAX_GRID_SIDE_CELLS + 1), "got 301"),
    ],
)
def test_what_is_no_grid_is_refused_with_its_place(lines: list[str], told: str) -> None:
    with pytest.raises(BadGrid, match=told):
        parse_grid(lines)


class TestDisplacement:
    def test_most_tiles_tell_how_a_grid_has_moved(self) -> None:
        before, after = parse_grid(["CAT"]), parse_grid([".S..", ".CAT"])
        assert displacement({place: {symbol} for place, symbol in before.items()}, after) == (1, 1)

    def test_a_place_may_hold_either_of_two_symbols(self) -> None:
        assert displacement({(0, 0): {"M", "W"}, (0, 1): {"E"}}, parse_grid([".WE"])) == (0, 1)

    @pytest.mark.parametrize(
        ("before", "after"),
        [("CAT", "DOG"), ("CAT", "CODES"), ("A", "AA"), ("", "CAT"), ("CAT", "")],
        ids=["nothing alike", "too little alike", "two ways", "nothing before", "nothing after"],
    )
    def test_what_was_laid_anew_has_not_moved(self, before: str, after: str) -> None:
        known = {place: {symbol} for place, symbol in parse_grid([before]).items()}
        assert displacement(known, parse_grid([after])) is None
