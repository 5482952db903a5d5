"""Sprites of tiles: cream plastic, dark letters, a soft shadow."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

FACE_SIDE_PX = 192
"""Side of a face before it is scaled down for the picture, in pixels."""

FACE_COLOUR, BACK_COLOUR, INK_COLOUR, EDGE_COLOUR = (
    (206, 228, 238),
    (198, 221, 233),
    (44, 38, 36),
    (150, 176, 192),
)
"""Colours of the plastic's two sides, of the letters and of the edges; blue, green, red."""

CAPITAL_HEIGHT = 0.56
"""Height of a capital, in tile sides."""

MAX_SYMBOL_WIDTH = 0.78
"""Greatest width of a symbol, in tile sides."""

FONT_WEIGHT = 600
"""Font weight, between regular (400) and bold (700)."""

SPRITE_SIDE = 1.7
"""Side of a sprite, which has room for a tile and its shadow at any angle, in tile sides."""

ZERO_WIDTH_RATIO = 0.72
"""Width of a zero, relative to an O."""

SIGNS = {"0": "O", "x": "×", "-": "−", "/": "÷"}
"""Characters that are drawn for signs."""


@lru_cache(maxsize=64)
def ink(symbol: str) -> Bytes:
    """Return the ink mask of a face, uint8, shape (192, 192), in OpenCV's built-in font."""
    mask = np.zeros((FACE_SIDE_PX, FACE_SIDE_PX), np.uint8)
    if symbol == "J":  # the built-in J has a bar on top, as few tiles have
        cv2.line(mask, (116, 52), (116, 110), 255, 19, cv2.LINE_AA)
        cv2.ellipse(mask, (85, 110), (31, 31), 0, 0, 180, 255, 19, cv2.LINE_AA)
    elif symbol:
        _write(mask, SIGNS.get(symbol, symbol))
    if symbol != "0":
        return mask
    # the built-in zero has a stroke through it, as no tile has: it is drawn as a narrow O
    narrow = np.array([[ZERO_WIDTH_RATIO, 0, (1 - ZERO_WIDTH_RATIO) * FACE_SIDE_PX / 2], [0, 1, 0]])
    return np.asarray(
        cv2.warpAffine(mask, narrow, (FACE_SIDE_PX, FACE_SIDE_PX), flags=cv2.INTER_AREA), np.uint8
    )


def _write(mask: Bytes, text: str) -> None:
    """Draw a text in the middle of a face, as large as ``CAPITAL_HEIGHT`` and ``MAX_SYMBOL_WIDTH`` allow."""
    sans, size = cv2.FontFace("sans"), round(FACE_SIDE_PX * CAPITAL_HEIGHT / 0.7)
    sheet = np.zeros((2 * size, 4 * size * len(text)), np.uint8)
    baseline = 3 * size // 2
    cv2.putText(sheet, text, (size, baseline), 255, sans, size, FONT_WEIGHT)
    columns = np.flatnonzero(sheet.any(0))
    left, right = int(columns[0]), int(columns[-1]) + 1
    scale = min(1.0, MAX_SYMBOL_WIDTH * FACE_SIDE_PX / (right - left))
    middle = (left + right) / 2, baseline - CAPITAL_HEIGHT * FACE_SIDE_PX / 2
    matrix = np.array(
        [[scale, 0, FACE_SIDE_PX / 2 - scale * middle[0]], [0, scale, FACE_SIDE_PX / 2 - scale * middle[1]]]
    )
    mask[:] = cv2.warpAffine(sheet, matrix, (FACE_SIDE_PX, FACE_SIDE_PX), flags=cv2.INTER_AREA)


@lru_cache(maxsize=64)
def face(symbol: str, up: bool) -> Floats:
    """Return a tile's face with opacity as fourth channel, float32, shape (192, 192, 4), 0 to 255."""
    y, x = np.mgrid[:FACE_SIDE_PX, :FACE_SIDE_PX].astype(np.float32)
    middle, radius = (FACE_SIDE_PX - 1) / 2, 0.09 * FACE_SIDE_PX
    inset = [np.maximum(np.abs(v - middle) - (FACE_SIDE_PX / 2 - radius), 0) for v in (x, y)]
    depth = radius - np.hypot(*inset)
    near = np.minimum(FACE_SIDE_PX / 2 - np.maximum(np.abs(x - middle), np.abs(y - middle)), depth)
    rim = np.clip(1 - near / (0.05 * FACE_SIDE_PX), 0, 1)[..., None]
    plastic = (
        np.array(FACE_COLOUR if up else BACK_COLOUR, np.float32)
        + (np.array(EDGE_COLOUR, np.float32) - FACE_COLOUR) * rim * 0.8
    )
    glyph = (ink(symbol) if up else np.zeros((FACE_SIDE_PX, FACE_SIDE_PX), np.uint8))[..., None].astype(
        np.float32
    ) / 255
    coloured = plastic + (np.array(INK_COLOUR, np.float32) - plastic) * glyph
    return np.dstack([coloured, np.clip(depth + 0.5, 0, 1) * 255]).astype(np.float32)


class Sprites:
    """A cache of the pictures of tiles at every whole degree.

    Parameters
    ----------
    tile_px
        Side of a tile in the picture, in pixels.
    """

    def __init__(self, tile_px: float) -> None:
        self.tile_px = tile_px
        self.size_px = 2 * (round(tile_px * SPRITE_SIDE) // 2) + 1
        self._made: dict[tuple[str, bool, int], Floats] = {}
        self._shadows: dict[tuple[int, bool], Floats] = {}

    def tile(self, symbol: str, up: bool, turn: float) -> Floats:
        """Return a rotated tile, float32, shape (n, n, 4): blue, green, red, and opacity from 0 to 1."""
        degrees = round(np.degrees(turn)) % 360
        key = (symbol if up else "", up, degrees)
        if key not in self._made:
            times = max(1, int(FACE_SIDE_PX / self.tile_px / 1.5))
            small = np.asarray(
                cv2.resize(
                    face(*key[:2]),
                    (FACE_SIDE_PX // times, FACE_SIDE_PX // times),
                    interpolation=cv2.INTER_AREA,
                ),
                np.float32,
            )
            self._made[key] = self._turned(small, degrees, self.tile_px)
            self._made[key][..., 3] /= 255
        return self._made[key]

    def shadow(self, turn: float, lifted: bool) -> Floats:
        """Return the darkness of a tile's shadow, float32, shape (n, n), 0 to 1; ``lifted`` widens it."""
        key = (round(np.degrees(turn)) % 90, lifted)
        if key not in self._shadows:
            square = np.full((64, 64), 0.85 if not lifted else 0.6, np.float32)
            cast = self._turned(square, key[0], self.tile_px * 1.02)
            off = (0.22 if lifted else 0.07) * self.tile_px
            moved = cv2.warpAffine(cast, np.array([[1.0, 0, off], [0, 1, off]]), cast.shape[::-1])
            soft = cv2.GaussianBlur(moved, (0, 0), (0.16 if lifted else 0.06) * self.tile_px)
            self._shadows[key] = np.asarray(soft, np.float32)
        return self._shadows[key]

    def _turned(self, picture: Floats, degrees: float, side: float) -> Floats:
        """Return a square picture scaled to a side in pixels and rotated clockwise in the sprite's centre."""
        half, scale = (picture.shape[0] - 1) / 2, side / picture.shape[0]
        matrix = cv2.getRotationMatrix2D((half, half), -degrees, scale)
        matrix[:, 2] += (self.size_px - 1) / 2 - half
        return np.asarray(cv2.warpAffine(picture, matrix, (self.size_px, self.size_px)), np.float32)
