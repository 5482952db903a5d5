"""The lens board, found in drawn pictures."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from calibration.drawing.lens_board import BoardPose, board_pose, corners_px, draw_lens_board
from calibration.lens import find_board, is_mirrored
from calibration.lens.board import max_sharp_edge_px, neighbours, square_px
from companion.model.profile import Lens
from companion.vision.camera_frame import Frame
from tests.calibration.lens.made import SIZE, fisheye, ordinary

Way = tuple[tuple[float, float], tuple[float, float], float]
MIDDLE: Way = ((0.5, 0.5), (15, -10), 0.55)


@cache
def drawn(way: Way = MIDDLE, lens: Lens | None = None) -> tuple[Frame, BoardPose]:
    rng, seen_by = np.random.default_rng(1), lens or ordinary()
    held = board_pose(rng, seen_by, SIZE, way)
    return draw_lens_board(rng, SIZE, seen_by, held, severity=0.5), held


@pytest.mark.parametrize("lens", [ordinary(), fisheye()])
def test_every_corner_is_found_within_half_a_pixel(lens: Lens) -> None:
    picture, held = drawn(MIDDLE, lens)
    sight = find_board(picture)
    assert sight is not None
    assert len(sight.numbers) == 40
    off = np.hypot(*(sight.corners - corners_px(lens, held)[sight.numbers]).T)
    assert off.max() < 0.5
    assert np.sqrt((off**2).mean()) < 0.2


def test_a_board_that_reaches_beyond_the_picture_is_found_in_part() -> None:
    picture, held = drawn(((0.2, 0.3), (0, 0), 0.6))
    sight = find_board(picture)
    assert sight is not None
    assert 8 <= len(sight.numbers) < 40
    assert np.abs(sight.corners - corners_px(ordinary(), held)[sight.numbers]).max() < 0.5


@pytest.mark.parametrize("turn", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180])
def test_the_board_may_be_held_any_way_round(turn: int) -> None:
    picture, _ = drawn()
    sight = find_board(np.ascontiguousarray(cv2.rotate(picture, turn)))
    assert sight is not None
    assert len(sight.numbers) == 40


def test_a_large_picture_is_measured_in_full() -> None:
    large = cv2.resize(drawn()[0], None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    small, seen = find_board(drawn()[0]), find_board(np.asarray(large, np.uint8))
    assert small is not None
    assert seen is not None
    assert np.sqrt((((seen.corners + 0.5) / 3 - 0.5 - small.corners) ** 2).mean()) < 0.15


def test_a_blurred_board_is_told_from_a_sharp_one() -> None:
    picture, _ = drawn()
    sharp = find_board(picture)
    blurred = find_board(np.asarray(cv2.GaussianBlur(picture, (0, 0), 2.5), np.uint8))
    assert sharp is not None
    assert blurred is not None
    assert sharp.sharp
    assert not blurred.sharp
    assert blurred.blur_px == pytest.approx(
        1.68 * 2.5, rel=0.3
    )  # a fifth to four fifths of a Gaussian's edge


def test_a_finer_picture_may_have_broader_edges() -> None:
    assert max_sharp_edge_px((4608, 2592)) > max_sharp_edge_px((1280, 720)) > 2


def test_a_board_in_a_mirror_is_told() -> None:
    picture, _ = drawn()
    turned = np.ascontiguousarray(picture[:, ::-1])
    assert find_board(turned) is None
    assert is_mirrored(turned)
    assert not is_mirrored(picture)


def test_a_picture_without_a_board_shows_none() -> None:
    assert find_board(np.full((540, 960), 90, np.uint8)) is None


def test_a_board_so_far_away_that_its_squares_are_specks_is_not_measured() -> None:
    picture, _ = drawn(((0.5, 0.5), (0, 0), 0.12))
    sight = find_board(picture)
    assert sight is None or not sight.sharp


def test_neighbours_do_not_reach_around_the_end_of_a_row() -> None:
    assert neighbours(np.array([6, 7, 8]), 1).tolist() == [[0, 1]]
    assert neighbours(np.array([0, 8]), 8).tolist() == [[0, 1]]


def test_the_length_of_a_square_is_that_between_neighbours() -> None:
    assert square_px(np.array([0, 1, 2]), np.array([[0.0, 0.0], [10, 0], [20, 0]])) == 10
    assert square_px(np.array([0, 5]), np.array([[0.0, 0.0], [10, 0]])) == 0
