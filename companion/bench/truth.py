"""What really lies on a photographed or drawn table.

A truth file is JSON beside its picture: a polygon and a symbol for each
tile, or the grids of the tableaux alone with the letters beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from companion.errors import BadGrid, BadTruth
from companion.model.grid import EMPTY, Place, parsed
from companion.model.reading import Point

LARGEST_FILE = 2_000_000
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
    boxes do not count.
    """

    tile_set: str
    board: str | None = None
    grids: tuple[Grid, ...] = ()
    tiles: tuple[TrueTile, ...] | None = None
    loose: tuple[str, ...] = ()
    covered: frozenset[int] = frozenset()
    face_down: int | None = None
    unjudged: tuple[Box, ...] = ()

    @classmethod
    def from_json(cls, text: str) -> Truth:
        """Return what a truth file says; raise BadTruth where it is malformed."""
        try:
            body = json.loads(text)
            tiles = body.get("tiles")
            alone = [{"grid": body["grid"]}] if body.get("grid") else []
            return cls(
                str(body["tiles_set"]),
                body.get("board"),
                tuple(grid_of(one["grid"]) for one in body.get("tableaux") or alone),
                None if tiles is None else tuple(map(tile_of, tiles)),
                tuple(body.get("loose") or ""),
                frozenset(index_of(tile) for tile in tiles or () if tile.get("ignore")) - {-1},
                body.get("face_down"),
                tuple((left, top, right, low) for left, top, right, low in body.get("ignore_boxes_frac", ())),
            )
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, BadGrid) as error:
            raise BadTruth(f"the truth of a picture is malformed: {error}") from error


def grid_of(lines: list[Any]) -> Grid:
    """Return a grid as truth files write it; an empty place may be null."""
    return parsed([[EMPTY if symbol is None else symbol for symbol in line] for line in lines])


def tile_of(body: Mapping[str, Any]) -> TrueTile:
    """Return one tile of a truth file."""
    points = np.array(body.get("polygon") or [body["centre"]], float)
    x, y = points.mean(0)
    area = abs(float(np.cross(points, np.roll(points, 1, 0), axisa=1, axisb=1).sum())) / 2 if 0 else 0.0
    side = area**0.5 if "polygon" in body else None
    return TrueTile(body["symbol"] or None, (float(x), float(y)), side, bool(body.get("ignore")))
