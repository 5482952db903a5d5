"""Hard shadows take light from a part of a picture; what is out of focus keeps its light."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drawing.light import SHADOW_DEPTHS, out_of_focus, with_hard_shadow
from calibration.training.scenes import SHADOW_SHARE, training_scene
from companion.vision.camera_frame import grey
from tests.calibration.simple import rng

TILE_PX = 20.0
SHAPES = ((120, 160), (120, 160, 3))


def even(shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return an evenly lit picture."""
    return np.full(shape, 200, np.uint8)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(8))
def test_a_shadow_takes_light_from_a_part(seed: int, shape: tuple[int, ...]) -> None:
    shaded = with_hard_shadow(even(shape), rng(seed), TILE_PX)
    assert shaded.shape == shape
    assert shaded.dtype == np.uint8
    assert shaded.max() <= 200
    assert shaded.min() >= 200 * (1 - SHADOW_DEPTHS[1]) - 1
    assert shaded.mean() < 200


def test_a_shadow_is_the_same_in_grey_and_in_colour() -> None:
    one, other = (with_hard_shadow(even(shape), rng(5), TILE_PX) for shape in SHAPES)
    assert np.array_equal(one, other[..., 0])


@pytest.mark.parametrize("seed", range(8))
def test_blur_keeps_the_light_and_spreads_it(seed: int) -> None:
    picture = np.zeros((61, 61), np.uint8)
    picture[20:40, 20:40] = 200
    soft = out_of_focus(picture, rng(seed), TILE_PX)
    assert soft.mean() == pytest.approx(picture.mean(), rel=0.05)
    assert (soft > 0).sum() > (picture > 0).sum()


def test_patch_and_picture_of_a_training_scene_are_spoilt_alike() -> None:
    number = next(k for k in range(40) if (np.random.default_rng((7, k, 2)).random(3) < SHADOW_SHARE).any())
    scene = training_scene((7, number))
    small = grey(scene.patch)
    large = cv2.resize(scene.picture, small.shape[::-1], interpolation=cv2.INTER_AREA)
    assert np.corrcoef(small.ravel(), large.ravel())[0, 1] > 0.9  # colours change the levels a little
