"""The button legend: each button's call in each game, to lie beside the buttons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.sheets.page import Sheet
from companion.paper import MARGIN_MM, Paper

INSTRUCTIONS = (
    "One card for each game; cut it out and lay it beside the buttons. A short press answers at once; hold a "
    "button for a long press; press twice quickly for a double press."
)
ROW_MM = 13.0
RADIUS_MM = 4.2


@dataclass(frozen=True, slots=True)
class Line:
    """One row: the button, its gesture, its call and the meaning of the call."""

    button: int
    gesture: str
    call: str
    means: str


@dataclass(frozen=True, slots=True)
class Card:
    """One game's card."""

    title: str
    lines: tuple[Line, ...]


def legend_sheet(paper: Paper, cards: Sequence[Card]) -> bytes:
    """Return the games' cards as a PDF."""
    sheet = Sheet(paper)
    width = sheet.width - 2 * MARGIN_MM
    y = sheet.end + 1
    for card in cards:
        tall = 14.0 + ROW_MM * len(card.lines)
        if y + tall > sheet.end:
            y = sheet.page("What the buttons call", INSTRUCTIONS) + 2
        _card(sheet, card, y, width, tall)
        y += tall + 5
    return sheet.done()


def _card(sheet: Sheet, card: Card, y: float, width: float, tall: float) -> None:
    sheet.round_box(MARGIN_MM, y, width, tall, 3)
    sheet.text(card.title, MARGIN_MM + 6, y + 8.5, 14, bold=True)
    for number, line in enumerate(card.lines):
        middle = y + 12 + ROW_MM * (number + 0.5)
        x = MARGIN_MM + 6
        sheet.disc(x + RADIUS_MM, middle, RADIUS_MM, str(line.button))
        sheet.text(line.gesture, x + 12, middle + 1.4, 9.5)
        sheet.text(line.call, x + 30, middle + 1.8, 13, bold=True)
        for k, text in enumerate(sheet.wrapped(line.means, width - 90, 9.5)[:2]):
            sheet.text(text, x + 80, middle + 1.4 + 4.2 * k, 9.5)
