"""Verdicts on tableaux: of a game on a seat's tiles, and of a word list or a notation on any tableau."""

from __future__ import annotations

from dataclasses import dataclass

from companion.model.grid import Direction
from companion.model.sightings import Cell


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a seat's tableau as seen; the counts of the game are in ``Seat``.

    Parameters
    ----------
    words
        All words of the tableau, rows first.
    invalid_words
        Words that the word list refuses, or that occur twice if the options forbid it.
    undecided_words
        Words that no loaded list covers; the referee rules on them.
    islands
        Number of connected groups; edges touch, corners do not.
    loose
        Tiles lying face up outside the tableau.
    doubts
        Cells whose symbol is in doubt.
    unread
        Those of them whose symbol is sure, but something beside them was not read.
    """

    words: tuple[str, ...] = ()
    invalid_words: tuple[str, ...] = ()
    undecided_words: tuple[str, ...] = ()
    islands: int = 0
    loose: int = 0
    doubts: tuple[Cell, ...] = ()
    unread: tuple[Cell, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether all tiles seen certainly make one tableau of valid words."""
        connected = self.islands == 1 and not self.loose and bool(self.words)
        return connected and not (self.invalid_words or self.undecided_words or self.doubts)


@dataclass(frozen=True, slots=True)
class JudgedWord:
    """A word of a tableau: what it reads, where it starts, which way it runs, whether it is valid.

    ``valid`` is ``None`` if people have to decide.
    """

    text: str
    row: int
    col: int
    direction: Direction
    valid: bool | None


@dataclass(frozen=True, slots=True)
class TableauVerdict:
    """The verdict on a tableau; ``islands`` is the number of its unconnected groups of tiles.

    ``valid`` is ``None`` if people have to decide.
    """

    words: tuple[JudgedWord, ...]
    islands: int
    valid: bool | None
