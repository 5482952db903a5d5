"""What is seen of a tile, by two networks at once: what the one overlooks, the other tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.alphabet import BACKGROUND, BLANK_FACE, INDEX
from companion.vision.classifier.crops import augmented_quads, crops
from companion.vision.fewshot.signs import CROP, TILE, Grey, SignEmbedding
from companion.vision.fewshot.strokes import StrokeEmbedding
from companion.vision.networks import softmax

NEARER = 0.75
"""A tile is looked at as a whole, and again so much of it: strokes are small on tiles made by hand."""

Floats = NDArray[np.float64]
Views = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""What is seen of n tiles, (n, features) each: strokes, which of the usual symbols they look like, and where
a sign lies among all signs."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Tiles cut out of a picture, uint8: ``whole`` and ``near`` (n, 32, 32), and ``wide`` (n, 40, 40)."""

    whole: Grey
    near: Grey
    wide: Grey

    @classmethod
    def of(cls, picture: Grey, quads: NDArray[np.float64]) -> Cut:
        """Return the tiles at corners (n, 4, 2) of a grey picture in which they are 14 to 60 pixels broad."""
        near = crops(picture, augmented_quads(quads, 0.0, 0.0, NEARER))
        return cls(crops(picture, quads), near, crops(picture, quads, CROP, TILE))

    def turned(self, quarters: int) -> Cut:
        """Return the tiles turned clockwise by quarters."""
        return Cut(*(np.rot90(one, -quarters, (1, 2)) for one in (self.whole, self.near, self.wide)))


class Embedder:
    """The two networks; safe to call from several threads."""

    def __init__(self) -> None:
        self._strokes, self.signs = StrokeEmbedding(), SignEmbedding()

    def seen(self, cut: Cut) -> tuple[Floats, Floats, Views]:
        """Return what strokes and signs say that each tile is, and what is seen of it.

        Either says the chance, (n, 3), of a lettered tile, a bare one, and none.
        """
        logits, whole = self._strokes.seen(cut.whole)
        closer, near = self._strokes.seen(cut.near)
        places, state = self.signs.seen(cut.wide)
        trained = softmax(logits)
        down, none = trained[:, INDEX[BLANK_FACE]], trained[:, INDEX[BACKGROUND]]
        known = np.stack([1 - down - none, down, none], 1)
        views = np.hstack([whole, near]), np.hstack([logits, closer]), places
        return known, softmax(state), views
