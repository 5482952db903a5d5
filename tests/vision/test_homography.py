"""From the picture to the table and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.drawing.camera import View, camera
from companion.errors import BadProfile
from companion.model.profile import CameraId, Lens, Profile, TableMap
from companion.vision.detector.perspective import RectifiedView, known_tile_size
from companion.vision.grid.homography import distorted, project, to_picture, to_table, undistorted

MATRIX = (1000.0, 0.0, 800.0, 0.0, 1000.0, 600.0, 0.0, 0.0, 1.0)
BARREL = Lens("ordinary", MATRIX, (-0.1, 0.0, 0.0, 0.0), 0.1)
FISH = Lens("fisheye", MATRIX, (0.02, -0.01, 0.0, 0.0), 0.1)
HALF = TableMap((0.5, 0.0, -100.0, 0.0, 0.5, -50.0, 0.0, 0.0, 1.0), 600.0, 500.0, 0.1)
PIXELS = st.lists(st.tuples(st.floats(0, 1600), st.floats(0, 1200)), min_size=1, max_size=5)


def known(lens: Lens | None) -> Profile:
    return Profile(CameraId("a", 1600, 1200), "now", lens, HALF)


@pytest.mark.parametrize("lens", [None, BARREL, FISH])
@given(pixels=PIXELS)
def test_pixels_lead_to_the_table_and_back(lens: Lens | None, pixels: list[tuple[float, float]]) -> None:
    points = np.array(pixels)
    assert to_picture(to_table(points, known(lens)), known(lens)) == pytest.approx(points, abs=0.01)


def test_without_a_lens_the_map_alone_counts() -> None:
    assert to_table(np.array([[400.0, 300.0]]), known(None)) == pytest.approx(np.array([[100.0, 100.0]]))


def test_a_barrel_lens_draws_what_lies_outwards_in() -> None:
    # 500 px right of the middle at focal length 1000: r = .5, so it shows at .5 (1 - .1 * .25) = .4875
    assert distorted(np.array([[1300.0, 600.0]]), BARREL) == pytest.approx(np.array([[1287.5, 600.0]]))
    assert undistorted(np.array([[1287.5, 600.0]]), BARREL) == pytest.approx(
        np.array([[1300.0, 600.0]]), abs=0.01
    )


def test_a_fisheye_shows_angles() -> None:
    bare = Lens("fisheye", MATRIX, (0.0, 0.0, 0.0, 0.0), 0.1)
    # what lies 45 degrees off the axis is at 1000 px without bend, and at 1000 pi/4 through a fisheye
    got = distorted(np.array([[1800.0, 600.0]]), bare)
    assert got == pytest.approx(np.array([[800 + 250 * np.pi, 600.0]]))


def test_no_points_stay_no_points() -> None:
    assert undistorted(np.empty((0, 2)), BARREL).shape == distorted(np.empty((0, 2)), FISH).shape == (0, 2)


def test_a_slanted_map_brings_the_far_side_nearer() -> None:
    slant = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0.001, 1.0]])
    assert project(slant, np.array([[100.0, 1000.0]])) == pytest.approx(np.array([[50.0, 500.0]]))


def test_a_profile_without_a_table_says_how_to_get_one() -> None:
    with pytest.raises(BadProfile, match="companion calibrate table"):
        to_table(np.array([[1.0, 2.0]]), Profile(CameraId("a", 16, 12), "now"))


def seen_from(tilt_deg: float) -> Profile:
    """Return the profile of a camera over the middle of a table of 600 by 450 mm, tiles 20 mm broad."""
    sees = camera(View(1600, 1200, 40.0, tilt_deg, 0.0, focal=0.8)).matrix[:, [0, 1, 3]]
    onto = np.array([[20.0, 0.0, 300.0], [0.0, 20.0, 225.0], [0.0, 0.0, 1.0]]) @ np.linalg.inv(sees)
    table = TableMap(tuple((onto / onto[2, 2]).ravel().tolist()), 600.0, 450.0, 0.1)
    shown_px = 40.0 * float(np.sqrt(np.cos(np.radians(tilt_deg))))
    return Profile(CameraId("a", 1600, 1200), "now", None, table, shown_px)


def test_tiles_on_a_table_seen_from_above_are_about_as_broad_everywhere() -> None:
    assert known_tile_size(seen_from(5.0)) == pytest.approx(40, rel=0.01)
    assert known_tile_size(known(None)) is None
    assert known_tile_size(None) is None


def test_a_known_table_seen_aslant_is_rectified() -> None:
    view = known_tile_size(seen_from(55.0))
    assert isinstance(view, RectifiedView)
    corners_mm = np.array([[100.0, 50.0], [120.0, 50.0], [120.0, 70.0], [100.0, 70.0]])
    corners = project(view.homography, to_picture(corners_mm, seen_from(55.0)))
    sides = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    assert sides == pytest.approx(np.full(3, 40.0), rel=0.01)
