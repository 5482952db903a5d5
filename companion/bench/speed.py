"""Processor time of a reading: of an array, by stage, of a file, of a tracked frame, and of the baseline."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import cv2

from calibration.drawing.fonts import BUILT_IN_FONTS
from calibration.drawing.scene import Scene
from calibration.evaluation.drawn import Size, scene_of
from calibration.evaluation.metric import Metric, Progress, cpu_ms, cpu_timed, percent
from calibration.evaluation.results import FrameReader
from companion.bench.baseline import baseline_metrics
from companion.bench.frames import frame_metrics
from companion.bench.processes import launched_metrics
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame
from companion.vision.ocr import Tesseract
from companion.vision.picture import decode
from companion.vision.pipeline.reader import Reader
from companion.words import default_lexicon, judge_tableau

RUNS = 5
STARTS = 3
SCENES, FEW_SCENES = 6, 3
"""Number of drawn scenes of each size that are read, and of those that take longer: tracked, or judged."""

LARGE: tuple[str, Size, float] = ("12 MP", (4056, 3040), 12.0)
SMALL: tuple[str, Size, float] = ("2028x1520", (2028, 1520), 8.0)
"""Name, width and height in pixels, and longest time of a reading in ms."""

TABLES: tuple[tuple[str, Size, int], ...] = (
    ("2 MP", (1632, 1224), 144),
    ("8 MP", (3264, 2448), 144),
    *((*LARGE[:2], tiles) for tiles in (10, 50, 144, 288)),
    ("24 MP", (5664, 4248), 144),
)
"""Name, width and height in pixels of the pictures that are read and judged, and their number of tiles."""

JPEG = [cv2.IMWRITE_JPEG_QUALITY, 93]
TILE_SET = tile_set("bananagrams-en")

ReaderForSize = Callable[[float | None], FrameReader]
"""Returns a reader for a tile side in pixels, ``None`` where it is unknown."""


def free_table_reader(tile_px: float | None) -> Reader:
    """Return a reader of a free table for a known or unknown tile size in pixels."""
    return Reader(TILE_SET, tile_size=tile_px)


def drawn_scenes(size: Size, tiles: int, count: int) -> list[Scene]:
    """Return ``count`` tables of four players with so many tiles, in the proportions of the box.

    The letters are of Pillow's own font, so that no font needs to be installed.
    """
    every = sorted(Counter(TILE_SET.counts).elements())
    some = Counter(every[k * len(every) // tiles] for k in range(tiles))
    box = replace(TILE_SET, counts=some)
    return [scene_of(size, number, box, BUILT_IN_FONTS)[0] for number in range(count)]


def speed_metrics(progress: Progress) -> Iterator[Metric]:
    """Yield the times for tables of four players, and those of the baseline."""
    for name, size, most_ms in (LARGE, SMALL):
        progress(f"drawing tables, {name}")
        scenes = drawn_scenes(size, 144, SCENES)
        progress(f"reading them, {name}")
        metrics = list(read_metrics(name, scenes, most_ms, free_table_reader))
        yield from metrics
        progress(f"tracking them, {name}")
        yield from frame_metrics(name, scenes[:FEW_SCENES], free_table_reader(None))
        if name == LARGE[0]:
            progress(f"reading one as a file, {name}")
            yield from file_metrics(name, scenes[0].picture)
            progress(f"contours and Tesseract, {name}")
            yield from baseline_metrics(scenes, metrics[0].value)
    for name, size, tiles in TABLES:
        progress(f"reading and judging {tiles} tiles, {name}")
        yield stage_metric(f"read and judge {name}, {tiles} tiles", drawn_scenes(size, tiles, FEW_SCENES))


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
        how += f"median of {len(scenes)} scenes"
        yield Metric(f"read {name}, tile size {known}", ms, "ms", most=most_ms, how=how)
    how = "the floor: every pixel looked at once, for the brightest"
    yield Metric(f"look at {name}", floor_ms, "ms", how=how)


def stage_metric(what: str, scenes: Sequence[Scene]) -> Metric:
    """Return the mean time to read scenes with Tesseract and judge their words; ``how`` names the stages."""
    reader, stages = Reader(TILE_SET, second=Tesseract()), Counter[str]()
    read_and_judge(reader, scenes[0].picture)
    times_ms = []
    for picture in [scene.picture for scene in scenes for _ in range(RUNS)]:
        timing, ms = cpu_timed(partial(read_and_judge, reader, picture))
        stages.update(timing)
        times_ms.append(ms)
    shares = (f"{stage} {percent(stages[stage], stages.total()):.0f} %" for stage in STAGES)
    return Metric(what, statistics.mean(times_ms), "ms", how=", ".join(shares))


STAGES = ("find", "read", "fit", "second", "words")
"""Stages of a reading and its judgement, in the order in which they are told."""


def read_and_judge(reader: Reader, picture: Frame) -> dict[str, float]:
    """Read a picture, judge its words, and return the time of each stage in ms."""
    reading, begun = reader.read(picture), perf_counter()
    for tableau in reading.tableaux:
        judge_tableau(tableau.grid, tableau.doubted, default_lexicon())
    words_ms = 1000 * (perf_counter() - begun)
    return {stage: {**reading.timing_ms, "words": words_ms}.get(stage, 0.0) for stage in STAGES}


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
