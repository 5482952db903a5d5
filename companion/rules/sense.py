"""What the tiles of a set are laid to say: words, or what the notation of a game has them mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from companion.model.tiles import TileSet
from companion.rules.interface import Notation
from companion.rules.registry import installed
from companion.words.chosen import knows
from companion.words.judging import spells
from companion.words.lexicon import Lexicon

KEPT = 4096
"""Rows whose meaning is remembered: a table that lies still says the same again and again."""


def notation_of(tiles: TileSet) -> Notation | None:
    """Return the notation of an installed game that the tiles of a set are made for, or ``None``."""
    notations = (game.notation for game in installed())
    return next((one for one in notations if one and one.uses(tiles)), None)


def sense_of(tiles: TileSet, lexicon: Lexicon | None) -> Callable[[tuple[str, ...]], bool | None] | None:
    """Return what tells whether tiles side by side mean something, or ``None`` where nothing can.

    ``lexicon`` is the list that judges words, if any does.  What is returned answers ``None`` where it cannot
    say.
    """
    if notation := notation_of(tiles):
        return lru_cache(KEPT)(notation.may_mean)
    return partial(spells, lexicon) if lexicon and knows(lexicon, tiles) else None
