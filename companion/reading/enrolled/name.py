"""What lies on the tiles of a set of one's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.model.tiles import BLANK, TileSet
from companion.reading.alphabet import FACE_DOWN, INDEX, NO_TILE
from companion.reading.crops import SIDE, TILE, crops
from companion.reading.enrolled.features import Sight
from companion.reading.enrolled.head import Head
from companion.reading.enrolled.sheet import Grey
from companion.reading.enrolled.varied import seen_at
from companion.reading.name import NUDGES, Names, nudged

Quads = NDArray[np.float64]

TRUST = 3.0
"""How much the examples count where the network thinks that what they know is no tile."""

SURER = 0.995
"""Below this a tile is looked at again through moved crops: a few examples tell less than training."""
DARKEST = 0.87
"""A bare face is at least so bright beside the nearest lettered ones, and at most the inverse."""
NEAREST = 5
"""So many of them are asked."""
OTHER_PLASTIC = 0.8
"""What is left of the chance of a bare face that is not: the table between tiles may look like one."""


class EnrolledNamer:
    """Names the tiles of a set whose examples taught a head; safe to call from several threads."""

    def __init__(self, sight: Sight, head: Head, tile_set: TileSet) -> None:
        self._sight, self._head = sight, head
        self.symbols = tuple(symbol for symbol in tile_set.symbols if symbol)
        self._rows = [head.kinds.index(symbol) for symbol in self.symbols]
        self._bare = head.kinds.index(BLANK) if BLANK in head.kinds else None

    def glance(self, picture: Grey, quads: Quads) -> Names:
        """Return the names of tiles after one look at each."""
        count = len(self.symbols)
        if not len(quads):
            nothing = np.zeros(0)
            return Names(self.symbols, np.zeros((0, count, 4)), nothing, nothing, nothing)
        logits, features = seen_at(self._sight, picture, quads)
        chance, known = self._head.chances(features)
        grown = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
        trained = grown / grown.sum(1, keepdims=True)
        return self._names(trained, chance, known)

    def names(self, picture: Grey, quads: Quads) -> Names:
        """Return the names of tiles outlined in a picture where a tile is 14 to 60 pixels broad."""
        first = self.glance(picture, quads)
        sure = np.maximum.reduce([first.likeliest(), first.down, first.none])
        unsure = np.flatnonzero(sure < SURER)
        if len(unsure):
            more = [self.glance(picture, nudged(quads[unsure], *nudge)) for nudge in NUDGES]
            every = [first.kept(unsure), *more]
            for name in ("chance", "down", "none", "foreign"):
                getattr(first, name)[unsure] = np.mean([getattr(one, name) for one in every], 0)
        first.down[:] *= np.where(other_plastic(picture, quads, first.down > 0.5), OTHER_PLASTIC, 1.0)
        return first

    def _names(
        self, trained: NDArray[np.float64], chance: NDArray[np.float64], known: NDArray[np.float64]
    ) -> Names:
        """Return names from what the network was trained for and what the examples tell.

        The network tells a tile from none and a bare face from a lettered one, less surely the better the
        examples know the tile; which symbol it is, the examples alone tell.
        """
        none = trained[:, INDEX[NO_TILE]] ** (1 + TRUST * known)
        bare = trained[:, INDEX[FACE_DOWN]]
        if self._bare is not None:
            bare = known * chance[:, self._bare].sum(1) + (1 - known) * bare
        else:
            bare = bare ** (1 + TRUST * known)
        down = (1 - none) * bare
        share = (1 - none) * known if self._bare is not None else (1 - none) * known * (1 - bare)
        own = chance[:, self._rows] * share[:, None, None]
        foreign = np.clip(1 - none - down - own.sum((1, 2)), 0, 1)
        return Names(self.symbols, own, down, none, foreign)


def other_plastic(picture: Grey, quads: Quads, bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which bare faces are much darker or brighter than the lettered ones near them, (n,)."""
    lettered = np.flatnonzero(~bare)
    if not bare.any() or not len(lettered):
        return np.zeros(len(quads), bool)
    edge = (SIDE - TILE) // 2 + TILE // 5
    shade = np.percentile(crops(picture, quads)[:, edge:-edge, edge:-edge], 70, axis=(1, 2))
    middles = quads.mean(1)
    away = np.linalg.norm(middles[:, None] - middles[None, lettered], axis=-1)
    nearest = lettered[np.argsort(away, axis=1)[:, :NEAREST]]
    ratio = shade / np.maximum(np.median(shade[nearest], axis=1), 1.0)
    return np.asarray(bare & ((ratio < DARKEST) | (ratio > 1 / DARKEST)))
