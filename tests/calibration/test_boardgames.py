"""Drawn boards and the games on them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drawing.boards import SQUARE_SIDE_PX, BoardSheet, random_board
from calibration.drawing.camera import View
from calibration.drawing.scene import CaptureConditions
from calibration.training.scenes import board_game, draw_board_at

VIEW = View(400, 400, 20.0, 0.0, 0.0)
LETTERS = list("ABCDEFGH")
WORDS = [["A", "B", "C"], ["C", "A", "D", "E"], ["E", "G", "B"], ["H", "A"], ["F", "A", "C", "E"]]


@pytest.mark.parametrize("seed", range(6))
def test_a_board_is_grey_and_has_the_squares_asked_for(seed: int) -> None:
    sheet = random_board(np.random.default_rng(seed), 15)
    assert sheet.picture.dtype == np.float32
    assert 0 <= sheet.picture.min() < sheet.picture.max() <= 255
    assert 15 <= sheet.breadth < 15 + 80 / SQUARE_SIDE_PX
    assert sheet.cells == 15


def test_boards_of_several_sizes_are_drawn() -> None:
    assert {random_board(np.random.default_rng(seed)).cells for seed in range(20)} == {5, 9, 15}


def test_a_board_lies_where_it_is_laid() -> None:
    picture = np.zeros((400, 400), np.float32)
    white = BoardSheet(np.full((15 * SQUARE_SIDE_PX, 15 * SQUARE_SIDE_PX), 255, np.float32), 15)
    draw_board_at(picture, white, VIEW, (1.0, -2.0, 0.0), 1.0)
    rows, cols = np.nonzero(picture > 128)
    # its middle is 1 tile right of and 2 above the picture's; 15 squares of one tile of 20 pixels are 300
    assert cols.mean() == pytest.approx(200 + 20, abs=1)
    assert rows.mean() == pytest.approx(200 - 40, abs=1)
    assert np.ptp(cols) == pytest.approx(300, abs=2)


def test_the_same_seed_draws_the_same_game_with_blanks_now_and_then() -> None:
    scenes = [
        board_game(np.random.default_rng(4), VIEW, WORDS, LETTERS, CaptureConditions()) for _ in range(2)
    ]
    np.testing.assert_array_equal(scenes[0].picture, scenes[1].picture)
    shown = [
        tile.symbol
        for seed in range(8)
        for tile in board_game(np.random.default_rng(seed), VIEW, WORDS, LETTERS, CaptureConditions()).tiles
        if tile.placed.group == 0
    ]
    assert 0.02 < shown.count(None) / len(shown) < 0.3


@pytest.mark.parametrize("seed", range(4))
def test_tiles_of_a_game_lie_on_one_lattice(seed: int) -> None:
    tiles = [
        tile
        for tile in board_game(np.random.default_rng(seed), VIEW, WORDS, LETTERS, CaptureConditions()).tiles
        if tile.placed.group == 0
    ]
    cells = np.array([tile.placed.cell[::-1] for tile in tiles], np.float32)
    middles = np.array([tile.corners.mean(0) for tile in tiles], np.float32)
    fit, _ = cv2.estimateAffine2D(cells, middles)
    off = np.linalg.norm(cells @ fit[:, :2].T + fit[:, 2] - middles, axis=1)
    assert off.max() < 0.25 * VIEW.tile_px
