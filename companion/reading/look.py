"""A look: what is seen in one picture, or in a part of it, before its tiles are grouped."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from companion.reading.board import Board
from companion.reading.find import Finds
from companion.reading.name import Names
from companion.reading.shape import evened

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; the last two are not in it."""


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
    board: Board | None = None
    timing_ms: dict[str, float] = field(default_factory=dict, compare=False)

    def kept(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Look:
        """Return a look at some of the tiles."""
        return replace(self, finds=self.finds.kept(keep), names=self.names.kept(keep))


def moved(finds: Finds, way: NDArray[np.int_]) -> Finds:
    """Return finds moved by a way right and down, in pixels, (2,)."""
    return replace(finds, centres=finds.centres + way)


def evened_with(finds: Finds, known: Finds) -> Finds:
    """Return finds whose shapes follow one smooth fit with those of tiles known from before.

    Those of quite another size are left out.
    """
    known = known.kept(~(known.centres[:, None] == finds.centres).all(-1).any(1))
    arrays = ((getattr(known, f.name), getattr(finds, f.name)) for f in fields(finds))
    both = evened(Finds(*(np.concatenate(pair) for pair in arrays)))
    return both.kept((both.centres[:, None] == finds.centres).all(-1).any(1))
