"""When each place was at rest, and when its loose tiles were unoccluded.

A place is at rest in a frame in which nothing moves there.  Loose tiles are tracked apart from that: a hand
elsewhere on the place does not end them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.model.calls import MILLISECOND, SECOND
from companion.model.reading import Tile
from companion.table.views import side_of
from companion.vision.tracking.track import MOVED_DISTANCE

MAX_REST_AGE_NS = 300 * MILLISECOND
"""Longest time before a call in which a place seen at rest counts as at rest at the call, in ns."""

NEVER_NS = -(10**18)
"""The stamp of an event that never happened."""

MAX_INTERVALS = 32
"""Largest number of intervals kept for each place: more than pass while any call waits."""


@dataclass(frozen=True, slots=True)
class RestInterval:
    """An interval of rest: the stamps of its first and newest frame, and of the next with motion."""

    from_ns: int
    until_ns: int
    moved_ns: int | None = None

    def knows(self, at_ns: int) -> bool:
        """Return whether the interval shows the place's tiles at a stamp."""
        moved = self.moved_ns is not None and self.moved_ns <= at_ns
        return self.from_ns <= at_ns <= self.until_ns + MAX_REST_AGE_NS and not moved


@dataclass(frozen=True, slots=True)
class RestHistory:
    """The intervals in which a place was at rest, in order, in the game's time.

    The tiles in the newest frame at rest have been published.  ``looked_ns`` is the newest frame with a
    detection pass over the whole of it, in which a hand may hide tiles; ``whole_ns`` the newest of these at
    rest.
    """

    rests: tuple[RestInterval, ...] = ()
    whole_ns: int = NEVER_NS
    looked_ns: int = NEVER_NS

    @property
    def rest_ns(self) -> int:
        """The stamp of the newest frame at rest."""
        return self.rests[-1].until_ns if self.rests else NEVER_NS

    def after(self, at_ns: int, whole_ns: int | None) -> RestHistory:
        """Return the history after one more frame; ``whole_ns`` is None if something moved in it."""
        before, last = self.rests[:-1], self.rests[-1] if self.rests else None
        over = last is None or last.moved_ns is not None
        if whole_ns is None:
            moved = () if last is None or over else (replace(last, moved_ns=at_ns),)
            return replace(self, rests=(*before, *moved)) if moved else self
        if last is None or over:
            rests = (*self.rests, RestInterval(at_ns, at_ns))[-MAX_INTERVALS:]
        else:
            rests = (*before, replace(last, until_ns=at_ns))
        at_rest = whole_ns >= rests[-1].from_ns
        return RestHistory(rests, whole_ns if at_rest else self.whole_ns, whole_ns)

    def knows(self, at_ns: int) -> bool:
        """Return whether the place's tiles at a stamp are known."""
        return any(rest.knows(at_ns) for rest in self.rests)

    def seen_since(self, at_ns: int) -> bool:
        """Return whether the place's tiles at a stamp or after it are known."""
        return self.rest_ns >= at_ns or self.knows(at_ns)


MAX_HELD_NS = 5 * SECOND
"""Longest time between lifting a tile and laying it elsewhere at which the two count as one, in ns."""

MIN_LIFT_NS = 50 * MILLISECOND
"""Shortest time in which a hand moves a tile, in ns: closing the fingers alone takes 120 ms."""

LOOSE_TILE_RETENTION_NS = 30 * SECOND
"""Time for which a loose tile is kept after it has gone, in ns: far longer than any call waits."""


@dataclass(frozen=True, slots=True)
class NewTile:
    """A tile that is new at its place: its symbol, and when the place was last seen without it, 0 if never.

    ``back`` is whether it was seen there before: it may only have been occluded.
    """

    symbol: str
    bare_ns: int
    back: bool = False


@dataclass(frozen=True, slots=True)
class LooseTile:
    """A loose tile at one position, unoccluded from its first to its newest frame.

    ``whole_ns`` is the newest detection pass over the whole frame that found it there.  ``matched`` is
    whether a tile laid elsewhere was taken as this one; ``laid`` whether it also was still loose at
    ``until_ns``, when its new position was empty.
    """

    tile: Tile
    from_ns: int
    until_ns: int
    whole_ns: int = 0
    laid: bool = False
    matched: bool = False

    @property
    def symbol(self) -> str:
        """The tile's symbol, empty for a blank."""
        return self.tile.symbol or ""

    def certain(self, at_ns: int) -> bool:
        """Return whether the tile was certainly loose at a stamp, as later frames show."""
        return self.from_ns <= at_ns <= self.until_ns and (self.laid or at_ns <= self.whole_ns)

    def may_be_lifted(self, symbol: str, at_ns: int) -> bool:
        """Return whether a tile of that symbol that was laid at a stamp may be this one."""
        return self.symbol == symbol and not self.matched and at_ns - self.until_ns < MAX_HELD_NS

    def is_same_as(self, tile: Tile) -> bool:
        """Return whether a tile has this one's position and symbol."""
        return same_tile(self.tile, tile)


def same_tile(one: Tile, other: Tile) -> bool:
    """Return whether two tiles have one position and symbol."""
    near = math.dist(one.centre, other.centre) < MOVED_DISTANCE * side_of(one)
    return near and one.symbol == other.symbol


class LooseTiles:
    """Tracks the loose tiles of one place over frames."""

    def __init__(self) -> None:
        self._now: tuple[LooseTile, ...] = ()
        self._ended: tuple[LooseTile, ...] = ()
        self._unmatched: list[tuple[str, int]] = []

    def update(
        self,
        tiles: Sequence[Tile],
        at_ns: int,
        whole_ns: int = 0,
        laid: Sequence[NewTile] = (),
    ) -> tuple[LooseTile, ...]:
        """Return all known loose tiles after a frame with these loose and unoccluded tiles.

        ``whole_ns`` is the stamp of the last detection pass over the whole frame.  ``laid`` are the tiles
        that are new since the frame before.
        """
        now = tuple(self._tracked(tile, at_ns, whole_ns) for tile in tiles)
        over = [
            replace(one, matched=self._was_laid_before(one, at_ns))
            for one in self._now
            if not any(one.is_same_as(tile) for tile in tiles)
        ]
        ended = [one for one in (*self._ended, *over) if at_ns - one.until_ns < LOOSE_TILE_RETENTION_NS]
        for symbol in {one.symbol for one in laid}:
            lifted = [n for n, one in enumerate(ended) if one.may_be_lifted(symbol, at_ns)]
            bare = [one.bare_ns for one in laid if one.symbol == symbol and not one.back]
            sources = lifted[max(0, len(lifted) - len(bare)) :]
            for number in sources:
                ended[number] = replace(ended[number], matched=True)
            if sources:
                last = ended[sources[-1]]
                until_ns = max(last.until_ns + MIN_LIFT_NS, min(bare))
                ended[sources[-1]] = replace(last, until_ns=until_ns, laid=True)
            still = sum(one.symbol == symbol for one in now)
            self._unmatched += [(symbol, at_ns)] * min(still, len(bare) - len(lifted))
        self._now, self._ended = now, tuple(ended)
        return (*self._ended, *now)

    def _was_laid_before(self, tile: LooseTile, at_ns: int) -> bool:
        """Return whether a tile that has gone was seen laid before, while it still seemed to lie loose.

        A hand may hide that a tile has left.  If it stayed unmatched, a tile of its symbol that is moved
        later would be taken for it.
        """
        self._unmatched = [one for one in self._unmatched if at_ns - one[1] < MAX_HELD_NS]
        found = next((one for one in self._unmatched if one[0] == tile.symbol), None)
        if found is not None:
            self._unmatched.remove(found)
        return found is not None

    def _tracked(self, tile: Tile, at_ns: int, whole_ns: int) -> LooseTile:
        """Return a tile in sight with the stamps of its first frame and this one."""
        known = next((one for one in self._now if one.is_same_as(tile)), None)
        return replace(known or LooseTile(tile, at_ns, at_ns), until_ns=at_ns, whole_ns=whole_ns)
