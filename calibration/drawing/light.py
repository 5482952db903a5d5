"""Light, lens and sensor of a drawn picture: photometric degradation."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.paint import Cover, Picture, blurred, polygon, smooth_noise
from calibration.drawing.rng import Rng

SLAT_TILES, PENUMBRA_TILES, SHADOW_DEPTHS = (0.7, 8.0), (0.02, 0.5), (0.3, 0.85)
"""Period of slats or size of leaves, and width of a shadow's edge, in tile sides; share of the light that a
shadow takes."""
BODY_MIDDLES, BODY_EDGE_TILES, BODY_DEPTHS = (0.2, 0.8), (3.0, 12.0), (0.25, 0.6)
"""Middle of a body's shadow's edge as a share of the picture, its width in tile sides, and the share of the
light that it takes."""
BLUR_TILES = (0.04, 0.22)
"""Radius of a blur, or half the length of a motion, in tile sides: letters can hardly be read, then not."""


def with_uneven_light(picture: Picture, rng: Rng) -> Picture:
    """Return the picture under uneven light: falling off, window patches, soft shadows, glare."""
    height, width = picture.shape
    slope, fall = rng.normal(0, 0.14, 2), rng.uniform(0, 0.25)
    light = 1 + _falling(height, slope[1], fall)[:, None] + _falling(width, slope[0], fall)[None]
    if rng.random() < 0.3:
        light *= 1 + rng.uniform(-0.5, 0.8) * _patch(rng, width, height)
    if rng.random() < 0.4:
        light *= 1 - rng.uniform(0.1, 0.5) * _blob(rng, width, height)
    picture = picture * np.clip(light, 0.15, 2.0)
    if rng.random() < 0.25:
        picture += float(rng.uniform(20, 170)) * _blob(rng, width, height, float(rng.uniform(0.05, 0.3)))
    return picture


def _falling(length: int, slope: float, fall: float) -> Picture:
    """Return the change of light along one axis, (length,): a linear slope and a quadratic falloff."""
    at = np.linspace(-1, 1, length)
    return (slope * at - fall * at**2).astype(np.float32)


def _patch(rng: Rng, width: int, height: int) -> Picture:
    """Return a patch of window light or hard shadow, 0 to 1."""
    patch = np.zeros((height, width), np.float32)
    at = rng.uniform(0, 1, 2) * (width, height)
    a, b = rng.normal(0, 0.3, (2, 2)) * (width, height)
    polygon(patch, np.array([at, at + a, at + a + b, at + b]), 1.0)
    return blurred(patch, float(rng.uniform(0.5, 12)))


def _blob(rng: Rng, width: int, height: int, spread: float = 0.35) -> Picture:
    """Return a soft bump somewhere, 0 to 1."""
    middle = rng.uniform(0, 1, 2)
    broad = spread * rng.uniform(0.3, 1.0, 2)
    across, down = (
        np.exp(-(((np.linspace(0, 1, length) - middle[k]) / broad[k]) ** 2)).astype(np.float32)
        for k, length in enumerate((width, height))
    )
    return np.asarray(down[:, None] * across[None], np.float32)


def captured(picture: Picture, rng: Rng, severity: float = 1.0) -> Cover:
    """Return a camera's picture: exposure, blur, motion blur, sharpening, noise, JPEG; uint8.

    ``severity`` multiplies the standard deviations of blur and noise.
    """
    height, width = picture.shape
    picture = _exposed(picture, rng)
    blur = float(abs(rng.normal(0, 0.7))) * severity
    if blur > 0.25:
        picture = blurred(picture, blur)
    if rng.random() < 0.12:
        picture = _shaken(picture, rng)
    if rng.random() < 0.35:
        amount, sigma = float(rng.uniform(0.3, 1.5)), float(rng.uniform(0.8, 2))
        picture = picture + amount * (picture - blurred(picture, sigma))
    noise = float(abs(rng.normal(0, 4.0))) * severity
    if noise > 0.5:
        grain = float(rng.choice([1.0, 1.0, 1.8]))
        picture = picture + noise * smooth_noise(rng, width, height, grain, grain)
    eight = np.clip(picture, 0, 255).astype(np.uint8)
    return _compressed(eight, int(rng.integers(35, 96))) if rng.random() < 0.6 else eight


def _exposed(picture: Picture, rng: Rng) -> Picture:
    """Return the picture with a random exposure and gamma, 0 to 255 and above; some are too dark or too
    bright.
    """
    aims = (rng.uniform(70, 150), rng.uniform(150, 250), rng.uniform(240, 285))
    aim = aims[rng.choice(3, p=[0.15, 0.7, 0.15])]
    bright = max(1.0, float(np.percentile(picture[::8, ::8], 97)))
    gamma = float(np.exp(rng.normal(0, 0.15)))
    return np.asarray(255 * np.maximum(picture * (aim / 255 / bright), 0) ** gamma, np.float32)


def _compressed(picture: Cover, quality: int) -> Cover:
    """Return the picture after JPEG compression."""
    _, written = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(written, cv2.IMREAD_GRAYSCALE), np.uint8)


def _shaken(picture: Picture, rng: Rng) -> Picture:
    """Return the picture with motion blur."""
    kernel = np.zeros((5, 5), np.uint8)
    step = rng.normal(0, 1, 2)
    step *= rng.uniform(0.8, 2) / np.hypot(*step)
    (x, y), (to_x, to_y) = np.round((2 - step) * 8).astype(int), np.round((2 + step) * 8).astype(int)
    cv2.line(kernel, (int(x), int(y)), (int(to_x), int(to_y)), 255, 1, cv2.LINE_AA, 3)
    return np.asarray(cv2.filter2D(picture, -1, (kernel / kernel.sum()).astype(np.float32)), np.float32)


def with_hard_shadow(frame: NDArray[np.uint8], rng: Rng, tile_px: float) -> NDArray[np.uint8]:
    """Return a picture, grey or in colour, partly in shadow: behind an edge, of slats, or of leaves."""
    high, wide = frame.shape[:2]
    kind, angle = rng.integers(3), float(rng.uniform(0, 2 * np.pi))
    x, y = (np.arange(side, dtype=np.float32) - rng.uniform(0.1, 0.9) * side for side in (wide, high))
    along = (x[None] * np.cos(angle) + y[:, None] * np.sin(angle)) / tile_px
    if kind == 0:
        shade = (along > 0).astype(np.float32)
    elif kind == 1:
        period, duty = float(np.exp(rng.uniform(*np.log(SLAT_TILES)))), float(rng.uniform(0.3, 0.7))
        shade = ((along / period) % 1 < duty).astype(np.float32)
    else:
        grain = tile_px * float(np.exp(rng.uniform(*np.log(SLAT_TILES))))
        shade = (smooth_noise(rng, wide, high, grain, grain) > rng.normal(0, 0.5)).astype(np.float32)
    soft = blurred(shade, tile_px * float(rng.uniform(*PENUMBRA_TILES)))
    light = 1 - float(rng.uniform(*SHADOW_DEPTHS)) * soft
    return np.asarray(frame * _on_channels(light, frame), np.uint8)


def body_shadow(rng: Rng, size: tuple[int, int], tile_px: float) -> Picture:
    """Return the share of the light, 0 to 1, that a body leaves a picture of (width, height): soft, and deep
    on one side.
    """
    angle = float(rng.uniform(0, 2 * np.pi))
    x, y = (np.arange(side, dtype=np.float32) - rng.uniform(*BODY_MIDDLES) * side for side in size)
    along = (x[None] * np.cos(angle) + y[:, None] * np.sin(angle)) / tile_px
    shade = (1 + np.tanh(2 * along / rng.uniform(*BODY_EDGE_TILES))) / 2
    return np.asarray(1 - rng.uniform(*BODY_DEPTHS) * shade, np.float32)


def out_of_focus(frame: NDArray[np.uint8], rng: Rng, tile_px: float) -> NDArray[np.uint8]:
    """Return a picture, grey or in colour, out of focus or blurred by a motion."""
    radius = tile_px * float(rng.uniform(*BLUR_TILES))
    reach = int(np.ceil(radius))
    x = np.arange(-reach, reach + 1, dtype=np.float32)
    if rng.random() < 0.5:
        kernel = np.clip(radius + 0.5 - np.hypot(x[None], x[:, None]), 0, 1)
    else:
        kernel, end = np.zeros((2 * reach + 1,) * 2, np.float32), rng.normal(0, 1, 2)
        left, up = np.round(end * radius / np.hypot(*end)).astype(int).tolist()
        cv2.line(kernel, (reach - left, reach - up), (reach + left, reach + up), 1.0, 1, cv2.LINE_AA)
    return np.asarray(cv2.filter2D(frame, -1, kernel / kernel.sum()), np.uint8)


def with_reflection(frame: NDArray[np.uint8], rng: Rng, tile_px: float) -> NDArray[np.uint8]:
    """Return a picture, grey or in colour, with the reflection of a lamp: saturated in the middle, then
    fading.
    """
    high, wide = frame.shape[:2]
    x, y = (np.arange(side, dtype=np.float32) - rng.uniform(0.2, 0.8) * side for side in (wide, high))
    radius, strength = tile_px * float(rng.uniform(1, 6)), float(rng.uniform(0.8, 1.8))
    shine = _on_channels(np.clip(strength * (1 - np.hypot(x[None], y[:, None]) / radius), 0, 1), frame)
    return np.asarray(frame + (255 - frame) * shine, np.uint8)


def _on_channels(shares: Picture, frame: NDArray[np.uint8]) -> Picture:
    """Return the share of each pixel, (h, w), in the shape that multiplies a frame, grey or in colour."""
    return shares.reshape(*shares.shape, *[1] * (frame.ndim - 2))
