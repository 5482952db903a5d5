"""How large tiles are at each place of a picture, and the table rectified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.drawing.camera import View, camera
from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import draw_placed
from companion.model.tiles import tile_set
from companion.vision.detector.detections import Detections
from companion.vision.detector.perspective import (
    TILE_PX,
    Evidence,
    RectifiedView,
    ScaleField,
    corners_of,
    warp_detections,
)
from companion.vision.grid.homography import project
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader
from tests.vision.made_detections import detections_at, probabilities_of

SIZE = (1600, 1200)
ASLANT = View(*SIZE, 45.0, 55.0, 0.0, focal=0.8)
LEVEL = View(*SIZE, 45.0, 0.0, 0.0)
PLACES = np.array([(x, y) for x in range(-8, 9, 4) for y in range(-6, 7, 4)], float)
"""Where square tiles lie on the table, in tile sides."""


def seen(view: View) -> Detections:
    """Return square tiles as a camera shows them: each by the affine map that is right in its middle."""
    matrix = camera(view).matrix[:, [0, 1, 3]]
    return warp_detections(replace(detections_at([(x, y) for x, y in PLACES], side=1.0)), matrix)


def evidence(view: View) -> Evidence:
    detections = seen(view)
    return Evidence(detections, np.ones(len(detections)))


def test_the_scale_field_of_a_table_seen_aslant_is_exact() -> None:
    tiles = evidence(ASLANT)
    assert ScaleField.fitted(tiles).sides(tiles.detections.centres) == pytest.approx(tiles.detections.sides)


def test_the_scale_field_holds_where_every_fifth_side_is_wrong() -> None:
    tiles = evidence(ASLANT)
    wrong = np.where(np.arange(len(PLACES)) % 5 == 0, 2.0, 1.0)[:, None, None]
    spoilt = Evidence(replace(tiles.detections, shapes=tiles.detections.shapes * wrong), tiles.weights)
    right = ScaleField.fitted(spoilt).sides(tiles.detections.centres)
    assert right == pytest.approx(tiles.detections.sides, rel=0.05)


@pytest.mark.parametrize(("view", "spans"), [(ASLANT, True), (LEVEL, False)])
def test_one_scale_is_not_enough_for_a_table_seen_aslant(view: View, *, spans: bool) -> None:
    assert ScaleField.fitted(evidence(view)).spans(SIZE, 2.0) is spans


def test_few_tiles_in_a_corner_leave_open_how_large_tiles_are_elsewhere() -> None:
    rng = np.random.default_rng(1)
    few = detections_at([(x, y) for x in (100, 150, 200) for y in (100, 150, 200)])
    uneven = replace(few, shapes=few.shapes * rng.normal(1, 0.05, (9, 1, 1)))
    field = ScaleField.fitted(Evidence(uneven, np.ones(9)))
    assert field.spans(SIZE, 2.0)


def test_tiles_of_a_rectified_table_are_squares_of_one_size() -> None:
    tiles = evidence(ASLANT)
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    shapes = view.to_view(tiles.detections).shapes
    assert shapes == pytest.approx(np.broadcast_to(TILE_PX * np.eye(2), shapes.shape), rel=0.02, abs=1.0)


def test_detections_lead_to_the_view_and_back() -> None:
    tiles = evidence(ASLANT)
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    back = view.to_picture(view.to_view(tiles.detections))
    assert back.quads() == pytest.approx(tiles.detections.quads())


def test_a_rectified_picture_shows_a_tile_where_the_view_has_it() -> None:
    tiles = evidence(ASLANT)
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    picture = np.zeros(SIZE[::-1], np.uint8)
    x, y = np.round(tiles.detections.centres[0]).astype(int)
    picture[y - 2 : y + 3, x - 2 : x + 3] = 255
    rows, cols = np.nonzero(view.rectify(picture) > 100)
    there = view.to_view(tiles.detections).centres[0]
    assert (cols.mean(), rows.mean()) == pytest.approx(there, abs=2.0)


def test_a_view_ends_before_the_horizon() -> None:
    low = View(*SIZE, 45.0, 80.0, 0.0, focal=0.8)
    tiles = evidence(low)
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    assert view.size[0] * view.size[1] <= 24_000_000


def test_a_view_does_not_mirror_a_table_whose_horizon_cuts_off_the_first_corner() -> None:
    detections = seen(replace(ASLANT, tilt_deg=80.0))
    upside_down = replace(detections, centres=np.array(SIZE) - detections.centres)
    tiles = Evidence(upside_down, np.ones(len(detections)))
    assert ScaleField.fitted(tiles).form[0] < 0
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    for quad in tiles.detections.quads():
        x, y = project(view.homography, quad).T
        assert x @ np.roll(y, -1) > y @ np.roll(x, -1)  # as clockwise as in the picture


def test_the_view_of_a_part_of_a_picture_shows_tiles_as_the_whole_does() -> None:
    tiles = evidence(ASLANT)
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    part = view.of_part(np.array([300, 200]), (600, 500))
    moved = replace(tiles.detections, centres=tiles.detections.centres - (300, 200))
    assert part.to_view(moved).sides == pytest.approx(view.to_view(tiles.detections).sides)


def test_the_corners_of_a_picture_are_the_middles_of_its_corner_pixels() -> None:
    assert corners_of((4, 3)).tolist() == [[0, 0], [3, 0], [3, 2], [0, 2]]


@pytest.mark.parametrize("corner", [(0, 1100), (700, 1150)])
def test_a_part_of_a_picture_beyond_the_horizon_shows_no_tiles(corner: tuple[int, int]) -> None:
    tiles = evidence(View(*SIZE, 45.0, 80.0, 0.0, focal=0.8))
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    assert view.shows_tiles
    part = view.of_part(np.array(corner), (200, 50))
    assert not part.shows_tiles
    assert part.rectify(np.zeros((50, 200), np.uint8)).shape == (1, 1)


def test_what_moves_beyond_the_horizon_is_looked_at_and_shows_nothing() -> None:
    reader, tiles = Reader(tile_set("scrabble-en")), evidence(View(*SIZE, 45.0, 80.0, 0.0, focal=0.8))
    view = RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX)
    letters = probabilities_of(*"A" * len(tiles.detections))
    known = FrameDetections(SIZE, tiles.detections, letters, 1.0, None, view)
    seen = reader.detect_region(np.full(SIZE[::-1], 128, np.uint8), (0, 1100, 200, 1200), known)
    assert not len(seen.detections)
    assert not len(seen.unread)


@pytest.mark.parametrize(("view", "ratio"), [(LEVEL, 1.0), (ASLANT, 1 / np.cos(np.radians(55.0)))])
def test_tiles_are_foreshortened_by_the_tilt(view: View, ratio: float) -> None:
    assert evidence(view).foreshortening == pytest.approx(ratio, rel=0.1)


def test_a_simulated_tilt_makes_squares_of_tiles_of_half_the_height() -> None:
    low = detections_at([(300.0, 200.0), (900.0, 700.0)])
    low = replace(low, shapes=low.shapes @ np.diag([2**0.5, 2**-0.5]))
    view = RectifiedView.tilted(0.0, SIZE)
    seen = view.to_view(low)
    assert seen.shapes == pytest.approx(np.broadcast_to(40 * np.eye(2), seen.shapes.shape))
    assert np.all((seen.centres > 0) & (seen.centres < view.size))
    picture = np.zeros(SIZE[::-1], np.uint8)
    picture[198:203, 298:303] = 255
    rows, cols = np.nonzero(view.rectify(picture) > 100)
    assert (cols.mean(), rows.mean()) == pytest.approx(seen.centres[0], abs=1.0)


@pytest.mark.parametrize("seed", [0, 4, 5])
@pytest.mark.parametrize("tilt_deg", [65.0, 71.0], ids=["few read as they are", "none read as they are"])
def test_tiles_of_half_the_height_or_less_are_all_detected(tilt_deg: float, seed: int) -> None:
    words = [(-5.0, -3.0, "PLANTED"), (1.0, 0.0, "QUIZ"), (-5.0, 3.0, "JOCKEY")]
    laid = [
        PlacedTile(x + 1.03 * k, y, 0.0, letter, group, (0, k))
        for group, (x, y, word) in enumerate(words)
        for k, letter in enumerate(word)
    ]
    view = View(1280, 960, 48.0, tilt_deg, 30.0, focal=2.5)
    scene = draw_placed(np.random.default_rng(seed), view, laid, severity=0.2)
    reading = Reader(tile_set("bananagrams-en")).read(scene.picture)
    centres = np.array([tile.centre for tile in reading.tiles])
    for tile in scene.tiles:
        away = np.linalg.norm(centres - tile.corners.mean(0), axis=1)
        assert away.min() < 15
        seen = reading.tiles[int(away.argmin())]
        assert seen.doubt or seen.symbol == tile.symbol


def test_tiles_too_small_to_be_read_anywhere_make_no_view() -> None:
    tiles = evidence(replace(ASLANT, tile_px=4.0))
    assert not RectifiedView.of(ScaleField.fitted(tiles), tiles, SIZE, TILE_PX).shows_tiles
