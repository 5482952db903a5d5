"""What the tiles of a set are laid to say: equations or words."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from companion.model.tiles import TileSet
from companion.rules.binary_scrabble.tableau import makes_equations, may_be_equation
from companion.words.chosen import knows
from companion.words.judging import spells
from companion.words.lexicon import Lexicon

KEPT = 4096
"""Rows whose meaning is remembered: a table that lies still says the same again and again."""


def sense_of(tiles: TileSet, lexicon: Lexicon | None) -> Callable[[tuple[str, ...]], bool | None] | None:
    """Return what tells whether tiles side by side mean something, or ``None`` where nothing can.

    ``lexicon`` is the list that judges words, if any does.  What is returned answers ``None`` where it cannot
    say.
    """
    if makes_equations(tiles):
        return lru_cache(KEPT)(may_be_equation)
    return partial(spells, lexicon) if lexicon and knows(lexicon, tiles) else None
