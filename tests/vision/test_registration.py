"""The camera's motion, fitted to frames of drawn tables, and the reading under a camera that shakes."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drawing import clutter
from calibration.drawing.camera import View
from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import draw_placed
from companion.vision.camera_frame import CameraFrame, Frame, Yuv420, grey, shifted, to_array
from companion.vision.tracking import Tracker
from companion.vision.tracking.background import BackgroundModel
from companion.vision.tracking.block_grid import STILL, BlockGrid, Motion
from companion.vision.tracking.registration import MAX_MOTION_SAMPLES, fit_motion
from tests.slow import mostly_slow
from tests.vision.simple_table import STEP, SimpleReader, Table
from tests.vision.test_tracking_drawn import LOOSE, WORD, Camera, loose, scene, words

VIEW = View(640, 480, 40, 0, 0)
ROW = [PlacedTile(-5 + 1.04 * k, -1, 0.1, letter, 0, (0, k)) for k, letter in enumerate("SHAKEN")]

CLEAR = (1, 2, 4, 5, 6, 7, 8)
"""Of tables with plain edges; on a dark one a large motion takes several frames."""


def table(seed: int, hand: bool = False) -> NDArray[np.float32]:
    """Return a drawn table, with a hand over it or none."""
    picture = draw_placed(np.random.default_rng(seed), VIEW, ROW, severity=0.3).picture.astype(np.float32)
    if hand:
        clutter.draw_hand(np.random.default_rng(seed), picture, np.zeros(picture.shape, np.uint8), 40)
    return picture


def taken(picture: NDArray[np.number], motion: Motion = STILL, gain: float = 1.0) -> Frame:
    """Return a frame of a picture as drawn after a motion of the camera, with noise."""
    height, width = picture.shape
    middle, reach = (width / 2 - 0.5, height / 2 - 0.5), float(np.hypot(width, height)) / 2
    how = cv2.getRotationMatrix2D(middle, -np.degrees(motion.turn / reach), 1 + motion.growth / reach)
    how[:, 2] += np.array(motion[:2])
    moved = cv2.warpAffine(
        np.asarray(picture, np.float32),
        how,
        (width, height),
        flags=cv2.INTER_LANCZOS4,
        borderMode=cv2.BORDER_REPLICATE,
    )
    grain = np.random.default_rng(1).normal(0, 1.5, moved.shape)
    return np.asarray(np.clip(gain * moved + grain, 0, 255), np.uint8)


def lens(picture: NDArray[np.number]) -> NDArray[np.float32]:
    """Return a picture as blurred as a lens has it."""
    return np.asarray(cv2.GaussianBlur(np.asarray(picture, np.float32), (0, 0), 0.7), np.float32)


@pytest.mark.parametrize("seed", mostly_slow(CLEAR))
@pytest.mark.parametrize(
    "motion", [Motion(0.3, -0.2), Motion(-1.4, 0.6), Motion(2.5, 4), Motion(0.5, 1, -2), Motion(0, -1, 1, 2)]
)
@pytest.mark.parametrize("gain", [1.0, 0.8])
def test_a_motion_is_found_to_a_fifth_of_a_pixel(seed: int, motion: Motion, gain: float) -> None:
    picture = table(seed)
    grid = BlockGrid.of(taken(picture), VIEW.tile_px)
    known, frame = grid.downsample(taken(picture)), taken(picture, motion, gain)
    found = fit_motion(grid, frame, known, (1 / gain, 0.0), STILL)
    assert found == pytest.approx(motion, abs=0.2)
    off = np.abs(grid.downsample(frame, found) / gain - known)[4:-8, 4:-8]
    assert np.mean(off) < 2.5


@pytest.mark.parametrize("seed", mostly_slow(range(1, 9)))
def test_hands_that_come_are_no_motion(seed: int) -> None:
    grid = BlockGrid.of(taken(table(seed)), VIEW.tile_px)
    background = BackgroundModel(grid, grid.downsample(taken(table(seed))), np.zeros(grid.shape, bool), 0)
    background.update(taken(table(seed, hand=True)), STEP)
    assert background.differs.sum() > 10
    assert background.motion == pytest.approx(STILL, abs=0.1)


def test_a_bare_table_shows_no_motion() -> None:
    bare = taken(np.full((480, 640), 120.0))
    grid = BlockGrid.of(bare, VIEW.tile_px)
    assert fit_motion(grid, bare, grid.downsample(bare), (1.0, 0.0), STILL) == pytest.approx(STILL, abs=0.1)


def test_a_camera_that_has_moved_far_keeps_its_motion() -> None:
    grid = BlockGrid.of(taken(table(1)), VIEW.tile_px)
    start = Motion(MAX_MOTION_SAMPLES * grid.step - 0.5)
    known, moved = grid.downsample(taken(table(1))), taken(table(1), start._replace(x=start.x + 3))
    assert fit_motion(grid, moved, known, (1.0, 0.0), start) == start


@pytest.mark.parametrize("shift", [(0, 0), (6, -4), (-2, 8), (2, 0)])
@pytest.mark.parametrize("frame", ["grey", "bgr", "yuv"])
def test_a_shifted_frame_begins_elsewhere_and_is_as_large(frame: str, shift: tuple[int, int]) -> None:
    pixels = np.random.default_rng(1).integers(1, 256, (31, 41, 3), np.uint8)
    frames: dict[str, CameraFrame] = {
        "grey": pixels[..., 0],
        "bgr": pixels,
        "yuv": Yuv420(pixels[..., 0], pixels[:16, :21, :2]),
    }
    before, after = frames[frame], shifted(frames[frame], *shift)
    assert after.shape == before.shape
    x, y = shift
    one, other = (grey(some) if frame == "yuv" else to_array(some) for some in (before, after))
    assert np.array_equal(other[10:20, 10:30], one[10 + y : 20 + y, 10 + x : 30 + x])


def test_a_frame_that_is_shifted_by_more_than_its_size_shows_its_edge() -> None:
    tiny = np.arange(9, dtype=np.uint8).reshape(3, 3)
    assert to_array(shifted(tiny, 8, 0)).tolist() == [[2] * 3, [5] * 3, [8] * 3]
    assert to_array(shifted(tiny, 0, -8)).tolist() == [[0, 1, 2]] * 3


class Shaken(Camera):
    """A camera that stands elsewhere with every frame, by about ``by`` pixels."""

    def __init__(self, by: float) -> None:
        super().__init__()
        self.by = by

    def next_frame(self, picture: NDArray[np.number]) -> NDArray[np.number]:
        """Return the picture of a table as this frame has it."""
        return taken(picture, Motion(*self.rng.normal(0, self.by, 4).tolist()))


@pytest.mark.parametrize("seed", mostly_slow((1, 4, 6, 7, 9, 10, 11, 12, 13)))
@pytest.mark.parametrize("by", [0.3, 1.0])
def test_a_camera_that_shakes_reads_on(seed: int, by: float) -> None:
    camera = Shaken(by)
    before = scene(seed).picture
    seen = [camera.takes(camera.next_frame(before)) for _ in range(10)]
    assert (words(seen[-1]), loose(seen[-1])) == (["PLANTED"], {"K", "Z"})
    after = scene(seed, replace(LOOSE[0], x=7.0, y=1.0, turn=1.3), LOOSE[1])
    seen = [camera.takes(camera.next_frame(after.picture)) for _ in range(30)]
    assert (words(seen[-1]), loose(seen[-1])) == (["PLANTED"], {"K", "Z"})
    assert sum(len(frame.changed) for frame in seen) == 1
    truth = next(tile for tile in after.tiles if tile.symbol == "K").corners.mean(0)
    assert min(np.hypot(*(np.array(tile.centre) - truth)) for tile in seen[-1].reading.tiles) < 5 * by + 3
    assert len(WORD) + len(LOOSE) == len(seen[-1].reading.tiles)


def test_tiles_that_stay_are_not_read_again_as_the_camera_shakes() -> None:
    on_table, reader = Table(), SimpleReader()
    on_table.row("ABCD", (200, 200))
    tracker, rng = Tracker(reader), np.random.default_rng(3)
    for n in range(1, 31):
        motion = STILL if n == 1 else Motion(*rng.normal(0, 0.8, 4).tolist())
        seen = tracker.update(taken(lens(on_table.drawn()), motion), n * STEP)
        assert seen.still or n < 4
    assert (reader.whole, reader.within) == (1, 0)


def test_tiles_laid_on_a_plain_table_are_read_as_the_camera_shakes() -> None:
    on_table, tracker, rng = Table(), Tracker(SimpleReader()), np.random.default_rng(3)
    for n in range(1, 31):
        if n == 5:
            on_table.row("ABCD", (200, 200))
            on_table.row("AB", (500, 400))
        shake = Motion(*rng.normal(0, 1.2, 2).tolist())
        seen = tracker.update(taken(lens(on_table.drawn()), shake), n * STEP)
        assert n < 30 or sorted(str(tile.symbol) for tile in seen.reading.tiles) == list("AABBCD")


@pytest.mark.parametrize("seed", mostly_slow((7, 5, 1, 2, 4, 6)))
def test_a_shaking_camera_is_followed_beside_tiles_that_were_moved(seed: int) -> None:
    moved = [replace(tile, x=tile.x + 0.6, y=tile.y + 0.7) for tile in ROW]
    before, after = (
        draw_placed(np.random.default_rng(seed), VIEW, tiles, severity=0.3).picture for tiles in (ROW, moved)
    )
    grid = BlockGrid.of(taken(before), VIEW.tile_px)
    background = BackgroundModel(grid, grid.downsample(taken(before)), np.zeros(grid.shape, bool), 0)
    rng = np.random.default_rng(seed)
    for n in range(1, 13):
        motion = Motion(*rng.normal(0, 1, 2).tolist())
        background.update(taken(after, motion), n * STEP)
        assert n < 6 or background.motion == pytest.approx(motion, abs=0.2)
    assert background.differs.sum() > 10


def test_what_a_shaking_picture_cuts_off_is_at_rest() -> None:
    picture, rng = table(1), np.random.default_rng(2)
    for top in range(20, 440, 60):  # tiles that end at the edge
        picture[top : top + 40, 600:637] = 250
    grid = BlockGrid.of(taken(picture), VIEW.tile_px)
    background = BackgroundModel(grid, grid.downsample(taken(picture)), np.zeros(grid.shape, bool), 0)
    for n in range(1, 21):
        background.update(taken(picture, Motion(*rng.normal(0, 2, 2).tolist())), n * STEP)
        assert n < 5 or not background.differs.any()
    assert background.since.max() < 5 * STEP


@pytest.mark.parametrize("letters", ["ABCD", ""])
@pytest.mark.parametrize("step", [0.5, 1, 2, 3])
def test_a_hand_that_creeps_over_a_plain_table_moves_no_camera(letters: str, step: float) -> None:
    on_table, tracker = Table(), Tracker(SimpleReader())
    on_table.row(letters, (200, 200))
    seen = tracker.update(taken(lens(on_table.drawn())), STEP)
    for n in range(2, 61):
        on_table.over = [(int(400 + step * n), 100, int(600 + step * n), 600)] if 5 < n < 40 else []
        if n == 50:
            on_table.tiles[500, 400] = "E"
        seen = tracker.update(taken(lens(on_table.drawn())), n * STEP)
        assert not (seen.still and 5 < n < 40)
    found = {str(tile.symbol): tile.centre for tile in seen.reading.tiles}
    assert sorted(found) == [*letters, "E"]
    assert found["E"] == pytest.approx((500, 400), abs=1.5)


def test_after_a_minute_places_are_those_of_the_newest_frame() -> None:
    on_table, reader = Table(), SimpleReader()
    on_table.row("ABCD", (200, 200))
    tracker = Tracker(reader, refresh_ns=20 * STEP)
    for n in range(1, 31):
        motion = STILL if n < 5 else Motion(3, 2)
        seen = tracker.update(taken(lens(on_table.drawn()), motion), n * STEP)
        x = min(tile.centre[0] for tile in seen.reading.tiles)
        assert x == pytest.approx(200 if n < 21 else 203, abs=1)
    assert (reader.whole, reader.within) == (2, 0)


def test_a_motion_that_matches_some_of_a_moved_picture_by_chance_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    noise = cv2.GaussianBlur(rng.normal(0, 400, (480, 900)).astype(np.float32), (0, 0), 4)
    noise[:, :260] = 40 * np.sign(np.sin(np.arange(260) * 2 * np.pi / 24))
    table = np.clip(120 + noise, 0, 255).astype(np.uint8)
    grid = BlockGrid.of(table[:, 100:740], 32)
    still = np.ascontiguousarray(table[:, 100:740])
    moved = np.ascontiguousarray(table[:, 73:713])
    background = BackgroundModel(grid, grid.downsample(still), np.zeros(grid.shape, bool), 0)
    background.update(still, 1)
    monkeypatch.setattr("companion.vision.tracking.background.fit_motion", lambda *_, **__: Motion(x=3.0))
    background.update(moved, 2)
    assert background.motion == STILL
    assert background.camera_moved()
