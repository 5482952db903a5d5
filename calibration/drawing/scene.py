"""A whole drawn table seen by a camera, with its ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.drawing import clutter
from calibration.drawing.backgrounds import background
from calibration.drawing.camera import View, camera
from calibration.drawing.layout import (
    FreeSpace,
    PlacedTile,
    Word,
    crossword,
    place_grid,
    place_heap,
    place_loose,
    random_jitter,
)
from calibration.drawing.light import captured, with_uneven_light
from calibration.drawing.materials import HAND, TABLE, Labels, mark_tiles, object_labels
from calibration.drawing.paint import Cover, Picture
from calibration.drawing.rng import Rng
from calibration.drawing.tile_style import TileStyle, random_style
from calibration.drawing.tiles import DrawnTile, corners_of, draw_tiles


@dataclass(frozen=True, slots=True)
class Scene:
    """A drawn picture, uint8 of shape (h, w), the tiles in it, and the material that each pixel shows.

    ``squares`` are the outlines of a board's squares, (n, 4, 2) in pixels.
    """

    picture: NDArray[np.uint8]
    tiles: tuple[DrawnTile, ...]
    tile_px: float
    labels: Labels | None = None
    squares: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 4, 2)))


@dataclass(frozen=True, slots=True)
class SceneContents:
    """The tiles to place: words for tableaux, letters for loose tiles, and the number of each.

    ``tableau_size`` is in tiles; ``touching`` the share of words that may touch others without forming words;
    ``jumbled`` pushes the loose tiles together into a heap.
    """

    words: Sequence[Word]
    letters: Sequence[str]
    tableaux: int
    tableau_size: int
    loose: int
    face_down: int
    hands: int = 0
    touching: float = 0.0
    jumbled: bool = False


def draw_scene(
    rng: Rng,
    view: View,
    contents: SceneContents,
    fonts: tuple[Path, ...] | None = None,
    severity: float = 1.0,
) -> Scene:
    """Return a scene with random places and a random style; the same generator state draws the same scene."""
    return draw_placed(rng, view, _place(rng, view, contents), fonts, contents.hands, severity)


def draw_placed(
    rng: Rng,
    view: View,
    placed: Sequence[PlacedTile],
    fonts: tuple[Path, ...] | None = None,
    hands: int = 0,
    severity: float = 1.0,
) -> Scene:
    """Return a scene with given tiles in a random style."""
    picture = background(rng, view.width, view.height, view.tile_px)
    bare = picture.copy()
    clutter.draw_clutter(rng, picture, view.tile_px)
    labels = object_labels(bare, picture)
    shot = CaptureConditions(hands, severity)
    scene = draw_on_background(rng, picture, view, placed, random_style(rng, fonts), shot)
    return with_objects(scene, labels)


@dataclass(frozen=True, slots=True)
class CaptureConditions:
    """Conditions of a picture: the number of hands over the table, and the severity of blur and noise."""

    hands: int = 0
    severity: float = 1.0


def draw_on_background(
    rng: Rng,
    picture: Picture,
    view: View,
    placed: Sequence[PlacedTile],
    style: TileStyle,
    shot: CaptureConditions,
) -> Scene:
    """Return a scene with tiles drawn into a picture of a table."""
    seen_by = camera(view)
    tiles = draw_tiles(picture, placed, style, seen_by, rng)
    labels = np.full(picture.shape, TABLE, np.uint8)
    if placed:
        ends = [seen_by.pixels(corners_of(placed, style, z)) for z in (0.0, style.thickness)]
        mark_tiles(labels, np.concatenate(ends, 1))
    cover = np.zeros(picture.shape, np.uint8)
    for _ in range(shot.hands):
        clutter.draw_hand(rng, picture, cover, view.tile_px)
    finished = captured(with_uneven_light(picture, rng), rng, shot.severity)
    shares = visible_shares(np.array([tile.corners for tile in tiles]), cover)
    seen = (replace(tile, visible=float(share)) for tile, share in zip(tiles, shares, strict=True))
    labels[cover > 127] = HAND
    return Scene(finished, tuple(seen), view.tile_px, labels)


def with_objects(scene: Scene, labels: Labels) -> Scene:
    """Return a scene with the labels of a table with objects, (h, w), where it shows no tile and no hand."""
    shown = labels if scene.labels is None else np.where(scene.labels == TABLE, labels, scene.labels)
    return replace(scene, labels=shown)


def _place(rng: Rng, view: View, contents: SceneContents) -> list[PlacedTile]:
    """Return all tiles that find room."""
    floor = FreeSpace(view.width / view.tile_px / 2 - 0.2, view.height / view.tile_px / 2 - 0.2)
    placed: list[PlacedTile] = []
    for group in range(contents.tableaux):
        grid = crossword(rng, contents.tableau_size, contents.words, contents.touching)
        hand, turn = random_jitter(rng), float(rng.uniform(0, 2 * np.pi))
        for _ in range(25):
            tiles = place_grid(rng, grid, floor.random_place(rng, 3.0), turn, hand, group)
            if floor.free([(tile.x, tile.y) for tile in tiles], 2.2):
                placed += tiles
                floor.occupy(tiles)
                break
    loose = rng.choice(list(contents.letters), contents.loose).tolist() if contents.loose else []
    if contents.jumbled:
        placed += place_heap(rng, floor, loose)
    else:
        placed += place_loose(rng, floor, loose, None if rng.random() < 0.5 else float(rng.uniform(1.5, 5)))
    down = [None] * contents.face_down
    placed += place_loose(rng, floor, down, None if rng.random() < 0.3 else float(rng.uniform(1.5, 4)))
    return placed


def visible_shares(quads: NDArray[np.float64], cover: Cover) -> NDArray[np.float64]:
    """Return the visible share of each outline, in the picture and not covered, (n,), 0 to 1.

    Parameters
    ----------
    quads
        Corners in pixels, clockwise, shape (n, 4, 2); of any shape without one.
    cover
        The picture's size; above 127 where an object hides the table.
    """
    height, width = cover.shape
    quads = quads.reshape(-1, 4, 2)
    u, v = (side.ravel()[:, None] for side in np.meshgrid(*[np.linspace(0.05, 0.95, 7)] * 2))
    first, second, third, fourth = (quads[:, k, None] for k in range(4))
    points = (first * (1 - u) + second * u) * (1 - v) + (fourth * (1 - u) + third * u) * v
    x, y = np.moveaxis(np.round(points).astype(int), -1, 0)
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    hidden = cover[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)] > 127
    return np.asarray((inside & ~hidden).mean(1))
