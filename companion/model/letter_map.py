"""A memory of the letters on a board with pyramids, and since when each lies there.

A pyramid hides its letter or makes it hard to read.  Each cell therefore keeps the letter that was seen
uncovered, with the time since which it lies there, until the cell is seen uncovered without it.  A letter
read through a pyramid is used only if none is known.  A letter read in doubt does not replace a known one,
but the known one counts again only after it was read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.model.sightings import Board, Cell, without_doubts


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter on a cell, and since when it lies there, in ns; 0: since before the first sighting.

    It is ``doubted`` if the cell was last read in doubt.
    """

    symbol: str
    since_ns: int
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class LetterMap:
    """The known letters by cell; ``started`` says whether the board was seen yet."""

    letters: Mapping[Cell, Letter] = field(default_factory=dict)
    started: bool = False

    def updated(self, board: Board, at_ns: int) -> LetterMap:
        """Return the map after one more sighting of the board."""
        covered, symbols = board.covered, board.symbols()
        since_ns = at_ns if self.started else 0
        found: dict[Cell, Letter] = {}
        for cell in {*self.letters, *symbols}:
            known, symbol, doubted = self.letters.get(cell), symbols.get(cell), cell in board.doubts
            if known is not None and symbol == known.symbol and not doubted:
                found[cell] = replace(known, doubted=False)
            elif known is not None and cell in covered and (not known.doubted or symbol is None or doubted):
                found[cell] = known
            elif known is not None and symbol is not None and doubted:
                found[cell] = replace(known, doubted=True)
            elif symbol is not None and not doubted:
                found[cell] = Letter(symbol, since_ns)
        return LetterMap(found, started=True)

    def applied_to(self, board: Board) -> Board:
        """Return a sighting with the known letters under its pyramids, and since when each lies there."""
        covered = board.covered
        letters = {cell: letter for cell, letter in self.letters.items() if not letter.doubted}
        hidden = {cell: letter for cell, letter in letters.items() if cell in covered}
        symbols = {**board.symbols(), **{cell: letter.symbol for cell, letter in hidden.items()}}
        since = tuple((*cell, letter.since_ns) for cell, letter in sorted(letters.items()))
        return replace(without_doubts(board, hidden), cells=Board.of(symbols).cells, since=since)
