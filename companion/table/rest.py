"""When what lies at a place was at rest, and from when until when loose tiles lay plainly in sight.

What a hand elsewhere hides says nothing of the loose tiles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.model.calls import MILLISECOND, SECOND
from companion.model.reading import Tile
from companion.table.views import side_of
from companion.vision.tracking.track import NUDGED

RECENT_NS = 300 * MILLISECOND
"""A place seen at rest so shortly before a call was at rest when it was called."""

NEVER_NS = -(10**18)

MOST_RESTS = 32
"""Times of rest that are remembered of a place: more than any call waits through."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A time in which nothing moved at a place: its first and its newest frame, and the next that moved."""

    from_ns: int
    until_ns: int
    moved_ns: int | None = None

    def knows(self, at_ns: int) -> bool:
        """Return whether it is known from it what lay there at a time."""
        moved = self.moved_ns is not None and self.moved_ns <= at_ns
        return self.from_ns <= at_ns <= self.until_ns + RECENT_NS and not moved


@dataclass(frozen=True, slots=True)
class Sight:
    """What the cameras have seen of one place, in the game's time: when it was at rest, in order.

    All that lay there in the newest frame at rest has been told; ``whole_ns`` is the newest frame at rest of
    which the whole picture was looked at, ``looked_ns`` the newest of all: a hand may hide tiles in it.
    """

    rests: tuple[Rest, ...] = ()
    whole_ns: int = NEVER_NS
    looked_ns: int = NEVER_NS

    @property
    def rest_ns(self) -> int:
        """The newest frame in which nothing moved."""
        return self.rests[-1].until_ns if self.rests else NEVER_NS

    def after(self, at_ns: int, whole_ns: int | None) -> Sight:
        """Return the sight after one more frame of that time; with no ``whole_ns`` something moved in it."""
        before, last = self.rests[:-1], self.rests[-1] if self.rests else None
        over = last is None or last.moved_ns is not None
        if whole_ns is None:
            moved = () if last is None or over else (replace(last, moved_ns=at_ns),)
            return replace(self, rests=(*before, *moved)) if moved else self
        if last is None or over:
            rests = (*self.rests, Rest(at_ns, at_ns))[-MOST_RESTS:]
        else:
            rests = (*before, replace(last, until_ns=at_ns))
        at_rest = whole_ns >= rests[-1].from_ns
        return Sight(rests, whole_ns if at_rest else self.whole_ns, whole_ns)

    def knows(self, at_ns: int) -> bool:
        """Return whether it is known what lay there at a time."""
        return any(rest.knows(at_ns) for rest in self.rests)

    def seen_since(self, at_ns: int) -> bool:
        """Return whether it is known what lay there at a time or after it."""
        return self.rest_ns >= at_ns or self.knows(at_ns)


HELD_NS = 5 * SECOND
"""How long a tile is in a hand at most that is taken for the one that was lifted."""

LIFTS_NS = 50 * MILLISECOND
"""No hand lifts a tile and lays it elsewhere in less: fingers take some 120 ms to close on it alone."""

KEPT_NS = 30 * SECOND
"""How long a stay is remembered that has ended: far longer than any call waits."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A tile that is new where it lies: its symbol, and when its place was last seen without it, 0 if never.

    One that is ``back`` lay there before: it may only have been out of sight.
    """

    symbol: str
    bare_ns: int
    back: bool = False


@dataclass(frozen=True, slots=True)
class Stay:
    """A loose tile that lay at one place without anything over or beside it: its first and newest frame.

    ``whole_ns`` is the newest look at the whole picture that left it there.  One that was ``laid`` since had
    not been laid at ``until_ns`` either: its new place was bare then.
    """

    tile: Tile
    from_ns: int
    until_ns: int
    whole_ns: int = 0
    laid: bool = False

    @property
    def symbol(self) -> str:
        """What the tile shows."""
        return self.tile.symbol or ""

    def certain(self, at_ns: int) -> bool:
        """Return whether the tile certainly lay loose at a time, as what was seen since then has shown."""
        return self.from_ns <= at_ns <= self.until_ns and (self.laid or at_ns <= self.whole_ns)

    def lifted(self, symbol: str, at_ns: int) -> bool:
        """Return whether it may be this tile of that symbol that a hand has laid elsewhere at a time."""
        return self.symbol == symbol and not self.laid and at_ns - self.until_ns < HELD_NS

    def is_of(self, tile: Tile) -> bool:
        """Return whether a tile lies where this one lay, and shows the same."""
        return alike(self.tile, tile)


def alike(one: Tile, other: Tile) -> bool:
    """Return whether two tiles lie at one place and show the same."""
    near = math.dist(one.centre, other.centre) < NUDGED * side_of(one)
    return near and one.symbol == other.symbol


class Stays:
    """The stays of the loose tiles of one place, from frame to frame."""

    def __init__(self) -> None:
        self._now: tuple[Stay, ...] = ()
        self._ended: tuple[Stay, ...] = ()

    def seen(
        self,
        tiles: Sequence[Tile],
        at_ns: int,
        whole_ns: int = 0,
        laid: Sequence[Arrival] = (),
    ) -> tuple[Stay, ...]:
        """Return the stays known after a frame in which these tiles are loose and plainly in sight.

        ``whole_ns`` is when the whole picture was looked at last, in that frame or before.  ``laid`` are the
        tiles that have come to lie somewhere since the frame before.
        """
        now = tuple(self._stay(tile, at_ns, whole_ns) for tile in tiles)
        over = [one for one in self._now if not any(one.is_of(tile) for tile in tiles)]
        ended = [one for one in (*self._ended, *over) if at_ns - one.until_ns < KEPT_NS]
        for symbol in {one.symbol for one in laid}:
            lifted = [n for n, one in enumerate(ended) if one.lifted(symbol, at_ns)]
            bare = [one.bare_ns for one in laid if one.symbol == symbol and not one.back]
            if lifted and bare:
                last = ended[lifted[-1]]
                until_ns = max(last.until_ns + LIFTS_NS, min(bare))
                ended[lifted[-1]] = replace(last, until_ns=until_ns, laid=True)
        self._now, self._ended = now, tuple(ended)
        return (*self._ended, *now)

    def _stay(self, tile: Tile, at_ns: int, whole_ns: int) -> Stay:
        """Return the stay of a tile that is in sight now."""
        known = next((one for one in self._now if one.is_of(tile)), None)
        return replace(known or Stay(tile, at_ns, at_ns), until_ns=at_ns, whole_ns=whole_ns)
