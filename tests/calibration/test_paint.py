"""Painting: outlines, sheets, softness, noise."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drawing.paint import Picture, blurred, box_around, disc, hull, paste, polygon, smooth_noise
from tests.calibration.simple import rng


def black(width: int = 60, height: int = 40) -> Picture:
    return np.zeros((height, width), np.float32)


def test_a_polygon_covers_its_area_and_nothing_else() -> None:
    picture = black()
    polygon(picture, np.array([(10.25, 10.5), (30.25, 10.5), (30.25, 22), (10.25, 22)]), 200.0)
    assert picture.sum() / 200 == pytest.approx(20 * 11.5, abs=0.5)
    assert (picture[13:20, 13:28] == 200).all()
    assert (picture[:9].max(), picture[24:].max(), picture[:, :8].max(), picture[:, 33:].max()) == (
        0,
        0,
        0,
        0,
    )


@pytest.mark.parametrize("way", [1, -1])
def test_a_polygon_may_be_given_clockwise_or_not_and_at_any_turn(way: int) -> None:
    around = np.radians([10, 100, 190, 280])[::way]
    picture = black()
    polygon(picture, np.column_stack([30 + 12 * np.cos(around), 20 + 12 * np.sin(around)]), 1.0)
    assert picture.sum() == pytest.approx(2 * 12**2, abs=1)


def test_a_disc_covers_its_area_even_at_the_border() -> None:
    whole, half = black(), black()
    disc(whole, np.array([30.3, 20.6]), 9.0, 50.0)
    disc(half, np.array([30.3, -0.5]), 9.0, 50.0)
    assert whole.sum() / 50 == pytest.approx(np.pi * 9**2, rel=0.01)
    assert half.sum() / 50 == pytest.approx(np.pi * 9**2 / 2, rel=0.01)


def test_a_polygon_partly_outside_is_cut_off_at_the_border() -> None:
    picture = black()
    polygon(picture, np.array([(-50.0, -50), (20, -50), (20, 10), (-50, 10)]), 100.0)
    assert (picture[:9, :19] == 100).all()
    assert picture[12:].max() == picture[:, 23:].max() == 0


@pytest.mark.parametrize("off", [(-100, 0), (100, 0), (0, -100), (0, 100)])
def test_what_lies_outside_paints_nothing(off: tuple[int, int]) -> None:
    corners = np.array([(10.0, 10), (20, 10), (20, 20), (10, 20)]) + off
    picture = black()
    polygon(picture, corners, 100.0)
    paste(picture, np.full((8, 8), 100, np.float32), (15.0 + off[0], 15.0 + off[1]), (10.0, 10.0), 0.3)
    assert box_around(corners, picture) is None
    assert picture.max() == 0


def test_the_hull_of_points_leaves_out_those_inside() -> None:
    corners = {(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)}
    assert {tuple(p) for p in hull(np.array([*corners, (2.0, 2.0), (1.0, 3.0)])).tolist()} == corners


def test_a_sheet_is_pasted_at_its_place_size_and_turn() -> None:
    sheet = np.full((20, 10), 200, np.float32)
    sheet[:10] = 100  # its upper half is darker
    picture = black()
    paste(picture, sheet, (30.0, 20.0), (12.0, 24.0), np.pi / 2)
    assert picture[20, 38] == pytest.approx(100, abs=1)  # turned clockwise, its upper half lies to the right
    assert picture[20, 22] == pytest.approx(200, abs=1)
    assert (picture > 50).sum() == pytest.approx(12 * 24, rel=0.15)


def test_a_sheet_much_finer_than_the_picture_keeps_its_mean_grey() -> None:
    fine = np.tile(np.array([[0, 250], [250, 0]], np.float32), (100, 100))
    picture = black()
    paste(picture, fine, (30.0, 20.0), (30.0, 30.0), 0.0)
    assert picture[10:30, 20:40] == pytest.approx(np.full((20, 20), 125), abs=2)


@pytest.mark.parametrize("sigma", [0.7, 3.0, 4.5, 9.0])
def test_softness_is_that_of_a_gaussian_however_wide(sigma: float) -> None:
    picture = np.zeros((161, 161), np.float32)
    picture[60:101, 70:91] = 1
    wanted = cv2.GaussianBlur(picture, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    assert blurred(picture, sigma) == pytest.approx(wanted, abs=0.03)


def test_even_a_picture_smaller_than_its_softness_is_softened() -> None:
    assert blurred(np.full((3, 2), 7, np.uint8), 30.0) == pytest.approx(np.full((3, 2), 7.0))


def test_grains_are_as_broad_as_was_asked() -> None:
    noise = smooth_noise(rng(), 400, 300, 16.0, 2.0)
    along, across = np.abs(np.diff(noise, axis=1)).mean(), np.abs(np.diff(noise, axis=0)).mean()
    assert noise.shape == (300, 400)
    assert 4 < across / along < 16
    assert noise.std() == pytest.approx(0.8, abs=0.2)  # between grains it is smoother than on them
