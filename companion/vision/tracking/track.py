"""The known tiles: where they lie, and what many looks together say of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Names
from companion.vision.pipeline.frame import Look, each, exchanged, together
from companion.vision.tracking.block_grid import Floats, Grid, Mask, places

LOOKS = 8
"""Looks that are averaged; with more the oldest fade."""

AGREE = 0.3
"""Two looks that share less chance than this show two different tiles."""

Numbers = NDArray[np.intp]


class Known:
    """The known tiles in the order of the reading.

    ``look`` holds finds and names; ``looks`` (n,) how many looks the names rest on; ``ids`` (n,) a number
    that a tile keeps for as long as it lies where it lies; ``versions`` (n,) another for each time that more
    was learnt of it; ``bare_ns`` (n,) the stamp of the last frame that showed its place without it, 0 where
    none did; ``points`` (n, 16, 2) points on each, in pixels, and ``spots`` (n, 16) their blocks.
    """

    def __init__(self, grid: Grid, look: Look, first_id: int) -> None:
        self.grid, self.next_id = grid, first_id
        self.look = look
        self.looks = np.ones(len(look.finds), np.intp)
        self.bare_ns = np.zeros(len(look.finds), np.int64)
        self.ids = self._new_ids(len(look.finds))
        self.versions = self._new_ids(len(look.finds))
        self.points = places(look.finds.centres, look.finds.vectors())
        self.spots = grid.at(self.points)

    def __len__(self) -> int:
        return len(self.ids)

    def _new_ids(self, count: int) -> Numbers:
        """Return ids that no tile has had."""
        first, self.next_id = self.next_id, self.next_id + count
        return np.arange(first, self.next_id)

    def exchange(self, keep: Mask, new: Look, bare_ns: NDArray[np.int64]) -> None:
        """Forget all tiles but those to keep, and know new ones after them, with their ``bare_ns``."""
        old = self.look.kept(keep)
        finds, names = together(old.finds, new.finds), together(old.names, new.names)
        points = places(new.finds.centres, new.finds.vectors())
        self.look = replace(self.look, finds=finds, names=names)
        self.looks = np.append(self.looks[keep], np.ones(len(new.finds), np.intp))
        self.bare_ns = np.append(self.bare_ns[keep], bare_ns)
        self.ids = np.append(self.ids[keep], self._new_ids(len(new.finds)))
        self.versions = np.append(self.versions[keep], self._new_ids(len(new.finds)))
        self.points = np.concatenate([self.points[keep], points])
        self.spots = np.concatenate([self.spots[keep], self.grid.at(points)])

    def renew(self, tiles: Numbers) -> None:
        """Give tiles new ids: they are others than before, or lie elsewhere."""
        self.ids[tiles] = self._new_ids(len(tiles))

    def agrees(self, tiles: Numbers, look: Look) -> Mask:
        """Return which known tiles, (m,), are named alike in a look that has them in the same order."""
        return overlap(self._names_as(tiles, look.finds.turns), look.names) > AGREE

    def meet(self, tiles: Numbers, look: Look, unchanged: Mask) -> Mask:
        """See known tiles again: a look joins those before, or takes their place where it shows another tile.

        ``look`` has the new finds in the order of ``tiles``, (m,); ``unchanged`` (m,) tells which look
        as they did, so that they can be no others.  Returns which are the same tiles as before, (m,).
        """
        old, new = self._names_as(tiles, look.finds.turns), look.names
        same = unchanged | (overlap(old, new) > AGREE)
        self.looks[tiles] = np.where(same, np.minimum(self.looks[tiles] + 1, LOOKS), 1)
        share = 1 / self.looks[tiles]
        fused = each(lambda a, b: a + (b - a) * share.reshape(-1, *[1] * (a.ndim - 1)), old, new)
        fused = replace(fused, second=np.where(same[:, None, None], old.second, new.second))
        finds = exchanged(self.look.finds, tiles, look.finds)
        self.look = replace(self.look, finds=finds, names=exchanged(self.look.names, tiles, fused))
        self.versions[tiles] = self._new_ids(len(tiles))
        self.points[tiles] = places(look.finds.centres, look.finds.vectors())
        self.spots[tiles] = self.grid.at(self.points[tiles])
        return same

    def _names_as(self, tiles: Numbers, turns: Floats) -> Names:
        """Return known names with turns counted in frames that are turned by so many radians, (m,)."""
        return self.look.names.kept(tiles).turned(turns - self.look.finds.turns[tiles])


def overlap(one: Names, other: Names) -> Floats:
    """Return how much chance two namings of the same tiles share, 0 to 1, (n,)."""
    symbols = np.minimum(one.chance, other.chance).sum((1, 2))
    return np.asarray(symbols + np.minimum(one.down, other.down))


def both(one: Look, other: Look) -> Look:
    """Return two looks at parts of one picture as one."""
    timing = {stage: ms + other.timing_ms.get(stage, 0.0) for stage, ms in one.timing_ms.items()}
    finds, names = together(one.finds, other.finds), together(one.names, other.names)
    return replace(one, finds=finds, names=names, board=other.board or one.board, timing_ms=timing)
