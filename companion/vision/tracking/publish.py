"""From what is known of a table to what is said of it after each frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from companion.model.reading import Reading, Tile
from companion.vision.pipeline.frame import Box, FrameDetections
from companion.vision.tracking.block_grid import BlockGrid, Mask, connected_parts
from companion.vision.tracking.parts import LayoutReader, PartCache
from companion.vision.tracking.scene import Scene


@dataclass(frozen=True, slots=True)
class TrackedReading:
    """The state of the table after one more frame.

    Parameters
    ----------
    reading
        All tracked tiles: those seen now and those remembered.
    look
        Their detections, in the same order.
    since_ns
        Stamp of the first frame that showed this state: a call stamped later
        was made over it.
    at_ns
        Stamp of the newest frame.
    still
        True where nothing moves, or has just moved, anywhere in the picture.
    covered
        Indices of occluded tiles; they are remembered.
    changed
        Indices of tiles that are new, lie elsewhere or are read otherwise than in
        the reading of the frame before.
    bare_ns
        For each of those, the stamp of the last frame that showed its place without it; 0 where none did.
    gone
        Tiles of the reading of the frame before that this one no longer has where they lay.
    gone_ns
        For each of those, the stamp of the last frame that showed it in its place; 0 where that is not known.
    restless
        Parts of the picture in which something moves, or has just moved: left, top, right, bottom in
        pixels.
    unseen
        Those, and parts where something large came to lie just now that is no tile, as a resting hand:
        what is under it is not known.
    veiled
        Those, and the parts that look otherwise than known: the table under them is not seen.
    whole_ns
        Stamp of the newest frame of which the whole picture was looked at.
    """

    reading: Reading
    look: FrameDetections
    since_ns: int
    at_ns: int
    still: bool
    covered: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    gone: tuple[Tile, ...] = ()
    restless: tuple[Box, ...] = ()
    unseen: tuple[Box, ...] = ()
    veiled: tuple[Box, ...] = ()
    whole_ns: int = 0
    bare_ns: tuple[int, ...] = ()
    gone_ns: tuple[int, ...] = ()


PIECE = 4
"""Blocks along a side of the boxes of unseen places: two tiles."""


class Publisher:
    """Makes the reading of each frame, with what changed since the last; ``reader`` lays the tiles out."""

    def __init__(self, reader: LayoutReader) -> None:
        self._parts = PartCache(reader)
        self._ids: list[int] = []
        self.latest: TrackedReading | None = None

    def publish(self, scene: Scene, at_ns: int, whole_ns: int) -> TrackedReading:
        """Return the reading of a scene at a frame's stamp; ``whole_ns`` is that of the last whole look."""
        covered = tuple(np.flatnonzero(scene.hidden).tolist())
        restless = boxes(scene, ~scene.settled)
        unseen = pieces(scene.grid, ~scene.settled | scene.young)
        veiled = pieces(scene.grid, ~scene.settled | scene.ground.differs)
        if self.latest and not scene.news:
            self.latest = replace(
                self.latest,
                at_ns=at_ns,
                still=not restless,
                covered=covered,
                changed=(),
                bare_ns=(),
                gone=(),
                gone_ns=(),
                restless=restless,
                unseen=unseen,
                veiled=veiled,
                whole_ns=whole_ns,
            )
            return self.latest
        reading, ids = self._parts.reading(scene.known, scene.hidden), scene.known.ids.tolist()
        before = dict(zip(self._ids, self.latest.reading.tiles, strict=True)) if self.latest else {}
        changed = tuple(k for k, tile in enumerate(reading.tiles) if not same_tile(before.get(ids[k]), tile))
        here = set(ids)
        left = [number for number in before if number not in here]
        gone, gone_ns = tuple(before[number] for number in left), tuple(map(scene.left_at, left))
        self._ids, scene.news = ids, False
        state = (not restless, covered, changed, gone, restless, unseen, veiled, whole_ns)
        bare_ns = tuple(int(scene.known.bare_ns[k]) for k in changed)
        self.latest = TrackedReading(
            reading, scene.known.look, scene.since_ns, at_ns, *state, bare_ns, gone_ns
        )
        return self.latest


def boxes(scene: Scene, blocks: Mask) -> tuple[Box, ...]:
    """Return the bounding boxes, in pixels, of the connected parts of a mask."""
    return tuple(scene.grid.box(bound) for bound in connected_parts(blocks)[1])


def pieces(grid: BlockGrid, blocks: Mask) -> tuple[Box, ...]:
    """Return a mask as small boxes, in pixels: an arm's bounding box would reach over its neighbours."""
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
