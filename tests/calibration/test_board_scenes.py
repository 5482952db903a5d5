"""Drawn games on boards, in colour, with their truth."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from calibration.drawing.boards import SQUARES_PER_SIDE
from calibration.drawing.camera import View
from calibration.drawing.equations import EquationScene, equation_game, equations
from calibration.drawing.volcano import CELLS, VolcanoScene, volcano_game, wholly_inside
from companion.model.squares import PREMIUM_SQUARES_QUARTER
from companion.model.tiles import tile_set
from companion.rules.binary_scrabble.tableau import judge_equations
from companion.vision.grid.scrabble import LAYOUT

BINARY = tile_set("binary")
VIEW = View(800, 600, 18.0, 10.0, 30.0)


@pytest.fixture(scope="module")
def volcano() -> VolcanoScene:
    return volcano_game(np.random.default_rng(3), VIEW, "AEIOU", ["CRANE", "TRAIN"])


@pytest.fixture(scope="module")
def game() -> EquationScene:
    return equation_game(np.random.default_rng(5), VIEW, BINARY.counts or {})


def test_a_board_has_a_letter_in_each_cell_and_five_pyramids_of_two_colours(volcano: VolcanoScene) -> None:
    assert len({tile.placed.cell for tile in volcano.tiles if tile.placed.group == 0}) == CELLS**2
    colours = Counter(one.colour for one in volcano.pyramids if one.cell)
    assert sorted(colours.values()) == [5, 5]
    assert len(volcano.covered) == 10


def test_letters_under_pyramids_count_as_hidden(volcano: VolcanoScene) -> None:
    board = [tile for tile in volcano.tiles if tile.placed.group == 0]
    assert all(tile.visible < 0.85 for tile in board if tile.placed.cell in volcano.covered)
    assert sum(tile.visible > 0.85 for tile in board) >= 10


def test_pyramids_tint_what_lies_below_them(volcano: VolcanoScene) -> None:
    picture = volcano.picture.astype(float)
    tone = np.ptp(picture, axis=2) / picture.max(2)
    board = [tile for tile in volcano.tiles if tile.placed.group == 0]
    bare = [tile.corners.mean(0) for tile in board if tile.placed.cell not in volcano.covered]
    tinted, plain = (
        np.median([tone[round(y), round(x)] for x, y in places])
        for places in ([one.at for one in volcano.pyramids if one.cell], bare)
    )
    assert tinted > 2 * plain


def test_a_pyramid_beside_the_board_counts_only_where_its_base_is_wholly_in_the_picture() -> None:
    base = np.array([[10.0, 10.0], [30.0, 10.0], [30.0, 30.0], [10.0, 30.0]])
    assert wholly_inside(base, (600, 800))
    assert not wholly_inside(base - np.array([20.0, 0.0]), (600, 800))
    assert not wholly_inside(base + np.array([0.0, 580.0]), (600, 800))


def test_the_same_seed_draws_the_same_board(volcano: VolcanoScene) -> None:
    again = volcano_game(np.random.default_rng(3), VIEW, "AEIOU", ["CRANE", "TRAIN"])
    assert np.array_equal(again.picture, volcano.picture)


def test_drawn_equations_are_valid() -> None:
    for equation in equations(np.random.default_rng(1), 60):
        grid = {(0, k): symbol for k, symbol in enumerate(equation)}
        assert judge_equations(grid, set()).valid, "".join(equation)


def test_a_game_takes_no_more_tiles_than_the_box_has_and_lies_on_the_board(game: EquationScene) -> None:
    used = Counter(symbol for symbol in game.grid.values() if symbol)
    assert all(many <= (BINARY.counts or {})[symbol] for symbol, many in used.items())
    assert all(0 <= row < SQUARES_PER_SIDE and 0 <= col < SQUARES_PER_SIDE for row, col in game.grid)


def test_every_tile_of_the_crossword_is_drawn_in_its_cell(game: EquationScene) -> None:
    drawn = {tile.placed.cell: tile.symbol or "" for tile in game.tiles if tile.placed.group == 0}
    assert drawn == game.grid
    assert game.picture.shape == (600, 800, 3)


def test_every_tile_of_the_crossword_lies_on_its_square(game: EquationScene) -> None:
    assert game.squares.shape == (SQUARES_PER_SIDE**2, 4, 2)
    middles = game.squares.mean(1).reshape(SQUARES_PER_SIDE, SQUARES_PER_SIDE, 2)
    side = np.linalg.norm(game.squares[:, 1] - game.squares[:, 0], axis=1).mean()
    tiles = [tile for tile in game.tiles if tile.placed.group == 0]
    for tile in tiles:
        row, col = tile.placed.cell
        assert np.linalg.norm(tile.corners.mean(0) - middles[row, col]) < 0.35 * side


def test_premium_squares_lie_as_the_reader_looks_for_them() -> None:
    drawn = [
        [PREMIUM_SQUARES_QUARTER[min(row, 14 - row)][min(col, 14 - col)] for col in range(SQUARES_PER_SIDE)]
        for row in range(SQUARES_PER_SIDE)
    ]
    assert np.array_equal(LAYOUT, [[".WwLl".index(kind) for kind in line] for line in drawn])
