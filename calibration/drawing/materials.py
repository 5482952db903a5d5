"""Colour of a scene that was drawn in grey: each material is tinted by colours of its own."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.colour import Shade, random_colour
from calibration.drawing.paint import Picture, Points, blurred, hull, smooth_noise
from calibration.drawing.rng import Rng

Labels = NDArray[np.uint8]
"""The material that each pixel shows, (h, w): tiles, a hand, the table, or one of the other objects."""
TILE, HAND, TABLE, FIRST_OBJECT, MATERIALS = 0, 1, 2, 3, 16
"""The labels, and their number; those from ``FIRST_OBJECT`` on are objects, which share labels by chance."""

LUMINANCE_WEIGHTS = np.array([0.114, 0.587, 0.299], np.float32)
"""Shares of blue, green and red in a grey level (ITU-R BT.601)."""
MAX_FACTOR = 2.5
"""Largest factor of a channel: a sensor saturates above it."""
MIN_OBJECT_CHANGE = 2.0
"""Least difference in grey that shows an object, 0 to 255."""
COLOURED_INK_SHARE, TWO_COLOUR_TABLE_SHARE, TILE_COLOURED_TABLE_SHARE = 0.25, 0.65, 0.12
"""Shares of the scenes whose ink has a colour of its own, whose table has two colours, one of the tiles'."""
OTHER_TILE_SHARE = 0.1
"""Share of the scenes with tiles of any colour: plastic, paint."""
PATCHY_TABLE_SHARE, MIXED_LIGHT_SHARE = 0.3, 0.4
"""Shares of the scenes whose table's colours do not follow its brightness, and with lamps of two colours."""


def object_labels(before: Picture, after: Picture) -> Labels:
    """Return the labels of a table with the objects drawn between two states of a picture."""
    changed = (np.abs(after - before) > MIN_OBJECT_CHANGE).astype(np.uint8)
    closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    _, parts = cv2.connectedComponents(closed)
    objects = FIRST_OBJECT + parts % (MATERIALS - FIRST_OBJECT)
    return np.where(closed > 0, objects, TABLE).astype(np.uint8)


def mark_tiles(labels: Labels, outlines: Iterable[Points]) -> None:
    """Label the pixels within the convex hulls of points, (n, 2) each, as tiles."""
    for outline in outlines:
        cv2.fillConvexPoly(labels, np.round(hull(outline)).astype(np.int32), TILE)


def coloured(grey: NDArray[np.uint8], labels: Labels, rng: Rng) -> NDArray[np.uint8]:
    """Return a grey picture in random colours, uint8 (h, w, 3) BGR, with about the same grey levels."""
    height, width = grey.shape
    share = grey / np.float32(max(1.0, np.percentile(grey[::8, ::8], 98)))
    if rng.random() < PATCHY_TABLE_SHARE:
        cell = float(rng.uniform(4, 60))
        share = np.where(labels == TABLE, share + smooth_noise(rng, width, height, cell, cell), share)
    dark, light = (colours[labels] for colours in _palette(rng))
    factors = dark + (light - dark) * np.clip(share, 0, 1)[..., None]
    factors *= np.exp(rng.normal(0, 0.12, 3)).astype(np.float32)  # white balance
    if rng.random() < MIXED_LIGHT_SHARE:
        warmth = float(rng.normal(0, 0.1)) * smooth_noise(rng, width, height, width / 2, height / 2)
        factors *= np.exp(warmth[..., None] * np.array([-1, 0, 1], np.float32))
    factors = np.minimum(factors / (factors @ LUMINANCE_WEIGHTS)[..., None], MAX_FACTOR)
    blur, noise = float(rng.uniform(0.5, 2.5)), float(abs(rng.normal(0, 6)))
    planes = []
    for plane in np.moveaxis(factors, -1, 0):
        grain = smooth_noise(rng, width, height, 2, 2)
        planes.append(grey * blurred(np.ascontiguousarray(plane), blur) + noise * grain)
    return np.asarray(np.clip(np.stack(planes, -1), 0, 255), np.uint8)


def random_tile_colour(rng: Rng) -> Shade:
    """Return a random colour of tiles: wood, ivory, or seldom any other."""
    kind = rng.random()
    if kind < OTHER_TILE_SHARE:
        return random_colour(rng, (0, 0.8))
    return random_colour(rng, (0.1, 0.55) if kind < 0.5 else (0, 0.25), warm=True)


def _palette(rng: Rng) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the colours of the dark and of the light parts of each material, as factors, (materials, 3)."""
    tile = random_tile_colour(rng)
    ink = random_colour(rng, (0, 0.9)) if rng.random() < COLOURED_INK_SHARE else tile
    skin = random_colour(rng, (0.15, 0.6), warm=True)
    strength, wooden = (0.0, 0.9 if rng.random() < 0.5 else 0.3), rng.random() < 0.45
    shade = random_colour(rng, strength, wooden)
    table = random_colour(rng, strength, wooden) if rng.random() < TWO_COLOUR_TABLE_SHARE else shade
    table = tile if rng.random() < TILE_COLOURED_TABLE_SHARE else table
    objects = [[random_colour(rng, (0, 0.8)) for _ in range(2)] for _ in range(FIRST_OBJECT, MATERIALS)]
    dark, light = zip((ink, tile), (skin, skin), (shade, table), *objects, strict=True)
    return np.array(dark, np.float32), np.array(light, np.float32)
