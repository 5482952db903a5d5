"""From what is known of a table to what is said of it after each frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.model.reading import Tile
from companion.vision.pipeline.frame import Box
from companion.vision.tracking.block_grid import Mask, parts
from companion.vision.tracking.parts import Apart, Groups
from companion.vision.tracking.scene import Scene
from companion.vision.tracking.value import SteadyReading

PIECE = 4
"""Blocks along a side of the parts in which what is not seen is told: two tiles."""


class Teller:
    """Says what is known, and what has changed since it last said so; ``reader`` groups the known tiles."""

    def __init__(self, reader: Groups) -> None:
        self._apart = Apart(reader)
        self._ids: list[int] = []
        self.said: SteadyReading | None = None

    def tell(self, scene: Scene, at_ns: int, whole_ns: int) -> SteadyReading:
        """Return what is known of a scene at the frame of that stamp, and the last that was read whole."""
        covered = tuple(np.flatnonzero(scene.hidden).tolist())
        restless = boxes(scene, ~scene.settled)
        unseen = pieces(scene, ~scene.settled | scene.young)
        veiled = boxes(scene, ~scene.settled | scene.ground.differs)
        if self.said and not scene.news:
            self.said = replace(
                self.said,
                at_ns=at_ns,
                still=not restless,
                covered=covered,
                changed=(),
                bare_ns=(),
                gone=(),
                restless=restless,
                unseen=unseen,
                veiled=veiled,
                whole_ns=whole_ns,
            )
            return self.said
        reading, ids = self._apart.reading(scene.known), scene.known.ids.tolist()
        had = dict(zip(self._ids, self.said.reading.tiles, strict=True)) if self.said else {}
        changed = tuple(k for k, tile in enumerate(reading.tiles) if not alike(had.get(ids[k]), tile))
        here = set(ids)
        gone = tuple(tile for number, tile in had.items() if number not in here)
        self._ids, scene.news = ids, False
        told = (not restless, covered, changed, gone, restless, unseen, veiled, whole_ns)
        bare_ns = tuple(int(scene.known.bare_ns[k]) for k in changed)
        self.said = SteadyReading(reading, scene.known.look, scene.since_ns, at_ns, *told, bare_ns)
        return self.said


def boxes(scene: Scene, blocks: Mask) -> tuple[Box, ...]:
    """Return the parts of the picture that some blocks make."""
    return tuple(scene.grid.box(bound) for bound in parts(blocks)[1])


def pieces(scene: Scene, blocks: Mask) -> tuple[Box, ...]:
    """Return some blocks as small parts of the picture: an arm's one box would reach over its neighbours."""
    rows, cols = np.nonzero(blocks)
    cells, which = np.unique(np.stack([rows // PIECE, cols // PIECE]), axis=1, return_inverse=True)
    found = []
    for number in range(cells.shape[1]):
        here = which.ravel() == number
        top, left, bottom, right = rows[here].min(), cols[here].min(), rows[here].max(), cols[here].max()
        found.append(scene.grid.box(np.array([left, top, right - left + 1, bottom - top + 1])))
    return tuple(found)


def alike(before: Tile | None, tile: Tile) -> bool:
    """Return whether a tile is read as it was before."""
    return before is not None and (before.symbol, before.face) == (tile.symbol, tile.face)
