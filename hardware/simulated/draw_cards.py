"""The printed marker cards at the corners of a drawn table that is still to be set up."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.markers import SIDE_MM, TABLE_NUMBERS, pattern
from hardware.simulated.draw_table import Bytes, falling_light

QUIET = 1 / 6
"""White around a marker, in its sides, as it is printed."""

INSET = 0.3
"""How far the cards lie from the picture's edge, in tile sides."""

PAPER = 228
"""How bright the paper is where the light falls best, in grey levels."""


def lay_cards(top: Bytes, tile_px: float, tile_mm: float) -> None:
    """Lay the table's four marker cards at the corners of its picture, (h, w, 3)."""
    height, width = top.shape[:2]
    light = falling_light(width, height)[..., None]
    inset = round(INSET * tile_px)
    for number in TABLE_NUMBERS:
        drawn = card(number, SIDE_MM[number] / tile_mm * tile_px)
        side = len(drawn)
        left = inset if number in {0, 3} else width - inset - side
        upper = inset if number in {0, 1} else height - inset - side
        place = slice(upper, upper + side), slice(left, left + side)
        top[place] = np.asarray(drawn[..., None] * light[place], np.uint8)


def card(number: int, marker_px: float) -> Bytes:
    """Return a marker with the white around it, (n, n), grey."""
    side, quiet = round(marker_px), round(marker_px * QUIET)
    paper = np.full((side + 2 * quiet,) * 2, PAPER, np.uint8)
    ink = np.where(pattern(number), 26, PAPER).astype(np.uint8)
    paper[quiet:-quiet, quiet:-quiet] = cv2.resize(ink, (side, side), interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.GaussianBlur(paper, (0, 0), 0.7), np.uint8)
