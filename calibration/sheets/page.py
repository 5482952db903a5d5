"""A sheet of paper: its size, its heading, and a ruler to check the printed scale.

Lengths are in millimetres, from the paper's top left corner.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from companion.paper import MARGIN_MM
from companion.paper.page import Pages

RULER_MM = 100.0
MM_PER_POINT = 25.4 / 72
SEAM_MM = 0.04
"""Overlap of neighbouring black squares, in mm, so that printers leave no line between them."""

GREY = 120


class Sheet(Pages):
    """Pages of one PDF, each with a ruler at its foot."""

    def page(self, title: str, how: str) -> float:
        """Begin a page with a title and instructions; return the top of its content, y in mm."""
        self.new_page(title)
        self.text(title, MARGIN_MM, MARGIN_MM + 6, 17, bold=True)
        y = MARGIN_MM + 12.5
        for line in self.wrapped(how, self.width - 2 * MARGIN_MM, 9.5):
            self.text(line, MARGIN_MM, y, 9.5)
            y += 4.4
        self._foot()
        return y + 1.5

    @property
    def end(self) -> float:
        """The bottom of a page's content, y in mm."""
        return self.height - MARGIN_MM - 12.0

    def _foot(self) -> None:
        """Draw the ruler and its instructions."""
        y = self.height - MARGIN_MM
        self.line((MARGIN_MM, y), (MARGIN_MM + RULER_MM, y), 0.35)
        for mm in range(int(RULER_MM) + 1):
            tall = 4.0 if mm % 50 == 0 else 3.0 if mm % 10 == 0 else 2.0 if mm % 5 == 0 else 1.2
            self.line((MARGIN_MM + mm, y), (MARGIN_MM + mm, y - tall), 0.3 if mm % 10 == 0 else 0.15)
        for mm in (0, 50, 100):
            self.text(str(mm), MARGIN_MM + mm, y - 5.0, 7.5, align="C")
        x = MARGIN_MM + RULER_MM + 6
        self.text(f"{self.paper.name}: print at 100 % (“actual size”), not “fit to page”.", x, y - 4.4, 8)
        self.text("Then measure: this ruler must be 100 mm long.", x, y - 0.6, 8, bold=True)

    def cut(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a cutting line."""
        self._pdf.set_draw_color(GREY)
        self._pdf.set_line_width(0.15)
        self._pdf.set_dash_pattern(dash=1.6, gap=1.4)
        self._pdf.line(*start, *end)
        self._pdf.set_dash_pattern()

    def box(self, x: float, y: float, width: float, height: float, *, grey: bool = False) -> None:
        """Draw the outline of a box with a thin line."""
        self._pdf.set_draw_color(GREY if grey else 0)
        self._pdf.set_line_width(0.25)
        self._pdf.rect(x, y, width, height)

    def round_box(self, x: float, y: float, width: float, height: float, radius: float) -> None:
        """Draw the outline of a box with round corners."""
        self._pdf.set_draw_color(0)
        self._pdf.set_line_width(0.5)
        self._pdf.rect(x, y, width, height, round_corners=True, corner_radius=radius)

    def black(self, x: float, y: float, width: float, height: float) -> None:
        """Fill a box."""
        self._pdf.set_fill_color(0)
        self._pdf.rect(x, y, width, height, style="F")

    def disc(self, x: float, y: float, radius: float, sign: str) -> None:
        """Draw a black disc with its middle at (x, y) and a white sign on it."""
        self._pdf.set_fill_color(0)
        self._pdf.circle(x, y, radius, style="F")
        self._pdf.set_text_color(255)
        self.text(sign, x, y + 1.8, 13, bold=True, align="C")
        self._pdf.set_text_color(0)

    def turned_text(self, text: str, x: float, y: float, points: float) -> None:
        """Write upside down, in bold, with the middle at (x, y)."""
        with self._pdf.rotation(180, x, y):
            self.text(text, x, y + 0.36 * points * MM_PER_POINT, points, bold=True, align="C")

    def shape(self, points: Iterable[tuple[float, float]]) -> None:
        """Fill an outline."""
        self._pdf.set_fill_color(0)
        self._pdf.polygon(list(points), style="F")

    def cells(self, black: NDArray[np.bool_], x: float, y: float, side: float) -> None:
        """Fill the black squares of a pattern, (rows, columns), each ``side`` wide."""
        rows, columns = black.shape
        for row, column in zip(*map(np.ndarray.tolist, np.nonzero(black)), strict=True):
            right = column + 1 < columns and black[row, column + 1]
            below = row + 1 < rows and black[row + 1, column]
            wide, high = side + SEAM_MM * bool(right), side + SEAM_MM * bool(below)
            self.black(x + column * side, y + row * side, wide, high)
