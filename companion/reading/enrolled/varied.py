"""Examples as they might have been seen: a little turned, moved, leaning, nearer, blurred; all ways up."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.reading.crops import SIDE as CROP
from companion.reading.crops import crops
from companion.reading.enrolled.features import Sight
from companion.reading.enrolled.sheet import FRAME, SIDE, TILE, Grey
from companion.reading.name import nudged

NEARER = 0.75
"""A tile is looked at as a whole, and again so much of it: strokes are small on tiles made by hand."""

LOOKS = 10
"""Times that each example is varied; the first is as it is."""
TURN, BEND, SWELL, SHIFT = 0.06, 0.04, 0.05, 0.035
"""Spreads: turn in radians, slant, size as a share, place in tile sides."""
BLUR_PX, NOISE = (0.3, 1.2), 3.0
"""Blur of half of them, and spread of the noise, in grey levels of 256."""


def seen_at(sight: Sight, picture: Grey, quads: NDArray[np.float64]) -> tuple[NDArray[np.float32], ...]:
    """Return the trained logits, (n, classes), and the features, (n, 2 x features), of tiles in a picture.

    ``quads`` (n, 4, 2) are their corners in pixels; a tile is 14 to 60 pixels broad.
    """
    logits, whole = sight.seen(crops(picture, quads))
    _, near = sight.seen(crops(picture, nudged(quads, 0.0, 0.0, NEARER)))
    return logits, np.hstack([whole, near])


def features_of(sight: Sight, looks: Grey, times: int = LOOKS) -> NDArray[np.float32]:
    """Return the features of examples (n, 48, 48), varied, in each quarter turn: (n, times, 4, features).

    Turn k has the symbol's own top left at corner k of the crop, clockwise from the crop's top left.
    """
    rng = np.random.default_rng(len(looks))
    views = [varied(rng, look, times) for look in looks]
    parts = []
    for scale in (0, 1):
        upright = np.concatenate([view[scale] for view in views])
        turned = np.stack([np.rot90(upright, -turn, (1, 2)) for turn in range(4)], 1)
        parts.append(sight.seen(turned.reshape(-1, CROP, CROP))[1])
    return np.hstack(parts).reshape(len(looks), times, 4, -1)


def varied(rng: np.random.Generator, look: Grey, times: int) -> tuple[Grey, Grey]:
    """Return crops of one example, as a whole and nearer, each (times, 32, 32); the first are as it is."""
    quads = np.array([FRAME, *(_moved(rng) for _ in range(times - 1))])
    lights = [_light(rng) for _ in range(times - 1)]
    whole, near = crops(look, quads), crops(look, nudged(quads, 0.0, 0.0, NEARER))
    for cut in (whole, near):
        for k, (blur, noise) in enumerate(lights, 1):
            some = cv2.GaussianBlur(cut[k], (0, 0), blur) if blur else cut[k]
            grain = rng.normal(0, noise, some.shape)
            cut[k] = np.clip(some + grain, 0, 255).astype(np.uint8)
    return whole, near


def _moved(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return an example's corners as another look might have them, (4, 2)."""
    angle = rng.normal(0, TURN)
    c, s = np.cos(angle), np.sin(angle)
    bend = np.array([[c, -s], [s, c]]) @ (np.eye(2) + rng.normal(0, BEND, (2, 2)))
    middle = (SIDE - 1) / 2
    moved = (FRAME - middle) @ bend.T * np.exp(rng.normal(0, SWELL)) + middle
    return np.asarray(moved + rng.normal(0, SHIFT, 2) * TILE)


def _light(rng: np.random.Generator) -> tuple[float, float]:
    """Return the blur in pixels, 0 for none, and the noise of one look."""
    blur = float(rng.uniform(*BLUR_PX)) if rng.random() < 0.5 else 0.0
    return blur, abs(float(rng.normal(0, NOISE)))
