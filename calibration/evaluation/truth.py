"""What really lies on a photographed or drawn table.

A truth file is JSON beside its picture: a polygon and a symbol for each
tile, or the grids of the tableaux alone with the letters beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.errors import BadGrid, BadTruth
from companion.model.grid import EMPTY, Place, parsed
from companion.model.reading import Piece, Point
from companion.model.tiles import tile_set, tile_set_names

LARGEST_FILE = 2_000_000
"""Characters of a truth file that are read; the rest would make it malformed."""

PICTURES = (".jpg", ".jpeg", ".png")

Grid = Mapping[Place, str]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares of the picture's width and height."""


@dataclass(frozen=True, slots=True)
class TrueTile:
    """A tile that lies there.

    ``symbol`` is ``None`` face down; ``centre`` and ``side`` are in pixels
    (no side where only its place is known); a ``covered`` one may be seen or
    not.
    """

    symbol: str | None
    centre: Point
    side: float | None = None
    covered: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """What lies on one table.

    ``tiles`` is ``None`` where only grids and ``loose`` letters are known.
    ``covered`` are the indices of grids of which a tile is covered;
    ``face_down`` is ``None`` where nobody counted; tiles within ``unjudged``
    boxes do not count.  ``pieces`` are the pyramids on a Volcano board, from
    any of its four sides.
    """

    tile_set: str
    board: str | None = None
    grids: tuple[Grid, ...] = ()
    tiles: tuple[TrueTile, ...] | None = None
    loose: tuple[str, ...] = ()
    covered: frozenset[int] = frozenset()
    face_down: int | None = None
    pieces: tuple[Piece, ...] = ()
    unjudged: tuple[Box, ...] = ()

    @classmethod
    def from_json(cls, text: str) -> Truth:
        """Return what a truth file says; raise BadTruth where it is malformed."""
        try:
            body = json.loads(text)
            tiles = body.get("tiles")
            typed = signs_of(str(body["tiles_set"]))
            alone = [{"grid": body["grid"]}] if body.get("grid") else []
            return cls(
                str(body["tiles_set"]),
                body.get("board"),
                tuple(grid_of(one["grid"], typed) for one in body.get("tableaux") or alone),
                None if tiles is None else tuple(tile_of(tile, typed) for tile in tiles),
                tuple(body.get("loose") or ""),
                frozenset(
                    index
                    for tile in tiles or ()
                    if tile.get("ignore") and (index := index_of(tile)) is not None
                ),
                body.get("face_down"),
                tuple(map(piece_of, body.get("pieces") or ())),
                tuple((left, top, right, low) for left, top, right, low in body.get("ignore_boxes_frac", ())),
            )
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, BadGrid) as error:
            raise BadTruth(f"the truth of a picture is malformed: {error}") from error


def signs_of(tile_set_name: str) -> Callable[[str], str]:
    """Return what turns the signs that stand on a set's tiles into its symbols."""
    known = tile_set_name in tile_set_names()
    return tile_set(tile_set_name).as_typed if known else str


def grid_of(lines: list[Any], typed: Callable[[str], str] = str) -> Grid:
    """Return a grid as truth files write it; an empty place may be null."""
    return parsed([[EMPTY if symbol is None else typed(symbol) for symbol in line] for line in lines])


def piece_of(body: Mapping[str, Any]) -> Piece:
    """Return one pyramid of a truth file; on the board stand large ones."""
    return Piece(str(body["colour"]), int(body["row"]), int(body["col"]), str(body.get("size", "large")))


def tile_of(body: Mapping[str, Any], typed: Callable[[str], str] = str) -> TrueTile:
    """Return one tile of a truth file; without a symbol it lies face down."""
    outline = np.array(body.get("polygon") or [body["centre"]], np.float32)
    x, y = outline.mean(0)
    side = cv2.contourArea(outline) ** 0.5 if len(outline) > 2 else None
    return TrueTile(typed(body["symbol"]) or None, (float(x), float(y)), side, bool(body.get("ignore")))


def index_of(body: Mapping[str, Any]) -> int | None:
    """Return the index of the tableau that a tile's owner laid, ``None`` for none."""
    owner = str(body.get("owner", ""))
    if owner == "board":
        return 0
    number = owner.removeprefix("player")
    return int(number) if number != owner and number.isdecimal() else None


def truths_in(folder: Path, beginning: str = "") -> Iterator[tuple[Path, Truth]]:
    """Yield every picture of a folder that has a truth file, in order; raise BadTruth where one is malformed.

    ``beginning`` is what the names of the pictures must begin with.
    """
    for path in sorted(folder.rglob(f"{beginning}*.json")):
        for picture in map(path.with_suffix, PICTURES):
            if picture.is_file():
                yield picture, truth_in(path)


def truth_in(path: Path) -> Truth:
    """Return what a truth file says; raise BadTruth where it cannot be read."""
    try:
        with path.open(encoding="utf-8") as file:
            return Truth.from_json(file.read(LARGEST_FILE))
    except (OSError, UnicodeDecodeError, BadTruth) as error:
        raise BadTruth(f"{path}: {error}") from error
