"""What a word list says of a tableau."""

from __future__ import annotations

from dataclasses import dataclass

from companion.model.grid import Direction


@dataclass(frozen=True, slots=True)
class JudgedWord:
    """A word of a tableau: what it reads, where it starts, which way it runs, whether it is valid.

    ``valid`` is ``None`` where the table has to decide.
    """

    text: str
    row: int
    col: int
    direction: Direction
    valid: bool | None


@dataclass(frozen=True, slots=True)
class TableauVerdict:
    """What is to be said of a tableau; ``islands`` counts its unconnected groups of tiles.

    ``valid`` is ``None`` where the table has to decide.
    """

    words: tuple[JudgedWord, ...]
    islands: int
    valid: bool | None
