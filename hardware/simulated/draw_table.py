"""The drawn table top: wood, a felt mat for the middle, a printed board, light from a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import wood
from calibration.drawing.chance import Rng
from hardware.simulated.seating import Area, Console
from hardware.simulated.world import Spot

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Colour = tuple[int, int, int]
"""Blue, green, red."""

Glow = tuple[float, float, float]
"""How brightly an LED shines, red, green and blue, each from 0 to 1, linear."""

GRAIN_PX = 15.0
"""Tiles as broad as this would suit the wood's grain before it is enlarged twice."""

WOOD: Colour = (58, 88, 128)
FELT: Colour = (66, 74, 48)
BOX_COLOUR: Colour = (46, 44, 42)
CAP_COLOUR: Colour = (86, 82, 78)
BROAD = 5.6
"""A seat's box is so many of its depths broad."""

CAPS, LAMP, LAMPS = (-0.1, 0.9, 1.9), -1.7, 1.6
"""Where its buttons and the middle of its light are, and how broad that is at most, in its depths."""

UNLIT = 62
"""Brightness of an LED that is dark."""


@dataclass(frozen=True, slots=True)
class Mat:
    """A felt mat: its middle, breadth and height, in tile sides."""

    x: float
    y: float
    broad: float
    high: float


@dataclass(frozen=True, slots=True)
class Square:
    """A printed kind of square: its colour and what stands on it, in lines."""

    colour: Colour
    says: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Print:
    """A printed board: its middle, the side of its squares in tile sides, and the kind of each square.

    ``rows`` has a character a square; ``kinds`` says what each character
    looks like; ``margin`` is in squares, ``card`` the colour of margin and lines.
    """

    x: float
    y: float
    pitch: float
    rows: Sequence[str]
    kinds: Mapping[str, Square]
    card: Colour = (222, 226, 224)
    margin: float = 0.5


def table_top(rng: Rng, size: Spot, tile_px: float, *things: Mat | Print | Console) -> Bytes:
    """Return an empty table, shape (h, w, 3), uint8; ``size`` is in tile sides."""
    width, height = round(size[0] * tile_px), round(size[1] * tile_px)
    shade = wood(rng, -(-width // 2), -(-height // 2), GRAIN_PX)
    shade = shade / max(1.0, float(np.abs(shade).max())) * 34
    fine = np.asarray(cv2.resize(shade, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    top = np.array(WOOD, np.float32) + fine[..., None] * np.array([0.5, 0.75, 1.0], np.float32)
    for thing in things:
        if isinstance(thing, Mat):
            lay_mat(rng, top, thing, tile_px)
        elif isinstance(thing, Console):
            stand_console(top, thing, tile_px)
        else:
            lay_board(top, thing, tile_px)
    top *= falling_light(width, height)[..., None]
    return np.asarray(np.clip(top, 0, 255), np.uint8)


def falling_light(width: int, height: int) -> Floats:
    """Return how bright each pixel of the table is lit, shape (h, w), 1 in the brightest place."""
    x, y = np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32)
    away = (x[None] + 0.3) ** 2 + (y[:, None] + 0.4) ** 2
    return np.asarray(1.0 - 0.085 * away, np.float32)


def lay_mat(rng: Rng, top: Floats, mat: Mat, tile_px: float) -> None:
    """Lay a felt mat with rounded corners on the table."""
    height, width = top.shape[:2]
    cover = np.zeros((height, width), np.uint8)
    left, upper = (mat.x - mat.broad / 2) * tile_px, (mat.y - mat.high / 2) * tile_px
    radius = round(1.2 * tile_px)
    right, lower = left + mat.broad * tile_px, upper + mat.high * tile_px
    inner = (round(left) + radius, round(upper) + radius), (round(right) - radius, round(lower) - radius)
    cv2.rectangle(cover, *inner, 255, -1)
    cv2.rectangle(cover, *inner, 255, 2 * radius, cv2.LINE_AA)
    soft = np.asarray(cv2.GaussianBlur(cover, (0, 0), 1.0), np.float32)[..., None] / 255
    shadow = np.asarray(cv2.GaussianBlur(np.roll(soft, (4, 4), (0, 1)), (0, 0), 6))[..., None]
    top *= 1 - 0.35 * shadow
    fibres = rng.normal(0, 3.0, (height, width, 1)).astype(np.float32)
    top += (np.array(FELT, np.float32) + fibres - top) * soft


def stand_console(top: Floats, console: Console, tile_px: float) -> None:
    """Stand a seat's box on the table: three dark caps, and room for its light at the left."""
    box = Area(console.x, console.y, console.quarter, BROAD * console.deep, console.deep)
    corners = np.array(box.corners) * tile_px
    cv2.fillConvexPoly(top, corners.round().astype(np.int32), BOX_COLOUR, cv2.LINE_AA)
    for place in CAPS:
        x, y = console.spot(place)
        at, radius = (round(x * tile_px), round(y * tile_px)), max(1, round(0.3 * console.deep * tile_px))
        cv2.circle(top, at, radius, CAP_COLOUR, -1, cv2.LINE_AA)


def light_lamps(picture: Bytes, console: Console, colours: Sequence[Glow], tile_px: float) -> None:
    """Draw the LEDs of a seat's light on its box, side by side at its left."""
    room = min(0.28, 0.42 * LAMPS / max(1, len(colours)))
    radius = max(1, round(room * console.deep * tile_px))
    for number, (red, green, blue) in enumerate(colours):
        x, y = console.spot(LAMP + LAMPS * ((number + 0.5) / len(colours) - 0.5))
        shade = tuple(round(UNLIT + (255 - UNLIT) * part**0.45) for part in (blue, green, red))
        cv2.circle(picture, (round(x * tile_px), round(y * tile_px)), radius, shade, -1, cv2.LINE_AA)


def lay_board(top: Floats, board: Print, tile_px: float) -> None:
    """Lay a printed board on the table."""
    n, cell = len(board.rows), round(board.pitch * tile_px)
    edge = round(board.margin * cell)
    sheet = np.full((n * cell + 2 * edge, n * cell + 2 * edge, 3), board.card, np.float32)
    line = max(1, round(cell * 0.03))
    for row, kinds in enumerate(board.rows):
        for col, kind in enumerate(kinds):
            y, x = edge + row * cell, edge + col * cell
            square = np.full((cell - 2 * line, cell - 2 * line, 3), board.kinds[kind].colour, np.uint8)
            caption(square, board.kinds[kind].says)
            sheet[y + line : y + cell - line, x + line : x + cell - line] = square
    side = len(sheet)
    left, upper = round(board.x * tile_px - side / 2), round(board.y * tile_px - side / 2)
    shadow = np.zeros(top.shape[:2], np.float32)
    shadow[upper + 5 : upper + side + 5, left + 5 : left + side + 5] = 0.45
    top *= 1 - cv2.GaussianBlur(shadow, (0, 0), 6)[..., None]
    top[upper : upper + side, left : left + side] = sheet


def caption(square: Bytes, lines: Sequence[str]) -> None:
    """Print small words in the middle of a square."""
    sans, side = cv2.FontFace("sans"), len(square)
    size = max(6, round(side * 0.2))
    for number, text in enumerate(lines):
        box = cv2.getTextSize((4 * side, side), text, (0, 0), sans, size, 500)
        if box[2] > 0.86 * side:
            fitting = round(size * 0.86 * side / box[2])
            box = cv2.getTextSize((4 * side, side), text, (0, 0), sans, fitting, 500)
        else:
            fitting = size
        at = (side - box[2]) // 2, round(side / 2 + (number - len(lines) / 2 + 0.85) * size * 1.15)
        cv2.putText(square, text, at, (70, 66, 64), sans, fitting, 500)
