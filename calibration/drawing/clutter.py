"""Objects other than tiles: cards, notes, markers, boards, mugs, pens, coins, hands."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from calibration.drawing.boards import random_board
from calibration.drawing.fonts import glyph, training_fonts
from calibration.drawing.paint import Cover, Picture, Points, as_shares, blurred, disc, paste, polygon
from calibration.drawing.rng import Rng, choose

Sheet = tuple[Picture, tuple[float, float]]
"""The picture of a flat object, 0 to 255, and its width and height in picture pixels."""


def draw_text(rng: Rng, sheet: Picture, text: str, at: tuple[int, int], height: int, ink: float) -> None:
    """Write a short text on a sheet; ``at`` is the middle of its left edge, letters are ``height`` pixels
    high.
    """
    font = choose(rng, training_fonts().plain)
    x = at[0]
    for letter in text:
        mask = glyph(font, letter)
        if mask is None:
            continue
        small = cv2.resize(as_shares(mask), (2 * height, 2 * height), interpolation=cv2.INTER_AREA)
        top, left = max(0, at[1] - height), max(0, x - height)
        area = sheet[top : top + 2 * height, left : left + 2 * height]
        area += (ink - area) * small[: area.shape[0], : area.shape[1]]
        x += int(1.1 * height)


def note(rng: Rng, tile_px: float) -> Sheet:
    """Return a sheet of paper with lines of text."""
    sheet = np.full((192, 144), rng.uniform(190, 250), np.float32)
    height = int(rng.integers(4, 13))
    for y in range(height + 6, 186 - height, int(height * rng.uniform(2, 3))):
        length = int(rng.integers(2, 110 // height + 2))
        text = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUVW0123456789 "), length))
        draw_text(rng, sheet, text, (height + 6, y), height, float(rng.uniform(20, 110)))
    return sheet, (tile_px * 4.2 * rng.uniform(0.8, 2), tile_px * 5.6 * rng.uniform(0.8, 2))


def card(rng: Rng, tile_px: float) -> Sheet:
    """Return a playing card."""
    sheet = np.full((176, 128), rng.uniform(215, 250), np.float32)
    rank = choose(rng, "AKQJ23456789")
    ink = float(rng.uniform(10, 110))
    draw_text(rng, sheet, rank, (18, 22), 16, ink)
    sheet = np.ascontiguousarray(sheet[::-1, ::-1])
    draw_text(rng, sheet, rank, (18, 22), 16, ink)
    for _ in range(rng.integers(1, 9)):
        at = int(rng.integers(36, 92)), int(rng.integers(34, 142))
        cv2.circle(sheet, at, int(rng.integers(5, 14)), ink, -1)
    return sheet, (tile_px * 3.2, tile_px * 4.5)


def marker(rng: Rng, tile_px: float) -> Sheet:
    """Return a printed corner marker with its white margin."""
    inner = (rng.random((4, 4)) < 0.5).astype(np.float32) * 230 + 15
    code = np.pad(np.pad(inner, 1, constant_values=15.0), 1, constant_values=240.0)
    side = tile_px * rng.uniform(1.2, 7)
    return np.kron(code, np.ones((16, 16), np.float32)), (side, side)


def bag(rng: Rng, tile_px: float) -> Sheet:
    """Return a cloth bag or a box with big letters printed on it."""
    sheet = np.full((96, 256), rng.uniform(60, 220), np.float32)
    ink = float(rng.choice([rng.uniform(5, 50), rng.uniform(200, 250)]))
    text = "".join(rng.choice(list("ABEGNMRSTOIC"), int(rng.integers(3, 9))))
    draw_text(rng, sheet, text, (34, 48), int(rng.integers(16, 34)), ink)
    return sheet, (tile_px * rng.uniform(5, 10), tile_px * rng.uniform(2, 5))


SHEETS: tuple[Callable[[Rng, float], Sheet], ...] = (note, card, marker, bag)


def draw_clutter(rng: Rng, picture: Picture, tile_px: float) -> None:
    """Draw random flat, round and long objects into the picture, below the tiles."""
    if rng.random() < 0.3:
        sheet = random_board(rng)
        side = sheet.cells * tile_px * rng.uniform(1.0, 1.2)
        paste_anywhere(rng, picture, (sheet.picture, (side, side)))
    for _ in range(rng.poisson(0.8)):
        paste_anywhere(rng, picture, choose(rng, SHEETS)(rng, tile_px))
    for _ in range(rng.poisson(0.7)):
        draw_round_object(rng, picture, tile_px)
    for _ in range(rng.poisson(0.5)):
        draw_long_object(rng, picture, tile_px)


def paste_anywhere(rng: Rng, picture: Picture, sheet: Sheet) -> None:
    """Paste a flat object at a random place and rotation."""
    height, width = picture.shape
    at = float(rng.uniform(0, width)), float(rng.uniform(0, height))
    paste(picture, sheet[0], at, sheet[1], float(rng.uniform(0, 2 * np.pi)))


def draw_round_object(rng: Rng, picture: Picture, tile_px: float) -> None:
    """Draw a coin, a mug from above or a counter."""
    height, width = picture.shape
    centre = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    radius = tile_px * (rng.uniform(0.3, 0.7) if rng.random() < 0.5 else rng.uniform(1.5, 3))
    for scale in (1.0, 0.85, 0.5)[: rng.integers(1, 4)]:
        disc(picture, centre, radius * scale, float(rng.uniform(10, 240)))


def draw_long_object(rng: Rng, picture: Picture, tile_px: float) -> None:
    """Draw a pen, a phone or a cable."""
    at = rng.uniform(0, 1, 2) * picture.shape[::-1]
    vector = rng.normal(0, 1, 2)
    vector *= tile_px * rng.uniform(3, 9) / np.hypot(*vector)
    side = np.array([-vector[1], vector[0]]) / np.hypot(*vector) * tile_px * rng.choice([0.15, 0.3, 2.0])
    outline = np.array([at - side, at + vector - side, at + vector + side, at + side])
    polygon(picture, outline, float(rng.uniform(10, 230)))


def draw_hand(rng: Rng, picture: Picture, cover: Cover, tile_px: float) -> None:
    """Draw a hand and arm reaching in; ``cover`` is set to 255 where they hide the table."""
    height, width = picture.shape
    wrist = np.array([rng.uniform(0.1, 0.9) * width, rng.uniform(0.1, 0.9) * height])
    shape = hand_shape(rng, picture.shape, wrist, rng.uniform(0, 2 * np.pi), tile_px)
    shade = float(rng.uniform(50, 215))
    soft = blurred(shape, tile_px * 0.4) / 255
    picture += (shade * (0.55 + 0.5 * soft) - picture) * as_shares(shape)
    np.maximum(cover, shape, out=cover)


def hand_shape(rng: Rng, size: tuple[int, int], wrist: Points, angle: float, tile_px: float) -> Cover:
    """Return the coverage of a picture of (height, width) by a hand, its ``wrist`` at a place in pixels.

    The arm lies at an ``angle`` in radians, clockwise from the right.
    """
    shape = np.zeros(size, np.uint8)
    arm, palm = tile_px * rng.uniform(2.2, 3.2), tile_px * rng.uniform(3, 4)
    _limb(shape, wrist, wrist + _way(angle) * sum(size), arm)
    _limb(shape, wrist - _way(angle) * tile_px, wrist + _way(angle) * 2 * tile_px, palm)
    for finger in np.linspace(-0.6, 0.6, 4) + rng.normal(0, 0.1, 4):
        tip = wrist - _way(angle + finger) * tile_px * rng.uniform(2.5, 5)
        _limb(shape, wrist, tip, tile_px * rng.uniform(0.7, 1.0))
    return shape


def _way(angle: float) -> Points:
    """Return the unit vector at an angle, (2,)."""
    return np.array([np.cos(angle), np.sin(angle)])


def _limb(shape: Cover, start: Points, end: Points, broad: float) -> None:
    """Draw an arm or a finger of a hand's shape."""
    (x, y), (to_x, to_y) = start.astype(int).tolist(), end.astype(int).tolist()
    cv2.line(shape, (x, y), (to_x, to_y), 255, max(1, int(broad)), cv2.LINE_AA)
