"""Where drawn tiles lie: crosswords, hands, heaps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from calibration.drawing.layout import (
    MIN_TILE_PITCH,
    FreeSpace,
    Jitter,
    PlacedTile,
    crossword,
    grid_extent,
    place_grid,
    place_loose,
    random_jitter,
    word_fits,
)
from calibration.drawing.rng import choose
from companion.model.grid import islands, parse_grid, runs
from tests.calibration.simple import WORDS, rng

SEEDS = range(8)


def middles(tiles: list[PlacedTile]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([(tile.x, tile.y) for tile in tiles])


def closest(tiles: list[PlacedTile]) -> float:
    """Return the least distance between the middles of tiles."""
    at = middles(tiles)
    away = np.linalg.norm(at[:, None] - at[None], axis=-1) + 99 * np.eye(len(at))
    return float(away.min())


# Lots


def test_every_one_of_some_is_drawn() -> None:
    lots = rng()
    assert {choose(lots, "abc") for _ in range(40)} == {"a", "b", "c"}


def test_there_is_no_one_of_none() -> None:
    with pytest.raises(IndexError, match="nothing to choose from"):
        choose(rng(), ())


# Crosswords


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crossword_has_only_words_of_its_list_in_both_directions(seed: int) -> None:
    grid = crossword(rng(seed), 30, WORDS)
    assert {run.text for run in runs(grid)} <= set(WORDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crossword_hangs_together(seed: int) -> None:
    assert len(islands(crossword(rng(seed), 30, WORDS))) == 1


def test_a_crossword_is_as_large_as_was_asked_within_two_tiles_unless_it_gets_stuck() -> None:
    sizes = [len(crossword(rng(seed), 30, WORDS)) for seed in range(20)]
    assert max(sizes) <= 32
    assert sorted(sizes)[len(sizes) // 2] >= 28


def test_words_that_fit_loosely_touch_without_making_words() -> None:
    grids = [crossword(rng(seed), 30, WORDS, touching_share=1.0) for seed in SEEDS]
    assert any(run.text not in WORDS for grid in grids for run in runs(grid))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crossword_needs_no_more_tiles_than_the_bag_has(seed: int) -> None:
    bag = Counter("AABEEGHIINNOORSSTTT")
    grid = crossword(rng(seed), 30, WORDS, bag=bag)
    assert Counter(grid.values()) <= bag
    assert bag == Counter("AABEEGHIINNOORSSTTT")


def test_a_bag_without_a_single_word_makes_no_crossword() -> None:
    assert crossword(rng(), 10, WORDS, bag=Counter("QQQXXZ")) == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crossword_spans_no_more_than_was_asked(seed: int) -> None:
    assert grid_extent(crossword(rng(seed), 40, WORDS, max_extent=6)) <= 6


def test_symbols_of_several_characters_make_crosswords_too() -> None:
    grid = crossword(rng(), 12, [["0", "AND", "1"], ["1", "OR", "0"]])
    assert len(grid) >= 5
    assert {run.symbols for run in runs(grid)} <= {("0", "AND", "1"), ("1", "OR", "0")}


FITTING = [  # the grid, the word, its row, column, direction, and whether it fits without and with touching
    ("CAT", "TEA", (0, 2), True, True, True),  # crosses at the T
    ("CAT", "BE", (0, 2), True, False, False),  # B is not T
    ("CAT", "CATS", (0, 0), False, True, True),  # lengthens
    ("CAT", "CAT", (0, 0), False, False, False),  # lays nothing new
    ("CAT", "CAT", (0, 0), True, True, True),  # crosses at the C
    ("CAT", "ON", (1, 0), False, False, True),  # lies alongside
    ("CAT", "SO", (0, 3), False, False, True),  # would make CATSO
    ("CAT", "SO", (1, 3), True, True, True),  # touches by a corner alone
    ("CAT", "AN", (-2, 1), True, False, True),  # ends on the A
    ("CAT", "ANA", (-2, 1), True, True, True),  # ends with the A
    ("CAT\n..E\n..N", "AT", (2, 0), False, False, True),  # ends beside the N
]


@pytest.mark.parametrize(("drawing", "word", "start", "down", "strictly", "loosely"), FITTING)
def test_a_word_fits_where_crossings_agree_and_nothing_touches(
    drawing: str, word: str, start: tuple[int, int], down: bool, strictly: bool, loosely: bool
) -> None:
    grid = parse_grid(drawing.splitlines())
    assert word_fits(grid, start, word, down) is strictly
    assert word_fits(grid, start, word, down, touching=True) is loosely


# Hands

TIDY = Jitter(pitch=1.05, drift=0.0, twist=0.0, lean=0.0)


def test_a_tidy_hand_lays_tiles_in_rows_turned_clockwise_about_their_middle() -> None:
    tiles = place_grid(rng(), parse_grid(["CAT"]), (5.0, -2.0), np.pi / 2, TIDY, 3)
    assert middles(tiles) == pytest.approx(np.array([(5, -2 - 1.05), (5, -2), (5, -2 + 1.05)]))
    assert [(t.symbol, t.group, t.cell) for t in tiles] == [
        ("C", 3, (0, 0)),
        ("A", 3, (0, 1)),
        ("T", 3, (0, 2)),
    ]
    assert [t.turn for t in tiles] == pytest.approx([np.pi / 2] * 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbours_keep_their_distance_within_the_drift_of_the_hand(seed: int) -> None:
    hand = Jitter(pitch=1.05, drift=0.08, twist=0.0, lean=0.0)
    tiles = place_grid(rng(seed), crossword(rng(seed), 30, WORDS), (0, 0), 0.0, hand, 0)
    at = {tile.cell: np.array([tile.x, tile.y]) for tile in tiles}
    steps = [at[row, col + 1] - at[row, col] for row, col in at if (row, col + 1) in at]
    assert np.abs(np.array(steps) - (1.05, 0)).max() <= 2 * hand.slack + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_not_even_a_careless_hand_lays_a_tile_on_another(seed: int) -> None:
    lots = rng(seed)
    tiles = place_grid(lots, crossword(lots, 40, WORDS), (0, 0), 1.0, random_jitter(lots), 0)
    assert closest(tiles) >= MIN_TILE_PITCH - 1e-9


def test_a_leaning_hand_shifts_each_row_against_the_one_above() -> None:
    lots = rng(2)
    first, second = place_grid(lots, parse_grid(["A", "B"]), (0, 0), 0.0, Jitter(1.0, 0.0, 0.0, 0.2), 0)
    assert (second.x - first.x, second.y - first.y) == pytest.approx((rng(2).normal(0, 0.2, 2)[0], 1.0))


def test_no_crossword_is_no_tiles() -> None:
    assert place_grid(rng(), {}, (0, 0), 0.0, TIDY, 0) == []


# Loose tiles


@pytest.mark.parametrize("gap", [None, 1.6])
@pytest.mark.parametrize("seed", SEEDS)
def test_loose_tiles_keep_their_gap_to_each_other_and_to_what_lies_there(
    seed: int, gap: float | None
) -> None:
    floor, there = FreeSpace(8, 6), [PlacedTile(0.0, 0.0, 0.0, "A"), PlacedTile(1.02, 0.0, 0.0, "N")]
    floor.occupy(there)
    loose = place_loose(rng(seed), floor, ["B"] * 30, gap=gap)
    assert closest(loose) > (gap or 1.02)
    assert all(np.linalg.norm(middles(loose) - (t.x, t.y), axis=1).min() > (gap or 1.02) for t in there)


def test_tiles_that_find_no_room_are_left_out() -> None:
    loose = place_loose(rng(), FreeSpace(1.0, 1.0), [None] * 50, gap=1.35)
    assert 1 <= len(loose) <= 8


def test_a_heap_lies_together() -> None:
    heap = place_loose(rng(), FreeSpace(30, 30), [None] * 12, spread=1.5)
    assert np.linalg.norm(middles(heap) - middles(heap).mean(0), axis=1).max() < 5


def test_loose_tiles_have_every_turn_and_the_symbols_given() -> None:
    loose = place_loose(rng(), FreeSpace(20, 20), [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", None])
    assert [tile.symbol for tile in loose] == [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", None]
    assert {int(tile.turn // (np.pi / 2)) for tile in loose} == {0, 1, 2, 3}


def test_a_margin_broader_than_the_table_leaves_its_middle() -> None:
    assert FreeSpace(1.0, 1.0).random_place(rng(), 2.0) == (0.0, 0.0)
