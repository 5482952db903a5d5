"""Tracks of tiles: their places, averaged probabilities, and matches with new detections."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities
from companion.vision.grid.volcano import Volcano
from companion.vision.pipeline.frame import FrameDetections, concatenated, map_arrays, together, with_replaced
from companion.vision.tracking.block_grid import BlockGrid, Blocks, Floats, Mask, sample_points

LOOKS = 8
"""Looks averaged in a track; with more the oldest fade."""

AGREE = 0.3
"""Overlap of two looks' probabilities below which they show different tiles."""

Numbers = NDArray[np.intp]


class Tracks:
    """The tracked tiles in the order of the reading.

    ``look`` holds their detections; ``looks`` (n,) how many looks each rests on, ``missed`` (n,) how many
    since have overlooked it though nothing hid it; ``occluded`` (n,) which were hidden since the last of
    those looks, so that another may lie there by now; ``ids`` (n,) a number that a tile keeps for as long as
    it lies where it lies; ``versions`` (n,) another for each time that more was learnt of it; ``bare_ns``
    (n,) the stamp of the last frame that showed its place without it, 0 where none did; ``points`` (n, 16, 2)
    points on each, in pixels, and ``spots`` (n, 16) their blocks.
    """

    def __init__(self, grid: BlockGrid, look: FrameDetections, first_id: int) -> None:
        self.grid, self.next_id = grid, first_id
        self.look = look
        self.looks = np.ones(len(look.detections), np.intp)
        self.missed = np.zeros(len(look.detections), np.intp)
        self.occluded = np.zeros(len(look.detections), bool)
        self.bare_ns = np.zeros(len(look.detections), np.int64)
        self.ids = self._new_ids(len(look.detections))
        self.versions = self._new_ids(len(look.detections))
        self.points = sample_points(look.detections.centres, look.detections.vectors())
        self.spots = grid.at(self.points)

    def __len__(self) -> int:
        return len(self.ids)

    def _new_ids(self, count: int) -> Numbers:
        """Return ids that no tile has had."""
        first, self.next_id = self.next_id, self.next_id + count
        return np.arange(first, self.next_id)

    def exchange(self, keep: Mask, new: FrameDetections, bare_ns: NDArray[np.int64]) -> None:
        """Forget all tiles but those to keep, and know new ones after them, with their ``bare_ns``."""
        old = self.look.kept(keep)
        detections, probabilities = (
            concatenated(old.detections, new.detections),
            concatenated(old.probabilities, new.probabilities),
        )
        points = sample_points(new.detections.centres, new.detections.vectors())
        self.look = replace(self.look, detections=detections, probabilities=probabilities)
        self.looks = np.append(self.looks[keep], np.ones(len(new.detections), np.intp))
        self.missed = np.append(self.missed[keep], np.zeros(len(new.detections), np.intp))
        self.occluded = np.append(self.occluded[keep], np.zeros(len(new.detections), bool))
        self.bare_ns = np.append(self.bare_ns[keep], bare_ns)
        self.ids = np.append(self.ids[keep], self._new_ids(len(new.detections)))
        self.versions = np.append(self.versions[keep], self._new_ids(len(new.detections)))
        self.points = np.concatenate([self.points[keep], points])
        self.spots = np.concatenate([self.spots[keep], self.grid.at(points)])

    def miss(self, tiles: Mask) -> Mask:
        """Take in that a look has overlooked tiles, (n,), that nothing hides.

        Returns those, (n,), that more looks have overlooked than have seen: they are no tiles.
        """
        self.missed += tiles
        return np.asarray(tiles & (self.missed > self.looks))

    def renew(self, tiles: Numbers) -> None:
        """Give tiles new ids: they are others than before, or lie elsewhere."""
        self.ids[tiles] = self._new_ids(len(tiles))
        second = self.look.probabilities.second[tiles]
        if second.any():
            self.hear(tiles, np.zeros_like(second))

    def hear(self, tiles: Numbers, second: Floats) -> None:
        """Know what a second reader says of tiles, (m, symbols, 4), in place of what it said before."""
        whole = self.look.probabilities.second.copy()
        whole[tiles] = second
        self.look = replace(self.look, probabilities=replace(self.look.probabilities, second=whole))
        self.versions[tiles] = self._new_ids(len(tiles))

    def agrees(self, tiles: Numbers, look: FrameDetections) -> Mask:
        """Return which known tiles, (m,), are named alike in a look that has them in the same order."""
        return overlap(self._names_as(tiles, look.detections.turns), look.probabilities) > AGREE

    def meet(self, tiles: Numbers, look: FrameDetections, unchanged: Mask) -> Mask:
        """See known tiles again: a look joins those before, or takes their place where it shows another tile.

        ``look`` has the new detections in the order of ``tiles``, (m,); ``unchanged`` (m,) tells which look
        as they did, so that they can be no others; what is known of one that was hidden counts as one look.
        Returns which are the same tiles as before, (m,).

        The detector's scores are averaged as the probabilities are, but for a board with pyramids, where a
        score also tells what colours are worth.
        """
        old, new = self._names_as(tiles, look.detections.turns), look.probabilities
        same = unchanged | (overlap(old, new) > AGREE)
        looks = np.where(unchanged, self.looks[tiles], 1)
        self.looks[tiles] = np.where(same, np.minimum(looks + 1, LOOKS), 1)
        self.missed[tiles], self.occluded[tiles] = 0, False
        share = 1 / self.looks[tiles]
        fused = map_arrays(lambda a, b: a + (b - a) * share.reshape(-1, *[1] * (a.ndim - 1)), old, new)
        fused = replace(fused, second=np.where(same[:, None, None], old.second, new.second))
        before, scores = self.look.detections.scores[tiles], look.detections.scores
        averaged = same & (not isinstance(self.look.board, Volcano))
        scores = np.where(averaged, before + (scores - before) * share, scores)
        detections = replace(look.detections, scores=scores)
        self.look = replace(
            self.look,
            detections=with_replaced(self.look.detections, tiles, detections),
            probabilities=with_replaced(self.look.probabilities, tiles, fused),
        )
        self.versions[tiles] = self._new_ids(len(tiles))
        self.points[tiles] = sample_points(look.detections.centres, look.detections.vectors())
        self.spots[tiles] = self.grid.at(self.points[tiles])
        return same

    def _names_as(self, tiles: Numbers, turns: Floats) -> ClassProbabilities:
        """Return known probabilities with turns counted in frames rotated by so many radians, (m,)."""
        return self.look.probabilities.kept(tiles).rotated(turns - self.look.detections.turns[tiles])


def overlap(one: ClassProbabilities, other: ClassProbabilities) -> Floats:
    """Return the overlap of two looks' probabilities of the same tiles, 0 to 1, (n,)."""
    symbols = np.minimum(one.p_symbol, other.p_symbol).sum((1, 2))
    return np.asarray(symbols + np.minimum(one.p_blank, other.p_blank))


def merged(one: FrameDetections, other: FrameDetections) -> FrameDetections:
    """Return two looks at parts of one picture as one."""
    timing = {stage: ms + other.timing_ms.get(stage, 0.0) for stage, ms in one.timing_ms.items()}
    unread = np.concatenate([one.unread, other.unread])
    board = other.board or one.board
    return replace(together(one, other), unread=unread, board=board, timing_ms=timing)


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
