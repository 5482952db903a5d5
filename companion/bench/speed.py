"""How long a reading takes: pictures as arrays, pictures as files, the whole command, the rival."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from calibration.drawing.fonts import BUILT_IN
from calibration.drawing.scene import Scene
from calibration.evaluation.drawn import Size, scene_of
from calibration.evaluation.figure import Figure, cpu_ms, timed
from calibration.evaluation.readings import Reads, Tell
from companion.bench.launched import launched_figures
from companion.bench.rival import rival_figures
from companion.model.tiles import tile_set
from companion.vision import Reader
from companion.vision.picture import Frame, decode
from companion.vision.tracking import Tracker

CHANGES = 8
STEP_NS = 100_000_000
MOST_MS = 3.0

RUNS = 5
STARTS = 3
SCENES = 6
"""Drawn scenes of each size that are read."""

LARGE: tuple[str, Size, float] = ("12 MP", (4056, 3040), 12.0)
SMALL: tuple[str, Size, float] = ("2028x1520", (2028, 1520), 8.0)
"""Name, width and height in pixels, milliseconds that a reading may take."""

JPEG = [cv2.IMWRITE_JPEG_QUALITY, 93]
SET = "bananagrams-en"

ReaderMade = Callable[[float | None], Reads]
"""Gives a reader of tiles so many pixels broad, where that is known."""


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


def made(tile_px: float | None) -> Reader:
    """Return a reader of a free table."""
    return Reader(tile_set(SET), tile_size=tile_px)


def speed_figures(tell: Tell) -> Iterator[Figure]:
    """Yield how long a table of four players takes, by every way, and the rival beside it.

    The letters are of Pillow's own font: nothing needs to be installed.
    """
    for name, size, most_ms in (LARGE, SMALL):
        tell(f"drawing a table, {name}")
        scenes = [scene_of(size, number, tile_set(SET), BUILT_IN)[0] for number in range(SCENES)]
        scene = scenes[0]
        tell(f"reading it, {name}")
        figures = list(read_figures(name, scenes, most_ms, made))
        yield from figures
        yield change_figure(name, scene, made(None))
        if name == LARGE[0]:
            tell(f"reading it as a file, {name}")
            yield from file_figures(name, scene.picture)
            tell(f"contours and pytesseract, {name}")
            yield from rival_figures(scene, figures[0].value)


def read_figures(name: str, scenes: Sequence[Scene], most_ms: float, reader: ReaderMade) -> Iterator[Figure]:
    """Yield how long a grey frame takes, the size of its tiles unknown and known, and a mere look at it.

    That is the median of the scenes, of which all tiles are of one size.
    """
    floor_ms = cpu_ms(scenes[0].picture.max, RUNS)
    there = sum(len(scene.tiles) for scene in scenes)
    for known, tile_px in (("unknown", None), ("known", scenes[0].tile_px)):
        one = reader(tile_px)
        ms = statistics.median(cpu_ms(partial(one.read, scene.picture), RUNS) for scene in scenes)
        seen = sum(len(one.read(scene.picture).tiles) for scene in scenes)
        how = f"{seen} tiles seen of {there}; {ms / floor_ms:,.0f} times the floor; "
        how += f"median of {len(scenes)} scenes, {RUNS} runs each"
        yield Figure(f"read {name}, size of tiles {known}", ms, "ms", most=most_ms, how=how)
    how = "the floor: every pixel looked at once, for the brightest"
    yield Figure(f"look at {name}", floor_ms, "ms", how=how)


def file_figures(name: str, frame: Frame) -> Iterator[Figure]:
    """Yield how long a picture takes as a file: decoded, and read by the command."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.jpg"
        cv2.imwrite(str(path), cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR), JPEG)
        size = f"{path.stat().st_size / 1e6:.1f} MB, median of {RUNS}"
        for look, colour in (("grey", False), ("colour", True)):
            ms = cpu_ms(partial(decode, path, colour=colour), RUNS)
            yield Figure(f"decode a {name} JPEG, {look}", ms, "ms", how=size)
        yield from launched_figures(path, f"a {name} JPEG", STARTS)
