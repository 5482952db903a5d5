"""Pictures so thin that nothing can be seen in them: sought in, found nothing, and no fault."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.caption import (
    MAX_DISPLAY_HEIGHT_PX,
    MAX_DISPLAY_WIDTH_PX,
    MIN_DISPLAY_WIDTH_PX,
    PLAIN,
    captioned,
    resized_for_display,
)
from calibration.lens.board import find_board
from calibration.markers import find_markers
from calibration.table.drift import keypoints
from companion.vision.camera_frame import Frame, downscale_to_fit

SHAPES = [(1, 1), (4000, 1), (1, 4000), (20_000, 3), (9, 30_000)]


@pytest.fixture(params=SHAPES, ids=str)
def thin(request: pytest.FixtureRequest) -> Frame:
    return np.full(request.param, 200, np.uint8)


def test_there_is_no_lens_board_in_it(thin: Frame) -> None:
    assert find_board(thin) is None


def test_there_is_no_marker_in_it(thin: Frame) -> None:
    assert find_markers(thin) == ()


def test_there_is_no_striking_spot_in_it(thin: Frame) -> None:
    assert len(keypoints(thin, 100)[0]) == 0


def test_its_preview_is_of_a_bounded_size_and_wide_enough_for_words(thin: Frame) -> None:
    frame = captioned(resized_for_display(thin)[0], "Light", [("nothing is seen", PLAIN)])
    assert MIN_DISPLAY_WIDTH_PX <= frame.shape[1] <= MAX_DISPLAY_WIDTH_PX
    assert frame.shape[0] < MAX_DISPLAY_HEIGHT_PX + 300


def test_a_side_that_would_vanish_keeps_a_pixel() -> None:
    assert downscale_to_fit(np.zeros((1, 4000), np.uint8), 1600)[0].shape == (1, 1600)


def test_a_small_frame_stays_as_it_is() -> None:
    frame = np.zeros((30, 40), np.uint8)
    assert downscale_to_fit(frame, 1600) == (frame, 1.0)
