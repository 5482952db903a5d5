"""Letters that grey does not show: under translucent pyramids, and on faces as bright as the board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, crop_source
from companion.vision.detector.detections import WORKING_PX, Detections, detect_at_scale, working_scale
from companion.vision.grid.homography import project
from companion.vision.grid.volcano.board import CELLS, Volcano
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.networks import Detector
from companion.vision.pipeline.frame import (
    Box,
    FrameDetections,
    concatenated,
    conform_shapes,
    padded,
    translated,
)

Cells = NDArray[np.bool_]
"""Some of the 25 cells, row by row."""

EVERY: Cells = np.ones(CELLS**2, np.bool_)

RED = 2
"""The plane of a picture in which tiles of wood and ivory are brightest."""
BLUE = 0
"""And that in which they are darkest."""
VEILED = 0.87
"""A letter under a pyramid is believed so much less than one that lies open."""
RIDGES = frozenset("X")
"""What a pyramid's four edges look like from above: seen under one, it says nothing of a letter there."""
ONCE = 0.8
"""And so much less again where only one of the two looks shows it, so it stays a doubt."""
HARDLY = 0.35
"""A letter less likely than this is not told at all."""


def read_through_pyramids(
    frame: Picture,
    look: FrameDetections,
    board: Volcano,
    networks: tuple[Detector, Classifier],
    some: Cells = EVERY,
) -> FrameDetections:
    """Return a look with what can be read through the pyramids on some cells, not what seems to lie there.

    A see-through side lets its own colour pass best: in the brightest of the three colours of each pixel
    the letter stands out most.
    """
    covered = board.covered().ravel() & some
    if frame.ndim != 3 or not covered.any():
        return look
    under = cells_of(look.detections, board, covered) >= 0
    bright = seen_in(frame.max(2), covered, look.kept(~under), board, networks)
    looks = bright, look.kept(under)
    told = [best_of(cell, looks, board) for cell in np.flatnonzero(covered).tolist()]
    return joined(look.kept(~under), [one for one in told if one])


def fill_open_cells(
    frame: Picture,
    look: FrameDetections,
    board: Volcano,
    networks: tuple[Detector, Classifier],
    some: Cells = EVERY,
) -> FrameDetections:
    """Return a look with letters found in red light, or in blue, where some open cell seems to have none."""
    for plane in (RED, BLUE) if frame.ndim == 3 else ():
        lacking = ~board.covered().ravel() & some
        held = cells_of(look.detections, board, np.ones(CELLS**2, bool))
        lacking[held[held >= 0]] = False
        if lacking.any():
            look = joined(look, [seen_in(frame[..., plane], lacking, look, board, networks)])
    return look


def joined(look: FrameDetections, others: list[FrameDetections]) -> FrameDetections:
    """Return a look with the tiles of others after its own."""
    for one in others:
        detections, probabilities = (
            concatenated(look.detections, one.detections),
            concatenated(look.probabilities, one.probabilities),
        )
        look = replace(look, detections=detections, probabilities=probabilities)
    return look


def cells_of(detections: Detections, board: Volcano, some: Cells) -> NDArray[np.int_]:
    """Return the number of the cell that each detection lies in, -1 where it is none of some, (n,)."""
    cells = np.floor(board.places(detections.centres)).astype(int)
    inside = ((cells >= 0) & (cells < CELLS)).all(1)
    number = np.where(inside, cells[:, 1] * CELLS + cells[:, 0], 0)
    return np.where(inside & some[number], number, -1)


def seen_in(
    plane: Picture, some: Cells, look: FrameDetections, board: Volcano, networks: tuple[Detector, Classifier]
) -> FrameDetections:
    """Return what the networks find in some cells of one plane of a picture, (h, w)."""
    detector, classifier = networks
    scale = look.scale or working_scale(float(np.median(look.detections.sides)))
    left, top, right, bottom = box = box_of(board, WORKING_PX / scale, look.size)
    part, corner = np.ascontiguousarray(plane[top:bottom, left:right]), np.array(box[:2])
    detections = translated(detect_at_scale(detector, part, scale), corner)
    detections = detections.kept(cells_of(detections, board, some) >= 0)
    if not len(detections):
        return look.kept(np.zeros(len(look.detections), bool))
    detections = conform_shapes(detections, look.detections)
    return replace(
        look,
        detections=detections,
        probabilities=classifier.classify(*crop_source(part, translated(detections, -corner))),
    )


def box_of(board: Volcano, margin: float, size: tuple[int, int]) -> Box:
    """Return the part of a picture that shows the board, with a margin in pixels."""
    points = project(board.homography, Volcano.outline())
    (left, top), (right, bottom) = np.floor(points.min(0)).astype(int), np.ceil(points.max(0)).astype(int)
    return padded((int(left), int(top), int(right), int(bottom)), margin, size)


def best_of(
    cell: int, looks: tuple[FrameDetections, FrameDetections], board: Volcano
) -> FrameDetections | None:
    """Return what two looks show together in one covered cell, less sure than in the open, or ``None``."""
    found = []
    only = np.arange(CELLS**2) == cell
    for look in looks:
        here = np.flatnonzero(cells_of(look.detections, board, only) == cell)
        if len(here):
            best = here[
                [int((look.detections.scores * (1 - look.probabilities.p_background))[here].argmax())]
            ]
            found.append(look.kept(best))
    if not found:
        return None
    share = VEILED if len(found) == len(looks) else VEILED * ONCE
    probabilities = mean_of([one.probabilities for one in found], share)
    ridges = probabilities.symbols[int(probabilities.p_symbol[0].sum(1).argmax())] in RIDGES
    return (
        replace(found[0], probabilities=probabilities)
        if probabilities.p_best_symbol()[0] > HARDLY and not ridges
        else None
    )


def mean_of(probabilities: list[ClassProbabilities], share: float) -> ClassProbabilities:
    """Return the mean of what several looks at one tile say, of which only a share is believed."""
    chance, down, none, foreign = (
        np.mean([getattr(one, part) for one in probabilities], 0)
        for part in ("p_symbol", "p_blank", "p_background", "p_foreign")
    )
    return ClassProbabilities(probabilities[0].symbols, chance * share, down * share, none * share, foreign)
