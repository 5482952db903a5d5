"""Tile sets: which symbols there are, how many of each and what they are worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion.errors import BadTileSet, nearest

BLANK = ""
"""The symbol of a blank tile."""

TILE_SET_KEYS = ("symbols", "counts", "values", "printed", "looks", "side_mm", "title")
TILE_SIDE_RANGE_MM = 5.0, 100.0
"""Least and greatest width of a tile, in mm."""

MAX_FILE_CHARS = 100_000
MAX_TITLE_CHARS = 100
"""Longest title, in characters: what fits on a line of a page."""
TILE_SETS_FOLDER = Path(__file__).with_name("tile_sets")


@dataclass(frozen=True, slots=True)
class TileSet:
    """The tiles in one box.

    ``symbols`` are all faces, ``""`` for a blank; ``counts`` how many tiles
    show each, or ``None`` where unknown; ``values`` the points of each;
    ``printed`` the printed sign of each symbol that is typed otherwise (``×``
    for ``x``): people see the sign and may write either; ``looks`` the
    picture of the tiles of an enrolled set, ``None`` where the reader has
    learnt its symbols; ``side_mm`` the measured width of its tiles, which
    differs between makers; ``title`` its title on pages, in English, where
    that is not its name.
    """

    name: str
    symbols: tuple[str, ...]
    counts: Mapping[str, int] | None = None
    values: Mapping[str, int] = field(default_factory=dict)
    printed: Mapping[str, str] = field(default_factory=dict)
    looks: Path | None = None
    side_mm: float | None = None
    title: str = ""

    def __post_init__(self) -> None:
        if not any(self.symbols) or len(set(self.symbols)) != len(self.symbols):
            raise self._fault(f"the symbols must be given, not blanks alone, each once; got {self.symbols!r}")
        for what, table in (("counts", self.counts or {}), ("values", self.values)):
            if strange := set(table) - set(self.symbols):
                raise self._fault(f"{what} for symbols it does not have: {sorted(strange)}")
        if any(n < 1 for n in (self.counts or {}).values()):
            raise self._fault("every count must be 1 or more")
        if self.side_mm is not None and not TILE_SIDE_RANGE_MM[0] <= self.side_mm <= TILE_SIDE_RANGE_MM[1]:
            raise self._fault(
                f"'side_mm' must be {TILE_SIDE_RANGE_MM[0]:g} to {TILE_SIDE_RANGE_MM[1]:g}; "
                f"got {self.side_mm:g}"
            )
        signs = self.printed.values()
        if (
            not set(self.printed) <= set(self.symbols)
            or set(signs) & set(self.symbols)
            or len(set(signs)) != len(signs)
        ):
            raise self._fault(f"'printed' must give symbols of the set a sign each; got {dict(self.printed)}")
        if any(len(text) != 1 for pair in self.printed.items() for text in pair):
            raise self._fault(f"'printed' is for single characters; got {dict(self.printed)}")

    def _fault(self, what: str) -> BadTileSet:
        return BadTileSet(f"tile set {self.name!r}: {what}")

    @property
    def has_blanks(self) -> bool:
        """Whether a tile without a symbol may lie face up."""
        return BLANK in self.symbols

    @property
    def size(self) -> int | None:
        """How many tiles the box holds, or ``None`` where unknown."""
        return sum(self.counts.values()) if self.counts else None

    def as_printed(self, text: str) -> str:
        """Return a symbol, or the text of several, with the signs that are printed on the tiles."""
        return text.translate({ord(symbol): sign for symbol, sign in self.printed.items()})

    def as_typed(self, text: str) -> str:
        """Return a symbol, or the text of several, with the signs of every keyboard."""
        return text.translate({ord(sign): symbol for symbol, sign in self.printed.items()})

    @classmethod
    def from_json(cls, name: str, text: str) -> TileSet:
        """Return the tile set that a JSON file describes; raise BadTileSet where it is malformed."""
        try:
            body = _body(text)
            counts, values = _numbers(body, "counts"), _numbers(body, "values")
            symbols = _symbols(body.get("symbols", list(counts)))
            printed = _signs(body.get("printed", {}))
            looks, side_mm = _beside(body.get("looks")), _length(body.get("side_mm"))
            title = _title(body.get("title", ""))
        except (ValueError, TypeError, RecursionError) as error:
            raise BadTileSet(f"tile set {name!r} is malformed: {error}") from error
        return cls(name, symbols, counts or None, values, printed, looks, side_mm, title)


def _body(text: str) -> dict[str, Any]:
    """Return the object that a tile set file holds."""
    body = json.loads(text)
    if not isinstance(body, dict) or not set(body) <= set(TILE_SET_KEYS):
        raise TypeError(f"it must be an object with no other keys than {', '.join(TILE_SET_KEYS)}")
    return body


def _numbers(body: Mapping[str, Any], key: str) -> dict[str, int]:
    """Return a table of symbols and whole numbers, empty where there is none."""
    table = body.get(key, {})
    if not isinstance(table, dict) or any(type(number) is not int for number in table.values()):
        raise TypeError(f"{key!r} must give each symbol a whole number")
    return table


def _symbols(faces: object) -> tuple[str, ...]:
    """Return a list of faces as a tuple."""
    if not isinstance(faces, list) or not all(isinstance(face, str) for face in faces):
        raise TypeError("'symbols' must be a list of texts")
    return tuple(faces)


def _signs(table: object) -> dict[str, str]:
    """Return how symbols are printed."""
    if not isinstance(table, dict) or not all(isinstance(sign, str) for sign in table.values()):
        raise TypeError("'printed' must give symbols a sign each")
    return table


def _title(given: object) -> str:
    """Return a title that fits on a line."""
    if not isinstance(given, str) or len(given) > MAX_TITLE_CHARS:
        raise TypeError(f"'title' must be a text of {MAX_TITLE_CHARS} characters at most")
    return given


def _length(given: object) -> float | None:
    """Return a length, if one is given."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError("'side_mm' must be a number of millimetres")
    return given


def _beside(name: object) -> Path | None:
    """Return the name of a file that lies beside the set's own, if there is one."""
    if name is None:
        return None
    if not isinstance(name, str) or not name.endswith(".png") or Path(name).name != name:
        raise TypeError("'looks' must be the name of a .png file that lies beside the set")
    return Path(name)


def tile_set_names() -> list[str]:
    """Return the names of the tile sets that come with the product."""
    return sorted(path.stem for path in TILE_SETS_FOLDER.glob("*.json"))


def tile_set(name: str) -> TileSet:
    """Return a tile set by name, or from a file when ``name`` is a path to one."""
    path = Path(name) if name.endswith(".json") else TILE_SETS_FOLDER / f"{name}.json"
    if not name.endswith(".json") and name not in tile_set_names():
        hint = nearest(name, tile_set_names())
        there = ", ".join(tile_set_names())
        raise BadTileSet(f"no tile set {name!r}{hint} (there are {there}, or give a .json file)")
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_FILE_CHARS + 1)
    except OSError as error:
        raise BadTileSet(f"tile set file {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadTileSet(f"tile set file {name}: it is not UTF-8 text") from error
    if len(text) > MAX_FILE_CHARS:
        raise BadTileSet(f"tile set file {name}: it is longer than {MAX_FILE_CHARS} characters")
    read = TileSet.from_json(path.stem, text)
    return replace(read, looks=path.with_name(read.looks.name)) if read.looks else read
