"""Storage of enrolled tile sets: two files, ``NAME.json`` and ``NAME.png``, in the
host's folder or anywhere.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from companion.errors import BadEnrolment, BadOutput, BadTileSet, nearest
from companion.files import write_atomically
from companion.model.grid import BLANK_SIGN, is_symbol
from companion.model.phrases import phrase
from companion.model.tiles import BLANK, TileSet, tile_set, tile_set_names
from companion.vision.fewshot.sheet import Examples, encode_sheet
from companion.words.chosen import home

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def own_folder() -> Path:
    """Return the folder of the host's own sets."""
    return home() / "tiles"


def own_names() -> list[str]:
    """Return the names of the host's own sets in order."""
    return sorted(path.stem for path in own_folder().glob("*.json"))


def set_named(name: str) -> TileSet:
    """Return a tile set: one of those that come with the product, one of the host's own, or a .json file.

    Raises
    ------
    BadTileSet
        Where there is none of that name, or its file is malformed.
    """
    if name.endswith(".json") or name in tile_set_names():
        return tile_set(name)
    if name in own_names():
        return tile_set(str(own_folder() / f"{name}.json"))
    known = [*tile_set_names(), *own_names()]
    raise BadTileSet(
        f"no tile set {name!r}{nearest(name, known)} (there are {', '.join(known)}, or give a .json file)"
    )


def checked_name(name: str) -> str:
    """Return a name for a new set; raise BadTileSet where it is not allowed."""
    if not NAME.fullmatch(name):
        raise BadTileSet(
            phrase(
                "%(name)s cannot name a tile set; use small letters, digits and dashes, at most 40",
                name=repr(name),
            )
        )
    if name in tile_set_names():
        raise BadTileSet(
            phrase("%(name)s is a set that comes with the product; give yours another name", name=repr(name))
        )
    return name


def parse_symbol(word: str) -> str:
    """Return the symbol that a person wrote; raise BadEnrolment for what cannot be one."""
    if not is_symbol(word) or word == ".":
        raise BadEnrolment(
            phrase("%(word)s is no symbol: one to eight characters without spaces", word=repr(word))
        )
    return BLANK if word == BLANK_SIGN else word


def save_set(tiles: TileSet, examples: Examples, folder: Path) -> TileSet:
    """Write a set and the pictures of its tiles; return it as it is read back.

    Raises
    ------
    BadOutput
        Where the files cannot be written.
    """
    body: dict[str, object] = {"symbols": list(tiles.symbols)}
    for key, table in (("counts", tiles.counts), ("values", tiles.values), ("printed", tiles.printed)):
        if table:
            body[key] = dict(table)
    body["looks"] = f"{tiles.name}.png"
    text = json.dumps(body, ensure_ascii=False, indent=1) + "\n"
    path = folder / f"{tiles.name}.json"
    try:
        write_atomically(path.with_suffix(".png"), encode_sheet(examples))
        write_atomically(path, text.encode())
    except OSError as error:
        raise BadOutput(f"{path}: cannot be written: {error.strerror}") from error
    return replace(tiles, looks=path.with_suffix(".png"))
