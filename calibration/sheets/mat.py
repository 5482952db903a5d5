"""The tile mat: places to lay the tiles of a new set on, in the order of enrolment."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.sheets.page import Sheet
from companion.paper import MARGIN_MM, Paper

GAP_MM = 8.0
"""Gap between tiles, in mm; the symbol to lay is printed in it, below its place."""


def mat_sheet(paper: Paper, symbols: Sequence[str], each: int, tile_mm: float) -> bytes:
    """Return a mat with ``each`` places for every symbol, as a PDF of one or more pages.

    ``tile_mm`` is the width of a tile.  A blank's place is labelled as such.
    """
    sheet = Sheet(paper)
    side = tile_mm + 3.0
    pitch = side + GAP_MM
    columns = max(1, int((sheet.width - 2 * MARGIN_MM + GAP_MM) // pitch))
    wanted = [symbol for symbol in symbols for _ in range(each)]
    how = (
        f"Lay a tile on every place, face up, all the same way up, {each} of each symbol, row by row. Lay "
        "the sheets beside each other in their order and take one picture of all from above, in even light: "
        "companion enrol learns the set from it."
    )
    done = 0
    number = 0
    while done < len(wanted):
        number += 1
        top = sheet.page(f"Tile mat, sheet {number}", how) + 2
        rows = max(1, int((sheet.end - top) // pitch))
        left = (sheet.width - columns * pitch + GAP_MM) / 2
        for place, symbol in enumerate(wanted[done : done + rows * columns]):
            x, y = left + place % columns * pitch, top + place // columns * pitch
            sheet.box(x, y, side, side, grey=True)
            sheet.text(symbol or "blank", x + side / 2, y + side + 4.2, 10.5, bold=True, align="C")
        done += rows * columns
    return sheet.done()
