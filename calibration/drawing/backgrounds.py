"""Procedural textures of table tops: wood, cloth, prints, carpets, boards; float32, around 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from calibration.drawing.paint import Picture, as_shares, resized, smooth_noise
from calibration.drawing.rng import Rng

WEAVE_BLOCK_PX = 8
"""Side of a block of a woven pattern before it is resized, in pixels."""
MAX_PAINTED_TILE_PX = 36.0
"""Largest tile side at which a table top is painted, in pixels; for larger tiles it is enlarged."""

TableTop = Callable[[Rng, int, int, float], Picture]
"""Draws a table top from a generator, width, height and tile side in pixels; returns
shape (height, width).
"""


def random_rotation(picture: Picture, rng: Rng) -> Picture:
    """Return the middle half of a square picture, rotated at random."""
    side = picture.shape[0]
    matrix = cv2.getRotationMatrix2D((side / 2, side / 2), float(rng.uniform(0, 360)), 1.0)
    matrix[:, 2] -= side / 4
    return np.asarray(cv2.warpAffine(picture, matrix, (side // 2, side // 2)), np.float32)


def _square(rng: Rng, width: int, height: int, paint: Callable[[int], Picture]) -> Picture:
    """Return a rotated crop of a larger square picture."""
    side = 2 * max(width, height)
    return random_rotation(paint(side), rng)[:height, :width]


def plain(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return plain cloth or paint: fine grain."""
    fine = smooth_noise(rng, width, height, 1.5, 1.5) * rng.uniform(0, 8)
    return fine + smooth_noise(rng, width, height, 6 * tile_px, 6 * tile_px) * rng.uniform(0, 12)


def wood(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return wood grain."""

    def paint(side: int) -> Picture:
        long = tile_px * rng.uniform(4, 20)
        grain = smooth_noise(rng, side, side, long, tile_px * rng.uniform(0.06, 0.3)) * rng.uniform(5, 30)
        bands = smooth_noise(rng, side, side, 3 * long, tile_px * rng.uniform(0.5, 2)) * rng.uniform(5, 25)
        return grain + bands

    return _square(rng, width, height, paint)


def floorboards(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return boards or parquet: grain in planks with dark joints."""

    def paint(side: int) -> Picture:
        picture = smooth_noise(rng, side, side, tile_px * 6, tile_px * 0.15) * rng.uniform(4, 20)
        broad = int(tile_px * rng.uniform(1.5, 6)) + 2
        joint = max(1, int(tile_px * rng.uniform(0.03, 0.12)))
        dark = float(rng.uniform(20, 90))
        for y in range(0, side, broad):
            picture[y : y + broad] += float(rng.normal(0, 14))
            picture[y : y + joint] -= dark
            for x in np.arange(rng.integers(broad), side, broad * rng.uniform(2, 7)).astype(int):
                picture[y : y + broad, x : x + joint] -= dark
        return picture

    return _square(rng, width, height, paint)


def checks(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return stripes, plaid, squares or a grid of lines."""

    def paint(side: int) -> Picture:
        period = tile_px * rng.uniform(0.5, 5)
        duty = rng.uniform(0.04, 0.6)
        x = np.arange(side, dtype=np.float32)
        across = ((x / period) % 1 < duty).astype(np.float32)
        other = ((x / (period * float(rng.choice([1, 1, 2, 0.5])))) % 1 < duty).astype(np.float32)
        kinds: tuple[Picture, ...] = (
            np.repeat(across[None], side, 0),
            across[None] + other[:, None],
            np.abs(across[None] - other[:, None]),
            np.maximum(across[None], other[:, None]),
        )
        picture = kinds[rng.integers(len(kinds))] * float(rng.uniform(-90, 90))
        return picture + smooth_noise(rng, side, side, 2, 2) * rng.uniform(0, 8)

    return _square(rng, width, height, paint)


def motif(rng: Rng, size: int) -> Picture:
    """Return a small print: a few strokes, rings and blobs, shape (size, size), 0 to 1."""
    picture = np.zeros((size, size), np.uint8)
    for _ in range(rng.integers(1, 6)):
        at, end = rng.integers(0, size, (2, 2)).tolist()
        axes = rng.integers(1, max(2, size // 2), 2).tolist()
        thick = int(rng.choice([-1, max(1, size // 12), max(1, size // 6)]))
        shade = int(rng.integers(90, 256))
        kind = rng.integers(4)
        if kind == 0:
            turn, arc = float(rng.uniform(0, 360)), float(rng.uniform(90, 360))
            cv2.ellipse(picture, at, axes, turn, 0, arc, shade, thick, cv2.LINE_AA)
        elif kind == 1:
            corners = rng.integers(0, size, (int(rng.integers(3, 7)), 2)).astype(np.int32)
            closed = bool(rng.random() < 0.5)
            cv2.polylines(picture, [corners], closed, shade, max(1, abs(thick)), cv2.LINE_AA)
        elif kind == 2:
            cv2.circle(picture, at, max(1, size // 8), shade, thick, cv2.LINE_AA)
        else:
            cv2.line(picture, at, end, shade, max(1, abs(thick)), cv2.LINE_AA)
    return as_shares(picture)


def printed(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return a print repeated in rows, as on oilcloth and wallpaper."""

    def paint(side: int) -> Picture:
        size = max(6, int(tile_px * rng.uniform(0.5, 4)))
        one = motif(rng, size)
        pair = np.hstack([one, np.roll(one, size // 2, 0) if rng.random() < 0.5 else one[:, ::-1]])
        n = side // size + 2
        return np.tile(pair, (n, n // 2 + 1))[:side, :side] * float(rng.uniform(-130, 130))

    return _square(rng, width, height, paint) + smooth_noise(rng, width, height, 2, 2) * rng.uniform(0, 6)


def carpet(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return curls, leaves and flowers of many sizes and shades."""
    picture = np.zeros((height, width), np.float32)
    for _ in range(int(rng.integers(40, 500))):
        size = int(tile_px * rng.uniform(0.4, 2.5)) + 6
        x, y = int(rng.integers(-size // 2, width)), int(rng.integers(-size // 2, height))
        left, top = max(0, x), max(0, y)
        right, bottom = min(width, x + size), min(height, y + size)
        one = motif(rng, size)[top - y : bottom - y, left - x : right - x]
        picture[top:bottom, left:right] += one * float(rng.uniform(-90, 90))
    return np.clip(picture, -120, 120) + smooth_noise(rng, width, height, 1.5, 1.5) * rng.uniform(0, 14)


def marble(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return veins: the zero lines of smooth noise."""
    broad = smooth_noise(rng, width, height, 6 * tile_px, 6 * tile_px)
    field = broad + 0.3 * smooth_noise(rng, width, height, tile_px, tile_px)
    veins = np.exp(-((field / rng.uniform(0.03, 0.12)) ** 2)) * float(rng.uniform(-80, 30))
    return veins + smooth_noise(rng, width, height, 2, 2) * rng.uniform(0, 5)


def woven(rng: Rng, width: int, height: int, tile_px: float) -> Picture:
    """Return a repeating two-tone pattern of blocks, like houndstooth and mosaics."""
    figure = interlocked(rng)
    size = len(figure)
    smooth = cv2.INTER_CUBIC if rng.random() < 0.6 else cv2.INTER_NEAREST
    one = cv2.resize(
        np.tile(figure, (3, 3)), None, fx=WEAVE_BLOCK_PX, fy=WEAVE_BLOCK_PX, interpolation=smooth
    )
    one = np.clip(
        (
            one[
                size * WEAVE_BLOCK_PX : 2 * size * WEAVE_BLOCK_PX,
                size * WEAVE_BLOCK_PX : 2 * size * WEAVE_BLOCK_PX,
            ]
            - 0.5
        )
        * 4
        + 0.5,
        0,
        1,
    )
    broad = max(6, int(tile_px * rng.uniform(0.5, 2.2)))
    one = cv2.resize(one, (broad, broad), interpolation=cv2.INTER_AREA)
    depth = float(rng.uniform(-120, 120))

    def paint(side: int) -> Picture:
        many = side // broad + 1
        return np.asarray(np.tile(one, (many, many))[:side, :side] * depth, np.float32)

    return _square(rng, width, height, paint) + smooth_noise(rng, width, height, 1.5, 1.5) * rng.uniform(0, 8)


def interlocked(rng: Rng) -> Picture:
    """Return a small random pattern of blocks, 0 or 1, that can be tiled."""
    blocks = (rng.random((n := int(rng.integers(3, 9)), n)) < rng.uniform(0.3, 0.6)).astype(np.float32)
    kind = rng.integers(4)
    if kind == 1:
        return np.maximum(blocks, blocks.T)
    if kind == 2:
        return np.block([[blocks, np.rot90(blocks)], [np.rot90(blocks, 3), np.rot90(blocks, 2)]])
    return np.block([[blocks, 1 - blocks], [1 - blocks, blocks]]) if kind == 3 else blocks


TABLE_TOPS: dict[TableTop, float] = {
    plain: 0.14,
    wood: 0.19,
    checks: 0.11,
    printed: 0.16,
    carpet: 0.14,
    marble: 0.07,
    floorboards: 0.07,
    woven: 0.12,
}
"""Every table top and its probability."""
PATTERNED: dict[TableTop, float] = {top: TABLE_TOPS[top] for top in (checks, printed, carpet, woven)}
"""Table tops with a pattern, which may look like symbols on tiles."""


def background(
    rng: Rng, width: int, height: int, tile_px: float, tops: Mapping[TableTop, float] = TABLE_TOPS
) -> Picture:
    """Return a random one of ``tops``, shape (height, width), float32, about 0 to 255."""
    often = np.array(tuple(tops.values()))
    paint = tuple(tops)[rng.choice(len(tops), p=often / often.sum())]
    level = rng.choice([rng.uniform(15, 90), rng.uniform(80, 180), rng.uniform(170, 245)])
    coarse = max(1.0, tile_px / MAX_PAINTED_TILE_PX)
    picture = paint(rng, round(width / coarse), round(height / coarse), tile_px / coarse)
    if coarse > 1:
        picture = resized(picture, width, height)
    return picture * rng.uniform(0.3, 1.0) + np.float32(level)
