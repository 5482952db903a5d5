"""The reading of each frame: only parts of the table that changed are laid out again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

import cv2
import numpy as np

from companion.model.reading import Reading, Tableau, Tile
from companion.model.tiles import TileSet
from companion.vision.detector.detections import Detections
from companion.vision.grid.components import MAX_JOIN_DISTANCE
from companion.vision.grid.homography import Box
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking.block_grid import TILE_BLOCKS, BlockGrid, Mask, connected_parts
from companion.vision.tracking.scene import Scene
from companion.vision.tracking.track import Numbers, Tracks

Part = tuple[tuple[Tile, ...], tuple[Tableau, ...]]


class LayoutReader(Protocol):
    """Lays out the tiles of a frame's detections, as a ``Reader`` does."""

    tile_set: TileSet

    def reading(self, detected: FrameDetections) -> Reading:
        """Return the reading of the detected tiles."""


class PartCache:
    """Lays out the tracked tiles part by part, and caches the layouts.

    They depend on the versions of a part's tiles, the number of tableaux before it, and the unread places.
    """

    def __init__(self, reader: LayoutReader) -> None:
        self._reader = reader
        self._parts: dict[tuple[int | bytes, ...], Part] = {}

    def reading(self, known: Tracks) -> Reading:
        """Return the reading of the tracked tiles; those on a board are one part."""
        detected, began = known.detected, perf_counter()
        labels = islands(detected.detections)
        if detected.board or not len(labels):
            return self._reader.reading(detected)
        tiles: dict[int, Tile] = {}
        tableaux: list[Tableau] = []
        parts = {}
        for label in np.unique(labels):
            numbers = np.flatnonzero(labels == label)
            key = (*known.versions[numbers].tolist(), len(tableaux), detected.unread.tobytes())
            part = parts[key] = self._parts.get(key) or self._grouped(detected.kept(numbers), len(tableaux))
            tiles.update(zip(numbers.tolist(), part[0], strict=True))
            tableaux += part[1]
        self._parts = parts
        timing = {**detected.timing_ms, "fit": 1000 * (perf_counter() - began)}
        return Reading(
            *detected.size,
            self._reader.tile_set.name,
            tuple(tile for _, tile in sorted(tiles.items())),
            tuple(tableaux),
            timing_ms={"total": sum(timing.values())} | timing,
        )

    def _grouped(self, detected: FrameDetections, before: int) -> Part:
        """Return the tiles and tableaux of one part of the table, numbered after ``before`` tableaux."""
        reading = self._reader.reading(detected)
        tiles = (
            tile if tile.tableau is None else replace(tile, tableau=tile.tableau + before)
            for tile in reading.tiles
        )
        return tuple(tiles), reading.tableaux


def islands(detections: Detections) -> Numbers:
    """Return for each tile the least index in its group of near tiles, linked by others, (n,)."""
    reach = MAX_JOIN_DISTANCE * np.abs(detections.vectors()).sum((1, 2)).max(initial=0.0) / 2
    x, y = detections.centres.T
    near = (np.abs(x[:, None] - x) < reach) & (np.abs(y[:, None] - y) < reach)
    labels = np.arange(len(detections))
    while ((least := np.where(near, labels, len(labels)).min(1, initial=len(labels))) != labels).any():
        labels = least[least]
    return labels


@dataclass(frozen=True, slots=True)
class TrackedReading:
    """The state of the table after one more frame.

    Parameters
    ----------
    reading
        All tracked tiles: those seen now and those remembered.
    detected
        Their detections, in the same order.
    since_ns
        Stamp of the first frame that showed this state: a call stamped later was made over it.
    at_ns
        Stamp of the newest frame.
    still
        True where nothing moves, or has just moved, anywhere in the picture.
    covered
        Indices of occluded tiles; they are remembered.
    changed
        Indices of tiles that are new, moved or read differently since the reading of the frame before.
    bare_ns
        For each of those, the stamp of the last frame that showed its place without it; 0 where none did.
    gone
        Tiles of the reading of the frame before that are no longer in their places.
    gone_ns
        For each of those, the stamp of the last frame that showed it in its place; 0 where unknown.
    moving
        Parts of the picture in which something moves, or has just moved: left, top, right, bottom in
        pixels.
    unseen
        Those, and parts with a large new object that is no tile, such as a resting hand, or one on a tile:
        the state there is unknown.
    obscured
        Those, and the parts that differ from the background model: the table under them is invisible.
    whole_ns
        Stamp of the newest frame with a detection pass over the whole of it.
    began_ns
        Stamp since which all frames belong together: what lay there has changed all over before, as where
        the camera has moved.
    """

    reading: Reading
    detected: FrameDetections
    since_ns: int
    at_ns: int
    still: bool
    covered: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    gone: tuple[Tile, ...] = ()
    moving: tuple[Box, ...] = ()
    unseen: tuple[Box, ...] = ()
    obscured: tuple[Box, ...] = ()
    whole_ns: int = 0
    began_ns: int = 0
    bare_ns: tuple[int, ...] = ()
    gone_ns: tuple[int, ...] = ()


class Publisher:
    """Makes the reading of each frame, with what changed since the last; ``reader`` lays the tiles out."""

    def __init__(self, reader: LayoutReader) -> None:
        self._parts = PartCache(reader)
        self._ids: list[int] = []
        self.latest: TrackedReading | None = None

    def publish(self, scene: Scene, at_ns: int, whole_ns: int) -> TrackedReading:
        """Return the reading of a scene at a frame's stamp.

        ``whole_ns`` is the stamp of the last detection pass over a whole frame.
        """
        covered = tuple(np.flatnonzero(scene.hidden).tolist())
        moving = tuple(scene.grid.box(bound) for bound in connected_parts(~scene.settled)[1])
        state: dict[str, Any] = {
            "at_ns": at_ns,
            "still": not moving,
            "covered": covered,
            "moving": moving,
            "unseen": small_boxes(scene.grid, ~scene.settled | scene.recent),
            "obscured": small_boxes(scene.grid, ~scene.settled | scene.background.differs),
            "whole_ns": whole_ns,
            "began_ns": scene.began_ns,
        }
        if self.latest and not scene.dirty:
            self.latest = replace(self.latest, **state, changed=(), bare_ns=(), gone=(), gone_ns=())
            return self.latest
        reading, ids = self._parts.reading(scene.tracks), scene.tracks.ids.tolist()
        before = dict(zip(self._ids, self.latest.reading.tiles, strict=True)) if self.latest else {}
        changed = tuple(k for k, tile in enumerate(reading.tiles) if not same_tile(before.get(ids[k]), tile))
        here = set(ids)
        left = [number for number in before if number not in here]
        self._ids, scene.dirty = ids, False
        self.latest = TrackedReading(
            reading,
            scene.tracks.detected,
            scene.since_ns,
            changed=changed,
            bare_ns=tuple(int(scene.tracks.bare_ns[k]) for k in changed),
            gone=tuple(before[number] for number in left),
            gone_ns=tuple(scene.left_ns.pop(number, 0) for number in left),
            **state,
        )
        return self.latest


def small_boxes(grid: BlockGrid, blocks: Mask) -> tuple[Box, ...]:
    """Return a mask as boxes within two tiles, in pixels: an arm's would reach over its neighbours."""
    if not blocks.any():
        return ()
    side = 2 * TILE_BLOCKS
    cells, boxes = blocks, []
    for axis, length in enumerate(blocks.shape):
        cells = np.logical_or.reduceat(cells, np.arange(0, length, side), axis)
    for top, left in (np.argwhere(cells) * side).tolist():
        x, y, *size = cv2.boundingRect(blocks[top : top + side, left : left + side].view(np.uint8))
        boxes.append(grid.box((left + x, top + y, *size)))
    return tuple(boxes)


def same_tile(before: Tile | None, tile: Tile) -> bool:
    """Return whether a tile is read as it was before."""
    return before is not None and (before.symbol, before.face) == (tile.symbol, tile.face)
