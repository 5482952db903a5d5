"""The sheets that the set-up pages offer for printing, as PDF."""

from __future__ import annotations

from calibration.sheets.cards import seat_sheet
from calibration.sheets.lens import lens_sheet
from calibration.sheets.marking import board_sheet, corner_sheet
from calibration.sheets.mat import mat_sheet
from companion.errors import UsageError
from companion.model.set_up import SheetKind
from companion.model.tiles import TileSet
from companion.paper import PAPERS

PLACES_PER_SYMBOL, TILE_MM = 3, 20.0
"""Places for each symbol on the tile mat, and their width in mm."""


def sheet(kind: SheetKind, paper: str, seats: int, url: str, tiles: TileSet) -> bytes:
    """Return a sheet as PDF; raise UsageError for one that cannot be printed."""
    if paper not in PAPERS:
        raise UsageError(f"paper is {' or '.join(PAPERS)}; got {paper[:20]!r}")
    size = PAPERS[paper]
    match kind:
        case SheetKind.MARKERS:
            return corner_sheet(size)
        case SheetKind.BOARD:
            return board_sheet(size)
        case SheetKind.LENS:
            return lens_sheet(size)
        case SheetKind.TILES:
            return mat_sheet(size, tiles.symbols, PLACES_PER_SYMBOL, TILE_MM)
        case SheetKind.SEATS:
            if not url.startswith(("http://", "https://")):
                raise UsageError("the seats' cards need the address of the pages")
            return seat_sheet(size, seats, url)
