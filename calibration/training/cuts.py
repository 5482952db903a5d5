"""Crops for the two classifiers: what the detector cuts out of lessons, rightly and wrongly, and more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.rng import Rng
from calibration.training.lessons import Lesson
from companion.vision.classifier import class_of, crops
from companion.vision.detector.detections import WORKING_PX, detect_at_scale, fit_shapes
from companion.vision.networks import Detector

Quads = NDArray[np.float64]


class Cuts(NamedTuple):
    """Crops of a lesson's tiles and of what is none.

    ``small`` (n, 32, 32) as the classifier sees them; ``wide`` (n, 56, 56), the tile in the middle 36 pixels,
    of which the fine classifier sees a part; ``labels`` (n,) their classes.
    """

    small: NDArray[np.uint8]
    wide: NDArray[np.uint8]
    labels: NDArray[np.int16]


SIDE, TILE = 56, 36
"""Side of a wide crop and of the tile in its middle, in pixels."""

CLEAR = 0.96
"""A tile of which less shows teaches nothing."""

PRINTED = 24
"""Most printed squares of a lesson that are shown to the classifier."""


def all_cuts(lessons: Iterable[Lesson], detector: Path, seed: int, workers: int = 2) -> Iterator[Cuts]:
    """Yield each lesson's crops."""
    with get_context("forkserver").Pool(workers, _open, (detector,)) as pool:
        yield from pool.imap(_cut, ((lesson, seed, k) for k, lesson in enumerate(lessons)), chunksize=4)


_detector: list[Detector] = []
"""The detector of this process."""


def _open(path: Path) -> None:
    """Open the detector in a process of its own."""
    cv2.setNumThreads(1)
    _detector[:] = [Detector(path)]


def _cut(job: tuple[Lesson, int, int]) -> Cuts:
    """Return the crops of one lesson, cut in this process."""
    lesson, seed, number = job
    return cuts(np.random.default_rng((seed, number)), lesson, _detector[0])


def cuts(rng: Rng, lesson: Lesson, detector: Detector) -> Cuts:
    """Return the crops of one lesson."""
    parts = [
        drawn_cuts(rng, lesson),
        found_cuts(rng, lesson, detector),
        empty_cuts(rng, lesson),
        printed_cuts(rng, lesson),
    ]
    quads = np.array([quad for some, _ in parts for quad in some]).reshape(-1, 4, 2)
    labels = [label for _, some in parts for label in some]
    small, wide = crops(lesson.picture, quads), crops(lesson.picture, quads, SIDE, TILE)
    return Cuts(small, wide, np.array(labels, np.int16))


def drawn_cuts(rng: Rng, lesson: Lesson) -> tuple[list[Quads], list[int]]:
    """Return every clear tile's true outline, a little off and in a random turn, with its class."""
    quads, labels = [], []
    for quad, symbol, seen in zip(lesson.quads.astype(float), lesson.symbols, lesson.seen, strict=True):
        if seen > CLEAR:
            turn = int(rng.integers(4))
            quads.append(jittered(rng, np.roll(quad, turn, 0)))
            labels.append(class_of(symbol, turn))
    return quads, labels


def found_cuts(rng: Rng, lesson: Lesson, detector: Detector) -> tuple[list[Quads], list[int]]:
    """Return outlines as the detector sees them, of tiles and of what it takes for them, with classes."""
    if not len(lesson.quads):
        tile_px = float(rng.uniform(9, 24)) * lesson.finer
    else:
        tile_px = float(np.median(np.linalg.norm(lesson.quads[:, 1] - lesson.quads[:, 0], axis=1)))
    detections = fit_shapes(
        detect_at_scale(detector, lesson.picture, float(rng.uniform(0.8, 1.2)) * WORKING_PX / tile_px)
    )
    middles = lesson.quads.mean(1)
    quads, labels = [], []
    for quad in detections.quads()[:150]:
        away = np.linalg.norm(middles - quad.mean(0), axis=1) / tile_px if len(middles) else np.array([9.0])
        near = int(away.argmin())
        if away[near] > 0.6:
            quads.append(quad)
            labels.append(class_of(None, 0))
        elif away[near] < 0.2 and lesson.seen[near] > CLEAR:
            turn = turn_between(quad, lesson.quads[near])
            quads.append(quad)
            labels.append(class_of(lesson.symbols[near], turn))
    return quads, labels


def turn_between(quad: Quads, true: NDArray[np.float32]) -> int:
    """Return the corner of ``quad`` that is nearest to the true outline's first."""
    away = [
        np.linalg.norm(np.roll(quad, -turn, 0) - quad.mean(0) - (true - true.mean(0))) for turn in range(4)
    ]
    return int(np.argmin(away))


def empty_cuts(rng: Rng, lesson: Lesson) -> tuple[list[Quads], list[int]]:
    """Return outlines that hold no tile: between tiles, beside one, or anywhere else."""
    side, middles = lesson.picture.shape[0], lesson.quads.mean(1)
    size = 16.0 * lesson.finer
    if len(middles):
        size = float(np.median(np.linalg.norm(lesson.quads[:, 1] - lesson.quads[:, 0], axis=1)))
    quads: list[Quads] = []
    for _ in range(3 + len(middles) // 5):
        at, angle = rng.uniform(0, side, 2), float(rng.uniform(0, 2 * np.pi))
        if len(middles) and rng.random() < 0.7:
            k, way = rng.integers(len(middles)), float(rng.uniform(0, 2 * np.pi))
            angle = float(np.arctan2(*(lesson.quads[k, 1] - lesson.quads[k, 0])[::-1]))
            at = middles[k] + rng.uniform(0.42, 0.8) * size * np.array([np.cos(way), np.sin(way)])
        if not len(middles) or np.linalg.norm(middles - at, axis=1).min() > 0.4 * size:
            quads.append(square(at, angle, size * float(np.exp(rng.normal(0, 0.2)))))
    return quads, [class_of(None, 0)] * len(quads)


def printed_cuts(rng: Rng, lesson: Lesson) -> tuple[list[Quads], list[int]]:
    """Return printed squares that hold no tile, a little off and in a random turn, with their classes."""
    chosen = rng.permutation(len(lesson.printed))[:PRINTED]
    quads = [jittered(rng, np.roll(quad, int(rng.integers(4)), 0)) for quad in lesson.printed[chosen]]
    return quads, [class_of(None, 0)] * len(quads)


def square(at: NDArray[np.float64], angle: float, side: float) -> Quads:
    """Return a square's corners clockwise, (4, 2)."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * side @ turn.T + at)


def jittered(rng: Rng, quad: Quads) -> Quads:
    """Return an outline as an imperfect detector reports it: moved, turned, scaled, sheared a little."""
    middle = quad.mean(0)
    side = np.sqrt(np.linalg.norm(quad[1] - quad[0]) * np.linalg.norm(quad[2] - quad[1]))
    angle = rng.normal(0, 0.05)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shear = np.eye(2) + rng.normal(0, 0.05, (2, 2))
    moved = (quad - middle) @ (turn @ shear).T * np.exp(rng.normal(0, 0.06))
    return np.asarray(moved + middle + rng.normal(0, 0.045, 2) * side)
