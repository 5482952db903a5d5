"""Draws a sheet as PDF.

``python -m companion.hall.sheet_pdf`` reads a sheet as a line of JSON from standard input and writes its PDF
in base64 to standard output.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Sequence

from companion.config.parse import parsed
from companion.errors import CompanionError
from companion.hall.sheets import Block, Column, Sheet
from companion.paper import MARGIN_MM, PAPERS, Paper
from companion.paper.page import Pages

NICE = 10
"""Niceness of the drawing process, so that the pages stay responsive."""

LINE_MM, ROW_MM, HEAD_MM = 5.0, 6.6, 8.0
SIGNATURE_LINE_MM = 13.0

BODY_PT, SMALL_PT = 10.0, 8.0
"""Sizes of text, in points."""


def draw_pdf(sheet: Sheet, paper: Paper, *, apart: bool = False) -> bytes:
    """Return a sheet as a PDF; ``apart`` begins a page with each block.

    Raises NoFonts where this machine cannot write a name.
    """
    counted = Layout(sheet, paper)
    counted.draw(apart=apart)
    whole = Layout(sheet, paper, counted.number)
    whole.draw(apart=apart)
    return whole.done()


class Layout(Pages):
    """A sheet, drawn from top to bottom."""

    def __init__(self, sheet: Sheet, paper: Paper, pages: int = 0) -> None:
        super().__init__(paper)
        self.sheet, self.pages, self.number, self.y = sheet, pages, 0, 0.0
        self.broad = self.width - 2 * MARGIN_MM

    def draw(self, *, apart: bool) -> None:
        """Draw everything."""
        self.turn()
        for number, block in enumerate(self.sheet.blocks):
            if apart and number:
                self.turn()
            self.block(block)
        self.y += LINE_MM
        for note in self.sheet.notes:
            for line in self.wrapped(note, self.broad, SMALL_PT):
                self.room(LINE_MM)
                self.y += LINE_MM - 1
                self.text(line, MARGIN_MM, self.y, SMALL_PT)

    def turn(self) -> None:
        """Begin a page, with title, name and page number."""
        self.number += 1
        self.new_page(f"{self.sheet.title}: {self.sheet.name}")
        self.y = MARGIN_MM + 6
        self.text(self.sheet.title, MARGIN_MM, self.y, 15, bold=True)
        self.text(self.sheet.name, self.width - MARGIN_MM, self.y, BODY_PT, align="R")
        foot = self.sheet.foot % {"page": self.number, "pages": self.pages}
        self.text(foot, self.width - MARGIN_MM, self.height - MARGIN_MM, SMALL_PT, align="R")

    def room(self, tall: float) -> bool:
        """Begin a page where ``tall`` millimetres do not fit below any more; return whether one was begun."""
        if self.y + tall <= self.height - MARGIN_MM - LINE_MM:
            return False
        self.turn()
        return True

    def block(self, block: Block) -> None:
        """Draw a block; its column heads are repeated on each page."""
        self.room(HEAD_MM + 3 * ROW_MM)
        self.y += HEAD_MM
        if block.title:
            self.text(block.title, MARGIN_MM, self.y, 12, bold=True)
            self.y += LINE_MM
        self.heads(block.columns)
        for row in block.rows:
            if self.room(ROW_MM * 2):
                self.y += HEAD_MM
                self.heads(block.columns)
            self.row(block.columns, row)
        for number, name in enumerate(block.signers):
            if number % 2 == 0:
                self.room(SIGNATURE_LINE_MM)
                self.y += SIGNATURE_LINE_MM
            left = MARGIN_MM + self.broad / 2 * (number % 2)
            self.line((left, self.y - LINE_MM), (left + self.broad / 2 - 8, self.y - LINE_MM), 0.2)
            self.text(self.cut(name, self.broad / 2 - 8, SMALL_PT), left, self.y - 1, SMALL_PT)

    def heads(self, columns: Sequence[Column]) -> None:
        """Draw the heads of the columns."""
        for column, left, wide in self.places(columns):
            x = left if column.align == "L" else left + wide - 1
            self.text(self.cut(column.head, wide - 1, SMALL_PT), x, self.y, SMALL_PT, align=column.align)
        self.y += 1.6
        self.line((MARGIN_MM, self.y), (self.width - MARGIN_MM, self.y), 0.35)

    def row(self, columns: Sequence[Column], row: Sequence[str]) -> None:
        """Draw a row; a text that is too long is cut."""
        self.y += LINE_MM
        for (column, left, wide), text in zip(self.places(columns), row, strict=True):
            x = left if column.align == "L" else left + wide - 1
            self.text(self.cut(text, wide - 1.5, BODY_PT), x, self.y, BODY_PT, align=column.align)
        self.y += ROW_MM - LINE_MM
        self.line((MARGIN_MM, self.y), (self.width - MARGIN_MM, self.y), 0.1)

    def places(self, columns: Sequence[Column]) -> list[tuple[Column, float, float]]:
        """Return each column with its left edge and its width."""
        whole = sum(column.share for column in columns)
        found, left = [], MARGIN_MM
        for column in columns:
            wide = self.broad * column.share / whole
            found.append((column, left, wide))
            left += wide
        return found

    def cut(self, text: str, wide: float, points: float) -> str:
        """Return a text, cut to the width ``wide`` in mm and ended with dots where it is wider."""
        if self.wide(text, points) <= wide:
            return text
        lines = self.wrapped(text, wide - self.wide("...", points), points)
        return f"{lines[0]}..." if lines else ""


def main() -> int:
    """Draw the sheet that standard input holds; return 1 where it cannot be drawn."""
    os.nice(NICE)
    request = json.load(sys.stdin)
    try:
        made = draw_pdf(parsed(request["sheet"], Sheet), PAPERS[request["paper"]], apart=request["apart"])
    except CompanionError as error:
        sys.stderr.write(str(error))
        return 1
    sys.stdout.write(base64.b64encode(made).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
