"""What lies about that is no tile: cards, notes, markers, boards, mugs, pens, coins, hands."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.fonts import glyph, training_fonts

Picture = NDArray[np.float32]
Rng = np.random.Generator
SHIFT = 3


def polygon(picture: NDArray[np.float32], points: NDArray[np.float64], shade: float) -> None:
    """Fill a convex polygon, points in pixels, with smooth edges (drawn in 8 bits, blended in)."""
    low = np.floor(points.min(0)).astype(int) - 1
    high = np.ceil(points.max(0)).astype(int) + 2
    low, high = np.maximum(low, 0), np.minimum(high, picture.shape[::-1])
    if (high <= low).any():
        return
    cover = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    cv2.fillConvexPoly(cover, np.round((points - low) * 2**SHIFT).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
    area = picture[low[1] : high[1], low[0] : high[0]]
    area += (shade - area) * (cover.astype(np.float32) / 255)


def pasted(
    picture: Picture, sheet: Picture, at: tuple[float, float], size: tuple[float, float], turn: float
) -> None:
    """Paste a sheet (float32, 0 to 255) centred ``at``, ``size`` in pixels, turned by ``turn`` radians."""
    h, w = sheet.shape
    c, s = np.cos(turn), np.sin(turn)
    sx, sy = size[0] / w, size[1] / h
    matrix = np.array(
        [
            [c * sx, -s * sy, at[0] - c * size[0] / 2 + s * size[1] / 2],
            [s * sx, c * sy, at[1] - s * size[0] / 2 - c * size[1] / 2],
        ]
    )
    shape = picture.shape[::-1]
    cover = cv2.warpAffine(np.ones_like(sheet), matrix, shape, flags=cv2.INTER_LINEAR)
    drawn = cv2.warpAffine(sheet, matrix, shape, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    picture += (drawn - picture) * cover


def text_on(rng: Rng, sheet: Picture, text: str, at: tuple[int, int], height: int, ink: float) -> None:
    """Write a short text on a sheet, its middle left ``at``, letters ``height`` pixels high."""
    plain, _ = training_fonts()
    font = plain[rng.integers(len(plain))]
    x = at[0]
    for letter in text:
        mask = glyph(font, letter)
        if mask is None:
            continue
        small = (
            cv2.resize(mask, (2 * height, 2 * height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        )
        top, left = max(0, at[1] - height), max(0, x - height)
        area = sheet[top : top + 2 * height, left : left + 2 * height]
        area += (ink - area) * small[: area.shape[0], : area.shape[1]]
        x += int(1.1 * height)


def note(rng: Rng, tile_px: float) -> tuple[Picture, tuple[float, float]]:
    """Return a sheet of paper with lines of text, and its size in pixels."""
    sheet = np.full((192, 144), rng.uniform(190, 250), np.float32)
    height = int(rng.integers(4, 13))
    for y in range(height + 6, 186 - height, int(height * rng.uniform(2, 3))):
        length = int(rng.integers(2, 110 // height + 2))
        text = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUVW0123456789 "), length))
        text_on(rng, sheet, text, (height + 6, y), height, float(rng.uniform(20, 110)))
    return sheet, (tile_px * 4.2 * rng.uniform(0.8, 2), tile_px * 5.6 * rng.uniform(0.8, 2))


def card(rng: Rng, tile_px: float) -> tuple[Picture, tuple[float, float]]:
    """Return a playing card."""
    sheet = np.full((176, 128), rng.uniform(215, 250), np.float32)
    rank = str(rng.choice(list("AKQJ23456789")))
    ink = float(rng.uniform(10, 110))
    text_on(rng, sheet, rank, (18, 22), 16, ink)
    sheet = np.ascontiguousarray(sheet[::-1, ::-1])
    text_on(rng, sheet, rank, (18, 22), 16, ink)
    for _ in range(rng.integers(1, 9)):
        cv2.circle(
            sheet, (int(rng.integers(36, 92)), int(rng.integers(34, 142))), int(rng.integers(5, 14)), ink, -1
        )
    return sheet, (tile_px * 3.2, tile_px * 4.5)


def marker(rng: Rng, tile_px: float) -> tuple[Picture, tuple[float, float]]:
    """Return a printed corner marker with its white margin."""
    inner = (rng.random((4, 4)) < 0.5).astype(np.float32) * 230 + 15
    code = np.pad(np.pad(inner, 1, constant_values=15.0), 1, constant_values=240.0)
    side = tile_px * rng.uniform(1.2, 4)
    return np.kron(code, np.ones((16, 16), np.float32)).astype(np.float32), (side, side)


def bag(rng: Rng, tile_px: float) -> tuple[Picture, tuple[float, float]]:
    """Return a cloth bag or a box with big letters printed on it."""
    sheet = np.full((96, 256), rng.uniform(60, 220), np.float32)
    ink = float(rng.choice([rng.uniform(5, 50), rng.uniform(200, 250)]))
    text = "".join(rng.choice(list("ABEGNMRSTOIC"), int(rng.integers(3, 9))))
    text_on(rng, sheet, text, (34, 48), int(rng.integers(16, 34)), ink)
    return sheet, (tile_px * rng.uniform(5, 10), tile_px * rng.uniform(2, 5))


def board(rng: Rng, tile_px: float) -> tuple[Picture, tuple[float, float]]:
    """Return a printed board: squares, some shaded and lettered, and lines between them."""
    n, cell = int(rng.choice([5, 9, 15])), 32
    base, line = rng.uniform(40, 230), rng.uniform(10, 245)
    sheet = np.full((n * cell, n * cell), base, np.float32)
    inks = rng.uniform(40, 235, 4)
    inset = int(rng.integers(0, 5))
    for row in range(n):
        for col in range(n):
            if rng.random() < 0.25:
                square = sheet[
                    row * cell + inset : (row + 1) * cell - inset,
                    col * cell + inset : (col + 1) * cell - inset,
                ]
                square[:] = inks[rng.integers(4)]
                if rng.random() < 0.5:
                    text_on(
                        rng, square, "DLTWS"[rng.integers(5)] * 3, (8, 12), 4, float(rng.uniform(20, 235))
                    )
    thick = int(rng.integers(0, 4))
    if thick:
        for k in range(n + 1):
            sheet[max(0, k * cell - thick) : k * cell + thick] = line
            sheet[:, max(0, k * cell - thick) : k * cell + thick] = line
    side = n * tile_px * rng.uniform(1.03, 1.25)
    return np.pad(sheet, int(rng.integers(0, 30)), constant_values=float(rng.uniform(30, 230))), (side, side)


SHEETS: tuple[Callable[[Rng, float], tuple[Picture, tuple[float, float]]], ...] = (note, card, marker, bag)


def things(rng: Rng, picture: Picture, tile_px: float) -> None:
    """Lay flat and round things about on the picture, under the tiles."""
    height, width = picture.shape
    if rng.random() < 0.16:
        sheet, size = board(rng, tile_px)
        pasted(
            picture,
            sheet,
            (float(rng.uniform(0, width)), float(rng.uniform(0, height))),
            size,
            float(rng.uniform(0, 6.3)),
        )
    for _ in range(rng.poisson(0.8)):
        sheet, size = SHEETS[rng.integers(len(SHEETS))](rng, tile_px)
        pasted(
            picture,
            sheet,
            (float(rng.uniform(0, width)), float(rng.uniform(0, height))),
            size,
            float(rng.uniform(0, 6.3)),
        )
    for _ in range(rng.poisson(0.7)):
        round_thing(rng, picture, tile_px)
    for _ in range(rng.poisson(0.5)):
        long_thing(rng, picture, tile_px)


def round_thing(rng: Rng, picture: Picture, tile_px: float) -> None:
    """Draw a coin, a mug from above or a counter."""
    height, width = picture.shape
    centre = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
    radius = tile_px * (rng.uniform(0.3, 0.7) if rng.random() < 0.5 else rng.uniform(1.5, 3))
    for scale in (1.0, 0.85, 0.5)[: rng.integers(1, 4)]:
        cv2.circle(picture, centre, max(1, int(radius * scale)), float(rng.uniform(10, 240)), -1, cv2.LINE_AA)


def long_thing(rng: Rng, picture: Picture, tile_px: float) -> None:
    """Draw a pen, a phone or a cable."""
    height, width = picture.shape
    at = rng.uniform(0, 1, 2) * (width, height)
    way = rng.normal(0, 1, 2)
    way *= tile_px * rng.uniform(3, 9) / np.hypot(*way)
    side = np.array([-way[1], way[0]]) / np.hypot(*way) * tile_px * rng.choice([0.15, 0.3, 2.0])
    polygon(
        picture,
        np.array([at - side, at + way - side, at + way + side, at + side]),
        float(rng.uniform(10, 230)),
    )


def hand(rng: Rng, picture: Picture, cover: NDArray[np.uint8], tile_px: float) -> None:
    """Draw a hand and arm reaching in; ``cover`` (uint8, the picture's shape) is set to 255 where it hides the table."""
    height, width = picture.shape
    middle = np.array([rng.uniform(0.1, 0.9) * width, rng.uniform(0.1, 0.9) * height])
    angle = rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(angle), np.sin(angle)])
    shape = np.zeros(picture.shape, np.uint8)

    def limb(start: NDArray[np.float64], end: NDArray[np.float64], broad: float) -> None:
        cv2.line(
            shape,
            tuple(int(v) for v in start),
            tuple(int(v) for v in end),
            255,
            max(1, int(broad)),
            cv2.LINE_AA,
        )

    limb(middle, middle + way * (height + width), tile_px * rng.uniform(2.2, 3.2))
    limb(middle - way * tile_px, middle + way * 2 * tile_px, tile_px * rng.uniform(3, 4))
    for finger in np.linspace(-0.6, 0.6, 4) + rng.normal(0, 0.1, 4):
        reach = np.array([np.cos(angle + np.pi + finger), np.sin(angle + np.pi + finger)])
        limb(middle, middle + reach * tile_px * rng.uniform(2.5, 5), tile_px * rng.uniform(0.7, 1.0))
    shade = float(rng.uniform(50, 215))
    soft = cv2.GaussianBlur(shape, (0, 0), tile_px * 0.4).astype(np.float32) / 255
    alpha = shape.astype(np.float32) / 255
    picture += (shade * (0.55 + 0.5 * soft) - picture) * alpha
    np.maximum(cover, shape, out=cover)
