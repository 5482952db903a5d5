"""A straightened tile as a page that Tesseract reads well: clean black ink, twice in a line."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]

COPIES = 2
"""How often the symbol stands on its page.

Tesseract reads lines better than single letters, and what it reads alike twice is surer: of 1,040
drawn tiles one copy gave 57 % surely (12 of them wrong), two 65 % (7 wrong), three 60 % (6 wrong).
"""

TALL_PX, GAP_PX, EDGE_PX = 32, 6, 16
"""Height of the symbol on its page, gap between its copies, white around them."""

WORKING_PX = 64
INNER = slice(6, 58)
"""The part of a crop that is looked at, in working pixels: the face without its rim."""

RIM = (9, 11)
"""Where a frame of mere face runs around the symbol, in working pixels from the crop's edge."""

BROADEST_STROKE_PX = 23
CENTRAL = 0.25
"""The symbol's main stroke has its middle so near the face's, in sides of what is looked at."""

LONG = 0.6
"""What reaches the rim and is longer than this, in the same measure, is an edge of the tile."""

LEAST_PART = 0.03
"""Specks smaller than this share of the main stroke are dirt; the dots of an Ä are larger."""


def page(cut: Grey) -> Grey | None:
    """Return the page of an upright crop, shape (h, w), or ``None`` where there is no ink."""
    shrinks = len(cut) > WORKING_PX
    face = np.asarray(
        cv2.resize(
            cut,
            (WORKING_PX, WORKING_PX),
            interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC,
        ),
        np.uint8,
    )
    relief = _relief(face)[INNER, INNER]
    level, mask = cv2.threshold(relief, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    ink = _strokes(np.asarray(mask, np.uint8))
    if not ink.any():
        return None
    near = cv2.dilate(ink, np.ones((3, 3), np.uint8)) > 0
    white = np.where(near, 255 - relief, 255).astype(np.uint8)
    x, y, width, height = cv2.boundingRect(ink)
    symbol = cv2.copyMakeBorder(white, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=255)[
        y : y + height + 4, x : x + width + 4
    ]
    scale = TALL_PX / max(height, width / 2)
    grown = cv2.resize(symbol, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    _, clean = cv2.threshold(grown, 255 - level, 255, cv2.THRESH_BINARY)
    return _line(np.asarray(clean, np.uint8))


def _relief(face: Grey) -> Grey:
    """Return how much darker the ink is than the face around it, whichever of the two is the darker."""
    start, stop = RIM
    area = face[start:-start, start:-start]
    middle, _ = cv2.threshold(area, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    rim = np.ones(area.shape, bool)
    rim[stop - start : start - stop, stop - start : start - stop] = False
    dark = face if np.median(area[rim]) > middle else 255 - face
    stroke = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (BROADEST_STROKE_PX, BROADEST_STROKE_PX))
    return np.asarray(cv2.morphologyEx(dark, cv2.MORPH_BLACKHAT, stroke), np.uint8)


def _strokes(mask: Grey) -> Grey:
    """Return the symbol's own strokes: no dirt, no rim, no small number in the lower right corner."""
    count, labels, boxes, middles = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return np.zeros_like(mask)
    areas, side = boxes[1:, cv2.CC_STAT_AREA], len(mask)
    off = (middles[1:] - (side - 1) / 2) / side
    first, last = boxes[1:, :2], boxes[1:, :2] + boxes[1:, 2:4]
    main = int(np.argmax(areas * np.where((abs(off) < CENTRAL).all(1), 1.0, 0.01)))
    touching = ((first == 0) | (last == side)).any(1)
    long = (last - first).max(1) / side
    small = (areas < areas[main] / 2) & ((long > 1 / 3) | (abs(off[:, 0]) > CENTRAL))
    rim = touching & (small | (long > LONG))
    number = (off > 0.2).all(1)
    wanted = (areas >= LEAST_PART * areas[main]) & ~rim & ~number
    wanted[main] = True
    return np.where(np.isin(labels, 1 + np.flatnonzero(wanted)), 255, 0).astype(np.uint8)


def _line(symbol: Grey) -> Grey:
    """Return copies of a symbol in a line on white."""
    gap = np.full((len(symbol), GAP_PX), 255, np.uint8)
    parts = [symbol, *[gap, symbol] * (COPIES - 1)]
    edge = (EDGE_PX,) * 4
    return np.asarray(cv2.copyMakeBorder(np.hstack(parts), *edge, cv2.BORDER_CONSTANT, value=255), np.uint8)
