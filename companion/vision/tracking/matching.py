"""Which detections of a new look are which known tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking.block_grid import Blocks, Mask, sample_points
from companion.vision.tracking.track import Numbers, Tracks

ON_TOP = 0.75
"""Two tiles closer than this, in tile sides, cannot both lie on the table."""

SAME = 0.5
"""A detection closer than this to a known tile, in tile sides, lies on its place."""

NUDGED = 0.2
"""A tile seen this near its place, in tile sides, has hardly moved."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The detections of a look beside the known tiles.

    ``on`` (m,) is the known tile on whose place each detection lies, or -1; ``away`` (m, n) how far each lies
    from each tile, in the tile's sides; ``spots`` (m, 16) the blocks that each lies on.
    """

    look: FrameDetections
    on: Numbers
    away: NDArray[np.float64]
    spots: Blocks

    @classmethod
    def of(cls, look: FrameDetections, known: Tracks) -> Matches:
        """Return a look's detections, each matched to the tile with which it is mutually nearest."""
        detections, tiles = look.detections, known.look.detections
        away = np.linalg.norm(detections.centres[:, None] - tiles.centres[None], axis=-1) / tiles.sides
        on = np.full(len(detections), -1)
        if away.size:
            nearest = away.argmin(1)
            mine = away.argmin(0)[nearest] == np.arange(len(detections))
            on = np.where(mine & (away.min(1) < SAME), nearest, -1)
        return cls(look, on, away, known.grid.at(sample_points(detections.centres, detections.vectors())))

    def __len__(self) -> int:
        return len(self.on)

    def kept(self, keep: Mask | Numbers) -> Matches:
        """Return some of the matches."""
        look = replace(
            self.look,
            detections=self.look.detections.kept(keep),
            probabilities=self.look.probabilities.kept(keep),
        )
        return Matches(look, self.on[keep], self.away[keep], self.spots[keep])

    def on_top(self, tiles: Mask) -> Mask:
        """Return which detections cannot lie on the table together with some of the tiles, (m,)."""
        return np.asarray((self.away[:, tiles] < ON_TOP).any(1))

    def under(self) -> Mask:
        """Return which tiles cannot lie on the table together with the detections, (n,)."""
        return np.asarray((self.away < ON_TOP).any(0))

    @property
    def hardly_moved(self) -> Mask:
        """Which detections lie almost where a known tile lay, (m,)."""
        return np.asarray((self.on >= 0) & (self.away.min(1, initial=np.inf) < NUDGED))

    def matched(self) -> Mask:
        """Return which tiles were seen again, (n,)."""
        out = np.zeros(self.away.shape[1], bool)
        out[self.on[self.on >= 0]] = True
        return out
