"""How long a known table takes on which one tile has changed."""

from __future__ import annotations

import statistics
from functools import partial

import cv2
import numpy as np

from calibration.drawing.scene import Scene
from calibration.evaluation.figure import Figure
from calibration.evaluation.timing import timed
from companion.vision import Reader
from companion.vision.picture import Frame
from companion.vision.tracking import Tracker

CHANGES = 8
STEP_NS = 100_000_000
MOST_MS = 3.0


def change_figure(name: str, scene: Scene, reader: Reader) -> Figure:
    """Return how long a frame takes that differs from the one before by one tile, the table known."""
    steady, other = Tracker(reader, settle_ns=0), with_other_tile(scene)
    steady.update(scene.picture, 0)
    took_ms, told = [], 0
    for k in range(1, CHANGES + 1):
        said, ms = timed(partial(steady.update, other if k % 2 else scene.picture, k * STEP_NS))
        took_ms.append(ms)
        told += bool(said.changed)
    how = f"{told} of {CHANGES} changes told; median"
    return Figure(f"read one changed tile, {name}", statistics.median(took_ms), "ms", most=MOST_MS, how=how)


def with_other_tile(scene: Scene) -> Frame:
    """Return the picture with its first tile under the likeness of the next one that shows something else."""
    first = scene.tiles[0]
    other = next(tile for tile in scene.tiles if tile.symbol not in {None, first.symbol})
    here, there = (np.asarray(tile.corners, np.float32) for tile in (first, other))
    moved = cv2.warpPerspective(
        scene.picture, cv2.getPerspectiveTransform(there, here), scene.picture.shape[::-1]
    )
    cover = cv2.fillConvexPoly(np.zeros(scene.picture.shape, np.uint8), here.round().astype(np.int32), 1)
    return np.where(cover, moved, scene.picture).astype(np.uint8)
