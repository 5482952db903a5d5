"""Evidence of tiles by colours and edges, in a logistic model of named features.

A detection, or a board's square or a cell beside a tile without one, is a tile with a symbol, a bare tile, or
none: printed squares and the cloth's pattern.  Its features are the networks' outputs, the contrast at its
edges, and the position of its colour between that of the tiles and that of the squares or cells around it.
The coefficients are fitted to drawn boards and tables by ``calibration.training``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import CameraFrame, channel_count, grey
from companion.vision.classifier import LIKELY, Classifier, ClassProbabilities, crop_source
from companion.vision.colour import NEIGHBOURS, face_colours, nearest, weakest_edge
from companion.vision.detector.detections import SCORE_THRESHOLD, Detections, with_replaced
from companion.vision.grid.board import Board, fits_board
from companion.vision.grid.homography import Box, points_inside
from companion.vision.networks import MODELS_FOLDER, softmax
from companion.vision.pipeline.colour_model import (
    Mask,
    SquareColours,
    TileColours,
    square_colours,
)
from companion.vision.pipeline.frame import FrameDetections, concatenate_frames, without_duplicates

Floats = NDArray[np.float64]

MODEL_PATH = MODELS_FOLDER / "evidence.json"
MIN_PROBABILITY = 1e-4
"""Least probability whose logarithm is taken: below it the networks' outputs are noise."""
MAX_EDGE_CONTRAST = 2.0
"""Largest contrast of an edge that is distinguished; an edge outside the picture counts as infinite."""


class Outcome(StrEnum):
    """The class of a candidate."""

    SYMBOL = "symbol"
    BARE = "bare"
    NONE = "none"


class CandidateOrigin(StrEnum):
    """The origin of a candidate: a detection on a square, beside the board, at a board while no other tile is
    sure, or on a table without one; a square without a detection, anywhere or beside a tile; or such a cell
    beside a tile, wholly in the picture or cut by its edge.
    """

    ON_SQUARE = "on a square"
    BESIDE = "beside the board"
    FIRST = "at a board without another tile"
    TABLE = "on a free table"
    SQUARE = "a square without a detection"
    NEIGHBOUR = "such a square beside a tile"
    CELL = "a cell without a detection beside a tile"
    CUT = "such a cell that the picture's edge cuts"


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """Multinomial logistic regression: ``weights`` (features + 1, outcomes), the last row the intercept.

    ``low`` and ``high`` bound the measured features to the range in training; ``mean`` and ``spread``
    standardise them and their products, as ``polynomial_features`` gives them.
    """

    low: Floats
    high: Floats
    mean: Floats
    spread: Floats
    weights: Floats

    def probabilities(self, features: Floats) -> Floats:
        """Return the probability of each outcome, (n, outcomes), of candidates (n, measured features)."""
        standard = (polynomial_features(np.clip(features, self.low, self.high)) - self.mean) / self.spread
        logits = np.column_stack([standard, np.ones(len(standard))]) @ self.weights
        return softmax(logits)


@cache
def models(path: Path = MODEL_PATH) -> Mapping[tuple[CandidateOrigin, int], LogisticModel]:
    """Return the fitted models by a candidate's origin and by the frame's channels, 1 or 3."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {
        (CandidateOrigin(one["where"]), one["channels"]): LogisticModel(
            *(np.array(one[part]) for part in ("low", "high", "mean", "spread", "weights"))
        )
        for one in stored["models"]
    }


def apply_board_evidence(
    frame: CameraFrame,
    detected: FrameDetections,
    board: Board,
    classifier: Classifier,
    known: FrameDetections | None = None,
    box: Box | None = None,
) -> FrameDetections:
    """Return detections re-scored by the colours of a board's squares, with missed tiles added.

    Print on the board is left out, then duplicates.  ``frame`` is the whole picture.  ``known`` are the tiles
    beside a part of it, already judged; ``box`` is the part, by default the whole, in which missed tiles are
    searched.  Without a sure tile none is added.
    """
    detected = detected.kept(fits_board(detected.detections, board))
    empty = square_colours(frame, board)
    colours = SquareColours.of(frame, concatenate_frames(detected, known), board, empty)
    seen = Candidates.from_detections(detected, colours)
    chances = outcome_chances(frame, seen.features(frame, colours), seen.by_origin(colours))
    detected = rescored(detected, seen, chances)
    if frame.ndim == 3:
        colours = SquareColours.of(frame, concatenate_frames(detected, known), board, empty)
        cells = colours.outliers(points_inside(colours.spots, box or (0, 0, *detected.size)))
        if len(cells):
            seen = Candidates.of_squares(frame, colours, cells, classifier)
            chances = outcome_chances(frame, seen.features(frame, colours), CandidateOrigin.SQUARE)
            detected = concatenate_frames(detected, rescored(detected, seen, chances))
    return without_duplicates(detected)


def rescored(detected: FrameDetections, seen: Candidates, chances: Floats) -> FrameDetections:
    """Return the candidates in a frame that may be tiles, given their chances of outcomes, (n, outcomes)."""
    classes = rescaled_probabilities(seen.probabilities, chances)
    every = replace(detected, detections=with_scores(seen.detections), probabilities=classes)
    return every.kept(classes.p_background < 1 - SCORE_THRESHOLD)


def outcome_chances(
    frame: CameraFrame, features: Floats, origin: CandidateOrigin | Mapping[CandidateOrigin, Mask]
) -> Floats:
    """Return the chances of candidates' outcomes, (n, outcomes).

    ``origin`` is that of all, or tells which, (n,), are of each.
    """
    if isinstance(origin, CandidateOrigin):
        return models()[origin, channel_count(frame)].probabilities(features)
    chances = np.zeros((len(features), len(Outcome)))
    for where, some in origin.items():
        chances[some] = outcome_chances(frame, features[some], where)
    return chances


def apply_table_evidence(
    frame: CameraFrame, detected: FrameDetections, known: FrameDetections | None = None
) -> FrameDetections:
    """Return detections on a free table, those that are not sure re-scored by their colours and edges.

    Duplicates are left out before: by the networks' scores, as only some detections are re-scored.
    ``known`` are the tiles beside a part of the picture, already judged.
    """
    detected = without_duplicates(detected)
    every = concatenate_frames(detected, known)
    sure, count = every.shows_symbol, len(detected.detections)
    some = ~sure & (np.arange(len(sure)) < count)
    seen = with_face_evidence(frame, every, some, sure, CandidateOrigin.TABLE)
    return seen.kept(np.arange(len(seen.detections) - len(sure) + count))


def compared_tiles(known: FrameDetections, box: Box) -> FrameDetections:
    """Return the known tiles in a part of a picture, and the nearest sure ones, which tell the colour."""
    near = points_inside(known.detections.centres, box)
    sure = np.flatnonzero(known.shows_symbol)
    away = np.linalg.norm(known.detections.centres[sure] - np.reshape(box, (2, 2)).mean(0), axis=1)
    near[sure[np.argsort(away)[:NEIGHBOURS]]] = True
    return known.kept(near)


def with_face_evidence(
    frame: CameraFrame, detected: FrameDetections, some: Mask, sure: Mask, where: CandidateOrigin
) -> FrameDetections:
    """Return detections of which ``some``, (n,), are re-scored by the colour of ``sure`` others, (n,).

    The sure ones show a symbol.  Without one, nothing changes.  Of the re-scored ones those stay that are
    likelier a tile than none.
    """
    sure = sure & ~some
    if not sure.any() or not some.any():
        return detected
    rows = np.flatnonzero(some)
    chances = outcome_chances(frame, face_features(frame, detected, rows, sure), where)
    part = detected.kept(rows)
    classes = rescaled_probabilities(part.probabilities, chances)
    detected = replace(
        detected,
        detections=with_replaced(detected.detections, rows, with_scores(part.detections)),
        probabilities=with_replaced(detected.probabilities, rows, classes),
    )
    return detected.kept(~some | (detected.probabilities.p_background < LIKELY))


def face_features(
    frame: CameraFrame, detected: FrameDetections, rows: NDArray[np.intp], sure: Mask
) -> Floats:
    """Return the features, (m, features), of detections on no square, given their numbers, (m,).

    The ``sure`` ones, (n,), give the colour of tiles.
    """
    detections = detected.detections
    tiles = face_colours(frame, detections.centres, detections.vectors())
    none = np.full(len(rows), -1)
    seen = Candidates(detections.kept(rows), detected.probabilities.kept(rows), tiles[rows], none, rows)
    return seen.features(frame, TileColours(detections, tiles, sure))


def with_scores(detections: Detections, score: float = 1.0) -> Detections:
    """Return detections of one score: 1 if their probabilities already include that of a tile."""
    return replace(detections, scores=np.full(len(detections), score))


def rescaled_probabilities(probabilities: ClassProbabilities, chances: Floats) -> ClassProbabilities:
    """Return class probabilities scaled to the probability of each outcome, (n, outcomes).

    What a symbol lacks to certainty, as it is foreign or unlike all examples, it lacks afterwards too.
    """
    symbol, bare, none = chances.T
    share = symbol / np.maximum(1 - probabilities.p_blank - probabilities.p_background, MIN_PROBABILITY)
    p_symbol = probabilities.p_symbol * share[:, None, None]
    return ClassProbabilities(probabilities.symbols, p_symbol, bare, none)


FEATURE_NAMES = (
    "score",
    "symbol",
    "bare",
    "none",
    "from_tile",
    "from_square",
    "apart",
    "between",
    "tone_from_tile",
    "tone_from_square",
    "tone_apart",
    "tone_between",
    "tone_in_spreads",
    "lighter_than_tile",
    "brightness",
    "edge",
)
"""The measured features; ``polynomial_features`` adds their squares and products for the model."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The n candidates on a board and beside it.

    ``own`` (n, channels) are their colours in log-chroma, ``cells`` (n,) the squares that they lie on, -1
    beside the board; ``numbers`` (n,) their indices among the detections of the board's colours, -1 without
    one.
    """

    detections: Detections
    probabilities: ClassProbabilities
    own: Floats
    cells: NDArray[np.int_]
    numbers: NDArray[np.int_]

    @classmethod
    def from_detections(cls, detected: FrameDetections, colours: SquareColours) -> Candidates:
        """Return the detections as candidates; ``colours`` has the first of them."""
        n = len(detected.detections)
        cells = np.where(colours.fits, colours.cells, -1)[:n]
        return cls(detected.detections, detected.probabilities, colours.tiles[:n], cells, np.arange(n))

    @classmethod
    def of_squares(
        cls, frame: CameraFrame, colours: SquareColours, cells: NDArray[np.intp], classifier: Classifier
    ) -> Candidates:
        """Return some squares without a detection as candidates."""
        detections = detections_in_cells(colours, cells)
        probabilities = classifier.classify(*crop_source(grey(frame), detections))
        return cls(detections, probabilities, colours.squares[cells], cells, np.full(len(cells), -1))

    def by_origin(self, colours: TileColours) -> Mapping[CandidateOrigin, Mask]:
        """Return which detections on a board and beside it, (n,), are of each origin."""
        on_square, compared = self.cells >= 0, np.count_nonzero(colours.sure) > colours.sure[self.numbers]
        return {
            CandidateOrigin.ON_SQUARE: on_square & compared,
            CandidateOrigin.BESIDE: ~on_square & compared,
            CandidateOrigin.FIRST: ~compared,
        }

    def features(self, frame: CameraFrame, colours: TileColours) -> Floats:
        """Return the features of each candidate, (n, features), in the order of ``FEATURE_NAMES``."""
        classes = self.probabilities
        chances = self.detections.scores, classes.p_best_symbol(), classes.p_blank, classes.p_background
        networks = np.log(np.clip(np.column_stack(chances), MIN_PROBABILITY, 1))
        edges = weakest_edge(frame, self.detections.quads(), colours.detections.centres)
        edges = np.minimum(edges, MAX_EDGE_CONTRAST)
        return np.column_stack([networks, self._colour_features(colours), edges])

    def _colour_features(self, colours: TileColours) -> Floats:
        """Return the features of the candidates' colours relative to the tiles and squares around them."""
        tile, square = colours.as_tiles(self.detections.centres, self.numbers), colours.as_squares(self.cells)
        tile = np.where(np.isnan(tile), self.own, tile)
        square = np.where(np.isnan(square), tile, square)
        features: list[Floats] = []
        for part in (slice(None), slice(1, None)):  # the colour, then its tone
            own, first, second = self.own[:, part], tile[:, part], square[:, part]
            ways = own - first, own - second, first - second
            features += [*(np.linalg.norm(way, axis=1) for way in ways), position_between(*ways[::2])]
        in_spreads = features[4] / colours.tone_spread()
        return np.column_stack([*features, in_spreads, self.own[:, 0] - tile[:, 0], self.own[:, 0]])


def position_between(ways: Floats, whole: Floats) -> Floats:
    """Return the positions of colours between tiles', 0, and squares', about 1, (n,).

    ``ways`` lead from the tiles' colours, ``whole`` from the squares' to them, (n, channels) each.
    """
    share = -(ways * whole).sum(1) / ((whole**2).sum(1) + MIN_PROBABILITY)
    return np.asarray(np.clip(share, -1, 2))


def polynomial_features(features: Floats) -> Floats:
    """Return features with their squares and products, (n, m)."""
    first, second = np.triu_indices(features.shape[1])
    return np.column_stack([features, features[:, first] * features[:, second]])


def detections_in_cells(colours: SquareColours, cells: NDArray[np.intp]) -> Detections:
    """Return detections in some squares, with the offset and shape of the nearest sure tiles."""
    sure = np.flatnonzero(colours.sure & colours.fits)
    sure = sure if len(sure) else np.flatnonzero(colours.sure)
    known, spots = colours.detections.kept(sure), colours.spots[colours.cells[sure]]
    near = nearest(known.centres, colours.spots[cells])
    off = np.median((known.centres - spots)[near], axis=1)
    first = near[:, 0]
    scores = np.full(len(cells), MIN_PROBABILITY)
    return Detections(colours.spots[cells] + off, known.shapes[first], known.turns[first], scores)
