"""Where the squares of a drawn board lie, and how far its games reach."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drawing.boards import BOARD_SIZES, SQUARE_SIDE_PX, BoardSheet, draw_flat, random_board
from calibration.drawing.camera import View, camera
from calibration.drawing.layout import grid_extent
from calibration.drawing.scene import CaptureConditions, Scene
from calibration.training.scenes import BOARD_REACH, board_game, draw_board_at
from tests.calibration.simple import WORDS, rng

VIEW = View(400, 300, 16.0, 3.0, 20.0)


def game(seed: int, hands: int = 0) -> Scene:
    return board_game(rng(seed), VIEW, WORDS, list("ABC"), CaptureConditions(hands))


@pytest.mark.parametrize("cells", BOARD_SIZES)
@pytest.mark.parametrize("seed", range(4))
def test_a_board_has_the_asked_squares_and_a_margin_that_its_breadth_counts(cells: int, seed: int) -> None:
    sheet = random_board(rng(seed), cells)
    assert sheet.cells == cells
    assert cells <= sheet.breadth <= cells + 2
    assert sheet.picture.shape == (round(sheet.breadth * SQUARE_SIDE_PX),) * 2


@pytest.mark.parametrize("turn", [0.0, 0.5, np.pi / 2, 4.0])
@pytest.mark.parametrize("square", [(0, 0), (1, 3), (4, 2)])
def test_each_square_of_a_laid_board_is_where_the_tiles_of_a_hand_would_lie(
    turn: float, square: tuple[int, int]
) -> None:
    pitch, at = 1.1, np.array([0.6, -0.4])
    printed = np.zeros((7 * SQUARE_SIDE_PX, 7 * SQUARE_SIDE_PX), np.float32)
    printed[(square[0] + 1) * SQUARE_SIDE_PX :, (square[1] + 1) * SQUARE_SIDE_PX :][
        :SQUARE_SIDE_PX, :SQUARE_SIDE_PX
    ] = 255  # a margin of one square
    view, picture = View(300, 300, 30.0, 0.0, 0.0), np.zeros((300, 300), np.float32)
    draw_board_at(picture, BoardSheet(printed, 5), view, (at[0], at[1], turn), pitch)
    right, down = (square[1] - 2) * pitch, (square[0] - 2) * pitch
    c, s = np.cos(turn), np.sin(turn)
    place = at + np.array([c * right - s * down, s * right + c * down])
    y, x = np.nonzero(picture > 127)
    assert (x.mean(), y.mean()) == pytest.approx(camera(view).pixels(np.array([[*place, 0.0]]))[0], abs=1)
    assert len(x) == pytest.approx((30 * pitch) ** 2, rel=0.1)


@pytest.mark.parametrize("seed", range(6))
def test_a_game_on_a_board_keeps_within_the_board_and_shows_blanks_at_times(seed: int) -> None:
    tiles = [tile for tile in game(seed).tiles if tile.placed.group == 0]
    assert grid_extent([tile.placed.cell for tile in tiles]) <= 2 * BOARD_REACH + 1
    assert {tile.symbol for tile in tiles} <= {*"".join(WORDS), None}


@pytest.mark.parametrize("square", [(0, 0), (1, 3), (4, 2), (4, 4)])
def test_a_board_seen_aslant_through_a_bent_lens_is_seen_so_square_by_square(square: tuple[int, int]) -> None:
    printed = np.zeros((5 * SQUARE_SIDE_PX, 5 * SQUARE_SIDE_PX), np.float32)
    printed[square[0] * SQUARE_SIDE_PX :, square[1] * SQUARE_SIDE_PX :][:SQUARE_SIDE_PX, :SQUARE_SIDE_PX] = (
        255
    )
    seen, picture = camera(View(300, 300, 40.0, 25.0, 30.0, 0.05)), np.zeros((300, 300), np.float32)
    draw_flat(picture, printed, seen, (0.6, -0.4, 0.0), 5.0)
    y, x = np.nonzero(picture > 127)
    left, top = 0.6 - 2.5 + square[1], -0.4 - 2.5 + square[0]
    ends = np.array([[left, top, 0], [left + 1, top, 0], [left + 1, top + 1, 0], [left, top + 1, 0]])
    assert (x.mean(), y.mean()) == pytest.approx(seen.pixels(ends).mean(0), abs=1)
    assert len(x) == pytest.approx(cv2.contourArea(seen.pixels(ends).astype(np.float32)), rel=0.05)
