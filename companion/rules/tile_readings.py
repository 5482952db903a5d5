"""The referee's readings of tiles, which stay with their tiles while a tableau grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from companion.model.grid import displacement
from companion.model.phrases import phrase
from companion.model.sightings import Board, Cell, Seeing, Sighting
from companion.model.tiles import BLANK


@dataclass(frozen=True, slots=True)
class TileReading:
    """A tile that the referee has read.

    Parameters
    ----------
    seat
        The seat that it lies before; 0 is the shared board.
    cell
        Row and column in the latest sighting.
    shown
        The symbol that the camera took it for.
    symbol
        The symbol that it has.
    """

    seat: int
    cell: Cell
    shown: str
    symbol: str


def apply_readings(what: Seeing, readings: Iterable[TileReading], seat: int) -> Seeing:
    """Return a sighting of a seat, or of the board (0), with its doubts and blanks settled by readings."""
    for one in readings:
        if one.seat == seat and (one.cell in what.doubts or is_blank(what, one.cell)):
            what = what.with_symbol(one.cell, one.symbol)
    return what


def is_blank(what: Sighting | Board, cell: Cell) -> bool:
    """Return whether a blank lies in a cell of a tableau; those of the board are declared by their player."""
    return isinstance(what, Sighting) and what.cells().get(cell) == BLANK


def unread_reason(place: str) -> str:
    """Return the reason that something beside the tile at a place, or several, was not read."""
    return phrase(
        "the table cannot read what lies beside the tile at %(place)s: lay it straight, out of reflections; "
        "or the referee says that nothing lies there",
        place=place,
    )


def moved_readings(
    readings: tuple[TileReading, ...], seat: int, before: Sighting | None, after: Sighting | None
) -> tuple[TileReading, ...]:
    """Return all readings, those of one seat moved with its tiles from one sighting to the next.

    A tableau that grows upwards or to the left begins in another row or column.  A reading is dropped if the
    tableau was laid out again, or if another tile may lie in the place: then the doubt is asked about again.
    """
    own = [one for one in readings if one.seat == seat]
    if not own or before == after:
        return readings
    others = tuple(one for one in readings if one.seat != seat)
    if before is None or after is None:
        return others
    known = {cell: {symbol} for cell, symbol in before.cells().items()}
    for one in own:
        known.setdefault(one.cell, set()).update({one.shown, one.symbol})
    seen = after.cells()
    way = displacement(known, seen)
    if way is None:
        return others
    moved = [replace(one, cell=(one.cell[0] + way[0], one.cell[1] + way[1])) for one in own]
    return (*others, *(one for one in moved if seen.get(one.cell) in {one.shown, one.symbol}))
