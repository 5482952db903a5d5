"""Pictures of arms that reach over the table: sleeve, wrist, a hand with a pointing finger and a thumb."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

SKINS = ((150, 178, 224), (96, 132, 186), (62, 88, 132), (128, 160, 212), (78, 108, 160), (46, 66, 104))
"""Skin tones; blue, green, red."""

SLEEVES = ((122, 84, 48), (70, 66, 150), (78, 112, 60), (60, 60, 66), (124, 64, 104), (40, 108, 168))
"""Colours of the players' sleeves."""

ARM_PICTURE_WIDTH = 6.0
"""Width of an arm's picture, in tile sides."""

FINGERTIP_MARGIN = 1.0
"""Margin beyond the fingertips, in tile sides."""


class ArmPicture:
    """One player's arm, reaching up, its fingertips ``tip`` pixels from the top left of ``colour``.

    ``colour`` is uint8 of shape (h, w, 3), ``cover`` and ``shadow`` are float32 of shape (h, w), 0 to 1.
    """

    def __init__(self, number: int, tile_px: float, long: float, quarter: int) -> None:
        width, height = round(ARM_PICTURE_WIDTH * tile_px), round((long + FINGERTIP_MARGIN) * tile_px)
        skin, sleeve = SKINS[number % len(SKINS)], SLEEVES[number % len(SLEEVES)]
        hand, cloth = (np.zeros((height, width), np.uint8) for _ in range(2))
        _hand(hand, tile_px)
        _sleeve(cloth, tile_px)
        colour = np.zeros((height, width, 3), np.float32)
        colour[:] = np.array(skin, np.float32) * _rounded(hand, tile_px)[..., None]
        dressed = cloth.astype(np.float32)[..., None] / 255
        colour += (np.array(sleeve, np.float32) * _rounded(cloth, tile_px)[..., None] - colour) * dressed
        cover = np.maximum(hand, cloth).astype(np.float32) / 255
        off = np.array([[1.0, 0.0, 0.35 * tile_px], [0.0, 1.0, 0.35 * tile_px]])
        cast = cv2.warpAffine(cover, off, (width, height))
        shadow = 0.45 * cv2.GaussianBlur(cast, (0, 0), 0.3 * tile_px)
        tip = (width // 2, round(FINGERTIP_MARGIN * tile_px))
        self.colour = np.ascontiguousarray(np.rot90(np.clip(colour, 0, 255).astype(np.uint8), -quarter))
        self.cover = np.ascontiguousarray(np.rot90(cover, -quarter))
        self.shadow = np.ascontiguousarray(np.rot90(shadow, -quarter))
        self.tip = _turned(tip, (width, height), quarter)


def _turned(tip: tuple[int, int], size: tuple[int, int], quarter: int) -> tuple[int, int]:
    """Return the position of a pixel after its picture was turned clockwise by quarter turns."""
    (x, y), (width, height) = tip, size
    places = ((x, y), (height - 1 - y, x), (width - 1 - x, height - 1 - y), (y, width - 1 - x))
    return places[quarter % 4]


def _limb(shape: Bytes, ends: tuple[float, float, float, float], broad: float, tile_px: float) -> None:
    """Draw a rounded limb; all lengths in tile sides from the fingertips, x to the right and y down."""
    middle, top = shape.shape[1] / 2, FINGERTIP_MARGIN * tile_px
    x, y, to_x, to_y = (round(16 * v * tile_px) for v in ends)
    start = round(16 * middle) + x, round(16 * top) + y
    end = round(16 * middle) + to_x, round(16 * top) + to_y
    # thick lines have round ends
    cv2.line(shape, start, end, 255, max(1, round(broad * tile_px)), cv2.LINE_AA, 4)


def _hand(shape: Bytes, tile_px: float) -> None:
    """Draw a hand whose first finger points up and whose others are bent."""
    _limb(shape, (0.0, 0.3, 0.15, 2.2), 0.62, tile_px)
    _limb(shape, (-0.75, 0.75, -0.3, 2.0), 0.52, tile_px)
    _limb(shape, (0.62, 0.75, 0.75, 2.3), 0.62, tile_px)
    _limb(shape, (1.15, 1.25, 1.2, 2.5), 0.58, tile_px)
    _limb(shape, (1.6, 1.85, 1.5, 2.9), 0.5, tile_px)
    _limb(shape, (-0.3, 2.0, 0.1, 3.0), 0.8, tile_px)
    _limb(shape, (0.7, 2.7, 0.6, 3.3), 2.1, tile_px)
    _limb(shape, (0.55, 3.5, 0.4, 6.5), 1.5, tile_px)


def _sleeve(shape: Bytes, tile_px: float) -> None:
    """Draw the sleeve, from the wrist to the end of the picture."""
    _limb(shape, (0.45, 6.0, 0.2, 2 * shape.shape[0] / tile_px), 2.3, tile_px)
    top = round((FINGERTIP_MARGIN + 5.2) * tile_px)
    shape[:top] = 0


def _rounded(shape: Bytes, tile_px: float) -> Floats:
    """Return the brightness of a limb: light in its middle, dark at its edges."""
    soft = cv2.GaussianBlur(shape, (0, 0), 0.28 * tile_px).astype(np.float32) / 255
    return np.asarray(0.62 + 0.42 * soft, np.float32)
