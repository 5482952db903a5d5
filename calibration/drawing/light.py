"""Light, lens and sensor of a drawn picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import rough
from calibration.drawing.clutter import polygon

Picture = NDArray[np.float32]
Rng = np.random.Generator


def lit(picture: Picture, rng: Rng) -> Picture:
    """Return the picture under uneven light: falling off, window patches, soft shadows, glare."""
    height, width = picture.shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    slope = rng.normal(0, 0.14, 2)
    light = 1 + slope[0] * x + slope[1] * y - rng.uniform(0, 0.25) * (x * x + y * y)
    if rng.random() < 0.3:
        light *= 1 + rng.uniform(-0.5, 0.8) * _patch(rng, width, height)
    if rng.random() < 0.4:
        light *= 1 - rng.uniform(0.1, 0.5) * _blob(rng, width, height)
    picture = picture * np.clip(light, 0.15, 2.0).astype(np.float32)
    if rng.random() < 0.25:
        picture += float(rng.uniform(20, 170)) * _blob(rng, width, height, float(rng.uniform(0.05, 0.3)))
    return np.asarray(picture, np.float32)


def _patch(rng: Rng, width: int, height: int) -> Picture:
    """Return a patch of window light or hard shadow, 0 to 1."""
    patch = np.zeros((height, width), np.float32)
    at = rng.uniform(0, 1, 2) * (width, height)
    a, b = rng.normal(0, 0.3, (2, 2)) * (width, height)
    polygon(patch, np.array([at, at + a, at + a + b, at + b]), 1.0)
    return cv2.GaussianBlur(patch, (0, 0), float(rng.uniform(0.5, 12)))


def _blob(rng: Rng, width: int, height: int, spread: float = 0.35) -> Picture:
    """Return a soft bump somewhere, 0 to 1."""
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j].astype(np.float32)
    cx, cy = rng.uniform(0, 1, 2)
    sx, sy = spread * rng.uniform(0.3, 1.0, 2)
    return np.exp(-(((x - cx) / sx) ** 2) - ((y - cy) / sy) ** 2).astype(np.float32)


def taken(picture: Picture, rng: Rng, harsh: float = 1.0) -> NDArray[np.uint8]:
    """Return what a camera makes of the light: exposure, blur, sharpening, noise, JPEG; uint8."""
    picture = np.maximum(picture, 0)
    bright = float(np.percentile(picture[::8, ::8], 97))
    aim = float(
        rng.choice([rng.uniform(70, 150), rng.uniform(150, 250), rng.uniform(240, 285)], p=[0.15, 0.7, 0.15])
    )
    picture = 255 * (picture / max(bright, 1) * aim / 255) ** float(np.exp(rng.normal(0, 0.15)))
    blur = float(abs(rng.normal(0, 0.7))) * harsh
    if blur > 0.25:
        picture = cv2.GaussianBlur(picture, (0, 0), blur)
    if rng.random() < 0.12:
        picture = _shaken(picture, rng)
    if rng.random() < 0.35:
        picture = picture + float(rng.uniform(0.3, 1.5)) * (
            picture - cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.8, 2)))
        )
    noise = float(abs(rng.normal(0, 4.0))) * harsh
    if noise > 0.5:
        grain = float(rng.choice([1.0, 1.0, 1.8]))
        picture = picture + noise * rough(rng, *picture.shape[::-1], grain, grain)
    eight = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        _, data = cv2.imencode(".jpg", eight, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))])
        eight = np.asarray(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE), np.uint8)
    return eight


def _shaken(picture: Picture, rng: Rng) -> Picture:
    """Return the picture as a shaken camera sees it."""
    kernel = np.zeros((5, 5), np.float32)
    way = rng.normal(0, 1, 2)
    way *= rng.uniform(0.8, 2) / np.hypot(*way)
    a, b = (2 - way) * 8, (2 + way) * 8
    cv2.line(kernel, (round(a[0]), round(a[1])), (round(b[0]), round(b[1])), 1.0, 1, cv2.LINE_AA, 3)
    return cv2.filter2D(picture, -1, kernel / kernel.sum())
