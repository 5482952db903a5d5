"""Faults of light drawn into a picture, each with its ground truth mask."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import background
from calibration.drawing.camera import View, camera
from calibration.drawing.layout import PlacedTile
from calibration.drawing.paint import Cover, Picture, blurred
from calibration.drawing.rng import Rng
from calibration.drawing.tile_style import TileStyle
from calibration.drawing.tiles import draw_tiles

Points = NDArray[np.float64]
Mask = NDArray[np.bool_]

GLARE_PEAK_GREY = 420.0
"""Brightness that a lamp's reflection adds in its middle, in grey levels."""
PHASE_STEP = 1.9
"""Phase of flicker from frame to frame, in radians."""
FACE, INK = 205.0, 40.0
"""Brightness of a tile's face and of its letter in good light, in grey levels."""


@dataclass(frozen=True, slots=True, eq=False)
class LitTable:
    """A table under even light with tiles all over it.

    ``picture`` is float32 (h, w) before the camera; ``quads`` are the tiles' corners in pixels, (n, 4, 2).
    """

    picture: Picture
    quads: Points

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.picture.shape[1], self.picture.shape[0]


def lit_table(rng: Rng, view: View, style: TileStyle, across: int = 8, down: int = 5) -> LitTable:
    """Return a table with ``across`` x ``down`` tiles at slightly random places and any rotation."""
    picture = background(rng, view.width, view.height, view.tile_px)
    picture *= np.float32(90 / max(1.0, float(picture.mean())))
    np.clip(picture, 0, 190, out=picture)
    half = np.array([view.width, view.height]) / view.tile_px / 2
    xs, ys = np.linspace(-0.88, 0.88, across) * half[0], np.linspace(-0.82, 0.82, down) * half[1]
    placed = [
        PlacedTile(
            float(x + rng.normal(0, 0.15)),
            float(y + rng.normal(0, 0.15)),
            float(rng.uniform(0, 6.28)),
            symbol,
        )
        for y in ys
        for x, symbol in zip(xs, rng.choice(list("ABEGHKMNRSTW"), across), strict=True)
    ]
    drawn = draw_tiles(picture, placed, style, camera(view), rng)
    return LitTable(picture, np.array([tile.corners for tile in drawn]).reshape(-1, 4, 2))


def with_glare(picture: Picture, middle: tuple[float, float], radius: float) -> tuple[Picture, Mask]:
    """Return a picture with a lamp's reflection, and the mask where it is brighter than white tiles.

    ``middle`` and ``radius`` are shares of the picture's sides and of its width.
    """
    height, width = picture.shape
    x, y = np.meshgrid(np.arange(width) - middle[0] * width, np.arange(height) - middle[1] * height)
    bump = GLARE_PEAK_GREY * np.exp(-((np.hypot(x, y) / (radius * width)) ** 4))
    shone = np.asarray(picture + bump, np.float32)
    return shone, (bump > 60) & (shone > 255)


def with_shadow(
    picture: Picture, corners: Points, left: float = 0.35, soft_px: float = 6.0
) -> tuple[Picture, Mask]:
    """Return a picture with a shadow over a polygon, and the mask of the shadow.

    ``corners`` are shares of the picture's sides, (n, 2); ``left`` is the share of the light that remains.
    """
    height, width = picture.shape
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [np.round(corners * (width, height)).astype(np.int32)], 255)
    share = blurred(mask, soft_px) / 255
    return np.asarray(picture * (1 - (1 - left) * share), np.float32), share > 0.5


def flickering(picture: Picture, frames: int, swing: float, bands: float) -> list[Picture]:
    """Return frames of a still table under a flickering lamp, as a rolling shutter takes them.

    ``swing`` is the relative amplitude of the light, ``bands`` the number of periods from the first row to
    the last; the phase advances by ``PHASE_STEP`` from frame to frame.
    """
    rows = np.arange(picture.shape[0]) / picture.shape[0] * 2 * np.pi * bands
    waves = (1 + swing * np.sin(rows + PHASE_STEP * number) for number in range(frames))
    return [np.asarray(picture * wave[:, None], np.float32) for wave in waves]


def captured_with(picture: Picture, rng: Rng, blur_px: float = 0.8, noise: float = 2.0) -> Cover:
    """Return a simple camera's picture, with a given blur and noise, uint8."""
    seen = blurred(picture, blur_px) if blur_px else picture
    grain = rng.standard_normal(picture.shape, np.float32) * np.float32(noise)
    return np.asarray(np.clip(seen + grain, 0, 255), np.uint8)
