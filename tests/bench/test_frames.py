from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from calibration.evaluation.drawn import scene_of
from companion.bench import frames
from companion.bench.frames import (
    CHANGED,
    CHANGES,
    DOUBTED,
    QUIET,
    SHAKEN,
    SHAKEN_FRAMES,
    frame_metrics,
    tracked_frames,
    with_noise,
    with_other_tile,
)
from companion.bench.speed import drawn_scenes
from companion.model.tiles import tile_set
from companion.vision.pipeline.reader import Reader

BOX = tile_set("bananagrams-en")


def test_one_tile_is_changed_and_nothing_else() -> None:
    scene, _ = scene_of((640, 480), 0, BOX)
    changed = with_other_tile(scene) != scene.picture
    rows, cols = np.nonzero(changed)
    x, y = scene.tiles[0].corners.T
    assert changed.any()
    assert x.min() - 1 <= cols.min() <= cols.max() <= x.max() + 1
    assert y.min() - 1 <= rows.min() <= rows.max() <= y.max() + 1


def test_half_of_another_tile_lies_between_both() -> None:
    scene, _ = scene_of((640, 480), 0, BOX)
    mean = (with_other_tile(scene).astype(float) + scene.picture) / 2
    assert abs(with_other_tile(scene, 0.5) - mean).max() <= 0.5


def test_noise_is_new_in_each_frame_and_stays_within_white() -> None:
    rng, white = np.random.default_rng(1), np.full((40, 40), 255, np.uint8)
    one, other = with_noise(white, rng), with_noise(white, rng)
    assert (one != other).any()
    assert one.min() > 200


@pytest.mark.slow
def test_every_kind_of_frame_is_tracked() -> None:
    _, scene = drawn_scenes((1280, 960), 144, 2)
    kinds = Counter(kind for kind, _ in tracked_frames(scene, Reader(BOX), np.random.default_rng(0)))
    assert kinds[CHANGED] == CHANGES
    assert kinds[SHAKEN] == SHAKEN_FRAMES
    assert kinds[DOUBTED] > 0
    assert kinds[QUIET] > 0


def test_each_kind_has_its_median_and_a_kind_that_never_came_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    took = [(QUIET, 1.0), (QUIET, 2.0), (CHANGED, 4.0), (QUIET, 9.0)]
    monkeypatch.setattr(frames, "tracked_frames", lambda *_given: iter(took))
    scene, _ = scene_of((640, 480), 0, BOX)
    quiet, doubted, changed, _ = frame_metrics("small", [scene], Reader(BOX))
    assert (quiet.what, quiet.value) == ("track small, nothing changes", 2.0)
    assert quiet.how == "median of 3 frames, longest 9 ms"
    assert doubted.value_text == "not measured"
    assert (changed.value, changed.target_text) == (4.0, "at most 3 ms")
