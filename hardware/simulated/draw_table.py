"""The drawn table top: wood, a felt mat for the pool, a printed board, consoles, marker cards, light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import wood
from calibration.drawing.rng import Rng
from calibration.markers import MARKER_SIDES_MM, TABLE_MARKER_NUMBERS, marker_pattern
from hardware.simulated.seating import Area, Console
from hardware.simulated.world import Spot

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Colour = tuple[int, int, int]
"""Blue, green, red."""

Glow = tuple[float, float, float]
"""Brightness of an LED: red, green and blue, each from 0 to 1, linear."""

GRAIN_PX = 15.0
"""Tile side, in pixels, that fits the wood's grain before it is enlarged twice."""

WOOD: Colour = (58, 88, 128)
FELT: Colour = (66, 74, 48)
BOX_COLOUR: Colour = (46, 44, 42)
CAP_COLOUR: Colour = (86, 82, 78)
CONSOLE_WIDTH = 5.6
"""Width of a console, in its depths."""

BUTTON_CAPS, LED_CENTRE, LED_WIDTH = (-0.1, 0.9, 1.9), -1.7, 1.6
"""Positions of a console's buttons and of its light's centre, and the light's greatest width, in depths."""

LED_OFF = 62
"""Brightness of an LED that is off, in grey levels."""

QUIET_ZONE = 1 / 6
"""White margin around a printed marker, as a fraction of its side."""

CARD_INSET = 0.3
"""Distance of the marker cards from the picture's edge, in tile sides."""

PAPER_GREY = 228
"""Brightness of a marker card in the brightest light, in grey levels."""


@dataclass(frozen=True, slots=True)
class Mat:
    """A felt mat: its centre, width and height, in tile sides."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Square:
    """A kind of printed square: its colour and its caption, in lines."""

    colour: Colour
    caption: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Print:
    """A printed board: its centre, the side of its squares in tile sides, and the kind of each square.

    ``rows`` has one character for each square, which ``kinds`` maps to its kind; ``margin`` is in squares;
    ``card`` is the colour of margin and lines.
    """

    x: float
    y: float
    pitch: float
    rows: Sequence[str]
    kinds: Mapping[str, Square]
    card: Colour = (222, 226, 224)
    margin: float = 0.5


def table_top(rng: Rng, size: Spot, tile_px: float, *things: Mat | Print | Console) -> Bytes:
    """Return an empty table, uint8, shape (h, w, 3), blue, green, red; ``size`` is in tile sides."""
    width, height = round(size[0] * tile_px), round(size[1] * tile_px)
    shade = wood(rng, -(-width // 2), -(-height // 2), GRAIN_PX)
    shade = shade / max(1.0, float(np.abs(shade).max())) * 34
    fine = np.asarray(cv2.resize(shade, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    top = np.array(WOOD, np.float32) + fine[..., None] * np.array([0.5, 0.75, 1.0], np.float32)
    for thing in things:
        if isinstance(thing, Mat):
            draw_mat(rng, top, thing, tile_px)
        elif isinstance(thing, Console):
            draw_console(top, thing, tile_px)
        else:
            draw_board(top, thing, tile_px)
    top *= illumination(width, height)[..., None]
    return np.asarray(np.clip(top, 0, 255), np.uint8)


def illumination(width: int, height: int) -> Floats:
    """Return the illumination of each pixel, float32, shape (h, w), 1 in the brightest place."""
    x, y = np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32)
    away = (x[None] + 0.3) ** 2 + (y[:, None] + 0.4) ** 2
    return np.asarray(1.0 - 0.085 * away, np.float32)


def draw_mat(rng: Rng, top: Floats, mat: Mat, tile_px: float) -> None:
    """Draw a felt mat with rounded corners."""
    height, width = top.shape[:2]
    cover = np.zeros((height, width), np.uint8)
    left, upper = (mat.x - mat.width / 2) * tile_px, (mat.y - mat.height / 2) * tile_px
    radius = round(1.2 * tile_px)
    right, lower = left + mat.width * tile_px, upper + mat.height * tile_px
    inner = (round(left) + radius, round(upper) + radius), (round(right) - radius, round(lower) - radius)
    cv2.rectangle(cover, *inner, 255, -1)
    cv2.rectangle(cover, *inner, 255, 2 * radius, cv2.LINE_AA)
    soft = np.asarray(cv2.GaussianBlur(cover, (0, 0), 1.0), np.float32)[..., None] / 255
    shadow = np.asarray(cv2.GaussianBlur(np.roll(soft, (4, 4), (0, 1)), (0, 0), 6))[..., None]
    top *= 1 - 0.35 * shadow
    fibres = rng.normal(0, 3.0, (height, width, 1)).astype(np.float32)
    top += (np.array(FELT, np.float32) + fibres - top) * soft


def draw_console(top: Floats, console: Console, tile_px: float) -> None:
    """Draw a seat's console: three dark button caps, and room for its light at the left."""
    box = Area(console.x, console.y, console.quarter_turns, CONSOLE_WIDTH * console.depth, console.depth)
    corners = np.array(box.corners) * tile_px
    cv2.fillConvexPoly(top, corners.round().astype(np.int32), BOX_COLOUR, cv2.LINE_AA)
    for place in BUTTON_CAPS:
        x, y = console.spot(place)
        at, radius = (round(x * tile_px), round(y * tile_px)), max(1, round(0.3 * console.depth * tile_px))
        cv2.circle(top, at, radius, CAP_COLOUR, -1, cv2.LINE_AA)


def draw_leds(picture: Bytes, console: Console, colours: Sequence[Glow], tile_px: float) -> None:
    """Draw the LEDs of a seat's light on its console, side by side at its left."""
    room = min(0.28, 0.42 * LED_WIDTH / max(1, len(colours)))
    radius = max(1, round(room * console.depth * tile_px))
    for number, (red, green, blue) in enumerate(colours):
        x, y = console.spot(LED_CENTRE + LED_WIDTH * ((number + 0.5) / len(colours) - 0.5))
        shade = tuple(round(LED_OFF + (255 - LED_OFF) * part**0.45) for part in (blue, green, red))
        cv2.circle(picture, (round(x * tile_px), round(y * tile_px)), radius, shade, -1, cv2.LINE_AA)


def draw_board(top: Floats, board: Print, tile_px: float) -> None:
    """Draw a printed board."""
    n, cell = len(board.rows), round(board.pitch * tile_px)
    edge = round(board.margin * cell)
    sheet = np.full((n * cell + 2 * edge, n * cell + 2 * edge, 3), board.card, np.float32)
    line = max(1, round(cell * 0.03))
    for row, kinds in enumerate(board.rows):
        for col, kind in enumerate(kinds):
            y, x = edge + row * cell, edge + col * cell
            square = np.full((cell - 2 * line, cell - 2 * line, 3), board.kinds[kind].colour, np.uint8)
            draw_caption(square, board.kinds[kind].caption)
            sheet[y + line : y + cell - line, x + line : x + cell - line] = square
    side = len(sheet)
    left, upper = round(board.x * tile_px - side / 2), round(board.y * tile_px - side / 2)
    shadow = np.zeros(top.shape[:2], np.float32)
    shadow[upper + 5 : upper + side + 5, left + 5 : left + side + 5] = 0.45
    top *= 1 - cv2.GaussianBlur(shadow, (0, 0), 6)[..., None]
    top[upper : upper + side, left : left + side] = sheet


def draw_caption(square: Bytes, lines: Sequence[str]) -> None:
    """Draw lines of small text in the middle of a square."""
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


def draw_marker_cards(top: Bytes, tile_px: float, tile_mm: float) -> None:
    """Draw the table's four marker cards at the corners of its picture, shape (h, w, 3)."""
    height, width = top.shape[:2]
    light = illumination(width, height)[..., None]
    inset = round(CARD_INSET * tile_px)
    for number in TABLE_MARKER_NUMBERS:
        drawn = marker_card(number, MARKER_SIDES_MM[number] / tile_mm * tile_px)
        side = len(drawn)
        left = inset if number in {0, 3} else width - inset - side
        upper = inset if number in {0, 1} else height - inset - side
        place = slice(upper, upper + side), slice(left, left + side)
        top[place] = np.asarray(drawn[..., None] * light[place], np.uint8)


def marker_card(number: int, marker_px: float) -> Bytes:
    """Return a marker with its white margin, uint8, shape (n, n), grey."""
    side, quiet = round(marker_px), round(marker_px * QUIET_ZONE)
    paper = np.full((side + 2 * quiet,) * 2, PAPER_GREY, np.uint8)
    ink = np.where(marker_pattern(number), 26, PAPER_GREY).astype(np.uint8)
    paper[quiet:-quiet, quiet:-quiet] = cv2.resize(ink, (side, side), interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.GaussianBlur(paper, (0, 0), 0.7), np.uint8)
