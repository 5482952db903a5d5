"""The drawn camera: where places of the table come to lie in the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.drawing.camera import View, camera

TILTS = st.floats(0, 50)
TURNS = st.floats(0, 360)
PLACES = st.tuples(st.floats(-6, 6), st.floats(-6, 6))


@given(TILTS, TURNS, st.floats(-0.05, 0.05))
def test_the_middle_of_the_picture_sees_the_middle_of_the_table(
    tilt: float, turn: float, bend: float
) -> None:
    seen = camera(View(640, 480, 30, tilt, turn, bend, (1.0, 1.2))).pixels(np.zeros((1, 3)))
    assert seen[0] == pytest.approx((320, 240))


def test_from_straight_above_a_tile_is_as_broad_as_was_asked() -> None:
    seen = camera(View(640, 480, 30, 0, 0)).pixels(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]))
    assert seen == pytest.approx(np.array([(320, 240), (350, 240), (320, 270)]))


def test_a_turned_camera_sees_the_table_turned_clockwise() -> None:
    seen = camera(View(640, 480, 30, 0, 90)).pixels(np.array([[1.0, 0, 0]]))
    assert seen[0] == pytest.approx((320, 270))


def test_a_stretched_picture_keeps_its_size_and_stretches_what_is_in_it() -> None:
    seen = camera(View(640, 480, 30, 0, 0, 0.0, (1.0, 1.5))).pixels(np.array([[1.0, 0, 0], [0, 1, 0]]))
    assert seen == pytest.approx(np.array([(350, 240), (320, 285)]))


def test_what_stands_higher_is_nearer_to_the_camera_and_looks_larger() -> None:
    low, high = camera(View(640, 480, 30, 0, 0)).pixels(np.array([[1.0, 0, 0], [1, 0, 5]]))
    assert high[0] > low[0] > 320


def test_a_barrel_lens_draws_the_corner_in_by_its_bend() -> None:
    straight, bent = (camera(View(600, 600, 30, 0, 0, bend)) for bend in (0.0, -0.04))
    corner = np.array([[10.0, 10, 0]])
    assert straight.pixels(corner)[0] == pytest.approx((600, 600))
    assert bent.pixels(corner)[0] == pytest.approx((300 + 0.96 * 300,) * 2)


@given(TILTS, TURNS, PLACES)
def test_pixels_lead_back_to_the_place_of_the_table(
    tilt: float, turn: float, place: tuple[float, float]
) -> None:
    view = camera(View(640, 480, 30, tilt, turn, 0.0, (1.0, 0.8)))
    x, y = view.pixels(np.array([[*place, 0.0]]))[0] / view.stretch
    back = np.linalg.inv(view.matrix[:, [0, 1, 3]]) @ (x, y, 1)
    assert back[:2] / back[2] == pytest.approx(place, abs=1e-6)


@given(st.floats(1, 50), TURNS)
def test_a_pole_at_the_foot_of_the_camera_is_seen_from_its_end(tilt: float, turn: float) -> None:
    view = camera(View(640, 480, 30, tilt, turn))
    bottom, top = view.pixels(np.array([[*view.foot, 0.0], [*view.foot, 3.0]]))
    assert top == pytest.approx(bottom, abs=1e-6 * np.abs(bottom).max())


def test_the_foot_of_a_camera_straight_above_is_the_middle_of_the_table() -> None:
    assert camera(View(640, 480, 30, 0, 77)).foot == pytest.approx((0, 0))
