"""Ground truth of a photographed or drawn table.

A truth file is JSON beside its picture: a polygon and a symbol for each tile, or only the grids of the
tableaux and the loose letters.
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
from companion.model.grid import EMPTY_SIGN, Place, parse_grid
from companion.model.reading import Piece, Point
from companion.model.tiles import tile_set, tile_set_names

MAX_TRUTH_CHARS = 2_000_000
"""Largest length of a truth file, in characters; a longer file is malformed."""

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png")

Grid = Mapping[Place, str]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares of the picture's width and height."""


@dataclass(frozen=True, slots=True)
class TrueTile:
    """A tile of the ground truth.

    ``symbol`` is ``None`` face down; ``centre`` and ``side`` are in pixels (``side`` is ``None`` where only
    the place is known); a ``covered`` tile counts neither as missed nor, where it is read, as invented.
    """

    symbol: str | None
    centre: Point
    side: float | None = None
    covered: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth of one picture.

    ``tiles`` is ``None`` where only grids and ``loose`` letters are known.  ``covered`` are the indices of
    grids of which a tile is covered; ``face_down`` is the number of face-down tiles, ``None`` where unknown.
    Tiles within ``ignore_boxes`` do not count.  ``pieces`` are the pyramids on a Volcano board, whose rows
    may begin at any of its four sides.
    """

    tile_set: str
    board: str | None = None
    grids: tuple[Grid, ...] = ()
    tiles: tuple[TrueTile, ...] | None = None
    loose: tuple[str, ...] = ()
    covered: frozenset[int] = frozenset()
    face_down: int | None = None
    pieces: tuple[Piece, ...] = ()
    ignore_boxes: tuple[Box, ...] = ()

    @classmethod
    def from_json(cls, text: str) -> Truth:
        """Return the truth that a JSON text describes; raise BadTruth where it is malformed."""
        try:
            body = json.loads(text)
            tiles = body.get("tiles")
            typed = symbol_parser(str(body["tiles_set"]))
            alone = [{"grid": body["grid"]}] if body.get("grid") else []
            return cls(
                str(body["tiles_set"]),
                body.get("board"),
                tuple(parsed_grid(one["grid"], typed) for one in body.get("tableaux") or alone),
                None if tiles is None else tuple(parsed_tile(tile, typed) for tile in tiles),
                tuple(body.get("loose") or ""),
                frozenset(
                    index
                    for tile in tiles or ()
                    if tile.get("ignore") and (index := owner_index(tile)) is not None
                ),
                body.get("face_down"),
                tuple(map(parsed_piece, body.get("pieces") or ())),
                tuple((left, top, right, low) for left, top, right, low in body.get("ignore_boxes_frac", ())),
            )
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, BadGrid) as error:
            raise BadTruth(f"the truth of a picture is malformed: {error}") from error


def symbol_parser(tile_set_name: str) -> Callable[[str], str]:
    """Return the function from what is printed on a set's tiles to its symbols."""
    known = tile_set_name in tile_set_names()
    return tile_set(tile_set_name).as_typed if known else str


def parsed_grid(lines: list[Any], typed: Callable[[str], str] = str) -> Grid:
    """Return a grid from the lines of a truth file, in which null is an empty place."""
    return parse_grid(
        [[EMPTY_SIGN if symbol is None else typed(symbol) for symbol in line] for line in lines]
    )


def parsed_piece(body: Mapping[str, Any]) -> Piece:
    """Return one pyramid of a truth file; without a size it is a large one."""
    return Piece(str(body["colour"]), int(body["row"]), int(body["col"]), str(body.get("size", "large")))


def parsed_tile(body: Mapping[str, Any], typed: Callable[[str], str] = str) -> TrueTile:
    """Return one tile of a truth file; an empty symbol is a tile face down."""
    outline = np.array(body.get("polygon") or [body["centre"]], np.float32)
    x, y = outline.mean(0)
    side = cv2.contourArea(outline) ** 0.5 if len(outline) > 2 else None
    return TrueTile(typed(body["symbol"]) or None, (float(x), float(y)), side, bool(body.get("ignore")))


def owner_index(body: Mapping[str, Any]) -> int | None:
    """Return the index of the tableau of a tile's owner, ``None`` without one."""
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
        for picture in map(path.with_suffix, PICTURE_SUFFIXES):
            if picture.is_file():
                yield picture, truth_in(path)


def truth_in(path: Path) -> Truth:
    """Return the truth in a file; raise BadTruth where it cannot be read."""
    try:
        with path.open(encoding="utf-8") as file:
            return Truth.from_json(file.read(MAX_TRUTH_CHARS))
    except (OSError, UnicodeDecodeError, BadTruth) as error:
        raise BadTruth(f"{path}: {error}") from error
