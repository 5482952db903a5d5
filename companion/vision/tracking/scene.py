"""A table before a camera that stands still: its ground, its tiles, and what a new look changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities
from companion.vision.grid.board import Board
from companion.vision.grid.homography import project
from companion.vision.grid.volcano import CELLS, MIDDLES, Volcano
from companion.vision.pipeline.frame import Box, FrameDetections
from companion.vision.tracking.background import BackgroundModel, Occluders
from companion.vision.tracking.block_grid import (
    SAMPLES,
    BlockGrid,
    Blocks,
    Mask,
    Picture,
    brighter_than,
    dilated,
    gradient,
    sample_points,
)
from companion.vision.tracking.track import LOOKS, Matches, Numbers, Tracks

EDGED = 24
"""Brightness step of an edge, in grey levels."""

ENOUGH_EDGES = 24
"""Blocks with edges by which a moved camera can be told."""

SHAKEN = 0.75
"""The camera may have moved where this share of the blocks with edges looks otherwise."""

OLD_NS = 8_000_000_000
"""A large thing that lies unmoved for so long is no hand."""

SMALL_OLD_NS = 2_000_000_000
"""And what is no larger than a tile, and no tile, hides none if it lies there so long."""

BARE_NS = 1_500_000_000
"""What looks like the bare table for so long is no hand that only rests on it."""


def board_state(board: Board | Volcano | None) -> tuple[object, ...] | None:
    """Return the pyramids on and beside a board and its empty cells, ``None`` where there are none."""
    if not isinstance(board, Volcano):
        return None
    return {(one.row, one.col, one.colour, one.size, one.doubt) for one in board.pieces}, board.holes


class Scene:
    """What is known of the table, in the order of its reading's tiles.

    ``since_ns`` is the stamp of the first frame that showed what is known now; ``settled`` the blocks that
    lie still; ``news`` is true where more is known than the last reading told.
    """

    def __init__(
        self, grid: BlockGrid, small: Picture, look: FrameDetections, since_ns: int, first_id: int
    ) -> None:
        self.grid, self.since_ns, self.news = grid, since_ns, True
        self.at_ns = since_ns
        self.known = Tracks(grid, look, first_id)
        self.ground = BackgroundModel(grid, small, dilated(grid.mask(self.known.spots)), since_ns)
        self.settled = np.zeros(grid.shape, bool)
        self._postponed = np.zeros(grid.shape, bool)
        self._left_ns: dict[int, int] = {}

    def see(self, small: Picture, at_ns: int, settle_ns: int) -> None:
        """Take in the next small picture."""
        self.ground.see(small, at_ns)
        self.at_ns = at_ns
        self.settled = at_ns - self.ground.since >= settle_ns
        self.known.occluded |= self.hidden

    @property
    def todo(self) -> Mask:
        """Blocks that lie still, look otherwise than known, and have not been looked into."""
        return np.asarray(self.ground.differs & ~self.ground.judged & self.settled)

    @property
    def hidden(self) -> Mask:
        """Which tiles do not look as known, (n,): something hides them, or moves them just now."""
        return self.on(self.ground.differs)

    @property
    def resting(self) -> Mask:
        """Which tiles, or what hides them, lie still, (n,)."""
        return ~self.on(~self.settled)

    @property
    def worth_a_look(self) -> Mask:
        """Which tiles are plainly to be seen and have not been looked at often, (n,)."""
        return self._in_the_open & (self.known.looks < LOOKS)

    @property
    def uncovered(self) -> Numbers:
        """Which tiles are plainly to be seen again and have not been looked at since, (m,)."""
        return np.flatnonzero(self.known.occluded & ~self.hidden & self.resting)

    @property
    def looked_enough(self) -> Mask:
        """Which tiles are plainly to be seen and looked at so often that more looks tell nothing."""
        return self._in_the_open & (self.known.looks >= LOOKS)

    @property
    def _in_the_open(self) -> Mask:
        """Which tiles are plainly to be seen, (n,).

        Those under pyramids are not: however often a letter is looked at through one, it is no surer.
        """
        board, seen = self.known.look.board, ~self.hidden & self.resting
        if not isinstance(board, Volcano):
            return seen
        number, inside = self._cells(board)
        return seen & ~(inside & board.covered().ravel()[number])

    @property
    def side(self) -> float:
        """How broad tiles are, in pixels, about."""
        detections = self.known.look.detections
        return float(np.median(detections.sides)) if len(detections) else float(SAMPLES * self.grid.step)

    def newest(self, blocks: Mask) -> int:
        """Return the stamp, in ns, since which some blocks all look as they do."""
        return int(self.ground.since[blocks].max())

    def open_to(self, todo: Mask) -> Mask:
        """Return which tiles a look at some blocks may change, (n,): those on them that lie still."""
        return self.on(todo) & self.resting

    def box_of(self, tiles: int | Numbers) -> Box:
        """Return the box, in pixels, around some tiles, with half a tile around it."""
        points, margin = self.known.points[tiles].reshape(-1, 2), self.side
        left, top = np.maximum(points.min(0) - margin, 0).astype(int) // 2 * 2
        right, bottom = (points.max(0) + margin).astype(int)
        return int(left), int(top), int(right), int(bottom)

    def on(self, blocks: Mask) -> Mask:
        """Return which tiles lie on any of some blocks, (n,)."""
        return np.asarray(blocks.flat[self.known.spots].any(1))

    def around(self, blocks: Mask) -> Mask:
        """Return some blocks with the whole of the tiles on them, and one block more every way."""
        return dilated(blocks | self.grid.mask(self.known.spots[self.on(blocks)]))

    def shaken(self) -> bool:
        """Return whether nearly all edges of the picture look otherwise, as when the camera was moved."""
        fresh = self.ground.differs & ~self.ground.judged
        if fresh.sum() < SHAKEN * ENOUGH_EDGES or (self.ground.tiled & ~fresh).sum() > fresh.sum():
            return False
        steps = gradient(self.ground.known)
        edged = self.grid.blocks(brighter_than(steps, np.full_like(steps, EDGED)))
        return bool(edged.sum() >= ENOUGH_EDGES and fresh[edged].mean() > SHAKEN)

    @property
    def calm(self) -> bool:
        """Whether most of what looks otherwise lies still."""
        return bool(self.todo.sum() > SHAKEN * (self.ground.differs & ~self.ground.judged).sum())

    def lift(self) -> None:
        """Forget tiles whose places look as they did before they came: no look is needed to tell."""
        gone = self.open_to(self.todo)
        for k in np.flatnonzero(gone).tolist():
            gone[k] = self.ground.is_uncovered(self.known.points[k])
        if not gone.any():
            return
        left_ns = self.ground.seen_until(self.known.spots)
        around = dilated(self.grid.mask(self.known.spots[gone])) & ~self.grid.mask(self.known.spots[~gone])
        bare = self.ground.differs & self.settled & around
        self.since_ns, self.news = max(self.since_ns, self.newest(bare)), True
        self.ground.learn(bare, tile=False)
        none = np.zeros(len(gone), bool)
        self._leave(gone, left_ns)
        self.known.exchange(~gone, self.known.look.kept(none), np.zeros(0, np.int64))

    def take(self, look: FrameDetections, within: Mask, may_change: Mask, at_ns: int) -> None:
        """Change what is known after a look.

        Parameters
        ----------
        look
            What was seen in the blocks ``within``, and perhaps elsewhere.
        may_change
            Which known tiles the look may change, (n,); the others stay as they are.
        at_ns
            Stamp of the frame, in ns.
        """
        todo, was_hidden = self.todo & within, self.hidden
        board = self._board(look.board)
        seen_ns = self.newest(todo) if todo.any() else self.since_ns
        detections = self._trusted(look, within, may_change)
        if not isinstance(board, Volcano):
            self._forget_ghosts(detections)
        found = detections.matched()
        unseen = may_change & ~found
        self.ground.learn(self.ground.differs & self.settled & within & self._under(board), tile=True)
        detections = detections.kept(self._unobscured(detections, unseen & was_hidden))
        put_off = unseen | (found & ~detections.matched())
        left_out = self.likely(look) & ~self.grid.mask(detections.spots)
        known = self.grid.mask(self.known.spots)
        bare_ns = self.ground.bare_until(detections.spots, known)
        left_ns = self.ground.seen_until(self.known.spots)
        self.ground.learn(self.ground.differs & self._shown(detections, put_off), tile=True)
        things = self._things(self.known.spots[unseen & was_hidden])
        overlooked = unseen & ~was_hidden
        gone = self.known.miss(overlooked) | (unseen & detections.under())
        for k in np.flatnonzero(overlooked & ~gone).tolist():
            gone[k] = self.ground.is_bare(self.known.points[k], rested=True)
        for k in np.flatnonzero(unseen & was_hidden & ~gone).tolist():
            gone[k] = not self._stays(k, things, at_ns)
        gone = self._told_by(board, gone, unseen)
        self._lay_bare(gone, things, within & ~left_out, at_ns)
        postponed = left_out & self.ground.differs & self.settled & within
        self._postponed = (self._postponed & ~within) | postponed
        self.ground.judge(postponed, at_ns + SMALL_OLD_NS)
        moved = isinstance(board, Volcano) and board_state(self.known.look.board) != board_state(board)
        self._uncover(self.known.look.board, board)
        places = self._unread(look, within)
        self.known.look = replace(self.known.look, board=board, unread=places, timing_ms=look.timing_ms)
        self.news |= moved
        self._leave(gone, left_ns)
        if self._changed(detections, gone, was_hidden, bare_ns) or moved:
            self.since_ns = max(self.since_ns, seen_ns)

    def _forget_ghosts(self, detections: Matches) -> None:
        """Know the table where a large thing was taken for it and has gone; the tiles there are looked at."""
        tiles = self.grid.mask(detections.spots) | self.grid.mask(self.known.spots)
        things = self._things(detections.spots)
        large = things.where(things.large) & self.ground.differs & self.settled & ~dilated(tiles)
        self.ground.learn(self.ground.ghosts(large), tile=False)

    def _board(self, seen: Board | Volcano | None) -> Board | Volcano | None:
        """Return the board of a look; what a hand moves over stays as known."""
        known = self.known.look.board
        if not (isinstance(seen, Volcano) and isinstance(known, Volcano)):
            return seen or known
        still = np.asarray(self.settled.flat[self._cell_spots(seen)].all(1))
        return seen.kept_from(known, ~still)

    def _under(self, board: Board | Volcano | None) -> Mask:
        """Return the blocks on which pyramids are known to stand: what they hide is no secret of a hand's."""
        if not isinstance(board, Volcano):
            return np.zeros(self.grid.shape, bool)
        return dilated(self.grid.mask(self._cell_spots(board)[board.covered().ravel()]))

    def _cell_spots(self, board: Volcano) -> Blocks:
        """Return the blocks on which each cell of a board lies, row by row, (25, 16)."""
        return self.grid.at(sample_points(project(board.homography, MIDDLES), board.cell_vectors(MIDDLES)))

    def _told_by(self, board: Board | Volcano | None, gone: Mask, unseen: Mask) -> Mask:
        """Return which tiles are gone, (n,): none under a pyramid, and of those unseen all of empty cells."""
        if not isinstance(board, Volcano):
            return gone
        number, inside = self._cells(board)
        covered, empty = board.covered().ravel()[number], board.mask(board.holes)[number]
        return np.where(inside, unseen & (empty | (gone & ~covered)), gone)

    def _uncover(self, before: Board | Volcano | None, now: Board | Volcano | None) -> None:
        """Forget how tiles looked under pyramids that are gone: in the open they are seen anew."""
        if isinstance(before, Volcano) and isinstance(now, Volcano):
            number, inside = self._cells(now)
            bared = (before.covered() & ~now.covered()).ravel()[number]
            self.known.looks[inside & bared] = 0

    def _cells(self, board: Volcano) -> tuple[Numbers, Mask]:
        """Return in which cell of a board each tile lies, row by row, and whether in any; (n,) both."""
        cells, inside, _ = board.cells(self.known.look.detections)
        return np.where(inside, cells @ (CELLS, 1), 0), inside

    def left_at(self, tile: int) -> int:
        """Return, once, when a tile of an id that is gone was last seen in its place, in ns; 0 if unknown."""
        return self._left_ns.pop(tile, 0)

    def _leave(self, gone: Mask, left_ns: NDArray[np.int64]) -> None:
        """Note of tiles that are gone when each was last seen in its place, in ns, (n,)."""
        self._left_ns |= dict(zip(self.known.ids[gone].tolist(), left_ns[gone].tolist(), strict=True))

    def _unread(self, look: FrameDetections, within: Mask) -> NDArray[np.float64]:
        """Return the places where something was not read, (m, 2); a look tells of those within blocks."""
        known = self.known.look.unread
        stay, new = (within.flat[self.grid.at(places)] for places in (known, look.unread))
        unread = np.concatenate([known[~stay], look.unread[new]])
        self.news |= not np.array_equal(unread, known)
        return unread

    def _shown(self, detections: Matches, unread: Mask) -> Mask:
        """Return the blocks of detections and those around them, but for the tiles that were not read."""
        on = self.grid.mask(detections.spots)
        return np.asarray(dilated(on) & (on | ~self.grid.mask(self.known.spots[unread])))

    @property
    def young(self) -> Mask:
        """Blocks on which something came to lie just now: as large as a hand, or on a tile.

        On a tile it may be another tile, which is not read as long as a hand is near.  Blocks on which a look
        has likely seen a tile that it did not take for this reason stay young until one does.
        """
        spots = self.known.spots[self.hidden]
        things = self._things(spots)
        on_tiles = self.grid.mask(spots) & self.ground.differs
        lately = (things.where(things.young) | on_tiles) & (self.at_ns - self.ground.since < BARE_NS)
        return np.asarray(lately | (self._postponed & self.ground.differs))

    def likely(self, look: FrameDetections) -> Mask:
        """Return the blocks on which a look has more likely seen a tile than none."""
        detections = look.detections.kept(look.p_tile > 0.5)
        return self.grid.mask(self.grid.at(sample_points(detections.centres, detections.vectors())))

    def name_again(
        self, tiles: Numbers, probabilities: ClassProbabilities, score: float | None = None
    ) -> None:
        """Take in another look at tiles that look as they did; ``score`` is the detector's, where asked."""
        look = replace(self.known.look.kept(tiles), probabilities=probabilities)
        if score is not None:
            look = replace(look, detections=replace(look.detections, scores=np.full(len(tiles), score)))
        others = tiles[~self.known.meet(tiles, look, ~self.known.occluded[tiles])]
        if len(others):
            self.known.renew(others)
            self.since_ns = max(self.since_ns, self.newest(self.grid.mask(self.known.spots[others])))
        self.news = True

    def hear(self, tiles: Numbers, second: NDArray[np.float64]) -> None:
        """Take in what a second reader says of some tiles, (m, symbols, 4)."""
        self.known.hear(tiles, second)
        self.news = True

    def _trusted(self, look: FrameDetections, within: Mask, may_change: Mask) -> Matches:
        """Return the detections that lie still, where asked for, and not on tiles that must not change."""
        detections = Matches.of(look, self.known)
        still = (
            self.settled.flat[detections.spots].all(1) & within.flat[self.grid.at(look.detections.centres)]
        )
        return detections.kept(still & ~detections.on_top(~may_change))

    def _things(self, spots: Blocks) -> Occluders:
        """Return what lies on the table beside tiles on some blocks, and beside those not taken yet."""
        tiles = self.grid.mask(spots) | self._postponed
        return Occluders.of(self.ground.differs, dilated(tiles), self.ground.old)

    def _unobscured(self, detections: Matches, lost: Mask) -> Mask:
        """Return the detections that no hand can hide a part of, or that show the tile known there; (m,).

        ``lost`` (n,) are the tiles that were not found.
        """
        if not len(detections):
            return np.zeros(0, bool)
        spots = np.concatenate([detections.spots, self.known.spots[lost]])
        things = self._things(spots)
        if not things.young.any():
            return np.ones(len(detections), bool)
        near = dilated(dilated(things.where(things.young))).flat[detections.spots].any(1)
        same = detections.hardly_moved
        seen = detections.kept(same)
        same[same] = self.known.agrees(seen.on, seen.look)
        board, may = self.known.look.board, ~near | same
        if isinstance(board, Volcano) and board.palette:  # no hand hides what lies in a cell
            may |= board.cells(detections.look.detections)[2]
        return np.asarray(may)

    def _stays(self, tile: int, things: Occluders, at_ns: int) -> bool:
        """Return whether a tile that was not found is known all the same: something may hide it."""
        spots = self.known.spots[tile]
        rested = at_ns - int(self.ground.since.flat[spots].max()) >= BARE_NS
        if things.any_at(things.young, spots) and not rested:
            return True
        if self.ground.is_bare(self.known.points[tile], rested=rested):
            return False
        return things.any_at(things.large, spots) or not self.ground.old.flat[spots].any()

    def _lay_bare(self, gone: Mask, things: Occluders, within: Mask, at_ns: int) -> None:
        """Know the table where tiles are gone or little else has changed; note what hides it elsewhere."""
        left = self.ground.differs & self.settled & within
        stay = self.hidden & ~gone
        hiding, large = self.grid.mask(self.known.spots[stay]), things.where(things.large)
        bare = left & ~large & ~dilated(hiding)
        bare |= left & dilated(self.grid.mask(self.known.spots[gone])) & ~hiding
        self.ground.learn(bare, tile=False)
        if (rest := left & ~bare).any():
            self.ground.judge(rest & large, at_ns + OLD_NS)
            self.ground.judge(rest & ~large, at_ns + SMALL_OLD_NS)
        self.ground.refresh(self.settled & within & ~self.ground.differs)

    def _changed(self, detections: Matches, gone: Mask, was_hidden: Mask, bare_ns: NDArray[np.int64]) -> bool:
        """Take over what was seen and forget what is gone; return whether the table has changed."""
        seen, new = detections.kept(detections.on >= 0), detections.kept(detections.on < 0)
        changed = np.zeros(0, bool)
        if len(seen):
            unchanged = ~(was_hidden | self.known.occluded)[seen.on]
            changed = ~self.known.meet(seen.on, seen.look, unchanged) | ~seen.hardly_moved
            self.known.renew(seen.on[changed])
            self.known.bare_ns[seen.on[changed]] = bare_ns[detections.on >= 0][changed]
        if len(new) or gone.any():
            self.known.exchange(~gone, new.look, bare_ns[detections.on < 0])
        self.news |= bool(len(detections) or gone.any())
        return bool(len(new) or gone.any() or changed.any())
