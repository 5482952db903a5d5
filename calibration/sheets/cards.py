"""Seat cards: one for each player, with the number of the seat and the QR code of its page."""

from __future__ import annotations

import numpy as np
import segno

from calibration.sheets.page import Sheet
from companion.paper import MARGIN_MM, Paper

INSTRUCTIONS = (
    "Cut along the dashed lines, fold each card at its middle, and set it up before its player. The code "
    "opens the seat's page on a phone that is in the table's Wi-Fi."
)
MAX_CODE_SIDE_MM = 46.0
QUIET_ZONE_MODULES = 4
"""Width of the white margin around a code, in modules."""


def seat_sheet(paper: Paper, seats: int, url: str) -> bytes:
    """Return the cards of ``seats`` as a PDF, two on each page; ``url`` is that of the table's pages."""
    sheet = Sheet(paper)
    width = sheet.width - 2 * MARGIN_MM
    for first in range(1, seats + 1, 2):
        last = min(first + 1, seats)
        which = f"Seats {first} and {last}" if last > first else f"Seat {first}"
        top = sheet.page(which, INSTRUCTIONS)
        tall = (sheet.end - top - 6) / 2
        for place, seat in enumerate(range(first, last + 1)):
            _card(sheet, (MARGIN_MM, top + place * (tall + 4)), (width, tall), seat, url)
    return sheet.done()


def seat_address(url: str, seat: int) -> str:
    """Return the address of a seat's page."""
    return f"{url.rstrip('/')}/seat/{seat}"


def code(address: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return a mask of the black modules of an address's QR code, (rows, columns), without a margin."""
    made = segno.make(address, error="m", micro=False)
    return np.array([[bool(cell) for cell in row] for row in made.matrix])


def _card(sheet: Sheet, at: tuple[float, float], size: tuple[float, float], seat: int, url: str) -> None:
    """Draw one card, to be folded in its middle: the code in front, the number for the others behind."""
    (x, y), (wide, tall) = at, size
    half = tall / 2
    for start, end in (((x, y), (x + wide, y)), ((x, y + tall), (x + wide, y + tall))):
        sheet.cut(start, end)
    sheet.cut((x, y), (x, y + tall))
    sheet.cut((x + wide, y), (x + wide, y + tall))
    sheet.line((x, y + half), (x + 4, y + half), 0.2)
    sheet.line((x + wide - 4, y + half), (x + wide, y + half), 0.2)
    sheet.turned_text(str(seat), x + wide / 2, y + half / 2, 110)
    black = code(seat_address(url, seat))
    side = min(MAX_CODE_SIDE_MM, half - 8) / (len(black) + 2 * QUIET_ZONE_MODULES)
    whole = side * (len(black) + 2 * QUIET_ZONE_MODULES)
    left, top = x + wide - whole - 6, y + half + (half - whole) / 2
    sheet.cells(black, left + QUIET_ZONE_MODULES * side, top + QUIET_ZONE_MODULES * side, side)
    middle = y + half * 1.5
    sheet.text(f"Seat {seat}", x + 10, middle - 2, 44, bold=True)
    sheet.text("Scan: my tiles, my words, my calls", x + 10, middle + 8, 11)
    sheet.text(seat_address(url, seat), x + 10, middle + 14, 8)
