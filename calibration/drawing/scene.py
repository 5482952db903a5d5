"""A whole drawn table: what lies on it, seen by a camera, with its truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing import clutter
from calibration.drawing.backgrounds import background
from calibration.drawing.camera import View, camera
from calibration.drawing.layout import Floor, Laid, crossword, lay, random_hand, scatter
from calibration.drawing.light import lit, taken
from calibration.drawing.looks import random_look
from calibration.drawing.tiles import Drawn, draw_tiles

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Scene:
    """A drawn picture, uint8 of shape (h, w), and the tiles in it."""

    picture: NDArray[np.uint8]
    tiles: tuple[Drawn, ...]
    tile_px: float


@dataclass(frozen=True, slots=True)
class Contents:
    """What to lay: words to build with, letters for loose tiles, how many of each thing."""

    words: Sequence[Sequence[str]]
    letters: Sequence[str]
    tableaux: int
    tableau_size: int
    loose: int
    face_down: int
    hands: int = 0
    touching: float = 0.0


def draw(
    rng: Rng, view: View, contents: Contents, fonts: tuple[Path, ...] | None = None, harsh: float = 1.0
) -> Scene:
    """Return a scene drawn with random looks; the same generator state draws the same scene."""
    return drawn(rng, view, _laid(rng, view, contents), fonts, contents.hands, harsh)


def drawn(
    rng: Rng,
    view: View,
    laid: Sequence[Laid],
    fonts: tuple[Path, ...] | None = None,
    hands: int = 0,
    harsh: float = 1.0,
) -> Scene:
    """Return a scene with given tiles, drawn with random looks."""
    picture = background(rng, view.width, view.height, view.tile_px)
    clutter.things(rng, picture, view.tile_px)
    tiles = draw_tiles(picture, laid, random_look(rng, fonts), camera(view), rng)
    cover = np.zeros(picture.shape, np.uint8)
    for _ in range(hands):
        clutter.hand(rng, picture, cover, view.tile_px)
    finished = taken(lit(picture, rng), rng, harsh)
    return Scene(
        finished, tuple(replace(tile, visible=_visible(tile, cover)) for tile in tiles), view.tile_px
    )


def _laid(rng: Rng, view: View, contents: Contents) -> list[Laid]:
    """Lay everything that finds room."""
    floor = Floor(view.width / view.tile_px / 2 - 0.2, view.height / view.tile_px / 2 - 0.2)
    laid: list[Laid] = []
    for group in range(contents.tableaux):
        grid = crossword(rng, contents.tableau_size, contents.words, contents.touching)
        hand, turn = random_hand(rng), float(rng.uniform(0, 2 * np.pi))
        for _ in range(25):
            tiles = lay(rng, grid, floor.somewhere(rng, 3.0), turn, hand, group)
            if floor.free([(t.x, t.y) for t in tiles], 2.2):
                laid += tiles
                floor.take(tiles)
                break
    loose: list[str | None] = (
        [str(s) for s in rng.choice(list(contents.letters), contents.loose)] if contents.loose else []
    )
    laid += scatter(rng, floor, loose, None if rng.random() < 0.5 else float(rng.uniform(1.5, 5)))
    laid += scatter(
        rng, floor, [None] * contents.face_down, None if rng.random() < 0.3 else float(rng.uniform(1.5, 4))
    )
    return laid


def _visible(tile: Drawn, cover: NDArray[np.uint8]) -> float:
    """Return the share of a tile's face that is in the picture and not under a hand."""
    height, width = cover.shape
    corners = tile.corners
    along = np.linspace(0.05, 0.95, 7)
    u, v = np.meshgrid(along, along)
    u, v = u.ravel()[:, None], v.ravel()[:, None]
    top, bottom = corners[0] * (1 - u) + corners[1] * u, corners[3] * (1 - u) + corners[2] * u
    x, y = np.round(top * (1 - v) + bottom * v).astype(int).T
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    hidden = cover[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)] > 127
    return float((inside & ~hidden).mean())


def outlined(scene: Scene) -> NDArray[np.uint8]:
    """Return the scene with its truth drawn on it, for people to look at; uint8 (h, w, 3)."""
    picture = cv2.cvtColor(scene.picture, cv2.COLOR_GRAY2BGR)
    for tile in scene.tiles:
        colour = (60, 60, 230) if tile.symbol is None else (60, 200, 60)
        points = np.round(tile.corners * 8).astype(np.int32)
        cv2.polylines(
            picture, [points], True, colour if tile.visible > 0.85 else (200, 160, 60), 1, cv2.LINE_AA, 3
        )
        cv2.circle(picture, tuple(int(v) for v in points[0]), 16, colour, -1, cv2.LINE_AA, 3)
    return picture
