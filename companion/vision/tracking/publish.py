"""From what is known of a table to what is said of it after each frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.model.reading import Tile
from companion.vision.pipeline.frame import Box
from companion.vision.tracking.block_grid import BlockGrid, Mask, connected_parts
from companion.vision.tracking.parts import LayoutReader, PartCache
from companion.vision.tracking.scene import Scene
from companion.vision.tracking.value import TrackedReading

PIECE = 4
"""Blocks along a side of the parts in which what is not seen is told: two tiles."""


class Publisher:
    """Says what is known, and what has changed since it last said so; ``reader`` groups the known tiles."""

    def __init__(self, reader: LayoutReader) -> None:
        self._apart = PartCache(reader)
        self._ids: list[int] = []
        self.said: TrackedReading | None = None

    def tell(self, scene: Scene, at_ns: int, whole_ns: int) -> TrackedReading:
        """Return what is known of a scene at the frame of that stamp, and the last that was read whole."""
        covered = tuple(np.flatnonzero(scene.hidden).tolist())
        restless = boxes(scene, ~scene.settled)
        unseen = pieces(scene.grid, ~scene.settled | scene.young)
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
        reading, ids = self._apart.reading(scene.known, scene.hidden), scene.known.ids.tolist()
        had = dict(zip(self._ids, self.said.reading.tiles, strict=True)) if self.said else {}
        changed = tuple(k for k, tile in enumerate(reading.tiles) if not same_tile(had.get(ids[k]), tile))
        here = set(ids)
        gone = tuple(tile for number, tile in had.items() if number not in here)
        self._ids, scene.news = ids, False
        told = (not restless, covered, changed, gone, restless, unseen, veiled, whole_ns)
        bare_ns = tuple(int(scene.known.bare_ns[k]) for k in changed)
        self.said = TrackedReading(reading, scene.known.look, scene.since_ns, at_ns, *told, bare_ns)
        return self.said


def boxes(scene: Scene, blocks: Mask) -> tuple[Box, ...]:
    """Return the parts of the picture that some blocks make."""
    return tuple(scene.grid.box(bound) for bound in connected_parts(blocks)[1])


def pieces(grid: BlockGrid, blocks: Mask) -> tuple[Box, ...]:
    """Return some blocks as small parts of the picture: an arm's one box would reach over its neighbours."""
    if not blocks.any():
        return ()
    down, across = (-side % PIECE for side in blocks.shape)
    whole = np.pad(blocks, ((0, down), (0, across)))
    cut = whole.reshape(whole.shape[0] // PIECE, PIECE, whole.shape[1] // PIECE, PIECE)
    row, col = np.nonzero(cut.any(axis=(1, 3)))
    high, broad = np.asarray(cut.any(axis=3))[row, :, col], np.asarray(cut.any(axis=1))[row, col]
    starts = np.stack([broad.argmax(1), high.argmax(1)], 1)
    ends = PIECE - np.stack([broad[:, ::-1].argmax(1), high[:, ::-1].argmax(1)], 1)
    bounds = np.concatenate([np.stack([col, row], 1) * PIECE + starts, ends - starts], 1)
    return tuple(grid.box(bound) for bound in bounds)


def same_tile(before: Tile | None, tile: Tile) -> bool:
    """Return whether a tile is read as it was before."""
    return before is not None and (before.symbol, before.face) == (tile.symbol, tile.face)
