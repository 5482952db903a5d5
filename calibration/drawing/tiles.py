"""Placed tiles drawn into a picture: shadows, side walls, faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import Camera
from calibration.drawing.layout import PlacedTile
from calibration.drawing.paint import (
    UNIT_SQUARE,
    Picture,
    Points,
    blurred,
    box_around,
    hull,
    polygon,
    shrunk_by,
)
from calibration.drawing.rng import Rng
from calibration.drawing.tile_style import FACE_SIDE_PX, TileStyle, draw_face, face_mask

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DrawnTile:
    """One drawn tile with its ground truth.

    ``corners`` are the top face's in pixels, clockwise from the symbol's own
    top left, shape (4, 2); ``symbol`` is ``None`` face down; ``visible`` is the share of
    the face in the picture and not under a hand, 0 to 1.
    """

    placed: PlacedTile
    corners: Array
    symbol: str | None
    visible: float = 1.0


def corners_of(placed: Sequence[PlacedTile], style: TileStyle, z: float) -> Array:
    """Return the four corners of tiles at height ``z``, shape (n, 4, 3), in tile sides."""
    turns = np.array([tile.turn for tile in placed])
    c, s = np.cos(turns), np.sin(turns)
    ways = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2)  # right, then down, of each tile
    flat = (UNIT_SQUARE * (style.aspect, 1.0)) @ ways + np.array([[(tile.x, tile.y)] for tile in placed])
    return np.concatenate([flat, np.full((len(placed), 4, 1), z)], -1)


def draw_tiles(
    picture: Picture,
    placed: Sequence[PlacedTile],
    style: TileStyle,
    view: Camera,
    rng: Rng,
    faces: FaceTextures | None = None,
) -> list[DrawnTile]:
    """Draw tiles into a picture, the farthest first, and return their ground truth.

    ``faces`` are by default those of the style, with the same texture for every tile of a symbol.
    """
    if not placed:
        return []
    tops = view.pixels(corners_of(placed, style, style.thickness))
    feet = view.pixels(corners_of(placed, style, 0))
    _shadows(picture, tops, feet, rng)
    faces = faces or FaceTextures(style, rng)
    away = np.linalg.norm([(tile.x, tile.y) for tile in placed] - view.foot, axis=1)
    drawn: list[DrawnTile] = []
    for k in np.argsort(away)[::-1]:
        gain = float(np.exp(rng.normal(0, 0.025)))
        symbol = faces.symbol(placed[k].symbol)
        polygon(picture, hull(np.vstack([tops[k], feet[k]])), style.face * style.wall * gain)
        faces.draw(picture, tops[k], symbol, gain)
        drawn.append(DrawnTile(placed[k], tops[k], symbol))
    return drawn


def _shadows(picture: Picture, tops: Array, feet: Array, rng: Rng) -> None:
    """Darken the table beside the tiles."""
    angle, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.0, 0.35)
    side = float(np.median(np.linalg.norm(tops[:, 1] - tops[:, 0], axis=1)))
    shift = np.array([np.cos(angle), np.sin(angle)]) * reach * side
    dark = np.zeros(picture.shape, np.float32)
    for foot in feet:
        polygon(dark, hull(np.vstack([foot, foot + shift])), 1.0)
    soft = blurred(dark, side * float(rng.uniform(0.03, 0.2)) + 0.3)
    picture *= 1 - float(rng.uniform(0.1, 0.75)) * soft


class FaceTextures:
    """A cache of the face textures of one style."""

    def __init__(self, style: TileStyle, rng: Rng) -> None:
        self._look, self._rng = style, rng
        self._made: dict[str, tuple[Picture, bool]] = {}
        self._small: dict[tuple[str, int], tuple[Picture, Picture]] = {}
        self._outline = face_mask(style)

    def symbol(self, wanted: str | None) -> str | None:
        """Return the symbol that a tile shows, ``None`` (a blank face) where the style
        lacks the wanted one.
        """
        return wanted if wanted and self._face(wanted)[1] else None

    def draw(self, picture: Picture, top: Points, symbol: str | None, gain: float) -> None:
        """Draw a tile's top face through its own homography."""
        if box := box_around(top, picture):
            times = int(FACE_SIDE_PX / max(8.0, np.hypot(*(top[1] - top[0]))))
            texture, outline = self._reduced(symbol or "", times)
            source = (UNIT_SQUARE + 0.5) * texture.shape[0] - 0.5
            matrix = cv2.getPerspectiveTransform(
                source.astype(np.float32), (top - box[:2]).astype(np.float32)
            )
            face = cv2.warpPerspective(texture, matrix, box.size, borderMode=cv2.BORDER_REPLICATE)
            cover = cv2.warpPerspective(outline, matrix, box.size)
            area = box.of(picture)
            area += (face * np.float32(gain) - area) * cover

    def _face(self, name: str) -> tuple[Picture, bool]:
        """Return a symbol's texture, and whether the style has the symbol; a blank face for ``""``."""
        if name not in self._made:
            self._made[name] = draw_face(self._look, name, self._rng)
        return self._made[name]

    def _reduced(self, name: str, times: int) -> tuple[Picture, Picture]:
        """Return a texture and its mask, shrunk."""
        if (name, times) not in self._small:
            self._small[name, times] = shrunk_by(self._face(name)[0], times), shrunk_by(self._outline, times)
        return self._small[name, times]
