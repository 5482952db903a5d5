"""Whole drawn scenes: table tops, clutter, hands, light, and the truth about what shows."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing import clutter
from calibration.drawing.backgrounds import MAX_PAINTED_TILE_PX, TABLE_TOPS, TableTop, background
from calibration.drawing.camera import View
from calibration.drawing.clutter import Sheet, draw_clutter, draw_hand
from calibration.drawing.fonts import glyph
from calibration.drawing.light import captured, with_uneven_light
from calibration.drawing.scene import Scene, SceneContents, draw_scene, visible_shares
from tests.calibration.simple import WORDS, rng

SQUARE = np.array([(20.0, 20), (40, 20), (40, 40), (20, 40)])
RIGHT = np.array([1.0, 0.0])


def scene(seed: int, hands: int = 0, tilt_deg: float = 10.0) -> Scene:
    contents = SceneContents(WORDS, list("ABCDEFÄ"), 2, 10, 6, 6, hands)
    return draw_scene(rng(seed), View(300, 240, 22.0, tilt_deg, 30.0), contents)


# The same again


def test_the_same_seed_draws_the_same_picture_byte_for_byte_and_the_same_truth() -> None:
    first = scene(5, hands=1)
    glyph.cache_clear()
    again = scene(5, hands=1)
    assert again.picture.tobytes() == first.picture.tobytes()
    assert [tile.corners.tobytes() for tile in again.tiles] == [
        tile.corners.tobytes() for tile in first.tiles
    ]
    assert [(t.symbol, t.visible) for t in again.tiles] == [(t.symbol, t.visible) for t in first.tiles]


def test_another_seed_draws_another_picture() -> None:
    assert (scene(5).picture != scene(6).picture).any()


def test_a_scene_has_the_size_that_the_camera_has() -> None:
    drawn = scene(1)
    assert (drawn.picture.shape, drawn.picture.dtype.name, drawn.tile_px) == ((240, 300), "uint8", 22.0)


def test_a_scene_without_tiles_is_a_picture_all_the_same() -> None:
    empty = draw_scene(rng(), View(64, 48, 20.0, 0.0, 0.0), SceneContents(WORDS, ["A"], 0, 5, 0, 0))
    assert (empty.picture.shape, empty.tiles) == ((48, 64), ())


# What shows


def test_a_tile_in_the_open_shows_whole() -> None:
    assert visible_shares(SQUARE[None], np.zeros((60, 60), np.uint8)).tolist() == [1.0]


@pytest.mark.parametrize("off", [(-30.0, 0.0), (30.0, 0.0), (0.0, -30.0), (0.0, 30.0)])
def test_a_tile_half_out_of_the_picture_shows_half(off: tuple[float, float]) -> None:
    assert visible_shares((SQUARE + off)[None], np.zeros((61, 61), np.uint8))[0] == pytest.approx(
        0.5, abs=0.08
    )


def test_a_tile_half_under_a_hand_shows_half_and_one_beside_it_is_whole() -> None:
    cover = np.zeros((60, 60), np.uint8)
    cover[:, 30:] = 255
    turned = np.roll(SQUARE, 1, 0)
    shares = visible_shares(np.array([SQUARE, turned, SQUARE - 12 * RIGHT, SQUARE + 14 * RIGHT]), cover)
    assert shares == pytest.approx([0.5, 0.5, 1.0, 0.0], abs=0.08)


def test_a_tile_out_of_the_picture_does_not_show() -> None:
    assert visible_shares((SQUARE + 500 * RIGHT)[None], np.zeros((60, 60), np.uint8)).tolist() == [0.0]


def test_no_tiles_are_no_shares() -> None:
    assert visible_shares(np.zeros((0, 4, 2)), np.zeros((60, 60), np.uint8)).shape == (0,)


def test_hands_hide_tiles_of_a_scene_and_without_them_all_within_the_picture_show() -> None:
    inside = [
        [t for t in scene(3, hands).tiles if (t.corners > 1).all() and (t.corners < (298, 238)).all()]
        for hands in (0, 4)
    ]
    assert {tile.visible for tile in inside[0]} == {1.0}
    assert any(tile.visible < 0.5 for tile in inside[1])


@pytest.mark.parametrize("seed", range(5))
def test_a_hand_changes_the_picture_just_where_it_says_that_it_covers(seed: int) -> None:
    picture, cover = np.full((150, 200), -1, np.float32), np.zeros((150, 200), np.uint8)
    draw_hand(rng(seed), picture, cover, 16.0)
    assert ((picture != -1) == (cover > 0)).all()
    assert 0.03 < (cover > 127).mean() < 0.8


# Table tops


@pytest.mark.parametrize("top", TABLE_TOPS, ids=lambda top: str(top.__name__))
@pytest.mark.parametrize("seed", range(4))
def test_a_table_top_has_the_asked_size_and_is_the_same_for_the_same_seed(top: TableTop, seed: int) -> None:
    picture = top(rng(seed), 90, 61, 12.0)
    assert (picture.shape, picture.dtype.name) == ((61, 90), "float32")
    assert np.isfinite(picture).all()
    assert np.abs(picture).max() < 300
    assert (top(rng(seed), 90, 61, 12.0) == picture).all()


def test_every_table_top_is_drawn_and_their_chances_make_one() -> None:
    assert sum(TABLE_TOPS.values()) == pytest.approx(1)
    assert min(TABLE_TOPS.values()) > 0


@pytest.mark.parametrize("tile_px", [10.0, 3.3 * MAX_PAINTED_TILE_PX])
def test_a_background_has_the_asked_size_however_large_its_tiles(tile_px: float) -> None:
    picture = background(rng(), 131, 77, tile_px)
    assert (picture.shape, picture.dtype.name) == ((77, 131), "float32")


# Clutter


@pytest.mark.parametrize("sheet", clutter.SHEETS, ids=lambda sheet: str(sheet.__name__))
@pytest.mark.parametrize("seed", range(5))
def test_a_flat_thing_is_grey_printed_and_some_tiles_large(sheet: object, seed: int) -> None:
    assert callable(sheet)
    made: Sheet = sheet(rng(seed), 20.0)
    picture, size = made
    assert picture.dtype == np.float32
    assert 0 <= picture.min() < picture.max() <= 255
    assert 20 <= min(size) <= max(size) <= 20 * 20


def test_things_are_laid_about_under_the_tiles() -> None:
    changed = []
    for seed in range(30):
        picture = np.full((90, 120), -1, np.float32)
        draw_clutter(rng(seed), picture, 10.0)
        changed.append((picture != -1).mean())
        assert picture.max() <= 255
    assert 0.02 < np.mean(changed) < 0.6
    assert min(changed) == 0  # and at times there is nothing


# Light and camera


@pytest.mark.parametrize("seed", range(25))
def test_light_is_uneven_yet_never_turns_a_surface_black_or_blinding(seed: int) -> None:
    bright = with_uneven_light(np.full((40, 60), 100, np.float32), rng(seed))
    assert bright.dtype == np.float32
    assert bright.min() >= 15 - 1e-3
    assert bright.max() <= 200 + 170 + 1e-3
    assert bright.std() > 0


@pytest.mark.parametrize("seed", range(40))
def test_a_camera_tells_light_from_dark_whatever_it_does_to_the_picture(seed: int) -> None:
    picture = np.full((64, 96), 30, np.float32)
    picture[:, 48:] = 200
    photograph = captured(picture, rng(seed), severity=1.5)
    assert (photograph.shape, photograph.dtype.name) == ((64, 96), "uint8")
    assert photograph[:, 56:].mean() > photograph[:, :40].mean() + 20
