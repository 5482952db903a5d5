"""A table looked at anew: once the board is known, it tells how large and how aslant every tile is."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import Classifier, ClassProbabilities, crop_source
from companion.vision.classifier.rotation import GAIN, READABLE, refine_rotation
from companion.vision.detector.detections import (
    NMS_DISTANCE,
    WORKING_PX,
    Detections,
    detect_at_scale,
    working_scale,
)
from companion.vision.grid.homography import Matrix3, Points, project
from companion.vision.grid.volcano.board import Volcano
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.networks import Detector
from companion.vision.pipeline.frame import FrameDetections, concatenated, with_replaced, with_rows

SIZES = np.arange(0.6, 1.35, 0.05)
"""Sizes of tiles that are tried, against those that the detector thinks they have."""
AS_WELL = 0.05
"""What can be read so much worse, in mean logarithms, can be read as well."""
UNLIKELY = 0.01
"""Keeps the logarithm of what cannot be read within bounds."""
FEW = 4
"""So many detections beside the board tell how large tiles are there."""
MOST = 100
"""Detections by which that is tried, the strongest."""
SCALES = (1.0, 0.82, 0.68)
"""Tiles are looked for as large as they seem, and smaller: those of a word are lost to a detector that
expects broader ones."""
HOPELESS = 0.05
"""What is a tile with less than this chance after one look is dropped."""
NEAR_SIZES = np.array([0.75, 0.85, 1.15, 1.3])
"""Sizes in which a tile is looked at that cannot be read as large as the others."""
LOOSE = (0.6, 2.0)
"""Detections so many times as broad as the tiles are looked at: framed by cells, tiles seem larger."""


def refine_each_size(plane: Picture, look: FrameDetections, classifier: Classifier) -> FrameDetections:
    """Return a look in which tiles that can hardly be read have the size in which they can."""
    vague = np.flatnonzero(look.probabilities.p_best_symbol() < READABLE - GAIN)
    if not len(vague):
        return look
    some = look.detections.kept(np.tile(vague, len(NEAR_SIZES)))
    sizes = np.repeat(NEAR_SIZES, len(vague))
    some = replace(some, shapes=some.shapes * sizes[:, None, None])
    probabilities = classifier.classify_once(*crop_source(plane, some))
    read = probabilities.p_best_symbol().reshape(len(NEAR_SIZES), len(vague))
    better = read.max(0) > np.maximum(READABLE, look.probabilities.p_best_symbol()[vague] + GAIN)
    best = (read.argmax(0) * len(vague) + np.arange(len(vague)))[better]
    shapes = with_rows(look.detections.shapes, vague[better], some.shapes[best])
    told = with_replaced(look.probabilities, vague[better], probabilities.kept(best))
    return replace(look, detections=replace(look.detections, shapes=shapes), probabilities=told)


def readable(detections: Detections, plane: Picture, classifier: Classifier) -> float:
    """Return how many times larger outlines of tiles in a plane of a picture, (h, w), read best.

    Letters can be read in outlines of many sizes: the middle one of those is the tile's.
    """
    told = []
    for size in SIZES:
        probabilities = classifier.classify_once(
            *crop_source(plane, replace(detections, shapes=detections.shapes * size))
        )
        told.append(float(np.log(probabilities.p_best_symbol() + UNLIKELY).mean()))
    return float(SIZES[np.array(told) > max(told) - AS_WELL].mean())


def second_pass(
    plane: Picture, look: FrameDetections, board: Volcano, networks: tuple[Detector, Classifier]
) -> FrameDetections:
    """Return what the networks see in a plane of a picture, (h, w), where a board tells the tiles' shapes.

    ``look`` is at the tiles that surely show a symbol.
    """
    classifier = networks[1]
    on = look.detections.kept(board.holds(look.detections.centres))
    on = replace(on, shapes=cell_shapes(board, on.centres) * float(np.median(in_cells(on, board))))
    on = replace(on, shapes=on.shapes * readable(on, plane, classifier))
    middle = float(np.median(on.sides))
    detections = reduce(concatenated, (seen_at(plane, size * middle, networks) for size in SCALES))
    detections = replace(
        detections, shapes=cell_shapes(board, detections.centres) * float(np.median(in_cells(on, board)))
    )
    detections = sized_beside(plane, detections, board, classifier)
    detections, probabilities = refine_rotation(
        classifier, plane, detections, classifier.classify(*crop_source(plane, detections))
    )
    best = apart(detections, probabilities)
    seen = replace(
        look,
        detections=detections.kept(best),
        probabilities=probabilities.kept(best),
        scale=working_scale(middle),
    )
    return refine_each_size(plane, seen, classifier)


def sized_beside(
    plane: Picture, detections: Detections, board: Volcano, classifier: Classifier
) -> Detections:
    """Return detections of which those beside the board are as large as reads best there.

    Where tiles and board are of one colour, those on it seem as large as its cells.
    """
    beside = np.flatnonzero(~board.holds(detections.centres))
    if len(beside) < FEW:
        return detections
    strongest = beside[np.argsort(-detections.scores[beside])][:MOST]
    size = readable(detections.kept(strongest), plane, classifier)
    return replace(detections, shapes=with_rows(detections.shapes, beside, detections.shapes[beside] * size))


def in_cells(detections: Detections, board: Volcano) -> NDArray[np.float64]:
    """Return the sides of detections in cells of the board, (n,)."""
    return np.asarray(detections.sides / np.sqrt(np.linalg.det(cell_shapes(board, detections.centres))))


def refine_size(plane: Picture, look: FrameDetections, classifier: Classifier) -> FrameDetections:
    """Return a look at the same tiles, all as large as those with a symbol read best."""
    shown = ~look.probabilities.is_blank()
    size = readable(look.detections.kept(shown if shown.any() else ~shown), plane, classifier)
    detections = replace(look.detections, shapes=look.detections.shapes * size)
    return replace(
        look, detections=detections, probabilities=classifier.classify(*crop_source(plane, detections))
    )


def seen_at(plane: Picture, side: float, networks: tuple[Detector, Classifier]) -> Detections:
    """Return what may be tiles of about a side, in pixels, as broad as the detector sees best."""
    detector, classifier = networks
    detections = detect_at_scale(detector, plane, working_scale(side), (LOOSE[0] * side, LOOSE[1] * side))
    probabilities = classifier.classify_once(*crop_source(plane, squares(detections, side)))
    return detections.kept(detections.scores * (1 - probabilities.p_background) > HOPELESS)


def apart(detections: Detections, probabilities: ClassProbabilities) -> NDArray[np.intp]:
    """Return which detections are the best of those that lie on each other."""
    weight = (
        detections.scores
        * (1 - probabilities.p_background)
        * np.maximum(probabilities.p_best_symbol(), probabilities.p_blank)
    )
    order = np.argsort(-weight)
    near = (
        np.linalg.norm(detections.centres[:, None] - detections.centres, axis=2)
        < NMS_DISTANCE * detections.sides
    )
    kept: list[int] = []
    for k in order.tolist():
        if not near[k, kept].any():
            kept.append(k)
    return np.array(kept, np.intp)


def loosely(plane: Picture, look: FrameDetections, networks: tuple[Detector, Classifier]) -> FrameDetections:
    """Return what the networks see in a plane of a picture, (h, w), where all tiles are taken for squares.

    Their breadth is the one that reads best, whatever the detector makes of it in ``look``.
    """
    detector, classifier = networks
    middle = WORKING_PX / (look.scale or 1.0)
    detections = detect_at_scale(
        detector, plane, working_scale(middle), (LOOSE[0] * middle, LOOSE[1] * middle)
    )
    best = squares(detections.kept(np.arange(len(detections)) < MOST), middle)
    detections = squares(detections, middle * readable(best, plane, classifier))
    detections, probabilities = refine_rotation(
        classifier, plane, detections, classifier.classify(*crop_source(plane, detections))
    )
    return replace(look, detections=detections, probabilities=probabilities)


def squares(detections: Detections, side: float) -> Detections:
    """Return detections as squares of one side, in pixels."""
    return replace(detections, shapes=np.tile(np.eye(2) * side, (len(detections), 1, 1)))


def cell_shapes(board: Volcano, points: Points) -> NDArray[np.float64]:
    """Return what takes a circle as broad as a cell to the picture at each point, symmetric, (n, 2, 2)."""
    across, sizes, _ = np.linalg.svd(stretches(board.homography, board.clamped_places(points)))
    return np.asarray((across * sizes[:, None]) @ np.swapaxes(across, 1, 2))


def stretches(homography: Matrix3, places: Points) -> NDArray[np.float64]:
    """Return how a homography stretches what lies around each place: its derivative, (n, 2, 2)."""
    depth = places @ homography[2, :2] + homography[2, 2]
    away = project(homography, places)[:, :, None] * homography[2, :2]
    return np.asarray((homography[:2, :2] - away) / depth[:, None, None])
