"""A coarse grid over a frame: a downsampled picture, and blocks of it half a tile wide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame, Frame, grey, without_chroma
from companion.vision.grid.homography import Box, points_on

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Blocks = NDArray[np.intp]


class Motion(NamedTuple):
    """A small movement of the camera: by how much a frame shows things elsewhere than an earlier one.

    ``x`` and ``y`` to the right and down, ``turn`` clockwise about its middle, and ``growth`` from there, all
    in pixels, the last two of its corners.
    """

    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0
    growth: float = 0.0


STILL = Motion()

BLOCK_SAMPLES = 4
"""Samples of the small picture along a block's side: four bytes are one 32-bit word to compare."""

TILE_BLOCKS = 2
"""Blocks along a tile's side, about: at their eight samples its edge still shows."""

MAX_SIZE_RATIO = 2.0
"""Largest ratio of a tile's size to that which blocks are for, which is rounded to a few pixels."""

EDGE = cv2.BORDER_REPLICATE
NEIGHBOUR_KERNEL = np.ones((3, 3), np.uint8)
_UNIT = np.stack(np.meshgrid(*[np.linspace(-0.375, 0.375, 4)] * 2), -1).reshape(-1, 2)
"""Sixteen points spread over a tile, in its sides from its middle, (16, 2)."""
_PLANE = np.column_stack([np.ones(len(_UNIT)), _UNIT])
_OFF_PLANE = np.eye(len(_UNIT)) - _PLANE @ np.linalg.pinv(_PLANE)
"""Takes off samples at these points the plane that fits them best, (16, 16)."""


@dataclass(frozen=True, slots=True)
class BlockGrid:
    """The grid of frames of ``height`` x ``width`` pixels; a sample covers ``step`` x ``step`` of them."""

    height: int
    width: int
    step: int

    @classmethod
    def of(cls, frame: CameraFrame, side: float) -> BlockGrid:
        """Return the grid for frames like this, in which tiles are ``side`` pixels wide."""
        step = 2 * max(1, round(side / (2 * TILE_BLOCKS * BLOCK_SAMPLES)))
        return cls(frame.shape[0], frame.shape[1], step)

    def misfits(self, sides: Floats | float) -> Mask:
        """Return which sizes of tiles, in pixels, are more than twice, or less than half, those it is for."""
        ratio = np.asarray(sides) / (self.step * TILE_BLOCKS * BLOCK_SAMPLES)
        return np.asarray((ratio > MAX_SIZE_RATIO) | (ratio < 1 / MAX_SIZE_RATIO))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of blocks."""
        side = self.step * BLOCK_SAMPLES
        return -(-self.height // side), -(-self.width // side)

    def downsample(self, frame: CameraFrame, motion: Motion = STILL) -> Picture:
        """Return the small picture of a frame after a motion, uint8, (4 x rows, 4 x columns of blocks).

        A sample is the mean of four places spread over it: the mean of all pixels would take ten times as
        long, mostly for memory access, and that of fewer changes more as the camera moves.
        """
        rows, cols = (side * BLOCK_SAMPLES for side in self.shape)
        down, right = max(1, self.height // self.step), max(1, self.width // self.step)
        if motion == STILL:
            whole = without_chroma(frame)[: down * self.step, : right * self.step]
            doubled = cv2.resize(whole, (2 * right, 2 * down), interpolation=cv2.INTER_LINEAR)
        else:
            half, matrix = self.step / 2, self._moved(motion)
            first = matrix @ (half / 2 - self.width / 2, half / 2 - self.height / 2, 1)
            places = np.column_stack([half * matrix[:, :2], first])
            how, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (2 * right, 2 * down)
            doubled = cv2.warpAffine(without_chroma(frame), places, size, flags=how, borderMode=EDGE)
        small = grey(np.asarray(cv2.resize(doubled, (right, down), interpolation=cv2.INTER_AREA), np.uint8))
        grown = cv2.copyMakeBorder(small, 0, rows - down, 0, cols - right, EDGE)
        return np.asarray(grown, np.uint8)

    def within(self, motion: Motion) -> tuple[slice, slice]:
        """Return the rows and columns of the samples that lie within a frame as a whole after a motion."""
        cuts, turned = [], abs(motion.turn) + abs(motion.growth)
        sizes = zip((self.height, self.width), self.shape, (motion.y, motion.x), strict=True)
        for length, blocks, shift in sizes:
            first = max(0, math.ceil((turned - shift) / self.step))
            end = max(first, math.floor((length - turned - shift) / self.step))
            every = end >= length // self.step  # as do those that repeat the last one
            cuts.append(slice(first, blocks * BLOCK_SAMPLES if every else end))
        rows, cols = cuts
        return rows, cols

    def upsampled(self, small: Picture) -> Frame:
        """Return a small picture as a frame in grey, (height, width)."""
        rows, cols = (side * self.step for side in small.shape)
        whole = cv2.resize(small, (cols, rows), interpolation=cv2.INTER_LINEAR)
        return np.ascontiguousarray(whole[: self.height, : self.width], np.uint8)

    def around(self, frame: CameraFrame, motion: Motion, places: Floats, reach: float) -> NDArray[np.float32]:
        """Return samples as in ``downsample`` after a motion, float32 (5, n).

        They are at ``places`` in pixels from the middle, (2, n), and ``reach`` pixels to the right, to the
        left, below and above.
        """
        matrix = self._moved(motion)
        four = self.step / 4 * np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]])  # hardly turned by a motion
        five = reach * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        first = (matrix[:, 2] + four[:, None] + five).astype(np.float32)
        moved = (matrix[:, :2] @ places).astype(np.float32)
        columns, rows = (np.add.outer(first[..., axis].ravel(), moved[axis]) for axis in (0, 1))
        taken = cv2.remap(without_chroma(frame), columns, rows, cv2.INTER_LINEAR, borderMode=EDGE)
        shown = grey(np.asarray(taken, np.uint8)).reshape(len(four), len(five), -1)
        return np.asarray(shown.sum(0, np.uint16) / np.float32(len(four)))

    def from_middle(self, every: int) -> Floats:
        """Return the places of each ``every``-th sample, in pixels from the frame's middle, (2, n)."""
        rows, cols = ((np.arange(0, side * BLOCK_SAMPLES, every) + 0.5) * self.step for side in self.shape)
        return np.array(
            [np.tile(cols - self.width / 2, len(rows)), np.repeat(rows - self.height / 2, len(cols))]
        )

    def _moved(self, motion: Motion) -> Floats:
        """Return the matrix from places in pixels from the middle to pixels of a moved frame, (2, 3)."""
        turn, growth = np.array([motion.turn, motion.growth]) / np.hypot(self.width / 2, self.height / 2)
        x, y = self.width / 2 - 0.5 + motion.x, self.height / 2 - 0.5 + motion.y
        return np.array([[1 + growth, -turn, x], [turn, 1 + growth, y]])

    def blocks(self, samples: Picture) -> Mask:
        """Return the blocks in which any sample of a small picture, or of a part, is set; 0 or 255."""
        across = samples.reshape(-1, BLOCK_SAMPLES, samples.shape[1]).max(1)
        return np.asarray(across.view(np.uint32) != 0)

    def means(self, small: Picture) -> Floats:
        """Return the mean of a small picture's samples in each block."""
        rows, cols = self.shape
        return np.asarray(small.reshape(rows, BLOCK_SAMPLES, cols, BLOCK_SAMPLES).mean((1, 3)))

    def samples(self, blocks: Mask) -> Picture:
        """Return the samples in some blocks, 255 there and else 0."""
        words = -blocks.astype(np.int32)  # four bytes of 255 are -1
        return np.repeat(words, BLOCK_SAMPLES, 0).view(np.uint8)

    def copied(self, source: Picture, target: Picture, blocks: Mask) -> None:
        """Copy some blocks of a small picture into another."""
        cv2.copyTo(source, self.samples(blocks), target)

    def picked(self, small: Picture, points: Floats) -> NDArray[np.float32]:
        """Return a small picture's samples at points in pixels, (..., 2), float32; (...)."""
        return small.take(flat_indices(points, self.step, small.shape)).astype(np.float32)

    def at(self, points: Floats) -> Blocks:
        """Return the blocks at points in pixels, (..., 2), as indices into the flat mask; (...)."""
        return flat_indices(points, self.step * BLOCK_SAMPLES, self.shape)

    def mask(self, spots: Blocks) -> Mask:
        """Return the mask of some blocks."""
        out = np.zeros(self.shape, bool)
        out.reshape(-1)[spots] = True
        return out

    def newest(self, stamps: NDArray[np.int64], other: BlockGrid) -> NDArray[np.int64]:
        """Return the newest of the stamps of another grid's blocks in each block, as a mask's shape."""
        newest = stamps.take(other.at(self._middles()))
        np.maximum.at(newest, self.at(other._middles()), stamps.ravel())
        return np.asarray(newest.reshape(self.shape), np.int64)

    def _middles(self) -> Floats:
        """Return the middles of all blocks in pixels, (n, 2), row by row."""
        rows, cols = (np.arange(count) + 0.5 for count in self.shape)
        return np.stack(np.meshgrid(cols, rows), -1).reshape(-1, 2) * self.step * BLOCK_SAMPLES - 0.5

    def box(self, bounds: Iterable[int]) -> Box:
        """Return the box, in pixels, of bounds in blocks: left, top, width, height."""
        left, top, broad, high = (int(v) * self.step * BLOCK_SAMPLES for v in bounds)
        return left, top, min(self.width, left + broad), min(self.height, top + high)


def flat_indices(points: Floats, side: int, shape: tuple[int, ...]) -> Blocks:
    """Return the flat indices of the cells at points in pixels, (..., 2), in an array of a shape; (...).

    A cell is ``side`` pixels wide; points outside are in the nearest one.
    """
    cells = ((points + 0.5) / side).astype(np.intp)
    return np.asarray(np.ravel_multi_index((cells[..., 1], cells[..., 0]), shape, mode="clip"))


def sample_points(centres: Floats, vectors: Floats) -> Floats:
    """Return sixteen points spread over each tile, in pixels, (n, 16, 2).

    ``centres`` (n, 2) in pixels, ``vectors`` (n, 2, 2) the side vectors as columns.
    """
    return points_on(centres, vectors, _UNIT)


def sample_slices(part: Iterable[slice]) -> tuple[slice, ...]:
    """Return the part of a small picture that shows a part of a mask."""
    return tuple(slice(BLOCK_SAMPLES * cut.start, BLOCK_SAMPLES * cut.stop) for cut in part)


def marks(samples: NDArray[np.float32]) -> Floats:
    """Return the samples of tiles at their sixteen points, (m, 16), less the slope of the light on each."""
    return np.asarray(samples @ _OFF_PLANE)


def brighter_than(one: Picture, other: Picture) -> Picture:
    """Return where one small picture is brighter than another: 255 there and else 0."""
    return np.asarray(cv2.compare(one, other, cv2.CMP_GT), np.uint8)


def gradient(small: Picture) -> Picture:
    """Return the brightness step at each sample of a small picture."""
    return np.asarray(cv2.morphologyEx(small, cv2.MORPH_GRADIENT, NEIGHBOUR_KERNEL), np.uint8)


def dilated(mask: Mask) -> Mask:
    """Return a mask grown by one block in each direction."""
    return np.asarray(cv2.dilate(mask.view(np.uint8), NEIGHBOUR_KERNEL)).view(np.bool_)


def connected_parts(mask: Mask) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the connected parts of a mask, numbered from 1, and their bounds: left, top, width, height."""
    labels = np.zeros(mask.shape, np.int32)
    left, top, broad, high = cv2.boundingRect(mask.view(np.uint8))
    if not broad:
        return labels, np.zeros((0, 4), np.int32)
    cut = np.s_[top : top + high, left : left + broad]
    _, labels[cut], bounds, _ = cv2.connectedComponentsWithStats(mask[cut].view(np.uint8), connectivity=8)
    return labels, np.asarray(bounds[1:, :4] + (left, top, 0, 0), np.int32)


def grown_labels(labels: NDArray[np.int32]) -> Blocks:
    """Return the numbers of parts, 0 for none, grown by one block in each direction; the higher one wins."""
    return cv2.dilate(labels.astype(np.float32), NEIGHBOUR_KERNEL).astype(np.intp)


def mostly(some: Mask, blocks: Mask, labels: NDArray[np.integer], parts: int) -> Mask:
    """Return for which of so many numbered parts, (parts + 1,), most of their ``blocks`` are among some."""
    every, of_them = (np.bincount(labels[mask], minlength=parts + 1) for mask in (blocks, blocks & some))
    return np.asarray(2 * of_them > every)


def touched_parts(mask: Mask, blocks: Mask) -> Mask:
    """Return the connected parts of a mask in which some blocks lie."""
    labels, bounds = connected_parts(mask)
    hit = np.zeros(len(bounds) + 1, bool)
    hit[labels[mask & blocks]] = True
    return hit.take(labels)
