"""What people have read on tiles in doubt, and how it stays with its tile while a tableau grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from companion.model.grid import displacement
from companion.model.sightings import Board, Cell, Sighting

Seeing = TypeVar("Seeing", Sighting, Board)


@dataclass(frozen=True, slots=True)
class Settled:
    """A tile that somebody has read.

    Parameters
    ----------
    seat
        Before whom it lies; 0 is the shared board.
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


def read_as_ruled(what: Seeing, settled: Iterable[Settled], seat: int) -> Seeing:
    """Return what is seen before a seat (0: on the shared board) with its doubts settled as ruled."""
    for one in settled:
        if one.seat == seat and one.cell in what.doubts:
            what = what.with_symbol(one.cell, one.symbol)
    return what


def carried(
    settled: tuple[Settled, ...], seat: int, before: Sighting | None, after: Sighting | None
) -> tuple[Settled, ...]:
    """Return the rulings with those on a seat's tiles moved from one sighting of it to the next.

    A tableau that grows upwards or to the left begins in another row or
    column.  A ruling stays with its tile; it is dropped where the tableau was
    laid anew, or where another tile may lie in its place: then the reader asks again.
    """
    own = [one for one in settled if one.seat == seat]
    if not own or before == after:
        return settled
    others = tuple(one for one in settled if one.seat != seat)
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
