"""Tiles on which somebody drew shapes that no network was trained on, drawn without any font."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.fewshot.sheet import Examples

SHAPES: dict[str, list[list[tuple[float, float]]]] = {
    "△": [[(0.5, 0.2), (0.8, 0.78), (0.2, 0.78), (0.5, 0.2)]],
    "↑": [[(0.5, 0.8), (0.5, 0.2)], [(0.3, 0.4), (0.5, 0.2), (0.7, 0.4)]],
    "Γ": [[(0.32, 0.8), (0.32, 0.22), (0.72, 0.22)]],
    "✚": [[(0.5, 0.22), (0.5, 0.78)], [(0.22, 0.5), (0.78, 0.5)]],
}
"""Strokes of each shape, in shares of a tile."""

BARE = ""
PITCH = 1.6
SIDE = 60

Grey = NDArray[np.uint8]


def tile(symbol: str, rng: np.random.Generator, side: int = SIDE) -> Grey:
    """Return a light tile with a shape, its strokes off by a little each time, (side, side)."""
    face = np.full((side, side), 215, np.uint8)
    for stroke in SHAPES.get(symbol, []):
        points = (np.array(stroke) + rng.normal(0, 0.012, (len(stroke), 2))) * side * 16
        cv2.polylines(face, [points.astype(np.int32)], False, 25, side // 11, cv2.LINE_AA, 4)
    return face


def photograph(rows: Sequence[Sequence[str]], seed: int = 1, quarters: int = 0) -> Grey:
    """Return a picture of tiles in rows, upright, or each turned by quarters clockwise."""
    rng = np.random.default_rng(seed)
    step = round(SIDE * PITCH)
    across = max(map(len, rows))
    picture = np.full(((len(rows) + 1) * step, (across + 1) * step), 95, np.uint8)
    for i, row in enumerate(rows):
        for j, symbol in enumerate(row):
            y, x = (round((n + 0.7) * step) + int(rng.integers(-3, 4)) for n in (i, j))
            picture[y + 4 : y + SIDE + 4, x + 4 : x + SIDE + 4] = 60
            picture[y : y + SIDE, x : x + SIDE] = np.rot90(tile(symbol, rng), -quarters)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8) + rng.normal(0, 2, picture.shape)
    return np.clip(soft, 0, 255).astype(np.uint8)


def examples(symbols: Sequence[str] = tuple(SHAPES), each: int = 3, seed: int = 1) -> Examples:
    """Return examples of shapes as they are cut from a photograph."""
    rng = np.random.default_rng(seed)
    looks = []
    for symbol in symbols:
        for _ in range(each):
            look = np.full((48, 48), 95, np.uint8)
            look[8:40, 8:40] = cv2.resize(tile(symbol, rng), (32, 32), interpolation=cv2.INTER_AREA)
            looks.append(look)
    return Examples(np.array(looks), tuple(symbol for symbol in symbols for _ in range(each)))
