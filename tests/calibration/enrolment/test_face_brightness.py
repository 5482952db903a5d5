from __future__ import annotations

import numpy as np
import pytest

from calibration.enrolment.photograph import similar_brightness
from companion.vision.colour import rim_brightness
from tests.vision.made_detections import detections_at

FOUR = detections_at([(50.0 + 100 * k, 50.0) for k in range(4)])
VAGUE = np.array([False, False, False, True])


def table(face: int, ink: int, last: int) -> np.ndarray:
    """Return three tiles with broad ink, and a fourth that is bare."""
    picture = np.full((100, 400), (face + ink) // 2, np.uint8)
    for k in range(4):
        picture[25:75, 25 + 100 * k : 75 + 100 * k] = last if k == 3 else face
    for k in range(3):
        picture[37:64, 37 + 100 * k : 64 + 100 * k] = ink
    return picture


@pytest.mark.parametrize(("face", "ink"), [(220, 40), (60, 250)])
def test_a_bare_tile_among_others_is_one_be_their_ink_dark_or_bright(face: int, ink: int) -> None:
    picture = table(face, ink, face)
    assert rim_brightness(picture, FOUR.centres, FOUR.vectors()) == pytest.approx([face] * 4)
    assert similar_brightness(picture, FOUR.centres, FOUR.vectors(), VAGUE).all()


@pytest.mark.parametrize(("face", "ink", "last"), [(220, 40, 60), (60, 250, 200)])
def test_what_is_as_bright_as_no_face_is_no_tile(face: int, ink: int, last: int) -> None:
    picture = table(face, ink, last)
    assert similar_brightness(picture, FOUR.centres, FOUR.vectors(), VAGUE).tolist() == [
        True,
        True,
        True,
        False,
    ]
    assert similar_brightness(picture, FOUR.centres, FOUR.vectors(), np.zeros(4, bool)).all()


def test_no_faces_have_no_shades() -> None:
    none = detections_at([])
    assert rim_brightness(table(220, 40, 220), none.centres, none.vectors()).shape == (0,)
