from __future__ import annotations

import cv2
import numpy as np

from companion.vision.colour import weakest_edge

SIDE = 40


def quad(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + SIDE, y], [x + SIDE, y + SIDE], [x, y + SIDE]], float)


def cloth() -> np.ndarray:
    """Return a cloth with a ring printed on it, about as large as a letter on a tile at (130, 130)."""
    picture = np.full((300, 300), 120, np.uint8)
    cv2.circle(picture, (150, 150), 10, 60, 4)
    return picture


def ends_nowhere(picture: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Return which tiles have a side without contrast, (n,)."""
    return np.asarray(weakest_edge(picture, quads, quads.mean(1)) < 0.07)


def test_a_ring_on_a_cloth_has_no_edges_and_a_tile_with_a_ring_has() -> None:
    ring, tile = cloth(), cloth()
    tile[130:170, 130:170] = np.where(tile[130:170, 130:170] == 120, 150, 60)
    told = [ends_nowhere(picture, np.array([quad(130, 130)])).tolist() for picture in (ring, tile)]
    assert told == [[True], [False]]


def test_a_tile_as_bright_as_the_cloth_but_of_another_colour_has_edges() -> None:
    picture = np.repeat(cloth()[..., None], 3, axis=2)
    tile = picture[130:170, 130:170]
    tile[(tile == 120).all(-1)] = (150, 108, 129)
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    assert abs(int(grey[132, 132]) - 120) < 4
    outline = np.array([quad(130, 130)])
    assert ends_nowhere(grey, outline).tolist() == [True]
    assert ends_nowhere(picture, outline).tolist() == [False]


def test_a_shadow_along_three_sides_is_edge_enough() -> None:
    picture = cloth()
    picture[168:174, 130:170] = picture[130:170, 168:174] = picture[126:132, 130:170] = 90
    assert not ends_nowhere(picture, np.array([quad(130, 130)])).any()


def test_tiles_in_a_row_hide_each_other_and_are_tiles_all_the_same() -> None:
    picture = np.full((300, 300), 120, np.uint8)
    picture[130:170, 90:210] = 160
    row = np.array([quad(x, 130) for x in (90, 130, 170)])
    assert not ends_nowhere(picture, row).any()


def test_of_sides_beyond_the_picture_nothing_is_said() -> None:
    picture = cloth()[125:175, 125:175]
    assert ends_nowhere(cloth(), np.array([quad(130, 130)])).tolist() == [True]
    assert ends_nowhere(picture, np.array([quad(5, 5)])).tolist() == [False]


def test_no_tile_is_its_own_neighbour_for_the_rounding_of_its_centre() -> None:
    rng = np.random.default_rng(4)
    picture = rng.integers(0, 255, (300, 300), np.uint8)
    quads = np.array([quad(*place) for place in ((40, 40), (200, 60), (120, 200))])
    once = weakest_edge(picture, quads, quads.mean(1))
    assert weakest_edge(picture, quads, quads.mean(1) + 1e-13).tolist() == once.tolist()
