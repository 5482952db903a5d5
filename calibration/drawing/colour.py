"""Drawing in colour: three grey planes, blue, green and red.

A function that draws in grey draws each plane with the same seed, in the brightness of that plane.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.light import with_uneven_light
from calibration.drawing.paint import Picture, blurred, smooth_noise
from calibration.drawing.rng import Rng

Planes = tuple[Picture, Picture, Picture]
"""Blue, green and red."""
Shade = NDArray[np.float64]
"""A colour: blue, green and red, (3,), as factors (0 to 1 or more) or brightness (0 to 255)."""


def random_colour(rng: Rng, strength: tuple[float, float], warm: bool = False) -> Shade:
    """Return a random colour of full value as factors; ``strength`` bounds its saturation.

    With ``warm`` its hue is that of wood.
    """
    at = float(rng.uniform(0.03, 0.12) if warm else rng.random())
    red, green, blue = colorsys.hsv_to_rgb(at, float(rng.uniform(*strength)), 1.0)
    return np.array([blue, green, red])


def tinted(grey: Picture, dark: Shade, light: Shade) -> Planes:
    """Return a grey picture in colour: dark parts are multiplied by one colour, light parts by another."""
    share = np.clip(grey / 255, 0, 1)
    blue, green, red = (grey * (d + (b - d) * share) for d, b in zip(dark, light, strict=True))
    return blue.astype(np.float32), green.astype(np.float32), red.astype(np.float32)


def draw_in_each_plane(planes: Planes, rng: Rng, draw: Callable[[Picture, Rng, int], None]) -> None:
    """Draw into each plane with the same random numbers; ``draw`` takes the plane, its generator and its
    index.
    """
    seed = int(rng.integers(2**31))
    for k, plane in enumerate(planes):
        draw(plane, np.random.default_rng(seed), k)


def captured_in_colour(planes: Planes, rng: Rng, faces: float) -> NDArray[np.uint8]:
    """Return a colour camera's picture, uint8 (h, w, 3) BGR: light, white balance, exposure, blur, noise.

    The exposure does not clip tiles with ``faces`` of that brightness, 0 to 255.
    """
    seed, cast = int(rng.integers(2**31)), np.exp(rng.normal(0, 0.08, 3))
    lights = [with_uneven_light(plane, np.random.default_rng(seed)) for plane in planes]
    picture = np.stack(lights, -1) * cast.astype(np.float32)
    bright = max(1.1 * faces, float(np.percentile(picture[::8, ::8].max(-1), 97)))
    picture *= float(rng.uniform(130, 250)) / bright
    gamma = float(np.exp(rng.normal(0, 0.12)))
    picture = 255 * np.maximum(picture / 255, 0) ** np.float32(gamma)
    blur, noise = float(abs(rng.normal(0, 0.7))), float(abs(rng.normal(0, 3.5)))
    height, width = picture.shape[:2]
    parts = []
    for k in range(3):
        part = blurred(np.ascontiguousarray(picture[..., k]), blur) if blur > 0.25 else picture[..., k]
        parts.append(part + noise * smooth_noise(rng, width, height, 1.0, 1.0))
    taken = np.clip(np.stack(parts, -1), 0, 255).astype(np.uint8)
    _, written = cv2.imencode(".jpg", taken, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(50, 96))])
    return np.asarray(cv2.imdecode(written, cv2.IMREAD_COLOR), np.uint8)
