"""Occluders: changed parts of a frame without a tile, and the pyramids of a Volcano board.

Apart from them, a part may have changed only in its light.

Masks are bool, of blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import Detections
from companion.vision.detector.perspective import warp_detections
from companion.vision.grid.board import Board, cell_centres
from companion.vision.grid.homography import inverse, project
from companion.vision.grid.volcano import CELLS_PER_SIDE, FACE_SHARE, Volcano
from companion.vision.pipeline.frame import FrameDetections, concatenate_frames
from companion.vision.tracking.block_grid import (
    BlockGrid,
    Blocks,
    Floats,
    Mask,
    Picture,
    connected_parts,
    dilated,
    gradient,
    grown_labels,
    mostly,
    sample_points,
    sample_slices,
    touched_parts,
)
from companion.vision.tracking.registration import changed_structure
from companion.vision.tracking.track import MIN_OVERLAP, overlap

MIN_OCCLUDER_BLOCKS = 16
"""Least number of blocks of an occluder, beside tiles: four tiles, more than a tile with its shadow."""

GHOST_CONTRAST = 1.5**2
"""Least product of the ratios of an object's edges and brightness to the table's; a drawn sleeve had 20."""


@dataclass(frozen=True, slots=True)
class Occluders:
    """The changed parts of the picture that hold no tile: hands, arms, cups.

    Parts with a gap of one or two blocks are one: a hand as bright as the table does not show there.
    ``labels``, int32 (rows, columns), numbers the part of each block from 1, 0 for none; ``large`` and
    ``recent``, bool by that number: whether it is an occluder, and whether it came lately, like a hand.
    ``static`` are the blocks that changed long ago.
    """

    labels: NDArray[np.int32]
    large: Mask
    recent: Mask
    static: Mask

    @classmethod
    def of(cls, left: Mask, beside: Mask, static: Mask) -> Occluders:
        """Return the occluders among changed blocks, ``left``.

        Only blocks ``beside`` tiles and their rims are evidence; ``static`` are those that changed long ago.
        """
        beside = left & beside
        if np.count_nonzero(beside) < MIN_OCCLUDER_BLOCKS:
            return cls(np.zeros(left.shape, np.int32), np.zeros(1, bool), np.zeros(1, bool), static)
        labels, bounds = connected_parts(dilated(left))
        beside = open_mask(beside)
        large, recent = (
            np.bincount(labels[blocks], minlength=len(bounds) + 1) >= MIN_OCCLUDER_BLOCKS
            for blocks in (beside, beside & ~static)
        )
        return cls(labels, large, recent, static)

    def where(self, kind: Mask) -> Mask:
        """Return the blocks of the parts of a kind, a mask by part."""
        return kind.take(self.labels)

    @property
    def near_hands(self) -> Mask:
        """Recent blocks of the recent parts, and two around: a hand may hide a part of a tile there."""
        return dilated(dilated(self.where(self.recent) & ~self.static))


def relit_blocks(
    grid: BlockGrid, now: Picture, known: Picture, differing: Mask, least: Picture, noise: float
) -> Mask:
    """Return the differing blocks of two small pictures in which only the light has changed.

    ``least`` is the least significant change of each sample, ``noise`` its spread, in grey levels.
    """
    relit = np.zeros_like(differing)
    left, top, broad, high = cv2.boundingRect(differing.view(np.uint8))
    if not broad:
        return relit
    part = tuple(slice(max(0, at - 2), at + size + 2) for at, size in ((top, high), (left, broad)))
    samples = sample_slices(part)
    now, known, least = (np.ascontiguousarray(one[samples]) for one in (now, known, least))
    lost, marked = (grid.blocks(one.view(np.uint8)) for one in changed_structure(now, known, least, noise))
    relit[part] = intact_parts(differing[part], lost, marked)
    return relit


def intact_parts(differing: Mask, lost: Mask, marked: Mask) -> Mask:
    """Return the differing blocks without ``lost`` structure that are no object either.

    An object changes the structure at its rim, and where it hides some: the inside of a hand has not, but
    most blocks around it from outside, or most of the known marks in it and there.  Small parts may be the
    edges of what the camera's shake moves.
    """
    lost = lost & differing
    soft = differing & ~lost
    labels, bounds = connected_parts(soft)
    near = grown_labels(labels)
    edge = np.ones_like(soft)
    edge[1:-1, 1:-1] = False
    outside = touched_parts(~soft, edge)  # else a hole, such as that of a new tile
    small = np.bincount(labels.ravel(), minlength=len(bounds) + 1) < MIN_OCCLUDER_BLOCKS
    around, inside = (mostly(lost, where, near, len(bounds)) for where in (outside, marked))
    return np.asarray(soft & ~(small | around | inside)[near])


def open_mask(mask: Mask) -> Mask:
    """Return a mask opened by a square of two blocks: the parts at least that wide in both directions."""
    square = np.ones((2, 2), np.uint8)
    eroded = cv2.erode(
        mask.view(np.uint8), square, anchor=(1, 1), borderType=cv2.BORDER_CONSTANT, borderValue=0
    )
    return np.asarray(cv2.dilate(eroded, square, anchor=(0, 0)) > 0)


def ghost_blocks(grid: BlockGrid, now: Picture, known: Picture, blocks: Mask, outside: Mask) -> Mask:
    """Return the parts of some changed blocks where an object was learnt as the table and is gone now.

    An object has edges at its rim and differs in brightness from the table ``outside``: where both were
    stronger in the known picture, and their product much stronger, it has left, such as a hand in the first
    picture.
    """
    labels, bounds = connected_parts(blocks)
    if not len(bounds):
        return blocks
    part = grown_labels(labels)
    edge = dilated(~blocks) & (blocks | outside)

    def mean(values: Floats, where: Mask) -> Floats:
        many = np.bincount(part[where], minlength=len(bounds) + 1)
        return np.bincount(part[where], values[where], len(bounds) + 1) / np.maximum(many, 1)

    def standing_out(small: Picture) -> tuple[Floats, Floats]:
        bright, steps = grid.means(small), grid.means(gradient(small))
        return mean(steps, edge), np.abs(mean(bright, blocks) - mean(bright, outside))

    gone = np.bincount(part[outside], minlength=len(bounds) + 1) > 0
    before, after = np.array(standing_out(known)), np.array(standing_out(now))
    gone &= (before > after).all(0) & (before.prod(0) > GHOST_CONTRAST * after.prod(0))
    return np.asarray(blocks & gone[part])


def board_state(board: Board | Volcano | None) -> tuple[object, ...] | None:
    """Return the pyramids on and beside a board and its empty cells, ``None`` where there are none."""
    if not isinstance(board, Volcano):
        return None
    return {(one.row, one.col, one.colour, one.size, one.doubt) for one in board.pieces}, board.holes


def cell_blocks(grid: BlockGrid, board: Board | Volcano) -> Blocks:
    """Return the blocks on which each cell of a board lies, row by row, (cells, 16)."""
    centres = cell_centres(board.size)
    return grid.at(sample_points(project(board.homography, centres), board.cell_vectors(centres)))


def covered_blocks(grid: BlockGrid, board: Board | Volcano | None) -> Mask:
    """Return the blocks of the pyramids on a board, with their rims."""
    if not isinstance(board, Volcano):
        return np.zeros(grid.shape, bool)
    return dilated(grid.mask(cell_blocks(grid, board)[board.covered()]))


def blocks_beside(grid: BlockGrid, board: Board | Volcano | None) -> Mask:
    """Return the blocks of the pyramids beside a board."""
    if not isinstance(board, Volcano):
        return np.zeros(grid.shape, bool)
    return grid.mask(grid.at(points_beside(board)))


def points_beside(board: Volcano, share: float = 1.0) -> Floats:
    """Return sixteen points on a share of the cell around each pyramid beside a board, (n, 16, 2)."""
    middles = board.middles_beside
    return sample_points(middles, share * board.cell_vectors(board.places(middles)))


def with_covered_letters(seen: FrameDetections, known: FrameDetections) -> FrameDetections:
    """Return the detections after a movement, with the letters under pyramids as they were known before.

    Their cells tell where they lie now.  Where a letter in the open is another than before, none is kept.
    """
    now, before = seen.board, known.board
    if not (isinstance(now, Volcano) and isinstance(before, Volcano)):
        return seen
    moved = warp_detections(known.detections, now.homography @ inverse(before.homography))
    kept = replace(known, detections=moved)
    (cells, inside, _), (old_cells, were_inside, _) = (now.cells(one.detections) for one in (seen, kept))
    lies = np.full(CELLS_PER_SIDE**2, -1)
    lies[old_cells[were_inside]] = np.flatnonzero(were_inside)
    both, covered = inside & (lies[cells] >= 0), now.covered()
    in_the_open = both & ~(covered | before.covered())[cells]
    old, new = kept.kept(lies[cells[in_the_open]]), seen.kept(in_the_open)
    turned = old.probabilities.rotated(new.detections.turns - old.detections.turns)
    if not in_the_open.any() or (overlap(turned, new.probabilities) <= MIN_OVERLAP).any():
        return seen
    remembered = lies[covered & (lies >= 0)]
    return concatenate_frames(seen.kept(~(both & covered[cells])), kept.kept(remembered))


def gone_on_board(board: Board | Volcano | None, detections: Detections, gone: Mask, unseen: Mask) -> Mask:
    """Return which tiles are gone, (n,): none under a pyramid, and all unseen ones of empty cells."""
    if not isinstance(board, Volcano):
        return gone
    under, empty = (board.lie_in(some, detections) for some in (board.covered(), board.mask(board.holes)))
    return (gone & ~under) | (unseen & empty)


def merged_board(
    grid: BlockGrid,
    known: Board | Volcano | None,
    seen: Board | Volcano | None,
    settled: Mask,
    is_bare: Callable[[Floats], bool],
) -> tuple[Board | Volcano | None, Mask]:
    """Return the board of a pass, and the blocks of cells that keep their state, as a part moves.

    A pyramid beside it that is not seen stays, too, while a part of its place moves; it stays, in doubt,
    where something else than the table shows: ``is_bare`` tells of sixteen points, (16, 2), if that does.
    """
    if not (isinstance(seen, Volcano) and isinstance(known, Volcano)):
        return seen or known, np.zeros(grid.shape, bool)
    spots = cell_blocks(grid, seen)
    restless = np.asarray(~settled.take(spots).all(1))
    rests = np.asarray(settled.take(grid.at(points_beside(known))).all(1))
    hidden = [
        replace(one, doubt=one.doubt or bool(rest))
        for one, rest, points in zip(known.beside, rests, points_beside(known, FACE_SHARE), strict=True)
        if not (rest and is_bare(points))
    ]
    return seen.kept_from(known, restless).with_hidden(hidden), grid.mask(spots[restless])
