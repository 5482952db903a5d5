"""The scene of a fixed camera: background model, tracks of tiles, and their update by detections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame
from companion.vision.grid.board import Board
from companion.vision.grid.volcano import Volcano
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking.background import BackgroundModel
from companion.vision.tracking.block_grid import (
    BlockGrid,
    Mask,
    Picture,
    connected_parts,
    dilated,
    mostly,
    touched_parts,
)
from companion.vision.tracking.occluders import (
    Occluders,
    blocks_beside,
    board_state,
    cell_blocks,
    covered_blocks,
    gone_on_board,
    merged_board,
)
from companion.vision.tracking.registration import CAMERA_MOVED_SHARE, PERHAPS_MOVED_SHARE
from companion.vision.tracking.track import Matches, Numbers, Tracks

STATIC_NS = 8_000_000_000
"""Time after which an unmoved large occluder is no hand, in ns."""

SMALL_STATIC_NS = 2_000_000_000
"""Time after which a change no larger than a tile, without a detection, occludes none, in ns."""

MIN_BARE_NS = 1_500_000_000
"""Time after which a match with the bare table is no resting hand, in ns."""


class Scene:
    """The state of the table, in the order of its reading's tiles.

    ``since_ns`` is the stamp of the first frame that showed this state, ``at_ns`` that of the newest;
    ``settled`` the blocks at rest; ``dirty`` is true if the state is newer than the last published reading;
    ``left_ns`` the stamps at which gone tiles, by their ids, were last seen in their places.
    """

    def __init__(
        self, grid: BlockGrid, small: Picture, detected: FrameDetections, since_ns: int, first_id: int
    ) -> None:
        self.grid, self.dirty = grid, True
        self.began_ns = self.since_ns = self.at_ns = since_ns
        self.tracks = Tracks(grid, detected, first_id)
        self.background = BackgroundModel(grid, small, dilated(self.tracks.blocks()), since_ns)
        self.settled = np.zeros(grid.shape, bool)
        self._relit: Mask | None = None
        self._postponed = np.zeros(grid.shape, bool)
        self.left_ns: dict[int, int] = {}

    def update(self, frame: CameraFrame, at_ns: int, settle_ns: int, before: Scene | None = None) -> None:
        """Update by the next frame, or by the last one of a scene ``before`` that had other blocks."""
        self.background.update(frame, at_ns)
        if before:
            self.background.since = self.grid.newest(before.background.since, before.grid)
        self.at_ns, self._relit = at_ns, None
        self.settled = at_ns - self.background.since >= settle_ns
        self.tracks.occluded |= self.hidden

    @property
    def pending(self) -> Mask:
        """Blocks at rest that differ from the background model and wait for a detection pass.

        So do those of a pyramid beside a board that show the table again as it was before: it has gone.
        """
        board, changed = self.tracks.detected.board, self.background.fresh
        if self.background.returned.any():
            changed |= self.background.returned & blocks_beside(self.grid, board)
        return changed & self.settled

    @property
    def hidden(self) -> Mask:
        """Which tiles differ from the background model, (n,): they are occluded, or moved just now."""
        return self.on(self.background.differs)

    @property
    def relit(self) -> Mask:
        """Blocks at rest that differ in their light alone, as first judged in this frame, and still do.

        Most of such a part is at rest: the inside of a moving arm may be as plain as a shadow.
        """
        if self._relit is None:  # what is learnt then is no evidence for what lies beside it any more
            lit = self.background.relit()
            labels, bounds = connected_parts(lit)
            resting = mostly(self.settled, lit, labels, len(bounds))
            self._relit = lit & self.settled & resting[labels]
        return self._relit & self.background.differs

    @property
    def resting(self) -> Mask:
        """Which tiles, or their occluders, are at rest, (n,)."""
        return ~self.on(~self.settled)

    @property
    def uncovered(self) -> Numbers:
        """The tiles that are visible again after an occlusion and not observed since, (m,)."""
        return np.flatnonzero(self.tracks.occluded & ~self.hidden & self.resting)

    @property
    def visible(self) -> Mask:
        """Which tiles are visible, (n,).

        Those under pyramids are not: observations through one share their error, and do not average out.
        """
        detected, seen = self.tracks.detected, ~self.hidden & self.resting
        if isinstance(detected.board, Volcano):
            seen &= ~detected.board.lie_in(detected.board.covered(), detected.detections)
        return seen

    def newest(self, blocks: Mask) -> int:
        """Return the stamp, in ns, since which some blocks have all been unchanged; 0 of no blocks."""
        return int(self.background.since[blocks].max(initial=0))

    @property
    def changeable(self) -> Mask:
        """Which tiles a pass over pending blocks may change, (n,): those on them at rest."""
        return self.on(self.pending) & self.resting

    def on(self, blocks: Mask) -> Mask:
        """Return which tiles lie on any of some blocks, (n,)."""
        return np.asarray(blocks.flat[self.tracks.spots].any(1))

    def around(self, blocks: Mask) -> Mask:
        """Return some blocks with the whole of the tiles on them, and one block more in each direction."""
        return dilated(blocks | self.tracks.blocks(self.on(blocks)))

    @property
    def at_rest(self) -> bool:
        """Whether most blocks that differ are at rest."""
        return bool(self.pending.sum() > CAMERA_MOVED_SHARE * self.background.fresh.sum())

    def remove_uncovered(self) -> None:
        """Drop tiles whose places match the bare table again, without a detection pass.

        What comes to rest on a place that was seen bare, though it never rested then, hides no tile.
        """
        if self.pending.any():
            self._learn_relit_tiles()
        hidden, uncovered_ns = self.hidden, self.tracks.uncovered_ns
        if not hidden.any():
            uncovered_ns[:] = 0
            return
        bare, shown = np.zeros_like(hidden), ~hidden
        bare[hidden], shown[hidden] = self.background.uncovered(self.tracks.points[hidden])
        uncovered_ns[shown] = 0
        uncovered_ns[bare & (uncovered_ns == 0)] = self.at_ns
        gone = self.changeable & (uncovered_ns > 0)
        if not gone.any():
            return
        stay, left = self.tracks.blocks(~gone) | self._postponed, self.tracks.blocks(gone & bare)
        table = self.background.differs & self.settled & dilated(left) & ~stay
        self.since_ns = max(self.since_ns, self.newest(table | left), *uncovered_ns[gone & ~bare].tolist())
        self.dirty = True
        self.background.learn(table, tile=False)
        self.background.expect_bare(dilated(self.tracks.blocks(gone & ~bare)) & ~stay)
        self._record_departures(gone)
        self.tracks.drop(gone)

    def apply_detections(self, detected: FrameDetections, within: Mask, may_change: Mask) -> None:
        """Update the state by a detection pass.

        Parameters
        ----------
        detected
            The detections in the blocks ``within``, and perhaps elsewhere.
        may_change
            Which tracks the pass may change, (n,); the others stay as they are.
        """
        known = self.tracks.detected.board
        board, restless = merged_board(
            self.grid, known, detected.board, self.settled, self.background.is_bare
        )
        within, may_change = within & ~restless, may_change & ~self.on(restless)
        seen = Matches.of(detected, self.tracks)
        on, beside = covered_blocks(self.grid, board), blocks_beside(self.grid, board)
        self._learn_relit_table(seen, within & ~on & ~beside)  # pyramids are translucent
        pending, was_hidden = self.pending & within, self.hidden
        self.background.returned &= ~within
        seen_ns = self.newest(pending)
        detections = self._admissible(seen, within, may_change)
        unseen = may_change & ~seen.matched()
        lost, overlooked = unseen & was_hidden, unseen & ~was_hidden
        if isinstance(board, Volcano):  # no hand hides what lies under pyramids
            self.background.learn(self.background.differs & self.settled & within & on, tile=True)
        else:
            self._remove_ghosts(detections, lost)
        detections = detections.kept(self._unoccluded(detections, lost))
        put_off = (may_change | was_hidden) & ~detections.matched()
        probable = seen.spots[~self._as_tracked(seen) & (detected.p_tile > 0.5)]
        taken, others = self.grid.mask(detections.spots), self.tracks.blocks(put_off)
        left_out = self.grid.mask(probable) & ~taken
        bare_ns = self.background.bare_until(detections.spots, self.tracks.blocks())
        elsewhere = self._postponed & ~within
        waiting = left_out | elsewhere
        rims = dilated(taken) & ~others & ~waiting
        self.background.learn(self.background.differs & (taken | rims), tile=True)
        occluders = self._occluders(self.tracks.blocks(lost))
        self.tracks.missed += overlooked
        gone = overlooked & (self.tracks.missed > self.tracks.observations)  # it was none
        gone |= unseen & detections.under()
        for k in np.flatnonzero(overlooked & ~gone).tolist():
            gone[k] = self.background.is_bare(self.tracks.points[k])
        for k in np.flatnonzero(lost & ~gone).tolist():
            gone[k] = not self._is_remembered(k, occluders)
        gone = gone_on_board(board, self.tracks.detected.detections, gone, unseen)
        self._learn_table(gone, occluders, within & ~waiting)
        left = dilated(self.tracks.blocks(gone)) & ~self.tracks.blocks(~gone) & ~waiting
        self.background.expect_bare(left & self.background.differs)  # what hides it now is not learnt
        postponed = left_out & self.background.differs & self.settled & within
        self._postponed = elsewhere | postponed
        self.background.judge(postponed, self.at_ns + SMALL_STATIC_NS, again=True)
        moved = board_state(known) != board_state(board)
        self._reset_uncovered(known, board)
        places, timing = self._merge_unread(detected, within), detected.timing_ms
        self.tracks.detected = replace(self.tracks.detected, board=board, unread=places, timing_ms=timing)
        self.dirty |= moved
        self._record_departures(gone)
        if self._update_tracks(detections, gone, was_hidden, bare_ns) or moved:
            self.since_ns = max(self.since_ns, seen_ns)

    def _learn_relit_tiles(self) -> None:
        """Learn tiles that are there in another light, with their rims."""
        lit = self.relit
        same = self.on(lit) & ~self.on(self.background.differs & ~lit)
        there, others = (dilated(self.tracks.blocks(some)) for some in (same, ~same))
        self.background.relearn(lit & self.background.tiled & there & ~others)

    def _learn_relit_table(self, detections: Matches, within: Mask) -> None:
        """Learn the table where only the light differs, apart from detections and tiles that may go."""
        known = self.tracks.blocks()
        tiles = np.where(known, self.background.differs, self.grid.mask(detections.spots))
        lit = self.relit & within
        self.background.learn(lit & ~known & ~dilated(tiles), tile=False)

    def _remove_ghosts(self, detections: Matches, hidden: Mask) -> None:
        """Learn the table where a large occluder that was background has gone: it hides none of the tiles."""
        seen = self.grid.mask(detections.spots)
        occluders = self._occluders(seen)
        gone = occluders.large.copy()
        gone[occluders.labels.flat[self.tracks.spots[hidden]]] = False
        apart = ~dilated(seen | self.tracks.blocks() | self._postponed)
        large = occluders.where(gone) & self._resting_parts & apart
        self.background.learn(self.background.ghosts(large), tile=False)

    @property
    def _resting_parts(self) -> Mask:
        """Blocks that differ, of parts that rest as a whole: a moving arm may be plain within."""
        differs, restless = self.background.differs, ~self.settled
        return differs & ~touched_parts(dilated(differs | restless), restless)

    def _reset_uncovered(self, before: Board | Volcano | None, now: Board | Volcano | None) -> None:
        """Reset the observations of tiles under pyramids that are gone."""
        if isinstance(before, Volcano) and isinstance(now, Volcano):
            bared = now.lie_in(before.covered() & ~now.covered(), self.tracks.detected.detections)
            self.tracks.observations[bared] = 0

    def _record_departures(self, gone: Mask) -> None:
        """Record when each gone tile was last seen in its place: most of its blocks decide."""
        seen_ns = np.median(self.background.plain_ns.flat[self.tracks.spots[gone]], 1).astype(int)
        self.left_ns |= dict(zip(self.tracks.ids[gone].tolist(), seen_ns.tolist(), strict=True))

    def _merge_unread(self, detected: FrameDetections, within: Mask) -> NDArray[np.float64]:
        """Return the places of unread tiles, (m, 2); a pass replaces those within its blocks."""
        known = self.tracks.detected.unread
        stay, new = (within.flat[self.grid.at(places)] for places in (known, detected.unread))
        unread = np.concatenate([known[~stay], detected.unread[new]])
        self.dirty |= not np.array_equal(unread, known)
        return unread

    @property
    def recent(self) -> Mask:
        """Blocks on which an object appeared just now: as large as a hand, or on a tile.

        On a tile it may be another tile, which is not read while a hand is near.  Blocks with a probable tile
        that was postponed for this reason stay recent until a detection pass without the hand.
        """
        tiles = self.tracks.blocks(self.hidden)
        occluders, on_tiles = self._occluders(tiles), tiles & self.background.differs
        age_ns = self.at_ns - self.background.since
        lately = (occluders.where(occluders.recent) | on_tiles) & (age_ns < MIN_BARE_NS)
        waits = (age_ns < SMALL_STATIC_NS + MIN_BARE_NS) | occluders.near_hands
        return np.asarray(lately | (self._postponed & self.background.differs & waits))

    def reclassify(self, tiles: Numbers, detected: FrameDetections) -> None:
        """Add a new classification, and score, of unchanged tiles; a score of 0 is a miss.

        A tile that is missed repeatedly and overlaps another is dropped.
        """
        others = tiles[~self.tracks.observe(tiles, detected, ~self.tracks.occluded[tiles])]
        self.tracks.assign_new_ids(others)
        self.since_ns = max(self.since_ns, self.newest(self.tracks.blocks(others)))
        self.tracks.drop_ghosts(tiles)
        self.dirty = True

    def _admissible(self, detections: Matches, within: Mask, may_change: Mask) -> Matches:
        """Return the detections at rest within the pass, without those on tiles that must not change."""
        inside = within.flat[self.grid.at(detections.detected.detections.centres)]
        still = self.settled.flat[detections.spots].all(1) & inside
        return detections.kept(still & ~detections.on_top(~may_change))

    def _occluders(self, tiles: Mask) -> Occluders:
        """Return the occluders on the table, apart from tiles on some blocks and detections not taken yet."""
        beside = ~dilated(tiles | self._postponed)
        return Occluders.of(self.background.differs, beside, self.background.static)

    def _unoccluded(self, detections: Matches, lost: Mask) -> Mask:
        """Return which detections no hand can partly hide, or show the known tile there, (m,).

        ``lost`` (n,) are the tiles that were not detected.
        """
        tiles = self.grid.mask(detections.spots) | self.tracks.blocks(lost)
        occluders = self._occluders(tiles)
        if not occluders.recent.any():
            return np.ones(len(detections), bool)
        near = occluders.near_hands.flat[detections.spots].any(1)
        board, may = self.tracks.detected.board, ~near | self._as_tracked(detections)
        if isinstance(board, Volcano) and board.palette:  # cells are not partly hidden by hands
            may |= board.cells(detections.detected.detections)[2]
        return np.asarray(may)

    def has_moved(self, detected: FrameDetections) -> bool:
        """Return whether most tiles differ, and as many are seen elsewhere; or most of a board's edges do."""
        if board := self.tracks.detected.board:
            on_board = self.grid.mask(cell_blocks(self.grid, board))
            return self.background.camera_moved(PERHAPS_MOVED_SHARE, on_board)
        if 2 * np.count_nonzero(self.hidden) <= len(self.tracks):
            return False
        news = np.count_nonzero(~self._as_tracked(Matches.of(detected, self.tracks)))
        return bool(2 * news > len(self.tracks)) and self.background.camera_moved(PERHAPS_MOVED_SHARE)

    def _as_tracked(self, detections: Matches) -> Mask:
        """Return which detections show the tracked tile at their place, (m,)."""
        same = detections.hardly_moved
        seen = detections.kept(same)
        same[same] = self.tracks.agrees(seen.on, seen.detected)
        return same

    def _is_remembered(self, tile: int, occluders: Occluders) -> bool:
        """Return whether an undetected tile is remembered, as it may be occluded."""
        spots = self.tracks.spots[tile]
        parts = occluders.labels.flat[spots]
        rested = self.at_ns - int(self.background.since.flat[spots].max()) >= MIN_BARE_NS
        if occluders.recent[parts].any() and not rested:
            return True
        large, lately = bool(occluders.large[parts].any()), not self.background.static.flat[spots].any()
        points, covered = self.tracks.points[tile], large and lately
        known = bool(self.background.bared.flat[spots].all())  # else the time must tell that it has gone
        return (large or lately or known) and not self.background.is_bare(
            points, rested=rested, covered=covered
        )

    def _learn_table(self, gone: Mask, occluders: Occluders, within: Mask) -> None:
        """Learn the table where tiles are gone or little else has changed; record what hides it elsewhere."""
        left = self.background.differs & self.settled & within
        stay = self.hidden & ~gone
        hiding, large = self.tracks.blocks(stay), occluders.where(occluders.large)
        bare = left & ~large & ~dilated(hiding)
        bare |= left & dilated(self.tracks.blocks(gone)) & ~hiding
        bare &= self._resting_parts
        self.background.learn(bare, tile=False)
        rest = left & ~bare
        self.background.judge(rest & large, self.at_ns + STATIC_NS)
        self.background.judge(rest & ~large, self.at_ns + SMALL_STATIC_NS)
        self.background.refresh(self.settled & within & ~self.background.differs)

    def _update_tracks(
        self, detections: Matches, gone: Mask, was_hidden: Mask, bare_ns: NDArray[np.int64]
    ) -> bool:
        """Take over new detections and drop gone tiles; return whether the table has changed."""
        known = detections.on >= 0
        seen, new = detections.kept(known), detections.kept(~known)
        unchanged = ~(was_hidden | self.tracks.occluded)[seen.on]
        changed = ~self.tracks.observe(seen.on, seen.detected, unchanged) | ~seen.hardly_moved
        self.tracks.assign_new_ids(seen.on[changed])
        self.tracks.bare_ns[seen.on[changed]] = bare_ns[known][changed]
        self.tracks.replace_tiles(~gone, new.detected, bare_ns[~known])
        self.dirty |= bool(len(detections) or gone.any())
        return bool(len(new) or gone.any() or changed.any())
