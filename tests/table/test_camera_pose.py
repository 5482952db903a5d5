"""From a camera's picture to the table's millimetres."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.errors import BadProfile
from companion.model.profile import Lens
from companion.table.fusion import CameraPose, from_quads
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking import TrackedReading
from tests.table.playing import reading_of
from tests.table.test_views import HALVES, profile
from tests.vision.made_detections import detections_at, probabilities_of

SCALED = profile(*HALVES)
"""Its millimetres are its pixels."""


def doubled() -> CameraPose:
    """Return a camera whose pixels are two millimetres broad."""
    table = SCALED.table
    assert table is not None
    return CameraPose(replace(SCALED, table=replace(table, homography=(2, 0, 0, 0, 2, 0, 0, 0, 1))))


@pytest.mark.parametrize("turn_deg", [0.0, 30.0, 85.0, 180.0, 266.0])
def test_tiles_are_laid_on_the_table_as_they_are_turned(turn_deg: float) -> None:
    detections = detections_at([(100, 50)], 10.0, turn_deg)
    laid = doubled().rectified(FrameDetections((640, 480), detections, probabilities_of("A"), 1.0)).detections
    assert laid.centres == pytest.approx(np.array([(200, 100)]))
    assert laid.vectors() == pytest.approx(2 * detections.vectors())


def test_what_is_made_of_corners_has_those_corners() -> None:
    leaning = np.array([[(10, 10), (30, 12), (31, 33), (9, 30)]], float)
    made = from_quads(leaning, np.ones(1))
    assert made.quads().mean(1) == pytest.approx(leaning.mean(1))
    assert made.shapes == pytest.approx(np.swapaxes(made.shapes, 1, 2))


def test_what_is_near_the_edge_or_outside_is_not_in_the_picture() -> None:
    places = np.array([(320, 240), (5, 240), (700, 240), (320, -3)], float)
    assert CameraPose(SCALED).in_picture(places).tolist() == [True, False, False, False]


def test_a_bent_lens_shows_no_place_far_outside_of_its_picture() -> None:
    lens = Lens("ordinary", (640, 0, 320, 0, 640, 240, 0, 0, 1), (-0.4, 0, 0, 0), 0.1)
    bent = CameraPose(replace(SCALED, lens=lens))
    places = np.array([(320, 240), (1500, 240), (1800, 240)], float)
    assert bent.in_picture(places).tolist() == [True, False, False]


def test_what_is_veiled_is_not_seen_plainly() -> None:
    places = np.array([(100, 100), (300, 300)], float)
    assert CameraPose(SCALED).visible([(90, 90, 110, 110)], places).tolist() == [False, True]


def test_a_hidden_tile_and_one_at_the_edge_are_not_plain() -> None:
    look = FrameDetections(
        (640, 480), detections_at([(100, 100), (5, 100), (300, 100)]), probabilities_of("A", "B", "C"), 1.0
    )
    seen = TrackedReading(reading_of(), look, 0, 0, True, covered=(2,))
    assert CameraPose(SCALED).observation(seen).plain.tolist() == [True, False, False]


def test_a_zone_is_in_view_as_far_as_the_picture_reaches() -> None:
    assert CameraPose(SCALED).in_view(HALVES[0]).mean() > 0.8
    assert not doubled().in_view(replace(HALVES[0], corners_mm=((1300, 0), (1500, 0), (1500, 400)))).any()


def test_a_profile_without_a_table_is_refused() -> None:
    with pytest.raises(BadProfile, match="knows no table"):
        CameraPose(replace(SCALED, table=None))
