"""A whole drawn table: what lies on it, seen by a camera, with its truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.drawing import clutter
from calibration.drawing.backgrounds import background
from calibration.drawing.camera import View, camera
from calibration.drawing.chance import Rng
from calibration.drawing.layout import Floor, Laid, Word, crossword, jumble, lay, random_hand, scatter
from calibration.drawing.light import lit, taken
from calibration.drawing.looks import Look, random_look
from calibration.drawing.paint import Cover, Picture
from calibration.drawing.tiles import Drawn, draw_tiles


@dataclass(frozen=True, slots=True)
class Scene:
    """A drawn picture, uint8 of shape (h, w), and the tiles in it."""

    picture: NDArray[np.uint8]
    tiles: tuple[Drawn, ...]
    tile_px: float


@dataclass(frozen=True, slots=True)
class Contents:
    """What to lay: words to build with, letters for loose tiles, how many of each thing.

    ``tableau_size`` is in tiles, ``touching`` the share of words that touch others without making words, and
    ``jumbled`` whether the loose tiles are pushed together.
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
    return tiled(rng, picture, view, laid, random_look(rng, fonts), Shot(hands, harsh))


@dataclass(frozen=True, slots=True)
class Shot:
    """How a table is taken: with so many hands over it, through a more or less harsh lens."""

    hands: int = 0
    harsh: float = 1.0


def tiled(rng: Rng, picture: Picture, view: View, laid: Sequence[Laid], look: Look, shot: Shot) -> Scene:
    """Return a scene with tiles upon a table that is drawn already."""
    tiles = draw_tiles(picture, laid, look, camera(view), rng)
    cover = np.zeros(picture.shape, np.uint8)
    for _ in range(shot.hands):
        clutter.hand(rng, picture, cover, view.tile_px)
    finished = taken(lit(picture, rng), rng, shot.harsh)
    shares = shown(np.array([tile.corners for tile in tiles]).reshape(-1, 4, 2), cover)
    seen = (replace(tile, visible=float(share)) for tile, share in zip(tiles, shares, strict=True))
    return Scene(finished, tuple(seen), view.tile_px)


def _laid(rng: Rng, view: View, contents: Contents) -> list[Laid]:
    """Lay everything that finds room."""
    floor = Floor(view.width / view.tile_px / 2 - 0.2, view.height / view.tile_px / 2 - 0.2)
    laid: list[Laid] = []
    for group in range(contents.tableaux):
        grid = crossword(rng, contents.tableau_size, contents.words, contents.touching)
        hand, turn = random_hand(rng), float(rng.uniform(0, 2 * np.pi))
        for _ in range(25):
            tiles = lay(rng, grid, floor.somewhere(rng, 3.0), turn, hand, group)
            if floor.free([(tile.x, tile.y) for tile in tiles], 2.2):
                laid += tiles
                floor.use(tiles)
                break
    loose = rng.choice(list(contents.letters), contents.loose).tolist() if contents.loose else []
    if contents.jumbled:
        laid += jumble(rng, floor, loose)
    else:
        laid += scatter(rng, floor, loose, None if rng.random() < 0.5 else float(rng.uniform(1.5, 5)))
    down = [None] * contents.face_down
    laid += scatter(rng, floor, down, None if rng.random() < 0.3 else float(rng.uniform(1.5, 4)))
    return laid


def shown(quads: NDArray[np.float64], cover: Cover) -> NDArray[np.float64]:
    """Return the share of each outline that is in the picture and not covered, (n,), 0 to 1.

    Parameters
    ----------
    quads
        Corners in pixels, clockwise, shape (n, 4, 2).
    cover
        The picture's size; above 127 where something hides the table.
    """
    height, width = cover.shape
    u, v = (side.ravel()[:, None] for side in np.meshgrid(*[np.linspace(0.05, 0.95, 7)] * 2))
    first, second, third, fourth = (quads[:, k, None] for k in range(4))
    points = (first * (1 - u) + second * u) * (1 - v) + (fourth * (1 - u) + third * u) * v
    x, y = np.moveaxis(np.round(points).astype(int), -1, 0)
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    hidden = cover[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)] > 127
    return np.asarray((inside & ~hidden).mean(1))
