from __future__ import annotations

import numpy as np
import pytest

from calibration.enrolment.photograph import similar_brightness
from tests.vision.test_face_brightness import FOUR, LAST, table


@pytest.mark.parametrize(("face", "ink"), [(220, 40), (60, 250)])
def test_a_bare_tile_among_others_is_one_be_their_ink_dark_or_bright(face: int, ink: int) -> None:
    assert similar_brightness(table(face, ink, face), FOUR.centres, FOUR.vectors(), LAST).all()


@pytest.mark.parametrize(("face", "ink", "last"), [(220, 40, 60), (60, 250, 200)])
def test_what_is_as_bright_as_no_face_is_no_tile(face: int, ink: int, last: int) -> None:
    picture = table(face, ink, last)
    told = similar_brightness(picture, FOUR.centres, FOUR.vectors(), LAST)
    assert told.tolist() == [True, True, True, False]
    assert similar_brightness(picture, FOUR.centres, FOUR.vectors(), np.zeros(4, bool)).all()
