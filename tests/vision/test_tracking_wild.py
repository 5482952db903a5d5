"""Frames that no table shows: the tracker reads on, whatever comes, on every kind of table."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.equations import equation_game
from calibration.drawing.scene import SceneContents, draw_scene
from calibration.drawing.volcano import volcano_game
from companion.model.reading import Reading
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame, to_bgr
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import Tracker
from companion.vision.tracking.scene import STATIC_NS
from tests.vision.encoded import as_jpeg

pytestmark = pytest.mark.slow

VIEW = View(640, 480, 30, 0, 0)
ASLANT = View(640, 480, 30, 55.0, 0.0, focal=0.8)
LETTERS = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
WORDS = [list(word) for word in ("PLANTED", "GRAPES", "QUIETLY", "STONE")]
FRAMES = 40
STEPS_NS = (100_000_000, 400_000_000, 2_000_000_000)


def free_table(view: View) -> Frame:
    contents = SceneContents(WORDS, LETTERS, 2, 12, 6, 4)
    return to_bgr(draw_scene(np.random.default_rng(1), view, contents).picture)


def binary_board() -> Frame:
    return equation_game(np.random.default_rng(1), VIEW, tile_set("binary").counts or {}).picture


def volcano_board() -> Frame:
    return volcano_game(np.random.default_rng(1), VIEW, LETTERS, ["STONE", "GRAPE"]).picture


def hidden(frame: Frame, rng: np.random.Generator) -> Frame:
    """Return a frame in which rectangles of one colour hide parts."""
    out = frame.copy()
    for _ in range(rng.integers(1, 5)):
        x, y, broad, high = rng.integers(5, 300, 4).tolist()
        cv2.rectangle(out, (x, y), (x + broad, y + high), rng.integers(0, 256, 3).tolist(), -1)
    return out


def aslant(frame: Frame, rng: np.random.Generator) -> Frame:
    """Return a frame as a camera sees it that was tilted."""
    height, width = frame.shape[:2]
    share = float(rng.uniform(0, 0.4))
    ends = np.array([[share, share], [1 - share, share], [1, 1], [0, 1]], np.float32) * (width, height)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, ends.astype(np.float32))
    return np.asarray(cv2.warpPerspective(frame, matrix, (width, height)), np.uint8)


def flat(frame: Frame, rng: np.random.Generator) -> Frame:
    return np.full_like(frame, rng.choice([0, 128, 255]))


def noise(frame: Frame, rng: np.random.Generator) -> Frame:
    return rng.integers(0, 256, frame.shape, np.uint8)


def moved(frame: Frame, rng: np.random.Generator) -> Frame:
    return np.roll(frame, tuple(rng.integers(-30, 30, 2)), (0, 1))


def as_it_was(frame: Frame, _rng: np.random.Generator) -> Frame:
    return frame


CHANGES = (as_it_was, hidden, hidden, hidden, moved, aslant, flat, noise)


@pytest.mark.parametrize("settle_ns", [0, 300_000_000])
@pytest.mark.parametrize(
    ("name", "board", "drawn"),
    [
        pytest.param("bananagrams-en", None, lambda: free_table(VIEW), id="free"),
        pytest.param("bananagrams-en", None, lambda: free_table(ASLANT), id="aslant"),
        pytest.param("binary", "scrabble", binary_board, id="binary"),
        pytest.param("scrabble-en", "volcano", volcano_board, id="volcano"),
    ],
)
def test_no_frame_ends_the_reading(
    name: str, board: str | None, drawn: Callable[[], Frame], settle_ns: int
) -> None:
    rng, frame, at_ns = np.random.default_rng(settle_ns), drawn(), 0
    tracker = Tracker(Reader(tile_set(name), board), settle_ns=settle_ns)
    shown, shows = frame, list[str]()
    for _ in range(FRAMES):
        at_ns += int(rng.choice(STEPS_NS))
        if rng.random() < 0.6:
            shown = CHANGES[rng.integers(len(CHANGES))](frame, rng)
        if rng.random() < 0.1:
            tracker.request_detection()
        seen = tracker.update(as_jpeg(shown) if rng.random() < 0.5 else shown, at_ns)
        assert seen.at_ns == at_ns
    wanted = letters(Reader(tile_set(name), board).read(frame))
    for _ in range(STATIC_NS // STEPS_NS[-1] + 4):  # then the table is read as it was
        at_ns += STEPS_NS[-1]
        shows = letters(tracker.update(frame, at_ns).reading)
    assert len(shows) >= len(wanted) - 2


def letters(reading: Reading) -> list[str]:
    """Return the letters of a reading in order."""
    return sorted(tile.symbol for tile in reading.tiles if tile.symbol)


@pytest.mark.parametrize("level", [10, 80, 160, 240])
@pytest.mark.parametrize("width", [400, 640])
def test_what_is_held_over_the_table_for_seconds_takes_no_tile_away_for_long(level: int, width: int) -> None:
    frame, at_ns = free_table(VIEW), 1
    covered = frame.copy()
    covered[:, :width] = level
    tracker = Tracker(Reader(tile_set("bananagrams-en")))
    seen = known = tracker.update(frame, at_ns).reading
    for shown in [frame] * 5 + [covered] * 15 + [frame] * 50:
        at_ns += 200_000_000
        seen = tracker.update(shown, at_ns).reading
    assert letters(seen) == letters(known)
