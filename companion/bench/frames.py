"""Processor time of a tracked frame: at rest, with a doubted or a changed tile, and of a shaking camera.

A camera of ten frames a second shows drawn tables with noise, as in ``calibration.evaluation.laying``: first
with a tile that is hard to read, until nothing is looked at again; then that tile is replaced several times;
then the camera shakes by a pixel.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from functools import partial

import cv2
import numpy as np

from calibration.drawing.scene import Scene
from calibration.evaluation.laying import FRAME_NS, NOISE_GREY, SHAKE_PX
from calibration.evaluation.metric import Metric, cpu_timed
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import shift_homography
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading, Tracker

DOUBT_FRAMES, CHANGES, FRAMES_PER_CHANGE, SHAKEN_FRAMES = 24, 4, 3, 8
"""Number of frames with the doubtful tile, of changes of it and frames after each, and of shaken frames.

A doubt is looked at again eight times at most; a change is read two frames after it.
"""

DOUBTFUL_SHARE = 0.5
"""Share of another letter in the doubtful tile."""

QUIET, DOUBTED = "nothing changes", "doubts read again"
CHANGED, SHAKEN = "one tile changes", "camera shakes"

TARGETS_MS = {QUIET: None, DOUBTED: None, CHANGED: 3.0, SHAKEN: None}
"""Longest time to track a frame of each kind in ms, ``None`` without a target."""


def frame_metrics(name: str, scenes: Sequence[Scene], reader: Reader) -> Iterator[Metric]:
    """Yield the median time to track a frame of each kind."""
    took: dict[str, list[float]] = {kind: [] for kind in TARGETS_MS}
    for number, scene in enumerate(scenes):
        for kind, ms in tracked_frames(scene, reader, np.random.default_rng(number)):
            took[kind].append(ms)
    for kind, most_ms in TARGETS_MS.items():
        what = f"track {name}, {kind}"
        if some := took[kind]:
            how = f"median of {len(some)} frames, longest {max(some):.0f} ms"
            yield Metric(what, statistics.median(some), "ms", most=most_ms, how=how)
        else:
            yield Metric.not_measured(what, "there was no such frame")


def tracked_frames(scene: Scene, reader: Reader, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Yield the kind of each frame, and the time to track it in ms; those during a change have no kind."""
    tracker = Tracker(reader)
    pictures, still = shown_pictures(scene, rng), DOUBT_FRAMES + CHANGES * FRAMES_PER_CHANGE
    before = tracker.update(with_noise(next(pictures), rng), 0)
    for k, picture in enumerate(pictures, 1):
        frame = with_noise(picture, rng)
        tracked, ms = cpu_timed(partial(tracker.update, frame, k * FRAME_NS))
        if kind := SHAKEN if k >= still else kind_of(before, tracked):
            yield kind, ms
        before = tracked


def kind_of(before: TrackedReading, tracked: TrackedReading) -> str | None:
    """Return the kind of a frame of a camera at rest, ``None`` where only something moves."""
    if tracked.changed:
        return CHANGED
    if tracked.reading is not before.reading:
        return DOUBTED
    return QUIET if tracked.still else None


def shown_pictures(scene: Scene, rng: np.random.Generator) -> Iterator[Frame]:
    """Yield the pictures that the camera shows, without their noise."""
    other = with_other_tile(scene)
    yield from [with_other_tile(scene, DOUBTFUL_SHARE)] * DOUBT_FRAMES
    for number in range(CHANGES):
        yield from [other if number % 2 else scene.picture] * FRAMES_PER_CHANGE
    for _ in range(SHAKEN_FRAMES):
        matrix = shift_homography(rng.normal(0, SHAKE_PX, 2))[:2]
        shaken = cv2.warpAffine(other, matrix, other.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
        yield np.asarray(shaken, np.uint8)


def with_noise(picture: Frame, rng: np.random.Generator) -> Frame:
    """Return a picture with a camera's noise."""
    noise = NOISE_GREY * rng.standard_normal(picture.shape, np.float32)
    return np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)


def with_other_tile(scene: Scene, share: float = 1.0) -> Frame:
    """Return the picture with a ``share`` of another tile, with another symbol, mixed into its first one."""
    first = scene.tiles[0]
    other = next(tile for tile in scene.tiles if tile.symbol not in {None, first.symbol})
    here, there = (np.asarray(tile.corners, np.float32) for tile in (first, other))
    moved = cv2.warpPerspective(
        scene.picture, cv2.getPerspectiveTransform(there, here), scene.picture.shape[::-1]
    )
    mixed = cv2.addWeighted(moved, share, scene.picture, 1 - share, 0)
    cover = cv2.fillConvexPoly(np.zeros(scene.picture.shape, np.uint8), here.round().astype(np.int32), 1)
    return np.where(cover, mixed, scene.picture).astype(np.uint8)
