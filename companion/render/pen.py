"""Lines, hatches and labels on a colour frame, readable on any background.

Points are (x, y) in pixels, the centre of the top left pixel at (0, 0);
arrays of points have shape (n, 2), float64.  Colours are ``#rrggbb``.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from companion.model.reading import Point
from companion.vision.camera_frame import Frame

Points = npt.NDArray[np.float64]

PAPER = "#ffffff"
INK = "#0b1220"
"""Nearly black, for the edges of lines and labels on any background."""

TABLEAU_COLOURS = ("#3b82f6", "#d946ef", "#0891b2", "#a16207", "#7c3aed", "#be123c")
LOOSE = "#f8fafc"
DOWN = "#cbd5e1"
HATCH = "#334155"
DOUBT = "#ffb703"

VALID = "#22c55e"
INVALID = "#ff2d2d"
UNSURE = "#e2e8f0"

MUTED = "#94a3b8"
"""Colours; none is the only sign, as the line or the symbol differs too."""

SUBPIXEL_BITS = 4
"""Fractional bits of the coordinates handed to OpenCV."""

FONT_WEIGHT = 640
"""Weight of the letters, from 400 (regular) to 800 (bold).

The font is the one inside OpenCV 5, Rubik: it has the accented letters that the one inside Pillow lacks.
"""

CAPITAL_HEIGHT = 0.7
"""Height of its capitals in font sizes."""

ACCENT_HEIGHT = 0.2
"""Height of an accent above them."""


def tableau_ink(number: int) -> str:
    """Return the colour of a tableau, counted from 0; they repeat after six."""
    return TABLEAU_COLOURS[number % len(TABLEAU_COLOURS)]


def bgr(colour: str) -> tuple[int, int, int]:
    """Return a ``#rrggbb`` colour as OpenCV takes it."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return blue, green, red


def to_fixed_point(points: Points) -> npt.NDArray[np.int32]:
    """Return points in OpenCV's fixed-point coordinates."""
    return np.round(points * (1 << SUBPIXEL_BITS)).astype(np.int32)


def line_length(points: Points) -> float:
    """Return the length of a line, in pixels."""
    return float(np.hypot(*np.diff(points, axis=0).T).sum())


def resample_line(points: Points, step: float) -> Points:
    """Return points along a line, evenly spaced by about ``step``, including both ends."""
    reached = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    stops = np.linspace(0.0, reached[-1], max(2, round(reached[-1] / max(step, 1e-9)) + 1))
    return np.stack([np.interp(stops, reached, points[:, axis]) for axis in (0, 1)], axis=1)


def wave(points: Points, height: float) -> Points:
    """Return a wave of a height around a line, each period three times as long as high."""
    steps = resample_line(points, height / 2)
    along = np.gradient(steps, axis=0)
    along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    swing = height / 2 * np.sin(np.arange(len(steps)) * np.pi / 3)
    return steps + np.stack([-along[:, 1], along[:, 0]], axis=1) * swing[:, None]


def rounded(centre: Point | Points, width: float, height: float) -> Points:
    """Return the outline of a box with round corners."""
    radius = 0.3 * height
    turn = (np.arange(32) + 0.5) * np.pi / 16
    way = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    straight = np.array([width / 2 - radius, height / 2 - radius])
    return np.asarray(np.array(centre) + np.sign(way) * straight + way * radius)


def text_length(text: str, size: int) -> float:
    """Return the width of a line of text, in pixels."""
    left, _, width, _ = cv2.getTextSize((0, 0), text, (0, 0), cv2.FontFace("sans"), size, FONT_WEIGHT)
    return float(left + width)


def label_size(text: str, height: float) -> tuple[int, float]:
    """Return the font size and the width in pixels of a label of that height."""
    share = 0.8 / (CAPITAL_HEIGHT + ACCENT_HEIGHT) if accented(text) else 0.55 / CAPITAL_HEIGHT
    size = max(8, round(height * share))
    return size, max(height, text_length(text, size) + height * 0.5)


def accented(text: str) -> bool:
    """Return whether a capital has an accent above it."""
    return any(unicodedata.combining(c) for c in unicodedata.normalize("NFD", text))


@dataclass(frozen=True, slots=True)
class Pen:
    """Draws on ``frame``, uint8 (h, w, 3) BGR, in place; ``width`` is that of a thin line in pixels."""

    frame: Frame
    width: float

    def line(self, points: Points, colour: str, width: float = 1.0) -> None:
        """Draw a line with a dark edge; ``width`` is in thin lines, here and below."""
        self.stroke([to_fixed_point(points)], INK, self.pixels(width) + 2 * self.pixels(0.6))
        self.stroke([to_fixed_point(points)], colour, self.pixels(width))

    def dashes(self, points: Points, colour: str, width: float) -> None:
        """Draw a line broken by dark gaps; each straight part begins and ends with a dash."""
        for start, end in pairwise(points):
            pieces = max(3, round(float(np.hypot(*(end - start))) / (5 * self.width)) | 1)
            stops = to_fixed_point(np.linspace(start, end, pieces + 1))
            self.stroke([stops], INK, self.pixels(width) + 2)
            self.stroke(list(np.stack([stops[:-1:2], stops[1::2]], axis=1)), colour, self.pixels(width))

    def dots(self, points: Points, colour: str) -> None:
        """Draw a dotted line."""
        for stop in resample_line(points, 5 * self.width):
            self.line(np.stack([stop, stop]), colour, 1.3)

    def waves(self, points: Points, colour: str) -> None:
        """Draw a wavy line."""
        self.line(wave(points, 3.2 * self.width), colour, 1.3)

    def hatch(self, corners: Points, colour: str, gap: float) -> None:
        """Fill a four-sided figure with slanting lines about ``gap`` apart, at least a pixel."""
        count = max(2, round(float(np.hypot(*(corners[2] - corners[0]))) / max(gap, 1.0)))
        ways = corners[[0, 1, 2]], corners[[0, 3, 2]]
        ends = [resample_line(way, line_length(way) / count) for way in ways]
        self.stroke(list(to_fixed_point(np.stack(ends, axis=1)[1:-1])), colour, self.pixels(0.7))

    def label(self, text: str, centre: Point | Points, height: float, ink: str, paper: str) -> None:
        """Write upright on a round-cornered label with its middle at ``centre``, or as near as it fits."""
        size, long = label_size(text, height)
        half = np.array([long, height]) / 2 + self.pixels(0.6)
        centre = np.clip(centre, half, np.array(self.frame.shape[1::-1]) - 1 - half)
        box = to_fixed_point(rounded(centre, long, height))
        cv2.fillPoly(self.frame, [box], bgr(paper), cv2.LINE_AA, SUBPIXEL_BITS)
        self.stroke([np.concatenate([box, box[:1]])], INK, self.pixels(0.6))
        rise = CAPITAL_HEIGHT + (ACCENT_HEIGHT if accented(text) else 0)
        self.write(text, (centre[0] - text_length(text, size) / 2, centre[1] + size * rise / 2), size, ink)

    def write(self, text: str, origin: Point, size: int, ink: str) -> float:
        """Write a line of text from the left end of its base line; return its right end, x in pixels."""
        x, y = round(origin[0]), round(origin[1])
        cv2.putText(self.frame, text, (x, y), bgr(ink), cv2.FontFace("sans"), size, FONT_WEIGHT)
        return x + text_length(text, size)

    def stroke(self, lines: list[npt.NDArray[np.int32]], colour: str, pixels: int) -> None:
        """Draw smooth lines given in fixed-point coordinates."""
        cv2.polylines(self.frame, lines, False, bgr(colour), pixels, cv2.LINE_AA, SUBPIXEL_BITS)

    def pixels(self, width: float) -> int:
        """Return a width in whole pixels, at least one."""
        return max(1, round(self.width * width))
