"""Which finds of a new look are which known tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.pipeline.frame import Look
from companion.vision.tracking.block_grid import Mask, Spots, places
from companion.vision.tracking.track import Known, Numbers

ON_TOP = 0.75
"""Two tiles closer than this, in tile sides, cannot both lie on the table."""

SAME = 0.5
"""A find closer than this to a known tile, in tile sides, lies on its place."""

NUDGED = 0.2
"""A tile seen this near its place, in tile sides, has hardly moved."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The finds of a look beside the known tiles.

    ``on`` (m,) is the known tile on whose place each find lies, or -1; ``away`` (m, n) how far each lies from
    each tile, in the tile's sides; ``spots`` (m, 16) the blocks that each lies on.
    """

    look: Look
    on: Numbers
    away: NDArray[np.float64]
    spots: Spots

    @classmethod
    def of(cls, look: Look, known: Known) -> Matches:
        """Return a look's finds matched, each to the tile that it is nearest to and that is nearest to it."""
        finds, tiles = look.finds, known.look.finds
        away = np.linalg.norm(finds.centres[:, None] - tiles.centres[None], axis=-1) / tiles.sides
        on = np.full(len(finds), -1)
        if away.size:
            nearest = away.argmin(1)
            mine = away.argmin(0)[nearest] == np.arange(len(finds))
            on = np.where(mine & (away.min(1) < SAME), nearest, -1)
        return cls(look, on, away, known.grid.at(places(finds.centres, finds.vectors())))

    def __len__(self) -> int:
        return len(self.on)

    def kept(self, keep: Mask | Numbers) -> Matches:
        """Return some of the matches."""
        look = replace(self.look, finds=self.look.finds.kept(keep), names=self.look.names.kept(keep))
        return Matches(look, self.on[keep], self.away[keep], self.spots[keep])

    def on_top(self, tiles: Mask) -> Mask:
        """Return which finds cannot lie on the table together with some of the tiles, (m,)."""
        return np.asarray((self.away[:, tiles] < ON_TOP).any(1))

    def under(self) -> Mask:
        """Return which tiles cannot lie on the table together with the finds, (n,)."""
        return np.asarray((self.away < ON_TOP).any(0))

    @property
    def hardly_moved(self) -> Mask:
        """Which finds lie almost where a known tile lay, (m,)."""
        return np.asarray((self.on >= 0) & (self.away.min(1, initial=np.inf) < NUDGED))

    def matched(self) -> Mask:
        """Return which tiles were seen again, (n,)."""
        out = np.zeros(self.away.shape[1], bool)
        out[self.on[self.on >= 0]] = True
        return out
