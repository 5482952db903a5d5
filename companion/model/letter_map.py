"""What a camera knows over time of the letters on a board with pyramids, and since when.

A pyramid hides its letter or shows it badly, but the tile lay in the open before.  Each cell therefore keeps
the letter that was seen in the open, with the time from which on that tile lies there, until the cell is seen
in the open without it.  What shows through a pyramid only fills a gap.  A letter in doubt is no other tile:
the known one counts again only when it is read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.model.sightings import Board, Cell


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that lies on a cell, and since when, in ns; 0: from before the first look.

    It is ``doubted`` where the cell was last read with a doubt.
    """

    symbol: str
    since_ns: int
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class LetterMap:
    """The letters that are known, by cell; ``looked`` says whether the board was looked at yet."""

    letters: Mapping[Cell, Letter] = field(default_factory=dict)
    looked: bool = False

    def seen(self, board: Board, at_ns: int) -> LetterMap:
        """Return what is known after one more look at the board."""
        covered, symbols = board.covered, board.symbols()
        since_ns = at_ns if self.looked else 0
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
        return LetterMap(found, looked=True)

    def told(self, board: Board) -> Board:
        """Return a board with the letters that are known under its pyramids, and since when each is known."""
        covered = board.covered
        letters = {cell: letter for cell, letter in self.letters.items() if not letter.doubted}
        hidden = {cell: letter for cell, letter in letters.items() if cell in covered}
        symbols = {**board.symbols(), **{cell: letter.symbol for cell, letter in hidden.items()}}
        doubts = tuple(cell for cell in board.doubts if cell not in hidden)
        since = tuple((*cell, letter.since_ns) for cell, letter in sorted(letters.items()))
        return replace(Board.of(symbols), pieces=board.pieces, doubts=doubts, since=since)
