"""Laid tiles drawn into a picture: shadows, side walls, faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import Camera
from calibration.drawing.clutter import polygon
from calibration.drawing.layout import Laid
from calibration.drawing.looks import SIDE, Look, face_of, outline_of

Picture = NDArray[np.float32]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One drawn tile and where it is to be seen.

    ``corners`` are the top face's in pixels, clockwise from the symbol's own
    top left, shape (4, 2); ``symbol`` is ``None`` face down; ``visible`` is the share of
    the face in the picture and not hidden, 0 to 1.
    """

    laid: Laid
    corners: Array
    symbol: str | None
    visible: float = 1.0


def corners_of(laid: Laid, look: Look, z: float) -> Array:
    """Return a tile's four corners at height ``z``, shape (4, 3), in tile sides."""
    c, s = np.cos(laid.turn), np.sin(laid.turn)
    half = np.array([look.aspect, 1.0]) / 2
    unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    flat = unit @ np.array([[c, s], [-s, c]]) + (laid.x, laid.y)
    return np.column_stack([flat, np.full(4, z)])


def draw_tiles(
    picture: Picture, laid: Sequence[Laid], look: Look, view: Camera, rng: np.random.Generator
) -> list[Drawn]:
    """Draw tiles into a picture, the far ones first, and return where they are to be seen."""
    if not laid:
        return []
    tops = [view.pixels(corners_of(tile, look, look.thickness)) for tile in laid]
    feet = [view.pixels(corners_of(tile, look, 0)) for tile in laid]
    _shadows(picture, tops, feet, rng)
    faces = _Faces(look, rng)
    centre = np.array(picture.shape[::-1]) / 2
    order = np.argsort([-np.hypot(*(top.mean(0) - centre)) for top in tops])
    drawn: list[Drawn] = []
    for k in order:
        texture, symbol = faces.of(laid[k].symbol)
        gain = float(np.exp(rng.normal(0, 0.025)))
        _walls(picture, tops[k], feet[k], look.face * look.wall * gain)
        _face(picture, tops[k], texture * gain, faces.outline)
        drawn.append(Drawn(laid[k], tops[k], symbol))
    return drawn


class _Faces:
    """The textures of one look, each made once."""

    def __init__(self, look: Look, rng: np.random.Generator) -> None:
        self.look, self.rng = look, rng
        self.outline = outline_of(look)
        self.made: dict[str, tuple[Picture, bool]] = {}

    def of(self, symbol: str | None) -> tuple[Picture, str | None]:
        """Return a face's texture and the symbol it really shows (a font may lack one)."""
        name = symbol or ""
        if name not in self.made:
            self.made[name] = face_of(self.look, name, self.rng)
        texture, able = self.made[name]
        return texture, symbol if able and name else None


def _shadows(picture: Picture, tops: list[Array], feet: list[Array], rng: np.random.Generator) -> None:
    """Darken the table beside the tiles."""
    angle, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.0, 0.35)
    side = float(np.median([np.hypot(*(top[1] - top[0])) for top in tops]))
    shift = np.array([np.cos(angle), np.sin(angle)]) * reach * side
    dark = np.zeros(picture.shape, np.float32)
    for foot in feet:
        polygon(
            dark, cv2.convexHull(np.vstack([foot, foot + shift]).astype(np.float32))[:, 0].astype(float), 1.0
        )
    soft = cv2.GaussianBlur(dark, (0, 0), side * float(rng.uniform(0.03, 0.2)) + 0.3)
    picture *= 1 - float(rng.uniform(0.1, 0.75)) * soft


def _walls(picture: Picture, top: Array, foot: Array, shade: float) -> None:
    """Draw a tile's side walls: all of its outline that the face will not cover."""
    hull = cv2.convexHull(np.vstack([top, foot]).astype(np.float32))[:, 0].astype(float)
    polygon(picture, hull, shade)


def _face(picture: Picture, top: Array, texture: Picture, outline: Picture) -> None:
    """Draw a tile's top face through its own homography."""
    low = np.maximum(np.floor(top.min(0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(top.max(0)).astype(int) + 2, picture.shape[::-1])
    size = high - low
    if (size <= 0).any():
        return
    scale = max(1, int(SIDE / max(8.0, np.hypot(*(top[1] - top[0])))))
    if scale > 1:  # shrunk by areas first: warping alone would alias
        texture = cv2.resize(texture, (SIDE // scale, SIDE // scale), interpolation=cv2.INTER_AREA)
        outline = cv2.resize(outline, (SIDE // scale, SIDE // scale), interpolation=cv2.INTER_AREA)
    n = texture.shape[0]
    source = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(source, (top - low).astype(np.float32))
    shape = (int(size[0]), int(size[1]))
    face = cv2.warpPerspective(
        texture, matrix, shape, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    cover = cv2.warpPerspective(outline, matrix, shape, flags=cv2.INTER_LINEAR)
    area = picture[low[1] : high[1], low[0] : high[0]]
    area += (face - area) * cover
