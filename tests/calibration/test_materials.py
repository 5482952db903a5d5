"""Scenes drawn in grey and coloured by their materials."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.materials import FIRST_OBJECT, HAND, TABLE, TILE, coloured, object_labels
from calibration.drawing.scene import Scene, SceneContents, draw_scene
from companion.vision.detector.detections import chroma
from tests.calibration.simple import rng

WORDS = ["CAT", "TEN", "ANT"]


def scene(seed: int = 1, hands: int = 1) -> Scene:
    contents = SceneContents(WORDS, ["A"], 1, 6, 3, 4, hands)
    return draw_scene(rng(seed), View(320, 240, 22.0, 10.0, 30.0), contents, severity=0.3)


def test_a_scene_tells_what_each_pixel_shows() -> None:
    one = scene()
    assert one.labels is not None
    assert {TILE, HAND, TABLE} <= set(np.unique(one.labels).tolist())
    for tile in (tile for tile in one.tiles if tile.visible == 1):
        x, y = tile.corners.mean(0).round().astype(int)
        assert one.labels[y, x] == TILE


def test_what_was_drawn_on_a_table_is_an_object_and_two_apart_are_two() -> None:
    before = np.full((60, 90), 90, np.float32)
    after = before.copy()
    after[10:30, 10:30] = 200
    after[10:30, 50:70] = 20
    labels = object_labels(before, after)
    assert labels[40, 40] == TABLE
    assert FIRST_OBJECT <= labels[20, 20] != labels[20, 60] >= FIRST_OBJECT


@pytest.mark.parametrize("seed", range(6))
def test_a_coloured_picture_keeps_its_grey_levels(seed: int) -> None:
    one = scene(seed)
    assert one.labels is not None
    colour = coloured(one.picture, one.labels, rng(seed))
    grey = cv2.GaussianBlur(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), (0, 0), 3).astype(int)
    usual = np.abs(grey - cv2.GaussianBlur(one.picture, (0, 0), 3).astype(int))
    assert np.median(usual) < 8


def test_pictures_of_other_seeds_have_other_colours_and_those_of_the_same_the_same() -> None:
    one = scene()
    assert one.labels is not None
    first, again, other = (coloured(one.picture, one.labels, rng(seed)) for seed in (1, 1, 2))
    assert (first == again).all()
    assert np.abs(chroma(first) - chroma(other)).mean() > 0.05
