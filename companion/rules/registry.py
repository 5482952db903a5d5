"""The games that are installed, by name."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from companion.errors import BadSetUp, nearest
from companion.rules.interface import RuleSystem

GROUP = "companion.games"
"""The entry-point group in which a package names its games."""


@cache
def entries() -> dict[str, EntryPoint]:
    """Return the entry point of every installed game."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


@cache
def game(name: str) -> RuleSystem[Any]:
    """Return a game by name; raise BadSetUp where there is none, or one that cannot be loaded."""
    if name not in entries():
        raise BadSetUp(f"no game {name!r}{nearest(name, entries())} (there are {', '.join(entries())})")
    try:
        found: RuleSystem[Any] = entries()[name].load()
    except (ImportError, AttributeError) as error:
        raise BadSetUp(f"the game {name!r} is installed but cannot be loaded: {error}") from error
    if getattr(found, "name", None) != name:
        raise BadSetUp(f"the entry point {name!r} names no game of that name but {found!r}")
    return found


def installed() -> list[RuleSystem[Any]]:
    """Return the games that can be played; those that cannot be loaded are told by ``companion rules``."""
    found = []
    for name in entries():
        try:
            found.append(game(name))
        except BadSetUp:
            continue
    return found
