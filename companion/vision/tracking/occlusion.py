"""What lies on the table and is no tile: hands, arms, cups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.tracking.block_grid import Blocks, Mask, connected_parts, dilated

LARGE = 16
"""Blocks that a thing covers at least, beside tiles: four tiles, much more than a tile with its shadow."""


@dataclass(frozen=True, slots=True)
class Occluders:
    """The parts of the picture that look otherwise than known and hold no tile.

    Parts with a gap of one or two blocks are one: where a hand is as bright as the table it does not show.
    ``labels`` numbers the part of each block from 1, 0 for none, if there is any thing; ``large`` and
    ``young``, by that number: whether a thing lies there, and whether one that came lately, as a hand does.
    """

    labels: NDArray[np.int32]
    large: Mask
    young: Mask

    @classmethod
    def of(cls, left: Mask, tiles: Mask, old: Mask) -> Occluders:
        """Return the things among blocks that look otherwise.

        ``left`` are those blocks, ``tiles`` the places of tiles with their rims, which prove no thing;
        ``old`` where what lies there has long lain there.
        """
        beside = left & ~tiles
        if np.count_nonzero(beside) < LARGE:
            return cls(np.zeros(left.shape, np.int32), np.zeros(1, bool), np.zeros(1, bool))
        labels, bounds = connected_parts(dilated(left))
        beside = broad(beside)
        many = len(bounds) + 1
        return cls(
            labels,
            np.bincount(labels[beside], minlength=many) >= LARGE,
            np.bincount(labels[beside & ~old], minlength=many) >= LARGE,
        )

    def where(self, kind: Mask) -> Mask:
        """Return the blocks of the parts of a kind, which is by part."""
        return np.asarray(kind[self.labels])

    def any_at(self, kind: Mask, spots: Blocks) -> bool:
        """Return whether any of some blocks lies in a part of a kind."""
        return bool(kind[self.labels.flat[spots]].any())


def broad(mask: Mask) -> Mask:
    """Return what of a mask is at least two blocks broad both ways."""
    squares = mask[:-1, :-1] & mask[1:, :-1] & mask[:-1, 1:] & mask[1:, 1:]
    out = np.zeros_like(mask)
    for down, right in ((0, 0), (1, 0), (0, 1), (1, 1)):
        rows, cols = squares.shape
        out[down : down + rows, right : right + cols] |= squares
    return out
