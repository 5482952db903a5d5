"""What is known of the letters on a Volcano board over time, under pyramids or not.

A pyramid hides its letter or shows it badly; but it stood in the open before,
or will when the pyramid is lifted.  So what was once seen in the open is
kept, what is seen through a pyramid fills gaps, and where a lifted pyramid
shows another letter than was thought, that is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.model.grid import Place
from companion.model.reading import Reading, Tableau

CELLS = 5
"""Rows and columns of the board."""


class Known(StrEnum):
    """How a letter is known."""

    OPEN = "open"
    THROUGH = "through"


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter, how it is known, and when it was last seen so, in ns."""

    symbol: str
    known: Known
    at_ns: int


@dataclass(frozen=True, slots=True)
class Surprise:
    """A letter that was thought to lie somewhere, and what a lifted pyramid showed instead."""

    cell: Place
    thought: str
    shown: str


@dataclass(frozen=True, slots=True)
class LetterMap:
    """The letters that are known, by row and column, and what the last look at the board corrected.

    ``covered`` are the cells with a pyramid when it was last looked at.
    """

    letters: Mapping[Place, Letter] = field(default_factory=dict)
    covered: frozenset[Place] = frozenset()
    surprises: tuple[Surprise, ...] = ()

    def __post_init__(self) -> None:
        for row, col in {*self.letters, *self.covered}:
            if not (0 <= row < CELLS and 0 <= col < CELLS):
                raise ValueError(f"the board has rows and columns 0 to {CELLS - 1}; got {row}, {col}")

    def symbol(self, cell: Place) -> str | None:
        """Return the letter that is known to lie in a cell, or ``None``."""
        letter = self.letters.get(cell)
        return letter.symbol if letter else None

    @property
    def unknown(self) -> tuple[Place, ...]:
        """The cells of which no letter is known, in reading order."""
        return tuple(
            (row, col) for row in range(CELLS) for col in range(CELLS) if (row, col) not in self.letters
        )

    def seen(self, reading: Reading, at_ns: int) -> LetterMap:
        """Return what is known after one more look at the board, from the same side as before.

        A letter in doubt tells nothing.  One in the open is believed over all
        before; where a pyramid stood on it at the last look and another letter
        was thought to lie there, that is a surprise.  One seen through a pyramid
        only fills a gap.
        """
        if reading.board is None or not reading.tableaux:
            return replace(self, surprises=())
        covered = covered_by(reading)
        letters, surprises = dict(self.letters), list[Surprise]()
        for cell, symbol in sure(reading.tableaux[0]):
            before = letters.get(cell)
            if cell in covered:
                if before is None or before.known is Known.THROUGH:
                    letters[cell] = Letter(symbol, Known.THROUGH, at_ns)
                continue
            if before and before.symbol != symbol and cell in self.covered:
                surprises.append(Surprise(cell, before.symbol, symbol))
            letters[cell] = Letter(symbol, Known.OPEN, at_ns)
        return LetterMap(letters, covered, tuple(surprises))

    def replaced(self, cells: Iterable[Place]) -> LetterMap:
        """Return what is known after players have put other tiles into some cells."""
        gone = set(cells)
        letters = {cell: letter for cell, letter in self.letters.items() if cell not in gone}
        return replace(self, letters=letters, surprises=())


def covered_by(reading: Reading) -> frozenset[Place]:
    """Return the cells of the board with a pyramid on them."""
    return frozenset(
        (piece.row, piece.col)
        for piece in reading.pieces
        if 0 <= piece.row < CELLS and 0 <= piece.col < CELLS
    )


def sure(board: Tableau) -> Iterable[tuple[Place, str]]:
    """Yield the cells of a board with the letters that are not in doubt; a blank shows none."""
    return (((cell.row, cell.col), cell.symbol) for cell in board.cells if cell.symbol and not cell.doubt)
