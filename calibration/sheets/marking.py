"""The corner markers of a table and of a board, on cards to cut out."""

from __future__ import annotations

from calibration.markers import (
    BOARD_MARKER_NUMBERS,
    MARKER_SIDES_MM,
    MODULES,
    TABLE_MARKER_NUMBERS,
    marker_pattern,
)
from calibration.sheets.page import Sheet
from companion.paper import Paper

QUIET_ZONE_SIDES = 1 / 6
"""Width of the white margin around a marker, in its sides; without it no marker is detected."""

PLACES = ("top left", "top right", "bottom right", "bottom left")

TABLE_INSTRUCTIONS = (
    "Cut the four cards out along the dashed lines and lay one flat at each corner of the table, its arrow "
    "towards the corner, all numbers upright for who sits at the near side. Number 0 lies where the camera's "
    "picture shows the top left, then 1, 2, 3 clockwise. They may stay there; tape them down."
)
BOARD_INSTRUCTIONS = (
    "For a board that always lies at the same place: cut the cards out and lay one flat at each of its "
    "corners, outside of it, the arrow away from its middle. Number 4 lies at the top left, then 5, 6, 7 "
    "clockwise."
)


def corner_sheet(paper: Paper) -> bytes:
    """Return the table's four corner markers as a PDF."""
    return _cards(paper, "Corner markers of the table", TABLE_INSTRUCTIONS, TABLE_MARKER_NUMBERS)


def board_sheet(paper: Paper) -> bytes:
    """Return a board's four corner markers as a PDF."""
    return _cards(paper, "Corner markers of a board", BOARD_INSTRUCTIONS, BOARD_MARKER_NUMBERS)


def _cards(paper: Paper, title: str, how: str, numbers: tuple[int, ...]) -> bytes:
    sheet = Sheet(paper)
    top = sheet.page(title, how)
    side = MARKER_SIDES_MM[numbers[0]]
    card, gap = side * (1 + 2 * QUIET_ZONE_SIDES), 6.0
    tall = card + 9.0
    left = (sheet.width - 2 * card - gap) / 2
    top += max(2.0, (sheet.end - top - 2 * tall - gap) / 2)
    for place, number in enumerate(numbers):
        column, row = (place in (1, 2)), (place in (2, 3))
        _card(sheet, left + column * (card + gap), top + row * (tall + gap), number, place)
    return sheet.done()


def _card(sheet: Sheet, x: float, y: float, number: int, place: int) -> None:
    """Draw one card: the marker, an arrow to its outer corner, its number and place."""
    side = MARKER_SIDES_MM[number]
    quiet = side * QUIET_ZONE_SIDES
    card, tall = side + 2 * quiet, side + 2 * quiet + 9.0
    sheet.cut((x, y), (x + card, y))
    sheet.cut((x + card, y), (x + card, y + tall))
    sheet.cut((x + card, y + tall), (x, y + tall))
    sheet.cut((x, y + tall), (x, y))
    high = place in (0, 1)
    top = y + quiet + (0.0 if high else 9.0)
    sheet.cells(marker_pattern(number), x + quiet, top, side / MODULES)
    _arrow(sheet, (x + card * (place in (1, 2)), top - quiet + card * (place in (2, 3))), place, quiet)
    base = y + tall - 5.0 if high else y + 8.0
    sheet.text(f"{number}", x + quiet, base, 16 if side > 40 else 11, bold=True)
    sheet.text(PLACES[place], x + quiet + 8, base, 10 if side > 40 else 7.5)


def _arrow(sheet: Sheet, tip: tuple[float, float], place: int, quiet: float) -> None:
    """Draw an arrow head in the corner of a card that points outwards."""
    right, down = (1 if place in (1, 2) else -1), (1 if place in (2, 3) else -1)
    x, y = tip[0] - right * 0.15 * quiet, tip[1] - down * 0.15 * quiet
    size = 0.45 * quiet
    sheet.shape([(x, y), (x - right * size, y), (x, y - down * size)])
