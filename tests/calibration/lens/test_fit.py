"""The lens, found from sights of the board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.drawing.lens_board import BoardPose
from calibration.lens import CAMERAS, BoardDetection, fit, initial_matrix
from calibration.lens.data_sheets import focal_warning
from calibration.lens.fit import TOO_FLAT, FitOptions, most_error_px, straightness_px
from companion.errors import BadCapture
from companion.model.profile import Lens
from companion.vision.grid.homography import project, undistorted
from tests.calibration.lens.made import SIZE, fisheye, ordinary, sight, sights


def worst_px(found: Lens, true: Lens) -> float:
    """Return how far a flat sheet that fills the picture is from flat after straightening, at worst."""
    x, y = np.meshgrid(np.linspace(20, SIZE[0] - 20, 20), np.linspace(20, SIZE[1] - 20, 12))
    pixels = np.stack([x, y], -1).reshape(-1, 2)
    sheet = project(np.linalg.inv(np.array(true.matrix).reshape(3, 3)), undistorted(pixels, true))
    near = np.hypot(*sheet.T) < 1.2  # a fisheye sees farther than any table reaches
    return float(straightness_px(found, pixels[near], sheet[near]).max())


@pytest.mark.parametrize("true", [ordinary(), ordinary(-0.3), ordinary(0.1), fisheye()])
def test_a_lens_is_found_within_half_a_pixel_everywhere(true: Lens) -> None:
    found = fit(sights(true, noise_px=0.03))
    assert worst_px(found.lens, true) < 0.5
    assert found.lens.matrix[0] == pytest.approx(true.matrix[0], rel=0.01)


def test_the_error_is_what_corners_were_seen_off() -> None:
    found = fit(sights(ordinary(), noise_px=0.2))
    assert found.lens.error_px == pytest.approx(0.2 * 2**0.5, rel=0.15)  # 0.2 px across and 0.2 px down
    assert found.held_out_px == pytest.approx(found.lens.error_px, rel=0.4)


def test_the_kind_of_lens_is_told_by_what_fits() -> None:
    assert fit(sights(fisheye())).lens.model == "fisheye"
    assert fit(sights(ordinary())).lens.model == "ordinary"


def test_a_kind_of_lens_may_be_asked_for() -> None:
    assert fit(sights(ordinary()), FitOptions("fisheye")).lens.model == "fisheye"


def test_a_picture_that_fits_nothing_is_left_out() -> None:
    every = sights(ordinary())
    shaken = np.random.default_rng(1).normal(0, 3, every[4].corners.shape)
    every[4] = replace(every[4], corners=every[4].corners + shaken)
    found = fit(every)
    assert found.outliers == (4,)
    assert worst_px(found.lens, ordinary()) < 0.5


def test_a_corner_that_was_seen_wrongly_is_left_out() -> None:
    every = sights(ordinary())
    every[2].corners[5] += 4.0
    found = fit(every)
    assert found.outliers == ()
    assert found.lens.error_px < 0.1


def test_too_few_pictures_are_refused() -> None:
    with pytest.raises(BadCapture, match="at least 5 pictures must show the board, better 12; there are 4"):
        fit(sights(ordinary())[:4])


def test_pictures_of_two_sizes_are_refused() -> None:
    every = sights(ordinary())
    every[0] = replace(every[0], size=(640, 480))
    with pytest.raises(BadCapture, match="pictures of 640 x 480 and 960 x 540 pixels"):
        fit(every)


def test_pictures_of_the_middle_alone_are_refused() -> None:
    small = [
        BoardDetection(s.numbers, (s.corners - SIZE) * 0.2 + np.array(SIZE) * 0.6, SIZE, 1.0)
        for s in sights(ordinary())
    ]
    with pytest.raises(BadCapture, match="hold it in the corners"):
        fit(small)


def test_a_lens_that_fits_badly_is_refused_with_its_error() -> None:
    with pytest.raises(BadCapture, match=r"only within \d\.\d\d px, 0.50 are allowed: is the board flat"):
        fit(sights(ordinary(), noise_px=0.6))


@pytest.mark.parametrize("model", ["ordinary", "fisheye"])
def test_corners_that_lie_anyhow_fit_no_lens(model: str) -> None:
    rng = np.random.default_rng(1)
    every = [BoardDetection(np.arange(40), rng.uniform(0, SIZE, (40, 2)), SIZE, 1.0) for _ in range(6)]
    with pytest.raises(BadCapture, match=r"no lens fits these pictures|fits only within"):
        fit(every, FitOptions(model))


def test_how_badly_it_may_fit_can_be_said() -> None:
    assert fit(sights(ordinary(), noise_px=0.6), FitOptions(most_error_px=2)).lens.error_px > 0.5
    assert most_error_px((4608, 2592)) == pytest.approx(2.3, abs=0.01)


def test_pictures_cut_out_of_a_corner_are_found_strange() -> None:
    cut = [replace(s, corners=s.corners * 0.6) for s in sights(ordinary(), noise_px=0.01)]
    whole = np.concatenate([one.corners for one in cut]).max(0) + 5
    size = (int(whole[0]) + 1, int(whole[1]) + 1)
    shifted = [
        replace(s, corners=np.add(s.corners, (0.5 * size[0], 0)), size=(int(size[0] * 1.5), size[1]))
        for s in cut
    ]
    assert "far off the picture's" in fit(shifted).doubt


def test_another_camera_than_was_said_is_found_strange() -> None:
    assert fit(sights(ordinary()), FitOptions(camera="module-3")).doubt == ""
    assert "Camera Module 3 Wide" in fit(sights(ordinary()), FitOptions(camera="module-3-wide")).doubt


@pytest.mark.parametrize(
    ("name", "degrees"),
    [("module-1", 53.5), ("module-2", 62.2), ("module-3", 68.5), ("module-3-wide", 99.0), ("hq-6mm", 55.3)],
)
def test_data_sheets_give_the_view_that_they_tell(name: str, degrees: float) -> None:
    size = (CAMERAS[name].width, CAMERAS[name].height)
    focal = initial_matrix(size, name)[0, 0]
    assert 2 * np.degrees(np.arctan(size[0] / 2 / focal)) == pytest.approx(degrees, abs=0.3)


def test_a_smaller_picture_of_the_whole_sensor_has_a_smaller_focal_length() -> None:
    full = initial_matrix((3280, 2464), "module-2")[0, 0]
    assert full == pytest.approx(3.04 / 0.00112, rel=1e-6)
    assert initial_matrix((1640, 1232), "module-2")[0, 0] == pytest.approx(full / 2)


def test_a_focal_length_of_an_unknown_camera_is_never_strange() -> None:
    assert focal_warning(5.0, 640, None) == ""


def test_a_board_that_never_leans_leaves_the_focal_length_in_doubt() -> None:
    middles = [(x, y) for x in (-160.0, -50.0, 60.0, 170.0) for y in (-60.0, 0.0, 70.0)]
    held = [BoardPose(np.full(3, 1e-6), np.array([x - 108, y - 72, 420.0])) for x, y in middles]
    flat = [sight(ordinary(), one, seed=seed) for seed, one in enumerate(held)]
    assert fit(flat).doubt == TOO_FLAT
    assert fit(sights(ordinary())).doubt == ""
