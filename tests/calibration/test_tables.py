"""Drawn games of four players with one box of tiles."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from calibration.drawing.fonts import training_fonts
from calibration.drawing.layout import Grid
from calibration.drawing.scene import Scene
from calibration.drawing.tables import MAX_TABLEAU_EXTENT, TABLE_WIDTH_TILES, four_players, largest_crossword
from companion.errors import BadTileSet, BadWordList
from companion.model.grid import runs
from companion.model.tiles import TileSet, tile_set
from tests.calibration.simple import WORDS, rng

SIZE = (620, 350)


@cache
def table(seed: int, name: str = "bananagrams-en") -> tuple[Scene, list[Grid]]:
    return four_players(rng(seed), SIZE, WORDS, tile_set(name), training_fonts().plain)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["bananagrams-en", "scrabble-en"])
def test_the_whole_set_and_no_more_lies_on_the_table(name: str, seed: int) -> None:
    scene, _ = table(seed, name)
    assert Counter(tile.placed.symbol for tile in scene.tiles) == tile_set(name).counts
    assert len(scene.tiles) <= 144


@pytest.mark.parametrize("seed", range(2))
def test_each_of_four_players_has_a_crossword_of_words_that_they_know(seed: int) -> None:
    scene, grids = table(seed)
    assert len(grids) == 4
    assert {run.text for grid in grids for run in runs(grid)} <= set(WORDS)
    for seat, grid in enumerate(grids):
        assert {t.placed.cell: t.placed.symbol for t in scene.tiles if t.placed.group == seat} == grid


@pytest.mark.parametrize("seed", range(2))
def test_all_tiles_are_in_the_picture_and_none_lies_on_another(seed: int) -> None:
    scene, _ = table(seed)
    at = np.array([(tile.placed.x, tile.placed.y) for tile in scene.tiles])
    away = np.linalg.norm(at[:, None] - at[None], axis=-1) + 99 * np.eye(len(at))
    assert away.min() > 0.93
    assert {tile.visible for tile in scene.tiles} == {1.0}


def test_the_largest_of_some_crosswords_is_taken_and_leaves_the_bag_as_it_was() -> None:
    bag = Counter("ABDEEEGHIILNNOOORRSSTTT")
    grid = largest_crossword(rng(), 18, WORDS, bag)
    assert 14 <= len(grid) <= 20
    assert Counter(grid.values()) <= bag
    assert bag.total() == 23


def test_with_few_words_left_a_player_has_no_crossword_and_the_tiles_lie_loose() -> None:
    few = TileSet("few", ("A", "N", "Q"), {"A": 1, "N": 1, "Q": 9})
    scene, grids = four_players(rng(), SIZE, ["AN"], few, training_fonts().plain)
    assert sum(map(len, grids)) == 2
    assert len(scene.tiles) == 11


def test_a_set_that_nobody_has_counted_cannot_be_laid() -> None:
    with pytest.raises(BadTileSet, match="'odd' has no counts"):
        four_players(rng(), SIZE, WORDS, TileSet("odd", ("A", "N")), training_fonts().plain)


@pytest.mark.parametrize("words", [[], ["A", "ZZZ", "BANANAGRAMS", "an"]])
def test_words_that_cannot_be_laid_are_refused(words: list[str]) -> None:
    with pytest.raises(BadWordList, match=f"none of {len(words)} words"):
        four_players(rng(), SIZE, words, tile_set("bananagrams-en"), training_fonts().plain)


def test_a_tableau_is_narrow_enough_for_its_seat_in_the_broadest_picture() -> None:
    deep = TABLE_WIDTH_TILES / 2  # twice as wide as high
    assert deep / 2 > MAX_TABLEAU_EXTENT * 1.06
