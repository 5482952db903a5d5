"""Places that may be tiles, from the detector's values to pixels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.detector.detections import (
    Detections,
    detect_at_scale,
    downscale,
    no_detections,
    working_scale,
)
from companion.vision.networks import Detector, DetectorClass


class Told(Detector):
    """A detector that says what it was told to, whatever it sees."""

    def __init__(
        self, *tiles: tuple[int, int, float, float], kind: DetectorClass = DetectorClass.TILE
    ) -> None:
        """``tiles``: row and column of the cell, logit, and breadth in working pixels."""
        self.tiles, self.kind = tiles, kind
        self.chroma: NDArray[np.float32] | None = None

    def values(
        self, picture: NDArray[np.uint8], chroma: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        self.chroma = chroma
        out = np.zeros((len(DetectorClass), 8, picture.shape[0] // 4, picture.shape[1] // 4), np.float32)
        out[:, 0] = -6
        for row, col, logit, side in self.tiles:
            out[self.kind, :, row, col] = (logit, 1.0, -1.0, side / 16, side / 16, 0.0, 1.0, 0.0)
        return out


FRAME = np.zeros((128, 160), np.uint8)


def test_a_find_lies_where_the_cell_and_its_shift_say_in_picture_pixels() -> None:
    detections = detect_at_scale(Told((3, 4, 3.0, 14)), FRAME, 0.5)
    # cell (3, 4) has its middle at (17.5, 13.5), moved to (18.5, 12.5); twice as large: (37.5, 25.5)
    assert detections.centres.tolist() == [[37.5, 25.5]]
    assert detections.sides[0] == pytest.approx(28)


def test_corners_run_clockwise_from_the_top_left() -> None:
    detections = detect_at_scale(Told((3, 4, 3.0, 14)), FRAME, 1.0)
    x, y = detections.centres[0]
    wanted = [[x - 7, y - 7], [x + 7, y - 7], [x + 7, y + 7], [x - 7, y + 7]]
    assert np.allclose(detections.quads()[0], wanted, atol=1e-6)


def test_of_two_detections_on_one_tile_the_stronger_stays() -> None:
    detections = detect_at_scale(Told((3, 4, 3.0, 14), (4, 5, 2.0, 14)), FRAME, 1.0)
    assert len(detections) == 1
    assert detections.scores[0] == pytest.approx(1 / (1 + np.exp(-3)))


def test_touching_tiles_are_two_detections_the_stronger_first() -> None:
    detections = detect_at_scale(Told((3, 4, 1.0, 12), (3, 7, 2.0, 12)), FRAME, 1.0)
    assert detections.centres[:, 0].tolist() == [30.5, 18.5]


def test_only_what_is_asked_for_is_found() -> None:
    told = Told((3, 4, 3.0, 14), kind=DetectorClass.SQUARE)
    assert len(detect_at_scale(told, FRAME, 1.0)) == 0
    assert len(detect_at_scale(told, FRAME, 1.0, kind=DetectorClass.SQUARE)) == 1


def test_weak_values_and_impossible_shapes_are_no_finds() -> None:
    assert len(detect_at_scale(Told((3, 4, -2.0, 14), (5, 9, 3.0, 0.5)), FRAME, 1.0)) == 0


def test_a_network_sees_the_colours_of_a_frame_in_cells_and_none_of_a_grey_one() -> None:
    frame = np.full((128, 160, 3), (30, 40, 200), np.uint8)
    frame[:, 80:] = (40, 160, 60)
    told = Told((3, 4, 3.0, 14))
    assert len(detect_at_scale(told, frame, 0.5)) == 1
    assert told.chroma is not None
    assert told.chroma.shape == (2, 16, 20)
    assert told.chroma[1, :, :10] == pytest.approx(np.log(208 / 48))
    assert told.chroma[1, :, 10:] == pytest.approx(np.log(68 / 168))
    detect_at_scale(told, FRAME, 0.5)
    assert told.chroma is None


def test_no_detections_have_no_outlines() -> None:
    assert no_detections().quads().shape == (0, 4, 2)


def test_a_shrunk_picture_has_sides_that_are_multiples_of_eight() -> None:
    picture, pixel = downscale(np.zeros((100, 130), np.uint8), 0.5)
    assert picture.shape == (56, 72)
    assert pixel == (2.0, 2.0)


def test_the_working_scale_brings_tiles_to_the_size_the_detector_likes() -> None:
    assert working_scale(32.0) == pytest.approx(0.5)


def test_small_tiles_are_enlarged_by_half_at_most() -> None:
    assert working_scale(5.0) == 1.5


def test_detections_of_a_turned_tile_have_turned_sides() -> None:
    detections = Detections(np.zeros((1, 2)), np.eye(2)[None] * 10.0, np.array([np.pi / 2]), np.ones(1))
    assert np.allclose(detections.vectors()[0], [[0, -10], [10, 0]], atol=1e-9)
