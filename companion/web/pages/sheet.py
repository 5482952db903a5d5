"""A game's results on paper: totals, rounds, rulings with their reasons, and room to sign."""

from __future__ import annotations

from collections.abc import Sequence

from companion.paper import MARGIN_MM, Paper
from companion.paper.page import Pages
from companion.web.pages.sheet_text import Player, Results

MAX_ROUND_COLUMNS = 6
"""Most rounds side by side; further ones are in tables below."""

PLACE_MM, ROUND_MM, TOTAL_MM = 15.0, 17.0, 20.0
"""Widths of columns, in mm; the names have the rest."""

LINE_MM, GAP_MM = 5.0, 9.0
SIGNATURE_LINE_MM = 15.0
"""Height of a signature line with its name, in mm."""


def results_pdf(results: Results, paper: Paper) -> bytes:
    """Return a results sheet as a PDF; raise NoFonts where this machine cannot write a name."""
    counted = Layout(results, paper)
    counted.draw()
    whole = Layout(results, paper, counted.number)
    whole.draw()
    return whole.done()


class Layout(Pages):
    """A results sheet, drawn from top to bottom; ``pages`` is its number of pages, 0 while unknown."""

    def __init__(self, results: Results, paper: Paper, pages: int = 0) -> None:
        super().__init__(paper)
        self.results, self.pages, self.number, self.y = results, pages, 0, 0.0
        self.broad = self.width - 2 * MARGIN_MM

    def draw(self) -> None:
        """Draw everything."""
        given = self.results
        self.turn()
        for first in range(0, max(1, len(given.rounds)), MAX_ROUND_COLUMNS):
            self.table(first)
        self.notes(given.notes, 9)
        if given.rulings:
            self.room(GAP_MM + 2 * LINE_MM)
            self.y += GAP_MM
            self.text(given.captions.rulings, MARGIN_MM, self.y, 12, bold=True)
            self.notes(given.rulings, 10)
        self.signatures()

    def turn(self) -> None:
        """Begin a page, with titles and page number."""
        given, foot = self.results, self.height - MARGIN_MM
        self.number += 1
        self.new_page(f"{given.title}: {given.name}")
        self.text(given.title, MARGIN_MM, MARGIN_MM + 6, 17 if self.number == 1 else 11, bold=True)
        self.y = MARGIN_MM + 6
        for line in self.wrapped(given.name, self.broad, 10):
            self.y += LINE_MM
            self.text(line, MARGIN_MM, self.y, 10)
        self.y += LINE_MM * (self.number > 1)
        page = given.captions.page % {"page": self.number, "pages": self.pages}
        self.text(page, self.width - MARGIN_MM, foot, 8, align="R")

    def room(self, tall: float) -> None:
        """Begin a page where ``tall`` millimetres do not fit below any more."""
        if self.y + tall > self.height - MARGIN_MM - LINE_MM:
            self.turn()

    def table(self, first: int) -> None:
        """Draw the players with the rounds from index ``first`` on; the last table has the totals."""
        given = self.results
        heads = given.rounds[first : first + MAX_ROUND_COLUMNS]
        last = first + MAX_ROUND_COLUMNS >= len(given.rounds)
        names = self.broad - PLACE_MM - ROUND_MM * len(heads) - TOTAL_MM * last
        self.room(GAP_MM + 3 * LINE_MM)
        self.y += GAP_MM + LINE_MM
        self.head(heads, names, last)
        for one in given.players:
            lines = self.wrapped(one.name, names - 3, 11)
            if self.y + LINE_MM * (len(lines) + 1) > self.height - MARGIN_MM - LINE_MM:
                self.turn()
                self.y += GAP_MM + LINE_MM
                self.head(heads, names, last)
            self.player(one, lines, one.rounds[first : first + MAX_ROUND_COLUMNS], last)

    def head(self, heads: Sequence[str], names: float, last: bool) -> None:
        """Draw the heads of a table's columns."""
        captions = self.results.captions
        self.text(captions.place, MARGIN_MM, self.y, 8)
        self.text(captions.player, MARGIN_MM + PLACE_MM, self.y, 8)
        right = MARGIN_MM + PLACE_MM + names
        for number, head in enumerate(heads, 1):
            self.text(head, right + ROUND_MM * number, self.y, 8, align="R")
        if last:
            self.text(captions.total, self.width - MARGIN_MM, self.y, 8, bold=True, align="R")
        self.line((MARGIN_MM, self.y + 1.6), (self.width - MARGIN_MM, self.y + 1.6), 0.35)
        self.y += 1.6

    def player(self, one: Player, lines: Sequence[str], rounds: Sequence[str], last: bool) -> None:
        """Draw a player's row."""
        self.y += LINE_MM + 0.6
        right = self.width - MARGIN_MM - TOTAL_MM * last - ROUND_MM * len(rounds)
        self.text(one.place, MARGIN_MM, self.y, 11)
        for number, got in enumerate(rounds, 1):
            self.text(got, right + ROUND_MM * number, self.y, 10, align="R")
        if last:
            self.text(one.total, self.width - MARGIN_MM, self.y, 11, bold=True, align="R")
        for number, line in enumerate(lines):
            self.text(line, MARGIN_MM + PLACE_MM, self.y + LINE_MM * number, 11, bold=True)
        self.y += LINE_MM * (len(lines) - 1) + 2
        self.line((MARGIN_MM, self.y), (self.width - MARGIN_MM, self.y), 0.12)

    def notes(self, sentences: Sequence[str], points: float) -> None:
        """Write sentences, each beginning on a new line."""
        self.y += LINE_MM / 2
        for sentence in sentences:
            for line in self.wrapped(sentence, self.broad, points):
                self.room(LINE_MM)
                self.y += LINE_MM
                self.text(line, MARGIN_MM, self.y, points)
            self.y += LINE_MM / 4

    def signatures(self) -> None:
        """Draw a signature line for each signer, two side by side."""
        half = self.broad / 2
        self.y += GAP_MM
        for number, name in enumerate(self.results.signers):
            if number % 2 == 0:
                self.room(SIGNATURE_LINE_MM)
                self.y += SIGNATURE_LINE_MM
            left = MARGIN_MM + half * (number % 2)
            self.line((left, self.y - LINE_MM), (left + half - 8, self.y - LINE_MM), 0.2)
            self.text(next(iter(self.wrapped(name, half - 8, 9)), ""), left, self.y - 1, 9)
