"""Printed markers in drawn pictures: which are found, and where their corners are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View, camera
from calibration.drawing.marker_tables import lens_of
from calibration.edges import bloom, measure_marker
from calibration.markers import find_markers, marker_pattern
from companion.errors import BadProfile
from companion.model.profile import Lens
from hardware.simulated.draw_table import marker_card
from tests.calibration.plain_tables import cards, table


def test_each_marker_of_a_table_is_found_by_its_number() -> None:
    assert [one.number for one in find_markers(table().picture)] == [0, 1, 2, 3]


def test_only_the_numbers_asked_for_are_found() -> None:
    assert [one.number for one in find_markers(table().picture, {2, 50})] == [2]


def test_of_a_number_seen_twice_the_larger_one_counts() -> None:
    two = (*cards(), *(card for card in cards(0.5) if card.number == 0))
    small, _ = (card for card in two if card.number == 0)
    (found,) = find_markers(table(two[:4]).picture, {0})
    assert found.side_px == pytest.approx(small.side_mm / 20 * 30, rel=0.1)


def test_a_marker_beyond_what_the_lens_model_shows_is_told() -> None:
    matrix = (500.0, 0.0, 799.5, 0.0, 500.0, 599.5, 0.0, 0.0, 1.0)
    narrow = Lens("fisheye", matrix, (-0.3, 0.0, 0.0, 0.0), 0.1)  # shows nothing more than 350 px off
    drawn = table()
    with pytest.raises(BadProfile, match="the lens was not measured where marker 0 lies"):
        measure_marker(drawn.picture, find_markers(drawn.picture)[0], narrow)


@pytest.mark.parametrize("bend", [-0.06, 0.0, 0.05])
@pytest.mark.parametrize("tilt", [0.0, 20.0])
def test_corners_are_measured_to_a_twentieth_of_a_pixel(bend: float, tilt: float) -> None:
    view = View(1600, 1200, 28.0, tilt, 5.0, bend)
    drawn = table(view=view)
    markers = find_markers(drawn.picture)
    assert len(markers) == 4
    for found in markers:
        corners = measure_marker(drawn.picture, found, lens_of(camera(view))).corners
        assert np.hypot(*(corners - drawn.corners_px(found.number)).T).max() < 0.05


def test_corners_are_the_same_in_a_blurred_picture() -> None:
    drawn = table()
    soft = np.asarray(cv2.GaussianBlur(drawn.picture, (0, 0), 2.0), np.uint8)
    markers = find_markers(soft)
    assert len(markers) == 4
    for found in markers:
        corners = measure_marker(soft, found, lens_of(camera(drawn.view))).corners
        assert np.hypot(*(corners - drawn.corners_px(found.number)).T).max() < 0.2


def test_the_breadth_of_edges_tells_blur() -> None:
    drawn = table()
    found = find_markers(drawn.picture)[0]
    soft = np.asarray(cv2.GaussianBlur(drawn.picture, (0, 0), 3.0), np.uint8)
    sharp, blurred = (measure_marker(picture, found, None).blur_px for picture in (drawn.picture, soft))
    assert sharp < 1.5
    assert blurred == pytest.approx(2 * 0.8416 * 3.0, rel=0.15)  # a Gaussian's fifth and four fifths


def test_paper_that_spills_over_ink_is_made_up_for() -> None:
    drawn = table()
    thick = np.asarray(cv2.dilate(drawn.picture, np.ones((3, 3), np.uint8)), np.uint8)  # white grows by 1 px
    markers = find_markers(thick)
    assert len(markers) == 4
    for found in markers:
        got = measure_marker(thick, found, lens_of(camera(drawn.view)))
        assert np.hypot(*(got.corners - drawn.corners_px(found.number)).T).max() < 0.25


def test_nothing_spills_over_the_edges_of_a_clean_marker() -> None:
    drawn = table()
    for number in range(4):
        assert abs(bloom(drawn.picture, drawn.corners_px(number), number)) < 0.001


def test_no_two_markers_look_alike_at_any_turn() -> None:
    seen = {np.rot90(marker_pattern(number), turn).tobytes() for number in range(47) for turn in range(4)}
    assert len(seen) == 4 * 47


@pytest.mark.parametrize("side_px", [36, 60, 78, 93, 110, 160, 230])
def test_cards_that_lie_on_a_dark_table_are_found_at_every_size(side_px: int) -> None:
    grey = np.full((900, 1200), 70, np.uint8)
    for number, (x, y) in enumerate(((20, 20), (800, 20), (800, 500), (20, 500))):
        paper = marker_card(number, side_px)
        grey[y : y + len(paper), x : x + len(paper)] = paper
    assert [one.number for one in find_markers(grey)] == [0, 1, 2, 3]
