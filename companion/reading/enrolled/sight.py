"""What is seen of a tile, by two networks at once: what the one overlooks, the other tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.reading.alphabet import FACE_DOWN, INDEX, NO_TILE
from companion.reading.crops import crops
from companion.reading.enrolled.signs import Grey, Signs, straightened
from companion.reading.enrolled.strokes import Strokes
from companion.reading.name import nudged

NEARER = 0.75
"""A tile is looked at as a whole, and again so much of it: strokes are small on tiles made by hand."""

BELIEF, LEAST = 0.5, 0.001
"""How much the network of signs counts for what is a tile, and the least chance believed of either."""

Floats = NDArray[np.float64]
Views = tuple[NDArray[np.float32], NDArray[np.float32]]
"""What either network sees of n tiles, (n, features) each: strokes, and where a sign lies among all signs."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Tiles cut out of a picture, uint8: ``whole`` and ``near`` (n, 32, 32), and ``wide`` (n, 40, 40)."""

    whole: Grey
    near: Grey
    wide: Grey

    @classmethod
    def of(cls, picture: Grey, quads: NDArray[np.float64]) -> Cut:
        """Return the tiles at corners (n, 4, 2) of a grey picture in which they are 14 to 60 pixels broad."""
        near = crops(picture, nudged(quads, 0.0, 0.0, NEARER))
        return cls(crops(picture, quads), near, straightened(picture, quads))

    def turned(self, quarters: int) -> Cut:
        """Return the tiles turned clockwise by quarters."""
        return Cut(*(np.rot90(one, -quarters, (1, 2)) for one in (self.whole, self.near, self.wide)))


class Sight:
    """The two networks; safe to call from several threads."""

    def __init__(self) -> None:
        self._strokes, self.signs = Strokes(), Signs()

    def seen(self, cut: Cut) -> tuple[Floats, Views]:
        """Return the chance of what each tile is, (n, 3): lettered, bare, none; and what is seen of it."""
        logits, whole = self._strokes.seen(cut.whole)
        _, near = self._strokes.seen(cut.near)
        places, state = self.signs.seen(cut.wide)
        trained = chances(logits)
        down, none = trained[:, INDEX[FACE_DOWN]], trained[:, INDEX[NO_TILE]]
        known = np.stack([1 - down - none, down, none], 1)
        return agreed(known, chances(state)), (np.hstack([whole, near]), places)


def chances(logits: NDArray[np.float32]) -> Floats:
    """Return chances from logits, (n, classes)."""
    grown = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True, initial=-np.inf))
    return np.asarray(grown / grown.sum(1, keepdims=True))


def agreed(strokes: Floats, signs: Floats) -> Floats:
    """Return the chance of what each tile is, (n, 3), in which both networks have their say."""
    said = [np.log(np.clip(some, LEAST, 1)) for some in (strokes, signs)]
    together = np.exp(said[0] * (1 - BELIEF) + said[1] * BELIEF)
    return np.asarray(together / together.sum(1, keepdims=True))
