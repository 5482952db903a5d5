"""Laid tiles drawn into a picture: shadows, side walls, faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import Camera
from calibration.drawing.chance import Rng
from calibration.drawing.layout import Laid
from calibration.drawing.looks import SIDE, Look, face_of, outline_of
from calibration.drawing.paint import Picture, Points, box_around, hull, polygon, reduced, softened

Array = NDArray[np.float64]
SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
"""A tile's corners about its middle, clockwise from the symbol's top left."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One drawn tile and where it is to be seen.

    ``corners`` are the top face's in pixels, clockwise from the symbol's own
    top left, shape (4, 2); ``symbol`` is ``None`` face down; ``visible`` is the share of
    the face in the picture and not under a hand, 0 to 1.
    """

    laid: Laid
    corners: Array
    symbol: str | None
    visible: float = 1.0


def corners_of(laid: Sequence[Laid], look: Look, z: float) -> Array:
    """Return the four corners of tiles at height ``z``, shape (n, 4, 3), in tile sides."""
    turns = np.array([tile.turn for tile in laid])
    c, s = np.cos(turns), np.sin(turns)
    ways = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2)  # right, then down, of each tile
    flat = (SQUARE * (look.aspect, 1.0)) @ ways + np.array([[(tile.x, tile.y)] for tile in laid])
    return np.concatenate([flat, np.full((len(laid), 4, 1), z)], -1)


def draw_tiles(
    picture: Picture,
    laid: Sequence[Laid],
    look: Look,
    view: Camera,
    rng: Rng,
    faces: Faces | None = None,
) -> list[Drawn]:
    """Draw tiles into a picture, the farthest first, and return where they are to be seen.

    ``faces`` are those of the look by default: every tile of a symbol alike.
    """
    if not laid:
        return []
    tops = view.pixels(corners_of(laid, look, look.thickness))
    feet = view.pixels(corners_of(laid, look, 0))
    _shadows(picture, tops, feet, rng)
    faces = faces or Faces(look, rng)
    away = np.linalg.norm([(tile.x, tile.y) for tile in laid] - view.foot, axis=1)
    drawn: list[Drawn] = []
    for k in np.argsort(away)[::-1]:
        gain = float(np.exp(rng.normal(0, 0.025)))
        symbol = faces.symbol(laid[k].symbol)
        polygon(picture, hull(np.vstack([tops[k], feet[k]])), look.face * look.wall * gain)
        faces.draw(picture, tops[k], symbol, gain)
        drawn.append(Drawn(laid[k], tops[k], symbol))
    return drawn


def _shadows(picture: Picture, tops: Array, feet: Array, rng: Rng) -> None:
    """Darken the table beside the tiles."""
    angle, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.0, 0.35)
    side = float(np.median(np.linalg.norm(tops[:, 1] - tops[:, 0], axis=1)))
    shift = np.array([np.cos(angle), np.sin(angle)]) * reach * side
    dark = np.zeros(picture.shape, np.float32)
    for foot in feet:
        polygon(dark, hull(np.vstack([foot, foot + shift])), 1.0)
    soft = softened(dark, side * float(rng.uniform(0.03, 0.2)) + 0.3)
    picture *= 1 - float(rng.uniform(0.1, 0.75)) * soft


class Faces:
    """The textures of one look, each made once."""

    def __init__(self, look: Look, rng: Rng) -> None:
        self._look, self._rng = look, rng
        self._made: dict[str, tuple[Picture, bool]] = {}
        self._small: dict[tuple[str, int], tuple[Picture, Picture]] = {}
        self._outline = outline_of(look)

    def symbol(self, wanted: str | None) -> str | None:
        """Return the symbol that a tile shows, ``None`` for a bare face: a font may lack what was wanted."""
        return wanted if wanted and self._face(wanted)[1] else None

    def draw(self, picture: Picture, top: Points, symbol: str | None, gain: float) -> None:
        """Draw a tile's top face through its own homography."""
        if box := box_around(top, picture):
            times = int(SIDE / max(8.0, np.hypot(*(top[1] - top[0]))))
            texture, outline = self._reduced(symbol or "", times)
            source = (SQUARE + 0.5) * texture.shape[0] - 0.5
            matrix = cv2.getPerspectiveTransform(
                source.astype(np.float32), (top - box[:2]).astype(np.float32)
            )
            face = cv2.warpPerspective(texture, matrix, box.size, borderMode=cv2.BORDER_REPLICATE)
            cover = cv2.warpPerspective(outline, matrix, box.size)
            area = box.of(picture)
            area += (face * np.float32(gain) - area) * cover

    def _face(self, name: str) -> tuple[Picture, bool]:
        """Return a symbol's texture, and whether it shows it; a bare face for ``""``."""
        if name not in self._made:
            self._made[name] = face_of(self._look, name, self._rng)
        return self._made[name]

    def _reduced(self, name: str, times: int) -> tuple[Picture, Picture]:
        """Return a texture and its outline made smaller."""
        if (name, times) not in self._small:
            self._small[name, times] = reduced(self._face(name)[0], times), reduced(self._outline, times)
        return self._small[name, times]
