"""Tile sets: which symbols there are, how many of each and what they are worth."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.errors import BadTileSet

BLANK = ""
"""The symbol of a blank tile."""

FOLDER = Path(__file__).with_name("tile_sets")


@dataclass(frozen=True, slots=True)
class TileSet:
    """The tiles in one box.

    ``symbols`` are all faces, ``""`` for a blank; ``counts`` how many tiles
    show each, or ``None`` where nobody knows; ``values`` what each scores.
    """

    name: str
    symbols: tuple[str, ...]
    counts: Mapping[str, int] | None = None
    values: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.symbols or len(set(self.symbols)) != len(self.symbols):
            raise BadTileSet(f"tile set {self.name!r}: the symbols must be given, each once; got {self.symbols!r}")
        for what, table in (("counts", self.counts or {}), ("values", self.values)):
            if strange := set(table) - set(self.symbols):
                raise BadTileSet(f"tile set {self.name!r}: {what} for symbols it does not have: {sorted(strange)}")
        if any(n < 1 for n in (self.counts or {}).values()):
            raise BadTileSet(f"tile set {self.name!r}: every count must be 1 or more")

    @property
    def has_blanks(self) -> bool:
        """Whether a tile without a symbol may lie face up."""
        return BLANK in self.symbols

    @property
    def size(self) -> int | None:
        """How many tiles the box holds, or ``None`` where nobody knows."""
        return sum(self.counts.values()) if self.counts else None

    @classmethod
    def from_json(cls, name: str, text: str) -> TileSet:
        """Return the tile set that a JSON file describes; raise BadTileSet where it is malformed."""
        try:
            body: dict[str, Any] = json.loads(text)
            counts = body.get("counts")
            symbols = tuple(body.get("symbols") or counts)
            return cls(name, symbols, counts, body.get("values") or {})
        except (ValueError, TypeError, AttributeError) as error:
            raise BadTileSet(f"tile set {name!r} is malformed: {error}") from error


def tile_set_names() -> list[str]:
    """Return the names of the tile sets that come with the product."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def tile_set(name: str) -> TileSet:
    """Return a tile set by name, or from a file when ``name`` is a path to one."""
    path = Path(name) if name.endswith(".json") else FOLDER / f"{name}.json"
    if path.parent == FOLDER and name not in tile_set_names():
        close = difflib.get_close_matches(name, tile_set_names(), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise BadTileSet(f"no tile set {name!r}{hint} (there are {', '.join(tile_set_names())}, or give a .json file)")
    try:
        return TileSet.from_json(path.stem, path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTileSet(f"tile set file {name}: {error.strerror}") from error
