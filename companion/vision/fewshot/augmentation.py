"""Examples as they might have been seen: a little turned, moved, leaning, nearer, blurred; all ways up."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.fewshot.embedding import Cut, Embedder, Views
from companion.vision.fewshot.sheet import FRAME, SIDE, TILE, Grey

LOOKS = 6
"""Times that each example is varied; the first is as it is."""
TURN, BEND, SWELL, SHIFT = 0.06, 0.04, 0.05, 0.035
"""Spreads: turn in radians, slant, size as a share, place in tile sides."""
BLUR_PX, NOISE = (0.3, 1.2), 3.0
"""Blur of half of them, and spread of the noise, in grey levels of 256."""


def embed_augmented(sight: Embedder, looks: Grey, times: int = LOOKS) -> Views:
    """Return what is seen of examples (n, 48, 48), varied, in each quarter turn: (n, times, 4, features).

    Turn k has the symbol's own top left at corner k of the crop, clockwise from the crop's top left.
    """
    rng = np.random.default_rng(len(looks))
    upright = together([augmented(rng, look, times) for look in looks])
    seen = [sight.seen(upright.turned(turn))[-1] for turn in range(4)]
    strokes, usual, places = (
        np.stack(some, 1).reshape(len(looks), times, 4, -1) for some in zip(*seen, strict=True)
    )
    return strokes, usual, places


def together(cuts: list[Cut]) -> Cut:
    """Return all tiles of several lots."""
    return Cut(*(np.concatenate([getattr(cut, name) for cut in cuts]) for name in ("whole", "near", "wide")))


def augmented(rng: np.random.Generator, look: Grey, times: int) -> Cut:
    """Return one example as it is and otherwise, so many tiles."""
    cut = Cut.of(look, np.array([FRAME, *(_moved(rng) for _ in range(times - 1))]))
    for k in range(1, times):
        blur = float(rng.uniform(*BLUR_PX)) if rng.random() < 0.5 else 0.0
        noise = abs(float(rng.normal(0, NOISE)))
        for some in (cut.whole, cut.near, cut.wide):
            soft = cv2.GaussianBlur(some[k], (0, 0), blur) if blur else some[k]
            some[k] = np.clip(soft + rng.normal(0, noise, soft.shape), 0, 255).astype(np.uint8)
    return cut


def _moved(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return an example's corners as another look might have them, (4, 2)."""
    angle = rng.normal(0, TURN)
    c, s = np.cos(angle), np.sin(angle)
    bend = np.array([[c, -s], [s, c]]) @ (np.eye(2) + rng.normal(0, BEND, (2, 2)))
    middle = (SIDE - 1) / 2
    moved = (FRAME - middle) @ bend.T * np.exp(rng.normal(0, SWELL)) + middle
    return np.asarray(moved + rng.normal(0, SHIFT, 2) * TILE)
