"""Tiles far apart have nothing to do with each other: only where something changed are they grouped anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Protocol

import numpy as np

from companion.model.reading import Reading, Tableau, Tile
from companion.model.tiles import TileSet
from companion.vision.decoding.choices import Choice, over_counted
from companion.vision.detector.detections import Detections
from companion.vision.grid.components import REACH
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking.block_grid import Mask
from companion.vision.tracking.track import Numbers, Tracks

Key = tuple[int | bytes, ...]
"""The versions of the tiles in one part of the table, how many tableaux come before it, what is unread."""

Part = tuple[tuple[Tile, ...], tuple[Tableau, ...]]


class LayoutReader(Protocol):
    """What groups the tiles of a look, as a ``Reader`` does."""

    tile_set: TileSet

    def reading(self, look: FrameDetections) -> Reading:
        """Return what the tiles of a look say together."""


class PartCache:
    """Groups the known tiles part by part and remembers what it has grouped."""

    def __init__(self, reader: LayoutReader) -> None:
        self._reader = reader
        self._parts: dict[Key, Part] = {}

    def reading(self, known: Tracks, hidden: Mask | None = None) -> Reading:
        """Return what the known tiles say together; a board's tiles all have to do with each other.

        Those that are ``hidden`` (n,) may have been moved under a hand, and lie elsewhere already.
        """
        look, began = known.look, perf_counter()
        labels = islands(look.detections)
        if look.board or not len(labels):
            return self._reader.reading(look)
        tiles: dict[int, Tile] = {}
        tableaux: list[Tableau] = []
        parts = {}
        for label in np.unique(labels):
            numbers = np.flatnonzero(labels == label)
            key = (*known.versions[numbers].tolist(), len(tableaux), look.unread.tobytes())
            part = parts[key] = self._parts.get(key) or self._grouped(look.kept(numbers), len(tableaux))
            tiles.update(zip(numbers.tolist(), part[0], strict=True))
            tableaux += part[1]
        self._parts = parts
        here = np.ones(len(labels), bool) if hidden is None else ~hidden
        in_order = [tiles[k] for k in range(len(labels))]
        whole = doubt_over_counted(in_order, tableaux, self._reader.tile_set, np.flatnonzero(here).tolist())
        timing = {**look.timing_ms, "fit": 1000 * (perf_counter() - began)}
        name = self._reader.tile_set.name
        return Reading(*look.size, name, *whole, timing_ms={"total": sum(timing.values())} | timing)

    def _grouped(self, look: FrameDetections, before: int) -> Part:
        """Return the tiles and tableaux of one part of the table, with so many tableaux before them."""
        reading = self._reader.reading(look)
        return tuple(renumbered(tile, before) for tile in reading.tiles), reading.tableaux


def islands(detections: Detections) -> Numbers:
    """Return for each tile the least number of those it has to do with, also by way of others, (n,)."""
    vectors = detections.vectors()
    reach = REACH * np.abs(vectors).sum((1, 2)).max(initial=0.0) / 2
    x, y = detections.centres.T
    a, b = np.nonzero((np.abs(x[:, None] - x) < reach) & (np.abs(y[:, None] - y) < reach))
    first = np.searchsorted(a, np.arange(len(detections)))
    labels = np.arange(len(detections))
    while len(labels):
        least = np.minimum.reduceat(labels[b], first)
        if (least == labels).all():
            break
        labels = least[least]
    return labels


def renumbered(tile: Tile, before: int) -> Tile:
    """Return a tile whose tableau has so many more before it."""
    return tile if tile.tableau is None or not before else replace(tile, tableau=tile.tableau + before)


def doubt_over_counted(
    tiles: list[Tile], tableaux: list[Tableau], tile_set: TileSet, here: Sequence[int]
) -> Part:
    """Return tiles and tableaux, with doubt on the least sure of a symbol that the set has not so often.

    Only tiles of the numbers ``here`` count: those that are seen now.
    """
    chosen = {k: Choice(t.symbol, 0, t.confidence, None) for k in here if (t := tiles[k]).symbol}
    seen = Counter(choice.symbol for choice in chosen.values())
    counts = tile_set.counts or {}
    if all(many <= counts.get(symbol, many) for symbol, many in seen.items()):
        return tuple(tiles), tuple(tableaux)
    for k in over_counted(chosen, counts):
        tile = tiles[k] = replace(tiles[k], doubt=True)
        if tile.tableau is not None:
            cells = list(tableaux[tile.tableau].cells)
            at = next(n for n, cell in enumerate(cells) if (cell.row, cell.col) == (tile.row, tile.col))
            cells[at] = replace(cells[at], doubt=True)
            tableaux[tile.tableau] = replace(tableaux[tile.tableau], cells=tuple(cells))
    return tuple(tiles), tuple(tableaux)
