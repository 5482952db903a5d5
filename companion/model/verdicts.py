"""What the table makes of one seat's tableau."""

from __future__ import annotations

from dataclasses import dataclass

from companion.model.sightings import Cell


@dataclass(frozen=True, slots=True)
class Verdict:
    """Words and connection of a tableau, as seen; what the game counts stands with the seat.

    Parameters
    ----------
    words
        All words of the tableau, rows first.
    invalid_words
        Those that the word list refuses (or that stand twice, where the
        house forbids it).
    undecided_words
        Those that no loaded list covers: the referee rules on them.
    islands
        Number of connected groups; edges touch, corners do not.
    loose
        Tiles lying face up outside the tableau.
    doubts
        Cells that the reader would rather ask about.
    """

    words: tuple[str, ...] = ()
    invalid_words: tuple[str, ...] = ()
    undecided_words: tuple[str, ...] = ()
    islands: int = 0
    loose: int = 0
    doubts: tuple[Cell, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether all tiles seen make one tableau of good words, beyond doubt."""
        connected = self.islands == 1 and not self.loose and bool(self.words)
        return connected and not (self.invalid_words or self.undecided_words or self.doubts)
