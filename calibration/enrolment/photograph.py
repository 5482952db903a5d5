"""Detection of tiles with unknown symbols in a photograph for enrolment, and their reading order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadEnrolment
from companion.model.phrases import phrase
from companion.vision.classifier import (
    BACKGROUND,
    BLANK_FACE,
    CLASS_INDEX,
    ClassProbabilities,
    crop_source,
    crops,
)
from companion.vision.colour import MIN_RELATIVE_BRIGHTNESS, local_medians, rim_brightness
from companion.vision.detector.detections import Detections
from companion.vision.detector.scale_search import Networks, search
from companion.vision.networks import ClassifierNetwork, Detector, softmax

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

P_TILE_THRESHOLDS = (0.2, 0.1, 0.05, 0.35, 0.5)
"""Thresholds of a tile's probability, in the order in which they are tried until the count fits."""
MIN_CLEAR_P_SYMBOL = 0.5
"""Probability of a symbol below which a tile must be as bright as the others, as cloths have prints."""
MIN_ROW_GAP_TILES = 0.5
"""Least vertical gap between two rows, in tile sides."""
MAX_ROW_ANGLE_RAD = np.radians(30)
"""Largest angle of the rows in the picture, in radians."""
ROW_ANGLE_NEIGHBOURS = 2
"""Nearest neighbours of a tile that give the angle of its row."""


class AnySymbolClassifier:
    """A classifier with one class for all lettered tiles, enough to find the size of unknown tiles."""

    symbols: tuple[str, ...] = ("any",)

    def __init__(self, classifier: ClassifierNetwork) -> None:
        self._classifier = classifier

    def classify_once(self, picture: Grey, quads: NDArray[np.float64]) -> ClassProbabilities:
        """Return the probabilities of a lettered tile, a blank one and background."""
        chance = softmax(self._classifier.logits(crops(picture, quads)))
        down, none = chance[:, CLASS_INDEX[BLANK_FACE]], chance[:, CLASS_INDEX[BACKGROUND]]
        own = np.repeat((1 - down - none)[:, None, None] / 4, 4, 2)
        return ClassProbabilities(self.symbols, own, down, none)

    classify = classify_once


def detect_tiles(picture: Grey, kinds: int = 1) -> Detections:
    """Return the tiles in a grey photograph, (h, w), in reading order, rotated to the nearest upright
    quarter.

    Of several thresholds the first is used with which the count is a multiple of ``kinds``.

    Raises
    ------
    BadEnrolment
        Where no tile is detected, or their order is not clear.
    """
    classifier = AnySymbolClassifier(ClassifierNetwork())
    found = search(Networks(Detector(), classifier), picture)
    detections = found.in_picture(found.detections)
    probabilities = classifier.classify_once(*crop_source(picture, detections))
    alike = similar_brightness(
        picture, detections.centres, detections.vectors(), probabilities.p_best_symbol() < MIN_CLEAR_P_SYMBOL
    )
    chance = detections.scores * (1 - probabilities.p_background) * alike
    lots = [chance > least for least in P_TILE_THRESHOLDS]
    tiles = next((lot for lot in lots if lot.any() and lot.sum() % kinds == 0), lots[0])
    if not tiles.any():
        raise BadEnrolment(
            phrase("no tile is seen; lay them on a plain cloth in even light and fill the picture with them")
        )
    detections = nearest_quarter(detections.kept(tiles))
    return detections.kept(reading_order(detections))


def similar_brightness(
    picture: Grey, centres: Floats, vectors: Floats, vague: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which faces may be of one set, (n,): the clear ones, and ``vague`` ones as bright as those."""
    if vague.all() or not vague.any():
        return np.ones(len(vague), bool)
    shade = rim_brightness(picture, centres, vectors)
    clear = np.broadcast_to(~vague, (len(vague), len(vague)))
    expected = local_medians(shade[:, None], centres, clear, centres)[:, 0]
    ratio = shade / np.maximum(expected, 1.0)
    return ~vague | ((ratio > MIN_RELATIVE_BRIGHTNESS) & (ratio < 1 / MIN_RELATIVE_BRIGHTNESS))


def nearest_quarter(detections: Detections) -> Detections:
    """Return detections with rotations modulo a quarter turn, nearest to upright."""
    quarter = np.pi / 2
    return Detections(
        detections.centres,
        detections.shapes,
        (detections.turns + quarter / 2) % quarter - quarter / 2,
        detections.scores,
    )


def reading_order(detections: Detections) -> NDArray[np.intp]:
    """Return the indices of tiles row by row, each row from left to right, (n,).

    Raises
    ------
    BadEnrolment
        Where rows run into each other, or are too tilted.
    """
    lean = row_angle(detections.centres)
    if abs(lean) > MAX_ROW_ANGLE_RAD:
        raise BadEnrolment(
            phrase(
                "the rows of tiles lie about %(degrees)s degrees aslant in the picture; turn the camera or "
                "the rows until they run along its edge",
                degrees=f"{abs(np.degrees(lean)):.0f}",
            )
        )
    c, s = np.cos(lean), np.sin(lean)
    along, down = (detections.centres @ np.array([[c, -s], [s, c]])).T
    side = float(np.median(detections.sides))
    by_height = np.argsort(down, kind="stable")
    new_row = np.flatnonzero(np.diff(down[by_height]) > MIN_ROW_GAP_TILES * side) + 1
    rows = np.split(by_height, new_row)
    for number, row in enumerate(rows, 1):
        if float(np.ptp(down[row])) > 1.2 * side:
            raise BadEnrolment(
                phrase(
                    "row %(number)s runs into the next one; lay straight rows, half a tile of room between "
                    "them",
                    number=number,
                )
            )
    return np.concatenate([row[np.argsort(along[row], kind="stable")] for row in rows])


def row_angle(centres: NDArray[np.float64]) -> float:
    """Return the angle of the rows of places, (n, 2), against the picture's edge, in radians.

    It is the circular mean of the directions to nearest neighbours modulo a quarter turn.
    """
    if len(centres) < 2:
        return 0.0
    ways = centres[:, None] - centres
    away = np.hypot(ways[..., 0], ways[..., 1]) + np.where(np.eye(len(centres)), np.inf, 0)
    near = np.argsort(away, axis=1)[:, : min(ROW_ANGLE_NEIGHBOURS, len(centres) - 1)]
    x, y = np.moveaxis(np.take_along_axis(ways, near[..., None], 1), -1, 0)
    four = 4 * np.arctan2(y, x)
    return float(np.arctan2(np.sin(four).sum(), np.cos(four).sum()) / 4)
