"""Since when loose tiles lie plainly in sight: what a hand elsewhere hides says nothing of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.model.calls import SECOND
from companion.model.reading import Tile
from companion.table.facing import side_of
from companion.vision.tracking.track import NUDGED

KEPT_NS = 30 * SECOND
"""How long a stay is remembered that has ended: far longer than any call waits."""


@dataclass(frozen=True, slots=True)
class Stay:
    """A loose tile that lay at one place without anything over or beside it: its first and newest frame."""

    tile: Tile
    from_ns: int
    until_ns: int

    @property
    def symbol(self) -> str:
        """What the tile shows."""
        return self.tile.symbol or ""

    def is_of(self, tile: Tile) -> bool:
        """Return whether a tile lies where this one lay, and shows the same."""
        near = math.dist(tile.centre, self.tile.centre) < NUDGED * side_of(self.tile)
        return near and tile.symbol == self.tile.symbol


class Stays:
    """The stays of the loose tiles of one place, from frame to frame."""

    def __init__(self) -> None:
        self._now: tuple[Stay, ...] = ()
        self._ended: tuple[Stay, ...] = ()

    def seen(self, tiles: Sequence[Tile], at_ns: int) -> tuple[Stay, ...]:
        """Return the stays known after a frame in which these tiles are loose and plainly in sight."""
        now = tuple(self._stay(tile, at_ns) for tile in tiles)
        over = [one for one in self._now if not any(one.is_of(tile) for tile in tiles)]
        self._ended = tuple(one for one in (*self._ended, *over) if at_ns - one.until_ns < KEPT_NS)
        self._now = now
        return (*self._ended, *now)

    def _stay(self, tile: Tile, at_ns: int) -> Stay:
        """Return the stay of a tile that is in sight now."""
        known = next((one for one in self._now if one.is_of(tile)), None)
        return replace(known, until_ns=at_ns) if known else Stay(tile, at_ns, at_ns)
