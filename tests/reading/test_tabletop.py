from __future__ import annotations

import numpy as np
import pytest

from companion.reading.tabletop import like_ground

SIDE = 40


def quad(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + SIDE, y], [x + SIDE, y + SIDE], [x, y + SIDE]], float)


@pytest.mark.parametrize(("face", "told"), [(120, True), (126, True), (170, False), (80, False)])
def test_a_bare_face_as_bright_as_the_table_beside_it_may_be_a_gap(face: int, told: bool) -> None:
    picture = np.full((300, 300), 120, np.uint8)
    picture[130:170, 130:170] = face
    assert like_ground(picture, np.array([quad(130, 130)]), np.array([True])).tolist() == [told]


def test_only_the_faces_that_are_asked_about_are_told_of() -> None:
    picture = np.full((300, 300), 120, np.uint8)
    quads = np.array([quad(60, 60), quad(200, 200)])
    assert like_ground(picture, quads, np.array([False, True])).tolist() == [False, True]


def test_the_tiles_around_a_face_are_not_the_table() -> None:
    picture = np.full((300, 300), 40, np.uint8)
    around = [quad(130 + 40 * x, 130 + 40 * y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    picture[90:210, 90:210] = 200
    assert not like_ground(picture, np.array(around), np.ones(9, bool)).any()


def test_where_no_table_is_seen_nothing_is_said() -> None:
    picture = np.full((40, 40), 120, np.uint8)
    assert like_ground(picture, np.array([quad(0, 0)]), np.array([True])).tolist() == [False]
