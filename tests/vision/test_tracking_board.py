"""A board over frames: it is pushed with all that lies on it, or shadows come and go."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.equations import EquationScene, Variation, equation_game
from calibration.drawing.volcano import BOARD_GROUP, VolcanoScene
from calibration.evaluation.boards import LETTER_TILE_SET, martian_boggle_scene, random_view
from calibration.evaluation.drawn import true_tile
from calibration.evaluation.laying import LaidTable, TrackedGame, laid_again, rigid_motion
from calibration.evaluation.oblique import warped_tile
from calibration.evaluation.scoring import Score, score
from calibration.evaluation.truth import Truth
from companion.model.reading import Piece, Reading
from companion.model.tiles import BLANK, tile_set
from companion.vision.camera_frame import CameraFrame, Frame
from companion.vision.grid.homography import Box
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import Tracker

VIEW, TILES = View(1000, 750, 28.0, 6.0, 20.0), tile_set("binary")
SIZE = VIEW.width, VIEW.height
FRAMES, STEP_NS = 9, 100_000_000
BESIDE, TURNED = (1.4, 4.0), (0.5, -6.0)
"""A push in tile sides and its turn in degrees: to the side, and mostly about the middle."""
VOLCANO_RIM = 1.12
"""Size of a Volcano board with its rim, relative to its cells: pyramids at its edge reach beyond them."""


def game(tiles: int) -> EquationScene:
    return equation_game(np.random.default_rng(8), VIEW, TILES.counts or {}, None, Variation(most=tiles))


def on_cloth(scene: EquationScene | VolcanoScene, push: np.ndarray) -> Frame:
    """Return a checked cloth with the board of a scene, pushed."""
    if isinstance(scene, EquationScene):
        points = scene.squares.reshape(-1, 2)
    else:
        points = scene.corners.mean(0) + VOLCANO_RIM * (scene.corners - scene.corners.mean(0))
    size = scene.picture.shape[1], scene.picture.shape[0]
    rows, cols = np.indices(size[::-1]) // 20
    cloth = np.where(((rows + cols) % 2)[..., None], 150, 120).astype(np.uint8).repeat(3, 2)
    board = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(board, cv2.convexHull(points.astype(np.int32)), 1)
    there, moved = (cv2.warpAffine(one, push[:2], size) for one in (board, scene.picture))
    return np.where(there[..., None] > 0, moved, cloth).astype(np.uint8)


def truth_of(scene: EquationScene, push: np.ndarray) -> Truth:
    tiles = (true_tile(tile) for tile in scene.tiles if tile.placed.group == 0)
    on_board = [replace(tile, symbol=tile.symbol or BLANK) for tile in tiles]
    return Truth(TILES.name, "scrabble", tiles=tuple(warped_tile(tile, push, SIZE) for tile in on_board))


class Camera:
    """Takes frames with noise."""

    def __init__(self, reader: Reader | None = None) -> None:
        self.tracker = Tracker(reader or Reader(TILES, "scrabble"))
        self.rng, self.now_ns = np.random.default_rng(1), 0

    def rests(self, picture: Frame, frames: int = FRAMES) -> Reading:
        """Return the reading after so many frames."""
        return [self.takes(picture) for _ in range(frames)][-1]

    def takes(self, picture: Frame) -> Reading:
        """Return the reading after one more frame."""
        self.now_ns += STEP_NS
        noisy = picture + self.rng.normal(0, 2, picture.shape[:2])[..., None]
        return self.tracker.update(np.clip(noisy, 0, 255).astype(np.uint8), self.now_ns).reading


@pytest.mark.parametrize(("sides", "turn_deg"), [BESIDE, TURNED])
@pytest.mark.parametrize("tiles", [2, 60])
def test_a_board_that_is_pushed_is_read_in_its_new_place(sides: float, turn_deg: float, tiles: int) -> None:
    scene, push, camera = game(tiles), pushed_by(sides, turn_deg), Camera()
    before = score(truth_of(scene, np.eye(3)), camera.rests(on_cloth(scene, np.eye(3))))
    after = score(truth_of(scene, push), camera.rests(on_cloth(scene, push)))
    assert before.right == before.tiles == after.right == after.tiles > 0
    assert before.invented == after.invented == 0


@pytest.mark.parametrize(("sides", "turn_deg"), [BESIDE, TURNED])
def test_tiles_are_read_on_an_empty_board_that_was_pushed(sides: float, turn_deg: float) -> None:
    push, camera = pushed_by(sides, turn_deg), Camera()
    camera.rests(on_cloth(game(0), np.eye(3)))
    assert camera.rests(on_cloth(game(0), push)).tiles == ()
    seen = score(truth_of(game(3), push), camera.rests(on_cloth(game(3), push)))
    assert (seen.right, seen.invented) == (seen.tiles, 0)


@pytest.mark.parametrize("number", [2, 4])
def test_a_volcano_board_that_is_pushed_is_read_in_its_new_place(number: int) -> None:
    rng = np.random.default_rng((96_000, number))
    view = random_view(rng, (26, 46), 12, 25)
    scene, camera = martian_boggle_scene(rng, view), Camera(Reader(tile_set(LETTER_TILE_SET), "volcano"))
    size, push = (view.width, view.height), rigid_motion(scene.corners.mean(0), 4.0, np.array([30.0, 20.0]))
    pieces = tuple(Piece(one.colour, *one.cell, one.size) for one in scene.pyramids if one.cell)
    tiles = tuple(true_tile(tile) for tile in scene.tiles if tile.placed.group == BOARD_GROUP)
    for matrix in (np.eye(3), push):
        moved = tuple(warped_tile(tile, matrix, size) for tile in tiles)
        seen = score(
            Truth(LETTER_TILE_SET, "volcano", tiles=moved, pieces=pieces),
            camera.rests(on_cloth(scene, matrix)),
        )
        assert (seen.right, seen.invented) == (seen.tiles, 0)
        assert (seen.pieces_right, seen.pieces_silent) == (seen.pieces, 0)


class CountingReader(Reader):
    """Counts its passes over a frame, or a part of one."""

    passes = 0

    def detect(self, frame: CameraFrame, known: FrameDetections | None = None) -> FrameDetections:
        self.passes += 1
        return super().detect(frame, known)

    def detect_region(
        self, frame: CameraFrame, box: Box, known: FrameDetections, times: float = 1.0
    ) -> FrameDetections:
        self.passes += 1
        return super().detect_region(frame, box, known, times)


def test_a_volcano_board_comes_to_rest_under_a_lamp() -> None:
    scene = martian_boggle_scene(np.random.default_rng(1), View(800, 600, 30.0, 6.0, 12.0))
    reader = CountingReader(tile_set(LETTER_TILE_SET), "volcano")
    camera, lamp = Camera(reader), np.linspace(0.8, 1.8, scene.picture.shape[1])[:, None]
    camera.rests(scene.picture)
    lit = np.clip(scene.picture * lamp, 0, 255).astype(np.uint8)
    camera.rests(lit, 12)
    assert reader.passes > 0
    reader.passes = 0
    camera.rests(lit, 6)
    assert reader.passes == 0


def test_one_pass_reads_all_parts_that_change_before_a_volcano_board_is_known() -> None:
    reader, laid = (
        CountingReader(tile_set(LETTER_TILE_SET), "volcano"),
        np.full((720, 1280, 3), 120, np.uint8),
    )
    camera = Camera(reader)
    for x in range(100, 1300, 100):
        laid[200:230, x : x + 30] = 230
    camera.rests(laid)
    for x in range(100, 1100, 200):
        laid[500:530, x : x + 30] = 30
    for _ in range(8):
        reader.passes = 0
        camera.rests(laid, 1)
        assert reader.passes <= 2  # as a part, which is the whole


def pushed_by(sides: float, turn_deg: float) -> np.ndarray:
    return rigid_motion(np.array(SIZE) / 2, turn_deg, np.array([sides, 0.3]) * VIEW.tile_px)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "seed"), [(3, 1), (3, 2), (5, 1), (5, 2)])
def test_known_tiles_stay_while_shadows_come_and_go(number: int, seed: int) -> None:
    table, rng = LaidTable.of_board((71_000, number)), np.random.default_rng(seed)
    camera = TrackedGame(table.side, Reader(TILES, "scrabble"), rng)
    every = [k for k, tile in enumerate(table.truth.tiles or ()) if not tile.covered]
    laid, left = every[:-15], every[-15:]
    camera.rest(table.with_tiles(()), 3)
    camera.rest(table.with_tiles(laid), 12)
    seen = sum((one for _, one in laid_again(table, camera, rng, laid, left)), Score())
    assert (seen.right, seen.invented) == (seen.tiles, 0)
