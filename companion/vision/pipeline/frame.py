"""A look: what is seen in one picture, or in a part of it, before its tiles are grouped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Names
from companion.vision.detector.detections import Finds
from companion.vision.detector.shapes import ENOUGH, LARGEST, SMALLEST, evened
from companion.vision.grid.scrabble import Board
from companion.vision.grid.volcano.board import Volcano

Rows = TypeVar("Rows", Finds, Names)
"""Tiles as arrays, a row each."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; the last two are not in it."""


STIFF = np.diag([0.0, 1e-6, 1e-6])
"""Keeps a fit of shapes level along a row of tiles, across which nothing is known."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen in one picture.

    ``size`` is the picture's width and height in pixels; ``scale`` the one that the finder works at,
    ``None`` where no tile was seen; ``timing_ms`` the time taken by stage, in milliseconds.
    """

    size: tuple[int, int]
    finds: Finds
    names: Names
    scale: float | None
    board: Board | Volcano | None = None
    timing_ms: dict[str, float] = field(default_factory=dict, compare=False)

    def kept(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Look:
        """Return a look at some of the tiles."""
        return replace(self, finds=self.finds.kept(keep), names=self.names.kept(keep))

    def moved(self, way: NDArray[np.int_]) -> Look:
        """Return a look with its tiles moved by a way right and down, in pixels, (2,)."""
        return replace(self, finds=moved(self.finds, way))


def widened(box: Box, margin: float, size: tuple[int, int]) -> Box:
    """Return a box with a margin in pixels around it, within a picture of that width and height."""
    left, top, right, bottom = box
    edge = round(margin)
    return max(0, left - edge), max(0, top - edge), min(size[0], right + edge), min(size[1], bottom + edge)


def inside(finds: Finds, box: Box) -> NDArray[np.bool_]:
    """Return which finds have their middle in a box, (n,)."""
    return np.asarray(((finds.centres >= box[:2]) & (finds.centres < box[2:])).all(1))


def moved(finds: Finds, way: NDArray[np.int_]) -> Finds:
    """Return finds moved by a way right and down, in pixels, (2,)."""
    return replace(finds, centres=finds.centres + way)


def evened_with(finds: Finds, known: Finds) -> Finds:
    """Return finds whose shapes follow those of known tiles; those of quite another size are left out.

    Where few are known, one smooth fit is made of all.
    """
    if len(known) < ENOUGH:
        others = known.kept(~(known.centres[:, None] == finds.centres).all(-1).any(1))
        every = evened(together(others, finds))
        return every.kept((every.centres[:, None] == finds.centres).all(-1).any(1))
    middle, spread = known.centres.mean(0), np.maximum(known.centres.std(0), 1.0)
    line = [np.column_stack([np.ones(len(f)), (f.centres - middle) / spread]) for f in (known, finds)]
    slopes = np.linalg.solve(line[0].T @ line[0] + STIFF, line[0].T @ known.shapes.reshape(-1, 4))
    fitted = replace(finds, shapes=(line[1] @ slopes).reshape(-1, 2, 2))
    ratio = finds.sides / fitted.sides
    return fitted.kept((ratio > SMALLEST) & (ratio < LARGEST))


def together(one: Rows, other: Rows) -> Rows:
    """Return the tiles of both."""
    return each(lambda a, b: np.concatenate([a, b]), one, other)


def each(how: Callable[..., NDArray[Any]], one: Rows, *others: Rows) -> Rows:
    """Return lots of tiles joined array by array."""
    arrays = [f.name for f in fields(one) if isinstance(getattr(one, f.name), np.ndarray)]
    joined: dict[str, Any] = {
        name: how(getattr(one, name), *(getattr(other, name) for other in others)) for name in arrays
    }
    return replace(one, **joined)


def exchanged(one: Rows, rows: NDArray[np.intp], part: Rows) -> Rows:
    """Return a lot of tiles with some exchanged."""
    return each(lambda old, new: written(old, rows, new), one, part)


def written(whole: NDArray[Any], rows: NDArray[np.intp], part: NDArray[Any]) -> NDArray[Any]:
    """Return an array with some rows exchanged."""
    out = whole.copy()
    out[rows] = part
    return out
