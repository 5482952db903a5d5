"""Processor time of a reading: of an array, of a file, of the whole command, and of the baseline."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from calibration.drawing.fonts import BUILT_IN_FONTS
from calibration.drawing.scene import Scene
from calibration.evaluation.drawn import Size, scene_of
from calibration.evaluation.metric import Metric, Progress, cpu_ms, cpu_timed
from calibration.evaluation.results import FrameReader
from companion.bench.baseline import baseline_metrics
from companion.bench.processes import launched_metrics
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame
from companion.vision.picture import decode
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import Tracker

CHANGED_FRAMES = 8
FRAME_STEP_NS = 100_000_000
MAX_CHANGE_READ_MS = 3.0

RUNS = 5
STARTS = 3
SCENES = 6
"""Number of drawn scenes of each size that are read."""

LARGE: tuple[str, Size, float] = ("12 MP", (4056, 3040), 12.0)
SMALL: tuple[str, Size, float] = ("2028x1520", (2028, 1520), 8.0)
"""Name, width and height in pixels, and longest time of a reading in ms."""

JPEG = [cv2.IMWRITE_JPEG_QUALITY, 93]
TILE_SET_NAME = "bananagrams-en"

ReaderForSize = Callable[[float | None], FrameReader]
"""Returns a reader for a tile side in pixels, ``None`` where it is unknown."""


def change_metric(name: str, scene: Scene, reader: Reader) -> Metric:
    """Return the time to track a frame that differs from the one before by one tile."""
    tracker, other = Tracker(reader, settle_ns=0), with_other_tile(scene)
    tracker.update(scene.picture, 0)
    took_ms, reported = [], 0
    for k in range(1, CHANGED_FRAMES + 1):
        reading, ms = cpu_timed(partial(tracker.update, other if k % 2 else scene.picture, k * FRAME_STEP_NS))
        took_ms.append(ms)
        reported += bool(reading.changed)
    how = f"{reported} of {CHANGED_FRAMES} changes told; median"
    return Metric(
        f"read one changed tile, {name}", statistics.median(took_ms), "ms", most=MAX_CHANGE_READ_MS, how=how
    )


def with_other_tile(scene: Scene) -> Frame:
    """Return the picture with its first tile replaced by a copy of the next one with another symbol."""
    first = scene.tiles[0]
    other = next(tile for tile in scene.tiles if tile.symbol not in {None, first.symbol})
    here, there = (np.asarray(tile.corners, np.float32) for tile in (first, other))
    moved = cv2.warpPerspective(
        scene.picture, cv2.getPerspectiveTransform(there, here), scene.picture.shape[::-1]
    )
    cover = cv2.fillConvexPoly(np.zeros(scene.picture.shape, np.uint8), here.round().astype(np.int32), 1)
    return np.where(cover, moved, scene.picture).astype(np.uint8)


def free_table_reader(tile_px: float | None) -> Reader:
    """Return a reader of a free table for a known or unknown tile size in pixels."""
    return Reader(tile_set(TILE_SET_NAME), tile_size=tile_px)


def speed_metrics(progress: Progress) -> Iterator[Metric]:
    """Yield the times for tables of four players, and those of the baseline.

    The letters are of Pillow's own font, so that no font needs to be installed.
    """
    for name, size, most_ms in (LARGE, SMALL):
        progress(f"drawing a table, {name}")
        scenes = [
            scene_of(size, number, tile_set(TILE_SET_NAME), BUILT_IN_FONTS)[0] for number in range(SCENES)
        ]
        scene = scenes[0]
        progress(f"reading it, {name}")
        metrics = list(read_metrics(name, scenes, most_ms, free_table_reader))
        yield from metrics
        yield change_metric(name, scene, free_table_reader(None))
        if name == LARGE[0]:
            progress(f"reading it as a file, {name}")
            yield from file_metrics(name, scene.picture)
            progress(f"contours and pytesseract, {name}")
            yield from baseline_metrics(scene, metrics[0].value)


def read_metrics(
    name: str, scenes: Sequence[Scene], most_ms: float, reader: ReaderForSize
) -> Iterator[Metric]:
    """Yield the median time to read a grey frame with an unknown and a known tile size.

    The floor is the time to find the brightest pixel of a frame.  All scenes have tiles of one size.
    """
    floor_ms = cpu_ms(scenes[0].picture.max, RUNS)
    there = sum(len(scene.tiles) for scene in scenes)
    for known, tile_px in (("unknown", None), ("known", scenes[0].tile_px)):
        one = reader(tile_px)
        ms = statistics.median(cpu_ms(partial(one.read, scene.picture), RUNS) for scene in scenes)
        seen = sum(len(one.read(scene.picture).tiles) for scene in scenes)
        how = f"{seen} tiles seen of {there}; {ms / floor_ms:,.0f} times the floor; "
        how += f"median of {len(scenes)} scenes, {RUNS} runs each"
        yield Metric(f"read {name}, size of tiles {known}", ms, "ms", most=most_ms, how=how)
    how = "the floor: every pixel looked at once, for the brightest"
    yield Metric(f"look at {name}", floor_ms, "ms", how=how)


def file_metrics(name: str, frame: Frame) -> Iterator[Metric]:
    """Yield the time to decode a JPEG file, and to read it by the command."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.jpg"
        cv2.imwrite(str(path), cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR), JPEG)
        size = f"{path.stat().st_size / 1e6:.1f} MB, median of {RUNS}"
        for look, colour in (("grey", False), ("colour", True)):
            ms = cpu_ms(partial(decode, path, colour=colour), RUNS)
            yield Metric(f"decode a {name} JPEG, {look}", ms, "ms", how=size)
        yield from launched_metrics(path, f"a {name} JPEG", STARTS)
