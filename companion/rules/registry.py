"""The games that are installed, by name."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from companion.errors import BadSetUp, nearest
from companion.model.tiles import TileSet
from companion.rules.interface import Notation, RuleSystem

ENTRY_POINT_GROUP = "companion.games"
"""The entry-point group in which packages register their games."""


@cache
def entries() -> dict[str, EntryPoint]:
    """Return the entry point of every installed game."""
    return {
        entry.name: entry
        for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name)
    }


@cache
def game(name: str) -> RuleSystem[Any]:
    """Return a game by name; raise BadSetUp if it is not installed or cannot be loaded."""
    if name not in entries():
        raise BadSetUp(
            f"no game {name!r}{nearest(name, entries())} (there are {', '.join(entries())}); "
            "a game of your own is found once its package is installed, see companion docs games"
        )
    try:
        found: RuleSystem[Any] = entries()[name].load()
    except (ImportError, AttributeError) as error:
        raise BadSetUp(f"the game {name!r} is installed but cannot be loaded: {error}") from error
    if getattr(found, "name", None) != name:
        raise BadSetUp(f"the entry point {name!r} names no game of that name but {found!r}")
    return found


def installed() -> list[RuleSystem[Any]]:
    """Return the games that can be loaded; ``companion rules`` lists those that cannot."""
    found = []
    for name in entries():
        try:
            found.append(game(name))
        except BadSetUp:
            continue
    return found


def notation_of(tiles: TileSet) -> Notation | None:
    """Return the notation of an installed game that the tiles of a set are made for, or ``None``."""
    notations = (game.notation for game in installed())
    return next((one for one in notations if one and one.uses(tiles)), None)
