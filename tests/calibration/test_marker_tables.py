"""Drawn tables with markers: what is said to be true of them is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.drawing.camera import View, camera
from calibration.drawing.marker_tables import (
    after_camera_move,
    corner_cards,
    drawn_pixels,
    lens_of,
    marked_table,
)
from companion.vision.grid.homography import distorted, undistorted
from tests.calibration.plain_tables import SIDE_MM, VIEW, WIDTH, table


@given(st.floats(0, 30), st.floats(-40, 40), st.floats(-0.06, 0.05), st.floats(0, 1600), st.floats(0, 1200))
def test_the_place_that_a_pixel_shows_is_seen_at_that_pixel(
    tilt: float, turn: float, bend: float, x: float, y: float
) -> None:
    view = camera(View(1600, 1200, 30.0, tilt, turn, bend))
    place = view.places(np.array([x, y]))
    assert view.pixels(np.array([*place, 0.0])) == pytest.approx((x, y), abs=1e-3)


@given(st.floats(0, 30), st.floats(-0.06, 0.05))
def test_the_lens_of_a_drawn_camera_bends_as_the_camera_does(tilt: float, bend: float) -> None:
    view = View(1600, 1200, 30.0, tilt, 5.0, bend)
    places = np.array([[-300.0, -200.0], [310.0, 120.0], [0.0, 0.0]])
    bent = drawn_pixels(camera(view), places, SIDE_MM)
    straight = drawn_pixels(camera(replace(view, distortion=0.0)), places, SIDE_MM)
    assert distorted(straight, lens_of(camera(view))) == pytest.approx(bent, abs=1e-6)
    assert undistorted(bent, lens_of(camera(view))) == pytest.approx(straight, abs=1e-2)


def test_the_frame_begins_at_marker_0_and_runs_along_to_marker_1() -> None:
    drawn = table()
    ends = drawn.pixels(np.array([[0.0, 0.0], [WIDTH, 0.0]]))
    assert ends == pytest.approx(np.array([drawn.corners_px(0)[0], drawn.corners_px(1)[1]]))


def test_what_was_printed_larger_looks_larger() -> None:
    rng = np.random.default_rng(1)
    plain, large = (corner_cards(rng, 800, 500, printed)[0] for printed in (1.0, 1.1))
    assert plain.side_mm == 60.0
    assert large.side_mm == pytest.approx(66.0)


def test_the_same_seed_draws_the_same_table() -> None:
    one, other = (
        marked_table(rng, View(400, 300, 8.0, 5.0, 0.0), SIDE_MM, corner_cards(rng, 700, 500)).picture
        for rng in (np.random.default_rng(4), np.random.default_rng(4))
    )
    assert (one == other).all()


def test_a_moved_camera_sees_the_markers_where_it_would_have_drawn_them() -> None:
    moved = replace(VIEW, turn_deg=VIEW.turn_deg + 2)
    again = after_camera_move(table().picture, camera(VIEW), camera(moved)).astype(int)
    drawn = table(view=moved).picture.astype(int)
    assert np.abs(again - drawn)[100:-100, 100:-100].mean() < 1.0


def test_a_camera_that_did_not_move_sees_the_same() -> None:
    picture = table().picture
    assert np.abs(after_camera_move(picture, camera(VIEW), camera(VIEW)).astype(int) - picture).max() <= 6
