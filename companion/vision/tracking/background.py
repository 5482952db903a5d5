"""A background model of the picture by blocks.

Small pictures are those of ``BlockGrid.downsample``: uint8, (4 x rows, 4 x columns of blocks).  A mask is
bool, (rows, columns), of blocks.  Brightness is in grey levels of 256, time stamps in nanoseconds.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame, grey, shifted
from companion.vision.tracking.block_grid import (
    STILL,
    BlockGrid,
    Blocks,
    Floats,
    Mask,
    Motion,
    Picture,
    brighter_than,
    dilated,
    gradient,
    marks,
    sample_slices,
    touched_parts,
)
from companion.vision.tracking.occluders import ghost_blocks, relit_blocks
from companion.vision.tracking.registration import (
    CAMERA_MOVED_SHARE,
    MIN_CORRELATION,
    Light,
    correlations,
    explains,
    fit_light,
    fit_motion,
    subsampled,
    undo_light,
    window_mean,
)

MIN_CHANGE = 5.0
"""Least significant change, in grey levels."""

NOISE_SIGMAS = 5.0
"""Least significant change, in standard deviations of the noise."""

GRADIENT_TOLERANCE = 0.12
"""Share of the local gradient by which a sample may differ: the camera shakes by a quarter of a pixel."""

MAX_NOISE = 6.0
"""Bound of the noise estimate, in grey levels: larger differences are movement."""

DRIFT_INTERVAL_FRAMES = 8
"""Number of frames after which the background follows unchanged samples by one grey level."""

TABLE_SIGMAS = 3.0
"""Largest difference of a place from the bare table around it, in the table's standard deviations."""
TABLE_TOLERANCE = 8.0
"""Difference from the bare table that is always allowed, in grey levels."""

MIN_BARE_SHARE = 0.8
"""Least share of a tile's samples that match the bare table."""

NEAR_REACH = 6
"""Number of blocks around a place in which the bare table is sampled."""

FAR_REACH = 24
"""Number of blocks around a place in which it is sampled where a heap hid all of it nearby."""

MIN_COMMON_SHARE = 0.15
"""Least share of the bare table that is as bright as a place where it is visible again."""

MIN_EDGE_STEP_GREY = 24
"""Brightness step of an edge, in grey levels."""

MIN_EDGE_BLOCKS = 24
"""Least number of blocks with edges that show whether the camera moved."""

REDETECTION_DELAY_NS = 400_000_000
"""Time after which changed blocks without a tile get another detection pass, in ns."""

_NEVER = np.iinfo(np.int64).max


class BackgroundModel:
    """The known picture, ``known``, beside the current one, ``now``, in the known one's light.

    Masks: ``differs`` where the two disagree; ``judged`` where a detection pass found no tile; ``static``
    where that has lasted long, ``ripened`` the number of blocks where just now; ``returned`` where the known
    picture shows again after something else; ``tiled`` where a tile is known; ``bared`` where the table under
    it is known, as in ``bare``.  Stamps, int64 (rows, columns): ``since`` of the first frame with a block's
    current state; ``plain_ns`` of the last that matched the known picture; ``bare_ns`` of the last that
    matched the picture known before the current one, 0 without one.  ``motion`` is that of the newest frame
    against the known picture.
    """

    def __init__(self, grid: BlockGrid, small: Picture, tiled: Mask, at_ns: int) -> None:
        self.grid = grid
        self.now, self.known, self.bare = small, small.copy(), small.copy()
        self.differs, self.judged, self.static, self.returned = (np.zeros(grid.shape, bool) for _ in range(4))
        self.tiled, self.bared = tiled, ~tiled
        self.since = np.full(grid.shape, at_ns, np.int64)
        self.static_ns = np.full(grid.shape, _NEVER, np.int64)
        self.plain_ns = np.full(grid.shape, at_ns, np.int64)
        self.bare_ns = np.zeros(grid.shape, np.int64)
        self.motion = STILL
        self._light: Light = (1.0, 0.0)
        self._noise, self._frames = 1.0, 0
        self._least, self._bounds, self._again_ns = 0, small, at_ns
        self._edged = np.ones(grid.shape, bool)
        self._object = small.copy()
        self._object_ns = self.static_ns.copy()
        self._examined = np.zeros(grid.shape, bool)
        self.ripened = 0

    @property
    def fresh(self) -> Mask:
        """Blocks that differ and that no detection pass has judged."""
        return np.asarray(self.differs & ~self.judged)

    def camera_moved(self, least: float = CAMERA_MOVED_SHARE, where: Mask | None = None) -> bool:
        """Return whether most edges, of all or of a part, differ by more than their light: all has moved."""
        every = True if where is None else where
        fresh, edged = self.fresh & every, self._edged & every
        few = fresh.sum() < max(CAMERA_MOVED_SHARE * MIN_EDGE_BLOCKS, (self.tiled & ~fresh & every).sum())
        if few or edged.sum() < MIN_EDGE_BLOCKS or fresh[edged].mean() <= least:
            return False
        return bool((fresh & ~self.relit())[edged].mean() > least)

    def update(self, frame: CameraFrame, at_ns: int) -> None:
        """Update by the next frame."""
        before, earlier, self.now = self.now, self.motion, self._registered(frame)
        self._estimate_noise(before)
        self._update_bounds()
        differed = self.differs
        moved = self._differing_blocks(self.now, before, self.motion, earlier)
        self.differs = self._differing_blocks(self.now, self.known, self.motion)
        self.returned |= differed & ~self.differs
        self.since[dilated(moved)] = at_ns
        self.plain_ns[~self.differs] = at_ns
        self.ripened = 0
        if (self._object_ns < _NEVER).any():
            changed = moved | ~self.differs
            judged = (self.judged & changed).any()
            stirred = changed | touched_parts(self.judged, changed) if judged else changed
            self._reset_judgement(changed)
            self._recall_objects(moved)
            ripe = ~self.static & (at_ns >= self.static_ns)
            self.static |= ripe
            self.ripened = int(np.count_nonzero(ripe))
            self.judged &= ~(stirred | ripe)
            if at_ns >= self._again_ns:  # an obstacle to reading may be gone by now
                self.judged &= self.static & self._examined
                self._again_ns = at_ns + REDETECTION_DELAY_NS
        self._frames += 1
        if self._frames % DRIFT_INTERVAL_FRAMES == 0:
            self._drift(~self.differs & ~moved)

    def _registered(self, frame: CameraFrame) -> Picture:
        """Return the small picture of a frame in the known one's light and place; set light and motion.

        Objects are expected where the last frame showed them, which tells the motion since then; what is left
        of an older one the known picture tells.
        """
        if self.motion != STILL:  # all of a frame is looked at several times then
            frame = grey(frame)
        now, self._light = self._in_known_light(self.grid.downsample(frame, self.motion))
        if self.differs.any():
            expected = self.known.copy()
            self.grid.copied(self.now, expected, self.differs)
            now = self._moved(frame, now, expected)
        return self._moved(frame, now, self.known)

    def _moved(self, frame: CameraFrame, now: Picture, expected: Picture) -> Picture:
        """Return a frame's small picture after a motion that explains what differs, set motion and light.

        Without it the picture is ``now``: returned if it is as ``expected``, if only something moved, as the
        camera moves everything, or if the camera moved too far to tell.
        """
        before = self._differing_blocks(now, expected, self.motion) & ~self.judged
        if not before.any():
            return now
        motion = fit_motion(self.grid, frame, expected, self._light, self.motion)
        if motion == self.motion:
            return now
        moved, light = self._in_known_light(self.grid.downsample(frame, motion))
        after = self._differing_blocks(moved, expected, motion) & ~self.judged
        if not explains(before, after, self._edged):
            return now
        self.motion, self._light = motion, light
        return moved

    def _in_known_light(self, small: Picture) -> tuple[Picture, Light]:
        """Return a small picture in the known one's light, and that light."""
        light = fit_light(subsampled(small), subsampled(self.known), self._noise, self._light)
        return undo_light(small, light), light

    def stabilised(self, frame: CameraFrame) -> CameraFrame:
        """Return the newest frame with its shift undone, to a pixel or two."""
        x, y = (2 * round(along / 2) for along in self.motion[:2])
        return shifted(frame, x, y) if x or y else frame

    def rebase(self, frame: CameraFrame) -> None:
        """Learn unchanged blocks as a frame shows them, without a motion: its places are the new ones."""
        if self.motion != STILL:
            self.motion = STILL
            self.now = undo_light(self.grid.downsample(frame), self._light)
            self.refresh(~self.differs)

    def _estimate_noise(self, before: Picture) -> None:
        """Update the noise estimate from unchanged samples."""
        off = np.abs(subsampled(self.now) - subsampled(before))
        steady = off[off <= 3 * MAX_NOISE]
        spread = 1.25 * float(steady.mean()) if len(steady) else MAX_NOISE
        self._noise += (min(spread, MAX_NOISE) - self._noise) / 4

    def _update_bounds(self) -> None:
        """Update the allowed difference of each sample: larger at edges."""
        least = round(MIN_CHANGE + NOISE_SIGMAS * self._noise)
        if least != self._least:
            self._least = least
            steps = gradient(self.known)
            bounds = cv2.convertScaleAbs(steps, alpha=GRADIENT_TOLERANCE, beta=least)
            self._bounds = np.asarray(bounds, np.uint8)
            plain = np.maximum(self._bounds, np.uint8(MIN_EDGE_STEP_GREY))  # noise hides fainter edges
            self._edged = self.grid.blocks(brighter_than(steps, plain))

    def _differing_blocks(self, one: Picture, other: Picture, *motions: Motion) -> Mask:
        """Return the blocks in which two small pictures differ by more than the bound of a sample.

        What lies outside a frame after one of their ``motions`` does not.
        """
        off = np.asarray(cv2.absdiff(one, other), np.uint8)
        for motion in motions:
            rows, cols = self.grid.within(motion)
            off[: rows.start] = off[rows.stop :] = 0
            off[:, : cols.start] = off[:, cols.stop :] = 0
        return self.grid.blocks(brighter_than(off, self._bounds))

    def _reset_judgement(self, blocks: Mask) -> None:
        """Reset ``judged`` and ``static`` of some blocks."""
        self.judged[blocks] = self.static[blocks] = False
        self.static_ns[blocks] = _NEVER

    def _recall_objects(self, moved: Mask) -> None:
        """Let objects that show again from under a hand count as there since they came."""
        self._object_ns[~self.differs] = _NEVER
        hidden = self.differs & ~moved & (self._object_ns < self.static_ns)
        if not hidden.any():
            return
        shown = hidden & ~self._differing_blocks(self.now, self._object)
        self.static_ns[shown] = self._object_ns[shown]
        self.static |= shown & self._examined
        self.judged |= shown & self._examined

    def _drift(self, blocks: Mask) -> None:
        """Let the known picture follow slow changes of light."""
        mask = self.grid.samples(blocks) & np.uint8(1)
        brighter = brighter_than(self.now, self.known) & mask
        darker = brighter_than(self.known, self.now) & mask
        self.known = self.known + brighter - darker
        self._least = 0

    def learn(self, blocks: Mask, tile: bool) -> None:
        """Learn some blocks in their current state; keep the bare table under a new ``tile``."""
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
        self._reset_judgement(blocks)
        self._object_ns[blocks] = _NEVER

    def expect_bare(self, blocks: Mask) -> None:
        """Expect the table in blocks of tiles that have gone, under what hides it now.

        Where it was never seen bare, anything else than what hides it is a change.
        """
        tiled = blocks & self.tiled
        self.grid.copied(self.bare, self.known, tiled & self.bared)
        self.grid.copied(self.now, self.known, tiled & ~self.bared)
        self.tiled[blocks] = False
        self._least = 0

    def refresh(self, blocks: Mask) -> None:
        """Learn blocks whose detections are unchanged."""
        self.grid.copied(self.now, self.known, blocks)
        self._least = 0

    def relearn(self, tiles: Mask) -> None:
        """Learn blocks of known tiles in another light, and the table under them as it looks in it."""
        if tiles.any():
            gain = window_mean(self.now) / np.maximum(window_mean(self.known), 1)
            self.grid.copied(np.clip(gain * self.bare, 0, 255).astype(np.uint8), self.bare, tiles)
            self.learn(tiles, tile=True)

    def ghosts(self, blocks: Mask) -> Mask:
        """Return the parts of some changed blocks where an object was learnt as the table and is gone now."""
        return ghost_blocks(self.grid, self.now, self.known, blocks, ~blocks & ~self.differs & ~self.tiled)

    def relit(self) -> Mask:
        """Return the blocks in which only the light differs, as in the soft shadow of a body."""
        return relit_blocks(self.grid, self.now, self.known, self.differs, self._bounds, self._noise)

    def bare_until(self, spots: Blocks, known: Mask) -> NDArray[np.int64]:
        """Return the stamps at which new tiles' places were last seen without them, (m,).

        ``spots`` (m, 16) are the blocks that each lies on; most of them decide.  ``known`` are the blocks of
        known tiles.  A tile that matches the known picture was missed, or merged with another, and may have
        lain there since that picture was learnt; 0 from the beginning.
        """
        last = np.where(self.differs & (known | ~self.tiled), self.plain_ns, self.bare_ns).take(spots)
        return np.asarray(np.median(last, 1), np.int64)

    def judge(self, blocks: Mask, static_ns: int, again: bool = False) -> None:
        """Mark blocks that differ and hold no tile; they count as static from a stamp on.

        Those to be examined ``again`` may hold one all the same: passes go on even once they are static.
        """
        self.judged |= blocks
        fresh = blocks & (self.static_ns == _NEVER)
        self.static_ns[fresh] = self._object_ns[fresh] = static_ns
        self.grid.copied(self.now, self._object, fresh)
        self._examined = np.where(blocks, self.static & (not again), self._examined)

    def is_bare(self, places: Floats, *, rested: bool = True, covered: bool = False) -> bool:
        """Return whether a tile's place shows the table: as before the tile, or like the table around it.

        ``places`` are sixteen points on the tile in pixels, (16, 2).  The place of a ``rested`` tile may also
        match the table further away.  Where a large object may have ``covered`` it, only a plain table
        counts, as much looks like a patterned one.
        """
        here, spots = self.grid.picked(self.now, places), self.grid.at(places)
        brightness, contrast = float(here.mean()), float(here.std())
        least = TABLE_TOLERANCE + NOISE_SIGMAS * self._noise
        as_before = np.abs(here - self.grid.picked(self.bare, places)) <= least
        if self.bared.take(spots).all() and as_before.mean() >= MIN_BARE_SHARE:
            return True
        table = self._table_samples(spots, NEAR_REACH)
        if len(table):
            spread = 0.0 if covered else float(table.std())
            near = abs(brightness - float(table.mean())) <= TABLE_TOLERANCE + TABLE_SIGMAS * spread
            if near and contrast <= TABLE_TOLERANCE + 2 * spread:
                return True
        if not rested or covered:
            return False
        table = self._table_samples(spots, FAR_REACH)
        alike = table[np.abs(table - brightness) <= least]
        common = len(alike) >= max(1, MIN_COMMON_SHARE * len(table))
        return common and contrast <= TABLE_TOLERANCE + 2 * float(alike.std())

    def uncovered(self, places: Floats) -> tuple[Mask, Mask]:
        """Return which places match the bare table and clearly not the tile, (m,), and which show the tile.

        In another light a tile may be as bright as the table was, but its marks stay.  ``places`` are sixteen
        points on each tile in pixels, (m, 16, 2).
        """
        now, tile, bare = (self.grid.picked(small, places) for small in (self.now, self.known, self.bare))
        least = TABLE_TOLERANCE + NOISE_SIGMAS * self._noise
        as_bare, differ = np.abs(now - bare) <= least, np.abs(tile - bare) > least
        known = self.bared.take(self.grid.at(places)).all(1) & (differ.mean(1) >= MIN_BARE_SHARE / 2)
        as_tile, as_table = (correlations(marks(now), marks(other)) for other in (tile, bare))
        relit = as_tile > np.maximum(as_table, MIN_CORRELATION)
        shown = relit | ((np.abs(now - tile) <= least).mean(1) > 0.5)  # rather than what hides a part of it
        return known & (as_bare.mean(1) >= MIN_BARE_SHARE) & ~relit, shown

    def _table_samples(self, spots: Blocks, reach: int) -> NDArray[np.float32]:
        """Return every third sample of the bare table within ``reach`` blocks around some, (n,)."""
        rows, cols = np.unravel_index(spots, self.grid.shape)
        top, left = max(0, int(rows.min()) - reach), max(0, int(cols.min()) - reach)
        part = np.s_[top : int(rows.max()) + reach + 1, left : int(cols.max()) + reach + 1]
        table = self.grid.samples(~self.tiled[part] & ~self.differs[part]) > 0
        return self.known[sample_slices(part)][table][::3].astype(np.float32)
