"""Drawn tiles: the truth about a tile is what is to be seen in the picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drawing.layout import PlacedTile
from calibration.drawing.tile_style import random_style
from calibration.drawing.tiles import corners_of, draw_tiles
from tests.calibration.simple import above, look, on_black, rng, straightened

PLACES = [(0.0, 0.0), (1.3, -0.7), (-1.11, 1.52)]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("turn", [0.0, 0.4, np.pi / 4, 2.0, 5.5])
@pytest.mark.parametrize("tilt_deg", [0.0, 40.0])
def test_the_corners_enclose_just_what_is_bright(
    place: tuple[float, float], turn: float, tilt_deg: float
) -> None:
    picture, (tile,) = on_black([PlacedTile(*place, turn, None)], above(tilt_deg=tilt_deg))
    bright = picture / picture.max()
    y, x = np.mgrid[: len(bright), : len(bright)]
    centroid = np.array([(x * bright).sum(), (y * bright).sum()]) / bright.sum()
    moments = cv2.moments(tile.corners.astype(np.float32))
    assert centroid == pytest.approx(
        (moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]), abs=0.2
    )
    assert np.sqrt(bright.sum()) == pytest.approx(np.sqrt(moments["m00"]), abs=0.5)


@pytest.mark.parametrize("turn", [0.7, 2.5, 4.0, 6.0])
def test_the_first_corner_is_the_top_left_of_the_symbol_and_the_others_follow_clockwise(turn: float) -> None:
    upright, (first,) = on_black([PlacedTile(0, 0, 0.0, "F")], above())
    picture, (tile,) = on_black([PlacedTile(0, 0, turn, "F")], above())
    assert first.corners[0].tolist() < first.corners[2].tolist()  # that one lies to the left, and above
    assert first.corners[0, 1] < first.corners[2, 1]
    assert first.corners[1, 0] > first.corners[0, 0]  # then right
    same = straightened(picture, tile.corners) - straightened(upright, first.corners)
    assert np.abs(same).mean() < 4


def test_an_f_is_drawn_upright_where_its_turn_is_none() -> None:
    picture, (tile,) = on_black([PlacedTile(0, 0, 0.0, "F")], above())
    dark = straightened(picture, tile.corners) < 128
    left, right = dark[:, :32].sum(), dark[:, 32:].sum()
    upper, lower = dark[:32].sum(), dark[32:].sum()
    assert left > 1.3 * right
    assert upper > 1.3 * lower


def test_corners_stand_on_the_thickness_and_are_one_side_apart() -> None:
    corners = corners_of([PlacedTile(2, 3, 0.0, "A"), PlacedTile(0, 0, np.pi / 2, "A")], look(), 0.3)
    assert corners[0] == pytest.approx(
        np.array([(1.5, 2.5, 0.3), (2.5, 2.5, 0.3), (2.5, 3.5, 0.3), (1.5, 3.5, 0.3)])
    )
    assert corners[1, 0] == pytest.approx((0.5, -0.5, 0.3))  # turned clockwise, its top left is to the right


@pytest.mark.parametrize("turn_deg", [0.0, 90.0, 180.0, 300.0])
@pytest.mark.parametrize("tilt_deg", [0.0, 25.0, 45.0])
def test_no_tile_hides_the_face_of_one_that_lies_beside_it(tilt_deg: float, turn_deg: float) -> None:
    laid = [PlacedTile(1.04 * col, 1.04 * row, 0.0, None) for col in range(-3, 4) for row in range(-3, 4)]
    picture, tiles = on_black(laid, above(320, 30, tilt_deg, turn_deg), thickness=0.36, side=320)
    darkest = [straightened(picture, tile.corners, 16)[2:-2, 2:-2].min() for tile in tiles]
    assert min(darkest) > 180


def test_every_tile_that_was_laid_is_told_of_once() -> None:
    laid = [PlacedTile(1.1 * col, 0.0, 0.1, symbol) for col, symbol in enumerate(["A", "B", None])]
    _, tiles = on_black(laid, above())
    assert sorted(tile.placed.x for tile in tiles) == [0.0, 1.1, 2.2]
    assert {tile.symbol for tile in tiles} == {"A", "B", None}


def test_a_symbol_that_the_font_lacks_is_drawn_as_a_bare_face_and_told_so() -> None:
    bare, _ = on_black([PlacedTile(0, 0, 0.0, None)], above())
    picture, (tile,) = on_black([PlacedTile(0, 0, 0.0, "\ue123")], above())
    assert tile.symbol is None
    assert (picture == bare).all()


def test_the_blank_of_a_set_is_a_bare_face() -> None:
    _, (tile,) = on_black([PlacedTile(0, 0, 0.0, "")], above())
    assert tile.symbol is None


def test_a_tile_out_of_the_picture_is_told_of_and_not_drawn() -> None:
    picture, (tile,) = on_black([PlacedTile(50, 0, 0.0, "A")], above())
    assert tile.corners[:, 0].min() > 1000
    assert picture.max() == 0


def test_shadows_darken_the_table_and_nothing_brightens_it() -> None:
    picture = np.full((200, 200), 150, np.float32)
    tiles = draw_tiles(picture, [PlacedTile(0, 0, 0.0, None)], look(face=0.0), above(), rng(3))
    assert picture.max() <= 150
    assert tiles[0].corners.min() - 3 > np.argwhere(picture < 149).min()  # it reaches over the tile's edge


def test_no_tiles_leave_the_picture_as_it_was() -> None:
    picture, tiles = on_black([], above())
    assert (picture.max(), tiles) == (0, [])


@pytest.mark.parametrize("seed", range(12))
def test_any_set_of_tiles_has_faces_between_black_and_white(seed: int) -> None:
    picture = np.full((200, 200), 100, np.float32)
    laid = [
        PlacedTile(1.1 * k, 0.3 * k, k, symbol) for k, symbol in enumerate(["W", "Å", "AND", "x", None], -2)
    ]
    draw_tiles(picture, laid, random_style(rng(seed)), above(tilt_deg=20.0), rng(seed))
    assert picture.dtype == np.float32
    assert picture.min() >= 0
    assert picture.max() < 400  # the camera's exposure takes care of what is above 255
