"""Drawn lessons: patches with marked tiles for the finder, crops with their classes for the namer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import View
from calibration.drawing.scene import Contents, Scene, draw
from calibration.drawing.tiles import Drawn
from companion.reading.alphabet import ACCENTED, LATIN, SIGNS, class_of
from companion.reading.crops import crops

PATCH = 320
"""Side of the finder's training patch, in pixels."""

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Lesson:
    """One drawn scene as both networks learn from it.

    ``patch`` is (320, 320) uint8; ``quads`` the tiles in it, (n, 4, 2) float32 in patch pixels;
    ``seen`` the share of each that shows, (n,); ``cuts`` (m, 32, 32) uint8 crops and ``labels`` (m,) their classes.
    """

    patch: NDArray[np.uint8]
    quads: NDArray[np.float32]
    seen: NDArray[np.float32]
    cuts: NDArray[np.uint8]
    labels: NDArray[np.int16]


def lessons(count: int, seed: int, workers: int = 2) -> Iterator[Lesson]:
    """Yield ``count`` lessons, the same for the same seed, drawn by several processes."""
    with get_context("fork").Pool(workers, cv2.setNumThreads, (1,)) as pool:
        yield from pool.imap(lesson, ((seed, k) for k in range(count)), chunksize=8)


def lesson(key: tuple[int, int]) -> Lesson:
    """Draw one lesson; ``key`` is the seed and the number of the lesson."""
    rng = np.random.default_rng(key)
    tile_px = float(np.exp(rng.uniform(np.log(9), np.log(24))))
    finer = float(rng.uniform(1.5, 2.5))
    side = round(PATCH * finer)
    scene = draw(rng, _view(rng, side, tile_px * finer), _contents(rng, PATCH / tile_px), harsh=float(rng.uniform(0.5, 1.6)))
    patch = cv2.resize(scene.picture, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    quads = np.array([tile.corners for tile in scene.tiles], np.float32).reshape(-1, 4, 2)
    inside = [k for k, quad in enumerate(quads) if (quad.mean(0) > -tile_px).all() and (quad.mean(0) < side + tile_px).all()]
    cuts, labels = _cuts(rng, scene)
    seen = np.array([tile.visible for tile in scene.tiles], np.float32)
    return Lesson(np.asarray(patch, np.uint8), (quads[inside] + 0.5) / finer - 0.5, seen[inside], cuts, labels)


def _view(rng: Rng, side: int, tile_px: float) -> View:
    """Return a random camera: often straight above, sometimes oblique, sometimes a stretched picture."""
    tilt = float(abs(rng.normal(0, 16))) if rng.random() < 0.7 else float(rng.uniform(0, 45))
    stretch = (1.0, float(np.exp(rng.uniform(-0.3, 0.3)))) if rng.random() < 0.4 else (1.0, 1.0)
    return View(side, side, tile_px, min(tilt, 50.0), float(rng.uniform(0, 360)), float(rng.normal(0, 0.03)), stretch)


def _contents(rng: Rng, across: float) -> Contents:
    """Return what to lay on a table that is ``across`` tiles broad."""
    room = across * across
    letters = _letters(rng)
    words = [list(rng.choice(letters, rng.integers(2, 9))) for _ in range(150)]
    tableaux = int(rng.integers(0, 4))
    return Contents(
        words,
        letters,
        tableaux,
        int(min(45, rng.uniform(0.05, 0.2) * room + 3)),
        int(rng.integers(0, 2 + room * 0.06)) if rng.random() < 0.8 else 0,
        int(rng.integers(0, 2 + room * 0.06)) if rng.random() < 0.55 else 0,
        int(rng.random() < 0.3),
        0.4,
    )


def _letters(rng: Rng) -> list[str]:
    """Return the symbols of one lesson's tile set: letters, letters with accents, or signs."""
    draw_ = rng.random()
    if draw_ < 0.68:
        return list(LATIN) + list("IIEAOSNRZ")
    if draw_ < 0.84:
        return list(LATIN) + list(ACCENTED) + list("ÄÖÜÅÄÖÜÄÖ")
    return list(SIGNS) * 2 + list("01=01") + ["AND", "NOT", "OR"]


def jittered(rng: Rng, quad: NDArray[np.float64], amount: float = 1.0) -> NDArray[np.float64]:
    """Return a quad as an imperfect finder reports it: moved, turned, scaled, sheared a little."""
    middle = quad.mean(0)
    side = np.sqrt(np.linalg.norm(quad[1] - quad[0]) * np.linalg.norm(quad[2] - quad[1]))
    angle = rng.normal(0, 0.06) * amount
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    bend = np.eye(2) + rng.normal(0, 0.05 * amount, (2, 2))
    moved = (quad - middle) @ (turn @ bend).T * np.exp(rng.normal(0, 0.06 * amount))
    return np.asarray(moved + middle + rng.normal(0, 0.045 * amount, 2) * side)


def _cuts(rng: Rng, scene: Scene) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return crops of the scene's tiles and of places that are no tile, with their classes."""
    good = [tile for tile in scene.tiles if tile.visible > 0.96]
    quads, labels = [], []
    for tile in good:
        turn = int(rng.integers(4))
        quads.append(jittered(rng, np.roll(tile.corners, turn, 0)))
        labels.append(class_of(tile.symbol or "", turn))
    for _ in range(4 + len(good) // 3):
        if (quad := _nowhere(rng, scene)) is not None:
            quads.append(quad)
            labels.append(class_of(None, 0))
    return crops(scene.picture, np.array(quads).reshape(-1, 4, 2)), np.array(labels, np.int16)


def _nowhere(rng: Rng, scene: Scene) -> NDArray[np.float64] | None:
    """Return an outline that holds no tile: between tiles, beside one, or anywhere else."""
    side, tiles = scene.picture.shape[0], scene.tiles
    size = scene.tile_px * float(np.exp(rng.normal(0, 0.2)))
    angle = float(rng.uniform(0, 2 * np.pi))
    at = rng.uniform(0, side, 2)
    if tiles and rng.random() < 0.6:
        beside: Drawn = tiles[rng.integers(len(tiles))]
        angle = float(np.arctan2(*(beside.corners[1] - beside.corners[0])[::-1]))
        at = beside.corners.mean(0) + rng.uniform(0.42, 0.8) * size * np.array([np.cos(t := rng.uniform(0, 6.3)), np.sin(t)])
    if tiles:
        away = np.linalg.norm(np.array([tile.corners.mean(0) for tile in tiles]) - at, axis=1)
        if away.min() < 0.4 * scene.tile_px:
            return None
    c, s = np.cos(angle) * size / 2, np.sin(angle) * size / 2
    return np.array([at + (-c + s, -s - c), at + (c + s, s - c), at + (c - s, s + c), at + (-c - s, -s + c)])
