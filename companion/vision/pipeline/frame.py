"""The detections of one frame, or of a window of it, before layout."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame, Frame, crop, grey_crop, to_array
from companion.vision.classifier import ClassProbabilities, p_tile
from companion.vision.detector.detections import (
    MIN_TILES_FOR_SLOPES,
    WORKING_TILE_SIDE_PX,
    Detections,
    concatenate_detections,
    fit_shapes,
    nms,
    smooth_shapes,
    working_scale,
)
from companion.vision.detector.perspective import MAX_FORESHORTENING, TILE_PX, RectifiedView
from companion.vision.grid.board import Board
from companion.vision.grid.homography import Box, distances
from companion.vision.grid.volcano import Volcano

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

HEAP_RADIUS = 10.0
"""Distance of tiles, in their sides, within which errors of their detected sizes are alike."""
MIN_SURE_P_SYMBOL = 0.9
"""Least probability of a sure symbol: its tile gives the colour of tiles, and keeps its rotation."""


@dataclass(frozen=True, slots=True)
class FrameDetections:
    """The tiles detected in one frame, with their class probabilities.

    ``size`` is the frame's width and height in pixels; ``scale`` the detector's scale, ``None`` where no tile
    was detected; ``table`` the rectified view of the table where its near tiles are far larger than its far
    ones; ``unread`` (m, 2) the places of unread tiles beside others, in pixels; ``timing_ms`` the time taken
    by stage, in milliseconds.
    """

    size: tuple[int, int]
    detections: Detections
    probabilities: ClassProbabilities
    scale: float | None
    board: Board | Volcano | None = None
    table: RectifiedView | None = None
    unread: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    timing_ms: dict[str, float] = field(default_factory=dict, compare=False)

    @property
    def tile_size(self) -> float | None:
        """Width of a tile in this picture, in pixels; ``None`` where its search may show more now.

        There too few are expected to be tiles, or the table is seen obliquely, rectified or with most of
        them foreshortened: more tiles show its tilt better.
        """
        if self.table or not self.tells_size:
            return None
        if np.median(self.detections.foreshortenings()) > MAX_FORESHORTENING:
            return None
        return float(np.median(self.detections.sides))

    @property
    def tells_size(self) -> bool:
        """Whether enough detections are expected to be tiles: a cloth shows doubtful ones of any size."""
        return float(self.p_tile @ self.probabilities.p_best_face()) >= MIN_TILES_FOR_SLOPES

    @property
    def p_tile(self) -> Floats:
        """The probability that each detection is a tile, (n,)."""
        return p_tile(self.detections, self.probabilities)

    @property
    def shows_symbol(self) -> Mask:
        """Which detections surely are tiles with a symbol, (n,)."""
        likely = self.p_tile > MIN_SURE_P_SYMBOL / 2
        return np.asarray(likely & (self.probabilities.p_best_symbol() > MIN_SURE_P_SYMBOL))

    def kept(self, keep: Mask | NDArray[np.intp]) -> FrameDetections:
        """Return the detections of some of the tiles."""
        return replace(
            self, detections=self.detections.kept(keep), probabilities=self.probabilities.kept(keep)
        )


def without_duplicates(detected: FrameDetections) -> FrameDetections:
    """Return detections without duplicates at one place: the more probable tile stays."""
    return detected.kept(np.sort(nms(detected.detections, detected.p_tile)))


def padded(box: Box, margin: float, size: tuple[int, int]) -> Box:
    """Return a box padded by a margin in pixels, within a frame of that width and height.

    It begins at even pixels, as colour has half the resolution.
    """
    left, top, right, bottom = box
    edge = round(margin)
    left, top = (max(0, low - edge) // 2 * 2 for low in (left, top))
    return left, top, min(size[0], right + edge), min(size[1], bottom + edge)


def translated(detections: Detections, way: NDArray[np.int_]) -> Detections:
    """Return detections translated right and down, in pixels, (2,)."""
    return replace(detections, centres=detections.centres + way)


def conform_shapes(detections: Detections, known: Detections) -> Detections:
    """Return detections with fitted shapes; those whose size is an outlier among known tiles are left out.

    Of the detections those on the places of known tiles take part in the fit, and all where few are known:
    the pattern of a cloth makes many that are no tiles.
    """
    others = known.kept(~are_duplicates(known, detections))
    counted = are_duplicates(detections, known) | (len(known) < MIN_TILES_FOR_SLOPES)
    weights = [others.scores, detections.scores * counted]
    every = fit_shapes(concatenate_detections(others, detections), np.concatenate(weights))
    return every.kept(are_duplicates(every, detections))


def measure_shapes(
    detections: Detections, found: Detections, known: Detections, chances: Floats
) -> Detections:
    """Return detections with shapes from one fit to how they were ``found`` and to the known tiles.

    Shapes that followed from known ones only would keep an early error.  ``chances`` (n,) are the weights:
    the probability of each tile.  Errors of tiles in one heap are alike, so each counts less: a fit to the
    heap alone would be wrong far from it.
    """
    if not len(detections):
        return detections
    others = known.kept(~are_duplicates(known, detections))
    raw = replace(detections, shapes=found.shapes[are_duplicates(found, detections)])
    every = concatenate_detections(others, raw)
    near = distances(every.centres, every.centres) < HEAP_RADIUS * every.sides
    fitted = smooth_shapes(every, np.concatenate([others.scores, raw.scores * chances]) / near.sum(1))
    return replace(detections, shapes=fitted[len(others) :])


def are_duplicates(some: Detections, others: Detections) -> Mask:
    """Return which of some detections lie exactly where one of others lies, (n,)."""
    return np.asarray((some.centres[:, None] == others.centres).all(-1).any(1))


def concatenate_frames(one: FrameDetections, other: FrameDetections | None) -> FrameDetections:
    """Return the detections of two parts of one frame, or one; other fields are those of the first."""
    if other is None:
        return one
    return replace(
        one,
        detections=concatenate_detections(one.detections, other.detections),
        probabilities=concatenate_detections(one.probabilities, other.probabilities),
    )


@dataclass(frozen=True, slots=True)
class Window:
    """A cropped part of a picture, rectified where near tiles are far larger than far ones.

    ``box`` is in the picture; ``view`` maps the crop's pixels to the window's; tiles are detected at
    ``scale`` in it.
    """

    box: Box
    scale: float
    view: RectifiedView | None = None

    @classmethod
    def around(cls, box: Box, known: FrameDetections, times: float = 1.0) -> Window:
        """Return the window of a part of a picture, and of a tile's side around it for the detector.

        Its scale is ``times`` that of the known tiles.
        """
        scale = known.scale or 1.0
        side = WORKING_TILE_SIDE_PX / scale
        if known.table:
            scale, corners = working_scale(TILE_PX), [(x, y) for x in box[::2] for y in box[1::2]]
            side = known.table.largest_side(np.array(corners, float))
        return cls((0, 0, *known.size), times * scale, known.table).part(padded(box, side, known.size))

    def part(self, box: Box) -> Window:
        """Return the window of a part of this one's picture, given in the picture's pixels."""
        view, size = self.view, (box[2] - box[0], box[3] - box[1])
        corner = np.array(box[:2]) - self.box[:2]
        return Window(box, self.scale, view.of_part(corner, size) if view else None)

    def rectify(self, frame: CameraFrame) -> Frame:
        """Return the window's picture from the whole frame."""
        part = crop(frame, self.box)
        return self.view.rectify(part) if self.view else to_array(part)

    def rectify_grey(self, frame: CameraFrame) -> Frame:
        """Return the window's picture in grey from the whole frame; raise BadPicture where it is none."""
        part = grey_crop(frame, self.box)
        return self.view.rectify(part) if self.view else part

    def to_view(self, detections: Detections) -> Detections:
        """Return detections in the picture as detections in the window."""
        cut = translated(detections, -np.array(self.box[:2]))
        return self.view.to_view(cut) if self.view else cut

    def to_picture(self, detections: Detections) -> Detections:
        """Return detections in the window as detections in the picture."""
        cut = self.view.to_picture(detections) if self.view else detections
        return translated(cut, np.array(self.box[:2]))
