"""A background model of the picture by blocks, change of light, and what covers the table.

Small pictures are those of ``BlockGrid.downsample``: uint8, (4 x rows, 4 x columns of blocks).  A mask is
bool, (rows, columns), of blocks.  Brightness is in grey levels of 256, time stamps in nanoseconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.tracking.block_grid import (
    BLOCK,
    NEAR,
    BlockGrid,
    Blocks,
    Floats,
    Mask,
    Picture,
    brighter_than,
    connected_parts,
    dilated,
    exceeds,
    gradient,
)

PICKED = 1000
"""Samples to which the light is fitted."""

ROUNDS = 2
"""Steps of the fit in a frame; the next frame goes on from there."""

STRONGEST = 3.0
"""Bound of the gain, and of its inverse."""

HARDLY = 0.5
"""Change of light, in grey levels, below which a picture stays as it is."""

FLAT = 50.0
"""Variance, in squared grey levels, at which a picture counts half in the fit of the gain."""

MOST_OFFSET = 60.0
"""Bound of the offset, in grey levels."""

PLAIN = 12.0
"""Variance beside the noise, in squared grey levels, up to which a picture tells nothing of the gain."""

LEAST_ALIKE = 0.5
"""Correlation with the background up to which a frame shows another scene, not another light."""

Light = tuple[float, float]
"""Gain, and offset in grey levels."""


def subsampled(small: Picture) -> NDArray[np.float32]:
    """Return about a thousand evenly spread samples of a small picture, float32 (n,)."""
    every = max(1, int((small.size / PICKED) ** 0.5))
    return small[::every, ::every].astype(np.float32).ravel()


def fit_light(seen: NDArray[np.float32], known: NDArray[np.float32], noise: float, start: Light) -> Light:
    """Return gain and offset that bring seen samples, (n,), to the known ones, (n,).

    Iteratively reweighted least squares with Welsch's weights, begun at the last frame's light ``start``:
    what covers less than three quarters of the picture weighs nothing.  At low variance the fit tends to a
    gain alone.  A frame of another scene keeps the light ``start``.  ``noise`` is the spread of a sample
    from frame to frame, in grey levels.
    """
    gain, offset = start
    for _ in range(ROUNDS):
        off = np.abs(gain * seen + offset - known)
        quarter = float(np.partition(off, len(off) // 4)[len(off) // 4])
        weight = np.exp(-((off / (4 * quarter + 2)) ** 2))
        weight /= weight.sum()
        x, y = float(weight @ seen), float(weight @ known)
        aside, beside = seen - x, known - y
        heavy = weight * aside
        along, across, spread = float(heavy @ beside), float(heavy @ aside), float(weight @ beside**2)
        if spread > PLAIN + 2 * noise**2 and along <= LEAST_ALIKE * (across * spread) ** 0.5:
            return start
        gain = (along + FLAT * y / max(x, 1.0)) / (across + FLAT)
        gain = min(max(gain, 1 / STRONGEST), STRONGEST)
        offset = y - gain * x
        if abs(offset) > MOST_OFFSET:
            return start
    return gain, offset


def relit(small: Picture, light: Light) -> Picture:
    """Return a small picture with gain and offset applied."""
    gain, offset = light
    if abs(gain - 1) * 255 + abs(offset) < HARDLY:
        return small
    table = np.clip(np.arange(256) * gain + offset + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(small, table), np.uint8)


LEAST_CHANGE = 5.0
"""Change in grey levels that is never significant."""

NOISES = 5.0
"""Change in standard deviations of the noise from which it is significant."""

EDGE = 0.12
"""Share of the local gradient by which a sample may differ: a quarter of a pixel's shake."""

LOUDEST = 6.0
"""Bound of the noise estimate, in grey levels: beyond that the picture moves."""

DRIFT_EVERY = 8
"""Frames after which the background follows unchanged samples by one grey level."""

ALIKE = 3.0
"""Standard deviations of the bare table around it by which a place may differ from it."""
CALM = 8.0
"""Grey levels by which it may always differ."""

MOST = 0.8
"""Share of a tile's samples that must look as before it came for the table to be bare."""

AROUND = 6
"""Blocks around a place in which the bare table is sampled."""

FAR = 24
"""Blocks around a place in which it is sampled where a heap hid all of it nearby."""

COMMON = 0.15
"""Share of the bare table that must be as bright as a place where it is seen again."""

STANDS_OUT = 1.5**2
"""Factor of a thing's rim times its brightness over the table's: a sleeve drawn on grained wood had 20."""

AGAIN_NS = 400_000_000
"""Time after which places that changed and hold no tile are looked into again."""

_NEVER = np.iinfo(np.int64).max


class BackgroundModel:
    """The known picture, ``known``, beside the current one, ``now``, in the known one's light.

    Masks: ``differs`` where the two disagree; ``judged`` where that was looked into and is no tile; ``old``
    where it has lain there long; ``tiled`` where a tile is known; ``bared`` where the table under it is
    known, as in ``bare``.  Stamps, int64 (rows, columns): ``since`` of the first frame in which a block
    looked as it looks now; ``plain_ns`` of the last in which it looked as known; ``bare_ns`` of the last
    in which it looked as it was known before what is known now was learnt, 0 where nothing was.
    """

    def __init__(self, grid: BlockGrid, small: Picture, tiled: Mask, at_ns: int) -> None:
        self.grid = grid
        self.now, self.known = small, small.copy()
        self.bare = small.copy()
        self.differs, self.judged, self.old = (np.zeros(grid.shape, bool) for _ in range(3))
        self.tiled, self.bared = tiled, ~tiled
        self.since = np.full(grid.shape, at_ns, np.int64)
        self.old_ns = np.full(grid.shape, _NEVER, np.int64)
        self.plain_ns = np.full(grid.shape, at_ns, np.int64)
        self.bare_ns = np.zeros(grid.shape, np.int64)
        self._noise, self._light, self._frames = 1.0, (1.0, 0.0), 0
        self._least, self._bounds, self._again_ns = 0, small, at_ns

    def see(self, small: Picture, at_ns: int) -> None:
        """Take in the next small picture."""
        self._light = fit_light(subsampled(small), subsampled(self.known), self._noise, self._light)
        before, self.now = self.now, relit(small, self._light)
        self._listen(before)
        self._bound()
        moved, self.differs = self._beyond(before), self._beyond(self.known)
        self.since[dilated(moved)] = at_ns
        self.plain_ns[~self.differs] = at_ns
        if (self.old_ns < _NEVER).any():
            stirred = self._stirred(changed := moved | ~self.differs)
            self._forget(changed)
            ripe = ~self.old & (at_ns >= self.old_ns)
            self.old |= ripe
            self.judged &= ~(stirred | ripe)
            if at_ns >= self._again_ns:  # what kept something from being read may have gone since
                self.judged &= self.old
                self._again_ns = at_ns + AGAIN_NS
        self._frames += 1
        if self._frames % DRIFT_EVERY == 0:
            self._drift(~self.differs & ~moved)

    def _listen(self, before: Picture) -> None:
        """Update the noise estimate from unchanged samples."""
        off = np.abs(subsampled(self.now) - subsampled(before))
        calm = off[off <= 3 * LOUDEST]
        spread = 1.25 * float(calm.mean()) if len(calm) else LOUDEST
        self._noise += (min(spread, LOUDEST) - self._noise) / 4

    def _bound(self) -> None:
        """Update by how much each sample may differ: by more at edges."""
        least = round(LEAST_CHANGE + NOISES * self._noise)
        if least != self._least:
            self._least = least
            bounds = cv2.convertScaleAbs(gradient(self.known), alpha=EDGE, beta=least)
            self._bounds = np.asarray(bounds, np.uint8)

    def _beyond(self, other: Picture) -> Mask:
        """Return the blocks that look otherwise now than in another picture."""
        return self.grid.blocks(exceeds(self.now, other, self._bounds))

    def _stirred(self, blocks: Mask) -> Mask:
        """Return the judged parts of the picture in which some blocks have changed, with those blocks."""
        touched = self.judged & blocks
        if not touched.any():
            return blocks
        labels, bounds = connected_parts(self.judged)
        hit = np.zeros(len(bounds) + 1, bool)
        hit[labels[touched]] = True
        return blocks | hit[labels]

    def _forget(self, blocks: Mask) -> None:
        """Take back what was judged of some blocks, and since when."""
        self.judged[blocks] = self.old[blocks] = False
        self.old_ns[blocks] = _NEVER

    def _drift(self, blocks: Mask) -> None:
        """Let what is known follow the light."""
        mask = self.grid.samples(blocks) & np.uint8(1)
        brighter, darker = (
            brighter_than(self.now, self.known) & mask,
            brighter_than(self.known, self.now) & mask,
        )
        self.known = self.known + brighter - darker
        self._least = 0

    def learn(self, blocks: Mask, tile: bool) -> None:
        """Know some blocks as they look now; the bare table is remembered where a tile comes to lie on it."""
        if not blocks.any():
            return
        if tile:
            fresh = blocks & ~self.tiled
            self.grid.copied(self.known, self.bare, fresh)
            self.bared |= fresh
        learnt = blocks & self.differs & ~(self.tiled & tile)
        self.bare_ns[learnt] = self.plain_ns[learnt]
        self.refresh(blocks)
        self.tiled[blocks] = tile
        self.differs = self.differs & ~blocks
        self._forget(blocks)

    def refresh(self, blocks: Mask) -> None:
        """Know how blocks look now that were looked into and show what they showed."""
        self.grid.copied(self.now, self.known, blocks)
        self._least = 0

    def ghosts(self, blocks: Mask) -> Mask:
        """Return the parts of some changed blocks where a thing was learnt as the table and has gone since.

        What lies on the table has steps at its rim, and is brighter or darker within: where both were more in
        the known picture, and together much more, it has left, as a hand that was in the first picture.
        """
        labels, bounds = connected_parts(blocks)
        if not len(bounds):
            return blocks
        part = cv2.dilate(labels.astype(np.float32), NEAR).astype(np.intp)
        outside = ~blocks & ~self.differs & ~self.tiled
        edge = dilated(~blocks) & (blocks | outside)

        def mean(values: Floats, where: Mask) -> Floats:
            many = np.bincount(part[where], minlength=len(bounds) + 1)
            return np.bincount(part[where], values[where], len(bounds) + 1) / np.maximum(many, 1)

        def standing_out(small: Picture) -> tuple[Floats, Floats]:
            bright, steps = self.grid.means(small), self.grid.means(gradient(small))
            return mean(steps, edge), np.abs(mean(bright, blocks) - mean(bright, outside))

        gone = np.bincount(part[outside], minlength=len(bounds) + 1) > 0
        before, now = np.array(standing_out(self.known)), np.array(standing_out(self.now))
        gone &= (before > now).all(0) & (before.prod(0) > STANDS_OUT * now.prod(0))
        return np.asarray(blocks & gone[part])

    def bare_until(self, spots: Blocks, known: Mask) -> NDArray[np.int64]:
        """Return for new tiles the stamp up to which their places were last seen without them, (m,).

        ``spots`` (m, 16) are the blocks that each lies on; most of them decide.  ``known`` are the blocks of
        known tiles.  One that looks as known was overlooked, or taken for part of another, and may have lain
        there ever since that look was learnt; 0 from the beginning.
        """
        last = np.where(self.differs & (known | ~self.tiled), self.plain_ns, self.bare_ns).flat[spots]
        return np.asarray(np.median(last, 1), np.int64)

    def seen_until(self, spots: Blocks) -> NDArray[np.int64]:
        """Return for known tiles the stamp of the last frame that showed them as known, (m,).

        ``spots`` (m, 16) are the blocks that each lies on; most of them decide.
        """
        return np.asarray(np.median(self.plain_ns.flat[spots], 1), np.int64)

    def judge(self, blocks: Mask, old_ns: int) -> None:
        """Note that no tile is to be seen on blocks that differ, and will have lain there long at a stamp."""
        self.judged |= blocks
        self.old_ns[blocks & (self.old_ns == _NEVER)] = old_ns

    def is_bare(self, places: Floats, *, rested: bool) -> bool:
        """Return whether the table is to be seen where a tile lay: as before it, or like that around it.

        ``places`` are sixteen points on the tile in pixels, (16, 2).  One that has ``rested`` may also look
        like the table further away.
        """
        here, spots = self.grid.picked(self.now, places), self.grid.at(places)
        off = np.abs(here - self.grid.picked(self.bare, places))
        if self.bared.flat[spots].all() and (off <= CALM + NOISES * self._noise).mean() >= MOST:
            return True
        table = self._around(spots, AROUND)
        if not len(table):
            return rested and self._common(here, spots)
        middle, spread = float(table.mean()), float(table.std())
        near = abs(float(here.mean()) - middle) <= CALM + ALIKE * spread
        if near and float(here.std()) <= CALM + 2 * spread:
            return True
        return rested and self._common(here, spots)

    def is_uncovered(self, places: Floats) -> bool:
        """Return whether a place looks as the bare table before a tile came, and not at all like the tile.

        ``places`` are sixteen points on the tile in pixels, (16, 2).
        """
        if not self.bared.flat[self.grid.at(places)].all():
            return False
        bare, least = self.grid.picked(self.bare, places), CALM + NOISES * self._noise
        as_bare = np.abs(self.grid.picked(self.now, places) - bare) <= least
        as_tile = np.abs(self.grid.picked(self.known, places) - bare) > least
        return bool(as_bare.mean() >= MOST and as_tile.mean() >= MOST / 2)

    def _common(self, here: NDArray[np.float32], spots: Blocks) -> bool:
        """Return whether samples, (16,), are as bright as much of the bare table further around them."""
        table = self._around(spots, FAR)
        if not len(table):
            return False
        alike = table[np.abs(table - float(here.mean())) <= CALM + NOISES * self._noise]
        return len(alike) >= COMMON * len(table) and float(here.std()) <= CALM + 2 * float(alike.std())

    def _around(self, spots: Blocks, reach: int) -> NDArray[np.float32]:
        """Return every third of the bare table's samples at most so many blocks around some, (n,)."""
        rows, cols = np.unravel_index(spots, self.grid.shape)
        top, left = max(0, int(rows.min()) - reach), max(0, int(cols.min()) - reach)
        part = np.s_[top : int(rows.max()) + reach + 1, left : int(cols.max()) + reach + 1]
        table = np.repeat(np.repeat(~self.tiled[part] & ~self.differs[part], BLOCK, 0), BLOCK, 1)
        down, right = part
        known = self.known[down.start * BLOCK : down.stop * BLOCK, right.start * BLOCK : right.stop * BLOCK]
        return known[: len(table), : table.shape[1]][table][::3].astype(np.float32)


LARGE = 16
"""Blocks that an occluder covers at least, beside tiles: four tiles, more than a tile with its shadow."""


@dataclass(frozen=True, slots=True)
class Occluders:
    """The changed parts of the picture that hold no tile: hands, arms, cups.

    Parts with a gap of one or two blocks are one: where a hand is as bright as the table it does not show.
    ``labels``, int32 (rows, columns), numbers the part of each block from 1, 0 for none; ``large`` and
    ``young``, bool by that number: whether an occluder lies there, and whether it came lately, as a hand.
    """

    labels: NDArray[np.int32]
    large: Mask
    young: Mask

    @classmethod
    def of(cls, left: Mask, tiles: Mask, old: Mask) -> Occluders:
        """Return the occluders among changed blocks, ``left``.

        ``tiles`` are the blocks of tiles and their rims, which prove none; ``old`` those that changed long
        ago.
        """
        beside = left & ~tiles
        if np.count_nonzero(beside) < LARGE:
            return cls(np.zeros(left.shape, np.int32), np.zeros(1, bool), np.zeros(1, bool))
        labels, bounds = connected_parts(dilated(left))
        beside = broad(beside)
        many = len(bounds) + 1
        return cls(
            labels,
            np.bincount(labels[beside], minlength=many) >= LARGE,
            np.bincount(labels[beside & ~old], minlength=many) >= LARGE,
        )

    def where(self, kind: Mask) -> Mask:
        """Return the blocks of the parts of a kind, which is by part."""
        return np.asarray(kind[self.labels])

    def any_at(self, kind: Mask, spots: Blocks) -> bool:
        """Return whether any of some blocks lies in a part of a kind."""
        return bool(kind[self.labels.flat[spots]].any())


def broad(mask: Mask) -> Mask:
    """Return a mask opened by a square of two blocks: what is at least so broad both ways."""
    square = np.ones((2, 2), np.uint8)
    eroded = cv2.erode(
        mask.view(np.uint8), square, anchor=(1, 1), borderType=cv2.BORDER_CONSTANT, borderValue=0
    )
    return np.asarray(cv2.dilate(eroded, square, anchor=(0, 0)) > 0)
