"""Tracks of tiles: their places, averaged probabilities, and matches with new detections."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities
from companion.vision.detector.detections import Detections, map_arrays, with_replaced
from companion.vision.grid.homography import Box, distances_in_tiles, mutual_nearest
from companion.vision.grid.volcano import Volcano
from companion.vision.pipeline.frame import FrameDetections, concatenate_frames
from companion.vision.tracking.block_grid import BlockGrid, Blocks, Floats, Mask, sample_points

MAX_OBSERVATIONS = 8
"""Largest number of observations averaged in a track; further ones fade the oldest."""

RESCALE_FACTOR = 1.07
"""Scale factor of a second pass, which shifts tiles relative to the cells of the detector's grid."""

RESCORE_SCALES = (RESCALE_FACTOR, 1.0, 1 / RESCALE_FACTOR)
"""Scale factors at which a weak detection is scored again, in turn."""

MIN_OVERLAP = 0.3
"""Least overlap of the probabilities of two observations of one tile."""

Numbers = NDArray[np.intp]


class Tracks:
    """The tracked tiles in the order of the reading.

    ``detected`` holds their detections; ``observations`` (n,) how many each averages, ``missed`` (n,) how
    many passes in a row have missed it although it was not occluded; ``occluded`` (n,) which were occluded
    since the last observation, so that another tile may lie there now; ``ids`` (n,) a number that a tile
    keeps while it lies at its place; ``versions`` (n,) another for each change of its probabilities;
    ``bare_ns`` (n,) the stamp of the last frame that showed its place without it, 0 where none did;
    ``uncovered_ns`` (n,) that of the first that did so since the tile was seen last, 0 where none did;
    ``points`` (n, 16, 2) points on each, in pixels, and ``spots`` (n, 16) their blocks.
    """

    def __init__(self, grid: BlockGrid, detected: FrameDetections, first_id: int) -> None:
        self.grid, self.detected, self.next_id = grid, detected, first_id
        count = len(detected.detections)
        self.observations = np.ones(count, np.intp)
        self.missed = np.zeros(count, np.intp)
        self.occluded = np.zeros(count, bool)
        self.bare_ns = np.zeros(count, np.int64)
        self.uncovered_ns = np.zeros(count, np.int64)
        self.ids = self._new_ids(count)
        self.versions = self._new_ids(count)
        self.points = sample_points(detected.detections.centres, detected.detections.vectors())
        self.spots = grid.at(self.points)

    def __len__(self) -> int:
        return len(self.ids)

    def blocks(self, tiles: Mask | Numbers | None = None) -> Mask:
        """Return the blocks on which some tiles lie, or all."""
        return self.grid.mask(self.spots if tiles is None else self.spots[tiles])

    def box_of(self, tiles: int | Numbers) -> Box:
        """Return the box, in pixels, around some tiles, with half a tile around it."""
        points, margin = self.points[tiles].reshape(-1, 2), float(np.median(self.detected.detections.sides))
        left, top = np.maximum(points.min(0) - margin, 0).astype(int) // 2 * 2
        right, bottom = (points.max(0) + margin).astype(int)
        return int(left), int(top), int(right), int(bottom)

    def _new_ids(self, count: int) -> Numbers:
        """Return ids that no tile has had."""
        first, self.next_id = self.next_id, self.next_id + count
        return np.arange(first, self.next_id)

    def replace_tiles(self, keep: Mask, new: FrameDetections, bare_ns: NDArray[np.int64]) -> None:
        """Drop all tracks but those to keep, and append new ones with their ``bare_ns``."""
        added = Tracks(self.grid, new, self.next_id)
        added.bare_ns = bare_ns
        self.detected, self.next_id = concatenate_frames(self.detected.kept(keep), new), added.next_id
        for name, rows in vars(added).items():
            if isinstance(rows, np.ndarray):
                setattr(self, name, np.concatenate([getattr(self, name)[keep], rows]))

    def drop(self, gone: Mask) -> None:
        """Drop tracks, (n,)."""
        self.replace_tiles(~gone, self.detected.kept(np.zeros(len(gone), bool)), np.zeros(0, np.int64))

    def drop_ghosts(self, tiles: Numbers) -> None:
        """Drop those of some tracks, (m,), that are no tiles.

        They were missed at each scale in turn, and lie on others or are background to the classifier.
        """
        missed = tiles[self.missed[tiles] >= len(RESCORE_SCALES)]
        if not len(missed):
            return
        detections, gone = self.detected.detections, np.zeros(len(self), bool)
        apart = separations(detections.kept(missed), detections)
        on_others = (apart < MIN_SEPARATION).sum(1) > 1  # each lies on itself
        gone[missed] = on_others | (self.detected.probabilities.p_background[missed] > 0.5)  # rather none
        self.drop(gone)

    def assign_new_ids(self, tiles: Numbers) -> None:
        """Give tiles new ids: they have been replaced or moved."""
        self.ids[tiles] = self._new_ids(len(tiles))
        self.set_second(tiles, 0.0)

    def set_second(self, tiles: Numbers, second: Floats | float) -> None:
        """Set the second reader's probabilities of tiles, (m, symbols, 4); 0 without an answer."""
        whole = self.detected.probabilities.second.copy()
        whole[tiles] = second
        self.detected = replace(
            self.detected, probabilities=replace(self.detected.probabilities, second=whole)
        )
        self.versions[tiles] = self._new_ids(len(tiles))

    def agrees(self, tiles: Numbers, detected: FrameDetections) -> Mask:
        """Return which tiles, (m,), have the same class in new detections, given in the same order."""
        return (
            overlap(self._rotated_probabilities(tiles, detected.detections.turns), detected.probabilities)
            > MIN_OVERLAP
        )

    def observe(self, tiles: Numbers, detected: FrameDetections, unchanged: Mask) -> Mask:
        """Average an observation into tracks, or restart the track where it shows another tile.

        ``detected`` has the new detections in the order of ``tiles``, (m,); ``unchanged`` (m,) are those
        without changed pixels, which must be the same tiles; a track that was occluded counts as at most one
        observation.  Returns which are the same tiles as before, (m,).

        The detector's scores are averaged like the probabilities, except on a board with pyramids, where a
        score also weighs the colours.  A score of 0 is a miss.
        """
        old, new = self._rotated_probabilities(tiles, detected.detections.turns), detected.probabilities
        same = unchanged | (overlap(old, new) > MIN_OVERLAP)
        observations = np.where(unchanged, self.observations[tiles], np.minimum(self.observations[tiles], 1))
        self.observations[tiles] = np.where(same, np.minimum(observations + 1, MAX_OBSERVATIONS), 1)
        scores = detected.detections.scores
        self.missed[tiles] = np.where(scores > 0, 0, self.missed[tiles] + 1)
        self.occluded[tiles] = False
        share = 1 / self.observations[tiles]
        fused = map_arrays(lambda a, b: a + (b - a) * share.reshape(-1, *[1] * (a.ndim - 1)), old, new)
        fused = replace(fused, second=np.where(same[:, None, None], old.second, new.second))
        before = self.detected.detections.scores[tiles]
        averaged = same & (not isinstance(self.detected.board, Volcano))
        scores = np.where(averaged, before + (scores - before) * share, scores)
        detections = replace(detected.detections, scores=scores)
        self.detected = replace(
            self.detected,
            detections=with_replaced(self.detected.detections, tiles, detections),
            probabilities=with_replaced(self.detected.probabilities, tiles, fused),
        )
        self.versions[tiles] = self._new_ids(len(tiles))
        self.points[tiles] = sample_points(detected.detections.centres, detected.detections.vectors())
        self.spots[tiles] = self.grid.at(self.points[tiles])
        return same

    def _rotated_probabilities(self, tiles: Numbers, turns: Floats) -> ClassProbabilities:
        """Return known probabilities with turns counted in frames rotated by ``turns``, (m,) in radians."""
        return self.detected.probabilities.kept(tiles).rotated(turns - self.detected.detections.turns[tiles])


def overlap(one: ClassProbabilities, other: ClassProbabilities) -> Floats:
    """Return the overlap of two observations' probabilities of the same tiles, 0 to 1, (n,)."""
    symbols = np.minimum(one.p_symbol, other.p_symbol).sum((1, 2))
    return np.asarray(symbols + np.minimum(one.p_blank, other.p_blank))


def separations(one: Detections, other: Detections) -> Floats:
    """Return how far tiles lie from others, (m, n), along the side of either that parts them most.

    1 is where they touch: squares that do not overlap are parted along a side of one of them, the separating
    axis.
    """
    return np.maximum(separations_along_own(one, other), separations_along_own(other, one).T)


def separations_along_own(one: Detections, other: Detections) -> Floats:
    """Return how far tiles lie from others, (m, n), along that of their own sides which parts them most."""
    x, y = (other.centres[:, k] - one.centres[:, k, None] for k in (0, 1))
    (right_x, down_x), (right_y, down_y) = np.moveaxis(other.vectors(), 0, -1)
    ratios = []
    for u, v in np.moveaxis(np.linalg.inv(one.vectors()), 0, -1)[..., None]:  # from pixels to either side
        extent = np.abs(u * right_x + v * right_y) + np.abs(u * down_x + v * down_y)
        ratios.append(2 * np.abs(u * x + v * y) / (1 + extent))
    return np.asarray(np.maximum(*ratios))


def merge_detections(one: FrameDetections, other: FrameDetections) -> FrameDetections:
    """Return the detections of two parts of one frame together."""
    timing = {stage: ms + other.timing_ms.get(stage, 0.0) for stage, ms in one.timing_ms.items()}
    unread = np.concatenate([one.unread, other.unread])
    board = other.board or one.board
    return replace(concatenate_frames(one, other), unread=unread, board=board, timing_ms=timing)


def has_other_size(detected: FrameDetections, known: FrameDetections) -> bool:
    """Return whether a frame shows tiles of another size than the few known ones, which then were none."""
    if detected.scale is None or known.scale is None or known.tile_size is not None:
        return False
    ratio = max(known.scale / detected.scale, detected.scale / known.scale)
    return ratio > MAX_GRID_RATIO and bool(detected.p_tile.sum() > known.p_tile.sum())


def misfits_blocks(detected: FrameDetections, known: FrameDetections, grid: BlockGrid) -> bool:
    """Return whether more tiles misfit the blocks in a frame than fit them there, or of the known ones."""
    chances = detected.p_tile
    misfits, others = (grid.misfits(one.detections.sides) for one in (detected, known))
    return bool(chances[misfits].sum() > max(chances[~misfits].sum(), known.p_tile[~others].sum()))


def has_moved_board(detected: FrameDetections, known: FrameDetections) -> bool:
    """Return whether a frame shows the board elsewhere than the known one."""
    now, before = detected.board, known.board
    return now is not None and before is not None and now.distance(before) > MOVED_DISTANCE


MAX_GRID_RATIO = 1.2
"""Largest ratio of the tiles' size to that for which blocks were made: a larger tile looks like a hand."""

MIN_SEPARATION = 0.8
"""Least separation of two tiles on the table: none of 4,070 neighbours in photographs is nearer."""

UNLIKELY_SEPARATION = 0.88
"""Separation that few of them have, one in 200: a tile out of sight so near to another has gone."""

MATCH_DISTANCE = 0.5
"""Largest distance of a detection that matches a known tile's place, in tile sides."""

MOVED_DISTANCE = 0.2
"""Largest distance of a tile from its place that counts as unmoved, in tile sides."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Detections matched to the tracks.

    ``on`` (m,) is the known tile on whose place each detection lies, or -1; ``away`` (m, n) the distances
    from each tile, in the tile's sides, and ``apart`` (m, n) the separations; ``spots`` (m, 16) the blocks
    that each lies on.
    """

    detected: FrameDetections
    on: Numbers
    away: Floats
    apart: Floats
    spots: Blocks

    @classmethod
    def of(cls, detected: FrameDetections, known: Tracks) -> Matches:
        """Return detections, each matched to the track of which it is the mutual nearest neighbour."""
        detections, tiles = detected.detections, known.detected.detections
        away = distances_in_tiles(detections.centres, tiles.centres, tiles.shapes)
        on = np.full(len(detections), -1)
        mine, theirs = mutual_nearest(away, MATCH_DISTANCE)
        on[mine] = theirs
        spots = known.grid.at(sample_points(detections.centres, detections.vectors()))
        return cls(detected, on, away, separations(detections, tiles), spots)

    def __len__(self) -> int:
        return len(self.on)

    def kept(self, keep: Mask | Numbers) -> Matches:
        """Return some of the matches."""
        return Matches(
            self.detected.kept(keep), self.on[keep], self.away[keep], self.apart[keep], self.spots[keep]
        )

    def on_top(self, tiles: Mask) -> Mask:
        """Return which detections cannot lie on the table together with some of the tiles, (m,)."""
        return np.asarray((self.apart[:, tiles] < MIN_SEPARATION).any(1))

    def under(self) -> Mask:
        """Return which tiles hardly lie on the table together with what is new or has moved, (n,)."""
        return np.asarray((self.apart[~self.hardly_moved] < UNLIKELY_SEPARATION).any(0))

    @property
    def hardly_moved(self) -> Mask:
        """Which detections lie almost where a known tile lay, (m,)."""
        return np.asarray((self.on >= 0) & (self.away.min(1, initial=np.inf) < MOVED_DISTANCE))

    def matched(self) -> Mask:
        """Return which tiles were seen again, (n,)."""
        return np.asarray((self.on[:, None] == np.arange(self.away.shape[1])).any(0))
