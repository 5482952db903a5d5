"""Which game's notation the tiles of a set are laid in, where they are laid for something else than words."""

from __future__ import annotations

from companion.model.tiles import TileSet
from companion.rules.interface import Notation
from companion.rules.registry import installed


def notation_of(tiles: TileSet) -> Notation | None:
    """Return the notation of an installed game that the tiles of a set are made for, or ``None``."""
    notations = (game.notation for game in installed())
    return next((one for one in notations if one and one.uses(tiles)), None)
