"""Labelled crops for the two classifiers: tiles, detections, background and printed squares of scenes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.rng import Rng
from calibration.training.scenes import PROCESSES, TrainingScene
from companion.vision.classifier import class_of, crops
from companion.vision.detector.detections import WORKING_TILE_SIDE_PX, detect_at_scale, fit_shapes
from companion.vision.networks import Detector

Quads = NDArray[np.float64]


class LabelledCrops(NamedTuple):
    """Crops of tiles and of background, uint8.

    ``small`` (n, 32, 32) are inputs of the classifier; ``wide`` (n, 56, 56), with a tile of 36 pixels in the
    middle, are those of the fine classifier before augmentation; ``labels`` (n,) are their classes.
    """

    small: NDArray[np.uint8]
    wide: NDArray[np.uint8]
    labels: NDArray[np.int16]


WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX = 56, 36
"""Side of a wide crop and of the tile in its middle, in pixels."""

MIN_VISIBLE_SHARE = 0.96
"""Least visible share of a tile that gives an example."""

MAX_PRINTED_SQUARES = 24
"""Largest number of printed squares of a scene that give examples."""


def crops_of_scenes(
    scenes: Iterable[TrainingScene], detector: Path, seed: int, workers: int = PROCESSES
) -> Iterator[LabelledCrops]:
    """Yield the crops of each scene, cut by several processes; ``detector`` is the file of the detector."""
    with get_context("forkserver").Pool(workers, _open, (detector,)) as pool:
        yield from pool.imap(
            _crops_of_scene, ((scene, seed, k) for k, scene in enumerate(scenes)), chunksize=4
        )


_detector: list[Detector] = []
"""The detector of this process."""


def _open(path: Path) -> None:
    """Open the detector in a process of its own."""
    cv2.setNumThreads(1)
    _detector[:] = [Detector(path)]


def _crops_of_scene(job: tuple[TrainingScene, int, int]) -> LabelledCrops:
    """Return the crops of one scene, cut in this process."""
    scene, seed, number = job
    return crops_of_scene(np.random.default_rng((seed, number)), scene, _detector[0])


def crops_of_scene(rng: Rng, scene: TrainingScene, detector: Detector) -> LabelledCrops:
    """Return the crops of one scene."""
    parts = [
        tile_crops(rng, scene),
        detected_crops(rng, scene, detector),
        background_crops(rng, scene),
        printed_square_crops(rng, scene),
    ]
    quads = np.array([quad for part, _ in parts for quad in part]).reshape(-1, 4, 2)
    labels = [label for _, part in parts for label in part]
    small, wide = (
        crops(scene.picture, quads),
        crops(scene.picture, quads, WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX),
    )
    return LabelledCrops(small, wide, np.array(labels, np.int16))


def tile_crops(rng: Rng, scene: TrainingScene) -> tuple[list[Quads], list[int]]:
    """Return the jittered true outline of every visible tile in a random quarter turn, and the classes."""
    quads, labels = [], []
    for quad, symbol, seen in zip(
        scene.tiles.quads.astype(float), scene.symbols, scene.tiles.seen, strict=True
    ):
        if seen > MIN_VISIBLE_SHARE:
            turn = int(rng.integers(4))
            quads.append(jittered_quad(rng, np.roll(quad, turn, 0)))
            labels.append(class_of(symbol, turn))
    return quads, labels


def detected_crops(rng: Rng, scene: TrainingScene, detector: Detector) -> tuple[list[Quads], list[int]]:
    """Return outlines of detections, true and false ones, and their classes."""
    if not len(scene.tiles.quads):
        tile_px = float(rng.uniform(9, 24)) * scene.patch_scale
    else:
        tile_px = float(np.median(np.linalg.norm(scene.tiles.quads[:, 1] - scene.tiles.quads[:, 0], axis=1)))
    detections = fit_shapes(
        detect_at_scale(
            detector, scene.picture, float(rng.uniform(0.8, 1.2)) * WORKING_TILE_SIDE_PX / tile_px
        )
    )
    middles = scene.tiles.quads.mean(1)
    quads, labels = [], []
    for quad in detections.quads()[:150]:
        away = np.linalg.norm(middles - quad.mean(0), axis=1) / tile_px if len(middles) else np.array([9.0])
        near = int(away.argmin())
        if away[near] > 0.6:
            quads.append(quad)
            labels.append(class_of(None, 0))
        elif away[near] < 0.2 and scene.tiles.seen[near] > MIN_VISIBLE_SHARE:
            turn = turn_between(quad, scene.tiles.quads[near])
            quads.append(quad)
            labels.append(class_of(scene.symbols[near], turn))
    return quads, labels


def turn_between(quad: Quads, true: NDArray[np.float32]) -> int:
    """Return the corner of ``quad`` that is nearest to the true outline's first."""
    away = [
        np.linalg.norm(np.roll(quad, -turn, 0) - quad.mean(0) - (true - true.mean(0))) for turn in range(4)
    ]
    return int(np.argmin(away))


def background_crops(rng: Rng, scene: TrainingScene) -> tuple[list[Quads], list[int]]:
    """Return outlines that hold no tile: between tiles, beside one, or anywhere else."""
    side, middles = scene.picture.shape[0], scene.tiles.quads.mean(1)
    size = 16.0 * scene.patch_scale
    if len(middles):
        size = float(np.median(np.linalg.norm(scene.tiles.quads[:, 1] - scene.tiles.quads[:, 0], axis=1)))
    quads: list[Quads] = []
    for _ in range(3 + len(middles) // 5):
        at, angle = rng.uniform(0, side, 2), float(rng.uniform(0, 2 * np.pi))
        if len(middles) and rng.random() < 0.7:
            k, way = rng.integers(len(middles)), float(rng.uniform(0, 2 * np.pi))
            angle = float(np.arctan2(*(scene.tiles.quads[k, 1] - scene.tiles.quads[k, 0])[::-1]))
            at = middles[k] + rng.uniform(0.42, 0.8) * size * np.array([np.cos(way), np.sin(way)])
        if not len(middles) or np.linalg.norm(middles - at, axis=1).min() > 0.4 * size:
            quads.append(square_quad(at, angle, size * float(np.exp(rng.normal(0, 0.2)))))
    return quads, [class_of(None, 0)] * len(quads)


def printed_square_crops(rng: Rng, scene: TrainingScene) -> tuple[list[Quads], list[int]]:
    """Return jittered printed squares without a tile in a random quarter turn, and
    their class, background.
    """
    chosen = rng.permutation(len(scene.printed))[:MAX_PRINTED_SQUARES]
    quads = [jittered_quad(rng, np.roll(quad, int(rng.integers(4)), 0)) for quad in scene.printed[chosen]]
    return quads, [class_of(None, 0)] * len(quads)


def square_quad(at: NDArray[np.float64], angle: float, side: float) -> Quads:
    """Return a square's corners clockwise, (4, 2)."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * side @ turn.T + at)


def jittered_quad(rng: Rng, quad: Quads) -> Quads:
    """Return a randomly moved, rotated, scaled and sheared outline, as an imperfect detector gives it."""
    middle = quad.mean(0)
    side = np.sqrt(np.linalg.norm(quad[1] - quad[0]) * np.linalg.norm(quad[2] - quad[1]))
    angle = rng.normal(0, 0.05)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shear = np.eye(2) + rng.normal(0, 0.05, (2, 2))
    moved = (quad - middle) @ (turn @ shear).T * np.exp(rng.normal(0, 0.06))
    return np.asarray(moved + middle + rng.normal(0, 0.045, 2) * side)
