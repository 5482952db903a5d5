"""Drawn lens boards are where their truth says."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from calibration.drawing.lens_board import BoardPose, board_pose, corners_px, draw_lens_board, guided_poses
from calibration.markers import LENS_SQUARE_MM
from companion.model.profile import Lens
from tests.calibration.lens.made import SIZE, fisheye, ordinary


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_a_board_straight_before_the_lens_is_as_large_as_it_is_near() -> None:
    held = BoardPose(np.zeros(3), np.array([-112.0, -70.0, 1000.0]))  # its middle before the lens, 1 m away
    corners = corners_px(ordinary(0.0), held)
    assert len(corners) == 40
    across = np.hypot(*(corners[1] - corners[0]))
    assert across == pytest.approx(700 * LENS_SQUARE_MM / 1000, rel=0.01)


@pytest.mark.parametrize("lens", [ordinary(), fisheye()])
def test_squares_around_a_corner_are_black_and_white_in_turn(lens: Lens) -> None:
    held = board_pose(rng(), lens, SIZE, ((0.5, 0.5), (10, 10), 0.6))
    picture = draw_lens_board(rng(), SIZE, lens, held, severity=0.01).astype(float)
    corners = corners_px(lens, held)
    here, right, below = corners[19], corners[20] - corners[19], corners[27] - corners[19]
    near = [here + 0.08 * (a * right + b * below) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    shades = [picture[round(y), round(x)] for x, y in near]
    assert abs(shades[0] - shades[2]) < 20
    assert abs(shades[1] - shades[3]) < 20
    assert abs(shades[0] - shades[1]) > 100


def test_a_guided_person_holds_it_all_over_the_picture() -> None:
    seen = [
        corners_px(ordinary(), held).mean(0) / SIZE
        for held in islice(guided_poses(rng(), ordinary(), SIZE), 9)
    ]
    assert np.ptp(seen, axis=0).min() > 0.5


def test_the_same_seed_draws_the_same_board() -> None:
    held = board_pose(rng(), ordinary(), SIZE, ((0.5, 0.5), (0, 0), 0.5))
    first, second = (draw_lens_board(rng(), SIZE, ordinary(), held) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_board_beyond_the_picture_leaves_it_as_it_is() -> None:
    aside, below = (
        BoardPose(np.zeros(3), np.array([*away, 1000.0])) for away in ((1000.0, 0.0), (0.0, 1000.0))
    )
    first, second = (draw_lens_board(rng(), SIZE, ordinary(0.0), held) for held in (aside, below))
    assert np.array_equal(first, second)
