"""Glyphs drawn stroke by stroke: confusable letters and signs in many shapes, and made-up signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.fonts import CAPITAL_HEIGHT_PX, MASK_SIDE_PX, Mask
from calibration.drawing.rng import Rng

SUPERSAMPLING = 4
"""Factor by which a mask is drawn larger, then shrunk."""
HALF_CAPITAL_PX = CAPITAL_HEIGHT_PX / 2
MIN_DOT_GAP_PX = 1.0
"""Least gap between a dot and a bar, in mask pixels."""
MIN_TAIL_LENGTH_PX = 6.0
"""Least length of a tail or a spur beyond the stroke from which it grows, in mask pixels."""
MIN_G_OPENING_PX = 5.0
"""Least height of the opening of a G, in mask pixels."""

MIN_HALF_BAR_RATIO, MIN_CROSSED_HALF_BAR_RATIO = 1.0, 1.2
"""Least ratio of half a bar's length to its thickness: alone, and with something across it."""

Line = NDArray[np.float64]


class Pen(NamedTuple):
    """The parameters of one set's strokes; lengths in mask pixels.

    ``thick`` is the stroke width, ``broad`` half the width of a round letter, ``square`` the exponent of its
    superellipse: 2 for an ellipse, more for a squarer one.  ``sign`` is half the length of a sign's bar.
    """

    thick: float
    broad: float
    square: float
    sign: float


def random_pen(rng: Rng) -> Pen:
    """Return a random pen."""
    return Pen(
        thick=float(rng.uniform(4, 13)),
        broad=float(rng.uniform(13, 27)),
        square=float(np.exp(rng.uniform(np.log(1.9), np.log(7)))),
        sign=float(rng.uniform(11, 24)),
    )


def draw_symbol(rng: Rng, pen: Pen, symbol: str) -> Mask | None:
    """Return a symbol's mask like ``fonts.glyph``'s, (96, 96) uint8; ``None`` for any other symbol."""
    if (draw := STROKES.get(symbol)) is None:
        return None
    sheet = Sheet(pen)
    draw(rng, sheet)
    return sheet.mask()


class Sheet:
    """A mask under the pen; places are mask pixels right of and below its middle."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen
        self._ink = np.zeros((MASK_SIDE_PX * SUPERSAMPLING, MASK_SIDE_PX * SUPERSAMPLING), np.uint8)

    def stroke(self, line: Line, thick: float | None = None, flat: bool = True) -> None:
        """Draw a line through places, (n, 2), with flat ends or round ones."""
        thick = thick or self.pen.thick
        direction = np.gradient(line, axis=0)
        direction = direction / np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-6) * thick / 2
        aside = direction[:, ::-1] * (-1, 1)
        for k in range(len(line) - 1):
            ends = [line[k] + aside[k], line[k + 1] + aside[k + 1], line[k + 1] - aside[k + 1]]
            self._fill(np.array([*ends, line[k] - aside[k]]))
        if not flat:
            for end in (line[0], line[-1]):
                self.dot(end, thick / 2)

    def dot(self, at: Line, radius: float, square: bool = False) -> None:
        """Draw a round dot, or a square one."""
        angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        rim = np.stack([np.cos(angles), np.sin(angles)], -1)
        self._fill(at + radius * (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) if square else rim))

    def wipe(self, box: tuple[float, float, float, float]) -> None:
        """Clear a rectangle: left, top, right and bottom."""
        left, top, right, low = box
        self._fill(np.array([[left, top], [right, top], [right, low], [left, low]]), 0)

    def ring(self, start: float = 0.0, stop: float = 2 * np.pi) -> Line:
        """Return the middle of a ring's stroke between two angles, clockwise from its right, (97, 2)."""
        angles = np.linspace(start, stop, 97)
        ways = np.stack([np.cos(angles), np.sin(angles)], -1)
        return np.asarray(np.sign(ways) * np.abs(ways) ** (2 / self.pen.square) * self.halves())

    def halves(self) -> Line:
        """Return half of the width and height of the middle of a round letter's stroke, (2,)."""
        return np.array([max(self.pen.broad - self.pen.thick / 2, 6.0), HALF_CAPITAL_PX - self.pen.thick / 2])

    def half_bar(self, least: float) -> float:
        """Return half of the length of a sign's bar, at least ``least`` times the pen's thickness."""
        return max(self.pen.sign, self.pen.thick * least)

    def inked(self) -> float:
        """Return the inked area, in mask pixels."""
        return cv2.countNonZero(self._ink) / SUPERSAMPLING**2

    def mask(self) -> Mask:
        """Return the drawn mask, (96, 96)."""
        return np.asarray(
            cv2.resize(self._ink, (MASK_SIDE_PX, MASK_SIDE_PX), interpolation=cv2.INTER_AREA), np.uint8
        )

    def _fill(self, outline: Line, ink: int = 255) -> None:
        """Fill an outline."""
        places = np.round((outline + MASK_SIDE_PX / 2) * SUPERSAMPLING).astype(np.int32)
        cv2.fillConvexPoly(self._ink, places, ink)


def _o(_: Rng, sheet: Sheet) -> None:
    """Draw an O or a 0."""
    sheet.stroke(sheet.ring())


def _q(rng: Rng, sheet: Sheet) -> None:
    """Draw a Q: its tail crosses the ring, or grows from it inwards or outwards, near its right foot."""
    sheet.stroke(sheet.ring())
    thick, ring = sheet.pen.thick, sheet.inked()
    while (
        sheet.inked() - ring < MIN_TAIL_LENGTH_PX * thick / 2
    ):  # a tail hidden in the ring's corner does not show
        root = sheet.ring(at := float(rng.uniform(0.15, 0.55) * np.pi), at)[0]
        angle = float(rng.choice([at, rng.uniform(0.1, 0.5) * np.pi, 0.0, np.pi / 2], p=[0.3, 0.5, 0.1, 0.1]))
        along = np.array([np.cos(angle), np.sin(angle)])
        kind = rng.choice(3, p=[0.5, 0.35, 0.15])
        outward = thick / 2 + float(rng.uniform(MIN_TAIL_LENGTH_PX, 14)) if kind in (0, 1) else 0.0
        inward = thick / 2 + float(rng.uniform(MIN_TAIL_LENGTH_PX, 16)) if kind in (0, 2) else 0.0
        tail = np.array([root - inward * along, root + outward * along])
        sheet.stroke(tail, thick * float(rng.uniform(0.7, 1.1)), bool(rng.random() < 0.7))


def _c(rng: Rng, sheet: Sheet) -> None:
    """Draw a C: a ring that is open at the right, its ends cut off upright or not."""
    upper, lower = (float(v) for v in rng.uniform(0.1, 0.32, 2) * np.pi)
    sheet.stroke(sheet.ring(lower, 2 * np.pi - upper), flat=bool(rng.random() < 0.7))
    if rng.random() < 0.3:
        edge = sheet.ring(lower, lower)[0, 0]
        sheet.wipe((float(edge), -HALF_CAPITAL_PX - 1, HALF_CAPITAL_PX + 9, HALF_CAPITAL_PX + 1))


def _g(rng: Rng, sheet: Sheet) -> None:
    """Draw a G: a ring that is open at the right, a bar below its opening, and mostly a foot."""
    upper, lower = float(rng.uniform(0.1, 0.32)) * np.pi, float(rng.uniform(0.0, 0.2)) * np.pi
    sheet.stroke(sheet.ring(lower, 2 * np.pi - upper), flat=bool(rng.random() < 0.7))
    thick, (x, low), (_, high) = sheet.pen.thick, *sheet.ring(lower, -upper)[[0, -1]]
    y = max(float(rng.uniform(-1, 8)), float(high) + MIN_G_OPENING_PX + thick / 2)
    inward = (
        float(rng.uniform(MIN_TAIL_LENGTH_PX, max(MIN_TAIL_LENGTH_PX + 1, sheet.halves()[0] + 2))) + thick / 2
    )
    outward = thick / 2 if rng.random() < 0.7 else float(rng.uniform(0, 8))
    sheet.stroke(np.array([[x - inward, y], [x + outward, y]]), thick * float(rng.uniform(0.7, 1)))
    sheet.stroke(np.array([[x, y - thick / 3], [x, max(low, y + thick / 2)]]))
    if rng.random() < 0.3:
        sheet.stroke(np.array([[x, low], [x, HALF_CAPITAL_PX]]), thick * float(rng.uniform(0.6, 1)))


def _d(_: Rng, sheet: Sheet) -> None:
    """Draw a D: half a ring, drawn out to its stem."""
    bow, x = sheet.ring(-np.pi / 2, np.pi / 2), -float(sheet.halves()[0])
    bow[:, 0] = x + (bow[:, 0] - bow[0, 0]) * 2 * 0.95
    sheet.stroke(bow)
    sheet.stroke(np.array([[x, -HALF_CAPITAL_PX], [x, HALF_CAPITAL_PX]]))
    for side in (-1, 1):
        end = side * float(sheet.halves()[1])
        sheet.stroke(np.array([[x, end], [bow[0, 0] + 1, end]]))


def _bars(sheet: Sheet, angles: tuple[float, ...], lengths: tuple[float, ...]) -> None:
    """Draw bars through the middle, each with its angle and its length to either side."""
    for angle, half in zip(angles, lengths, strict=True):
        direction = half * np.array([np.cos(angle), np.sin(angle)])
        sheet.stroke(np.array([-direction, direction]))


def _plus(rng: Rng, sheet: Sheet) -> None:
    """Draw a plus with arms of nearly equal length."""
    half = sheet.half_bar(MIN_CROSSED_HALF_BAR_RATIO)
    _bars(sheet, (0.0, np.pi / 2), (half, half * float(np.exp(rng.normal(0, 0.05)))))


def _times(rng: Rng, sheet: Sheet) -> None:
    """Draw the times sign."""
    half, slant = sheet.half_bar(MIN_CROSSED_HALF_BAR_RATIO), float(rng.normal(0, 0.04))
    _bars(sheet, (np.pi / 4 + slant, -np.pi / 4 - slant), (half, half))


def _minus(_: Rng, sheet: Sheet) -> None:
    """Draw a minus."""
    _bars(sheet, (0.0,), (sheet.half_bar(MIN_HALF_BAR_RATIO),))


def _equals(rng: Rng, sheet: Sheet) -> None:
    """Draw the equals sign."""
    half, thick = sheet.half_bar(MIN_HALF_BAR_RATIO), sheet.pen.thick
    apart = thick / 2 + float(rng.uniform(1.5, 8))
    for y in (-apart, apart):
        sheet.stroke(np.array([[-half, y], [half, y]]))


def _divide(rng: Rng, sheet: Sheet) -> None:
    """Draw the sign of division: a bar between two dots, round or square, at any distance."""
    half, thick = sheet.half_bar(MIN_CROSSED_HALF_BAR_RATIO), sheet.pen.thick
    _bars(sheet, (0.0,), (half,))
    radius, square = thick * float(rng.uniform(0.4, 0.85)), bool(rng.random() < 0.4)
    off = thick / 2 + radius + MIN_DOT_GAP_PX + float(rng.uniform(0, 6))
    for y in (-off, off):
        sheet.dot(np.array([0.0, y]), radius, square)


STROKES: dict[str, Callable[[Rng, Sheet], None]] = {
    "O": _o,
    "0": _o,
    "Q": _q,
    "C": _c,
    "G": _g,
    "D": _d,
    "+": _plus,
    "-": _minus,
    "×": _times,
    "÷": _divide,
    "=": _equals,
}
"""The function that draws each symbol."""


DOODLE_STROKES = (1, 4)
"""Least and largest number of strokes of a sign."""
DOODLE_THICK = (5.0, 13.0)
"""Least and largest thickness of the pen, in mask pixels."""
DOODLE_BITS = 3
"""Fractional bits of the places of a stroke."""


def doodle(rng: Rng) -> Mask:
    """Return the mask of a made-up sign, shape (96, 96), uint8, 255 where ink is, as large as a capital.

    Few-shot training uses such signs, so that it does not memorise alphabets.
    """
    mask = np.zeros((MASK_SIDE_PX, MASK_SIDE_PX), np.uint8)
    thick = round(float(rng.uniform(*DOODLE_THICK)))
    for _ in range(int(rng.integers(DOODLE_STROKES[0], DOODLE_STROKES[1] + 1))):
        places = (np.round(_doodle_stroke(rng) * 2**DOODLE_BITS)).astype(np.int32)
        cv2.polylines(mask, [places], False, 255, thick, cv2.LINE_AA, DOODLE_BITS)
    return mask


def _doodle_stroke(rng: Rng) -> np.ndarray:
    """Return the places along one stroke, straight, bent, or round, (n, 2) in mask pixels."""
    half = CAPITAL_HEIGHT_PX / 2
    start, end = rng.uniform(-half, half, (2, 2))
    if rng.random() < 0.2:
        radius = float(rng.uniform(0.2, 0.7)) * half
        angle = np.linspace(0, float(rng.uniform(3.5, 6.5)), 24) + float(rng.uniform(0, 6.3))
        places = start * 0.5 + radius * np.stack([np.cos(angle), np.sin(angle)], -1)
    else:
        vector = end - start
        if np.hypot(*vector) < half:  # a dot has too little shape: make it a stroke
            vector *= half / max(float(np.hypot(*vector)), 1.0)
        side = np.array([-vector[1], vector[0]]) * float(rng.normal(0, 0.35) if rng.random() < 0.6 else 0)
        t = np.linspace(0, 1, 24)[:, None]
        places = start + vector * t + side * np.sin(np.pi * t)
    return np.asarray(np.clip(places, -0.45 * MASK_SIDE_PX, 0.45 * MASK_SIDE_PX) + (MASK_SIDE_PX - 1) / 2)
