from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.vision.colour import rim_brightness
from companion.vision.pipeline.board_evidence import may_be_tiles
from tests.vision.made_detections import detections_at, probabilities_of

FOUR = detections_at([(50.0 + 100 * k, 50.0) for k in range(4)])
LAST = np.array([False, False, False, True])


def table(face: int, ink: int, last: int) -> np.ndarray:
    """Return three tiles with broad ink, and a fourth that is bare."""
    picture = np.full((100, 400), (face + ink) // 2, np.uint8)
    for k in range(4):
        picture[25:75, 25 + 100 * k : 75 + 100 * k] = last if k == 3 else face
    for k in range(3):
        picture[37:64, 37 + 100 * k : 64 + 100 * k] = ink
    return picture


@pytest.mark.parametrize(("face", "ink"), [(220, 40), (60, 250)])
def test_the_rim_of_a_face_shows_its_brightness_be_its_ink_dark_or_bright(face: int, ink: int) -> None:
    assert rim_brightness(table(face, ink, face), FOUR.centres, FOUR.vectors()) == pytest.approx([face] * 4)


def test_no_faces_have_no_shades() -> None:
    none = detections_at([])
    assert rim_brightness(table(220, 40, 220), none.centres, none.vectors()).shape == (0,)


@pytest.mark.parametrize(("last", "may"), [(60, True), (200, False)])
def test_what_both_networks_hardly_take_for_a_tile_may_be_one_if_it_has_the_tiles_colour(
    last: int, may: bool
) -> None:
    probabilities = probabilities_of("A", "B", "C", "_")
    probabilities.p_blank[3], probabilities.p_background[3] = 0.3, 0.7
    detections = replace(FOUR, scores=np.array([0.9, 0.9, 0.9, 0.4]))
    told = may_be_tiles(table(60, 250, last), detections, probabilities, LAST)
    assert told.tolist() == [True, True, True, may]


def test_where_no_tile_surely_shows_a_symbol_colours_tell_nothing() -> None:
    every = np.ones(4, np.bool_)
    assert may_be_tiles(table(60, 250, 200), FOUR, probabilities_of(*"____"), every).all()
