"""The lens board: a chessboard with markers, whose visible corners are identified one by one."""

from __future__ import annotations

import numpy as np

from calibration.markers import (
    FIRST_LENS_MARKER_NUMBER,
    LENS_MARKER_MM,
    LENS_SQUARE_MM,
    LENS_SQUARES,
    MODULES,
    lens_board,
    marker_pattern,
)
from calibration.sheets.page import Sheet
from companion.paper import Paper

INSTRUCTIONS = (
    "Glue the sheet flat on cardboard or a book. Show it to the camera in some fifteen pictures: tilted to "
    "all sides, near and far, and up to every corner of the picture; companion calibrate lens says which are "
    "missing."
)


def lens_sheet(paper: Paper) -> bytes:
    """Return the lens board as a PDF."""
    sheet = Sheet(paper, landscape=True)
    top = sheet.page("Lens board", INSTRUCTIONS)
    across, down = LENS_SQUARES
    left = (sheet.width - across * LENS_SQUARE_MM) / 2
    top += max(0.0, (sheet.end - top - down * LENS_SQUARE_MM) / 2)
    for row, column in np.argwhere(dark_squares()).tolist():
        x, y = left + column * LENS_SQUARE_MM, top + row * LENS_SQUARE_MM
        sheet.black(x, y, LENS_SQUARE_MM, LENS_SQUARE_MM)
    for number, (x, y, _) in enumerate(
        (corners[0] for corners in lens_board().getObjPoints()), FIRST_LENS_MARKER_NUMBER
    ):
        sheet.cells(marker_pattern(number), left + float(x), top + float(y), LENS_MARKER_MM / MODULES)
    return sheet.done()


def dark_squares() -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return a mask of the board's black squares, (rows, columns), as OpenCV draws it."""
    across, down = LENS_SQUARES
    fine = 20
    drawn = lens_board().generateImage((across * fine, down * fine))
    return np.asarray(drawn[1::fine, 1::fine] < 128)
