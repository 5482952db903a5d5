"""Fits the evidence models: logistic regression on features that the reader measures on drawn boards and
tables.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from calibration.drawing.camera import View
from calibration.drawing.equations import EquationScene, Variation, equation_game
from calibration.drawing.layout import Word
from calibration.drawing.light import with_hard_shadow, with_reflection
from calibration.drawing.materials import coloured
from calibration.drawing.rng import Rng, choose
from calibration.drawing.scene import SceneContents, draw_scene
from calibration.drawing.tiles import DrawnTile
from calibration.training.scenes import PROCESSES, SHADOW_SHARE
from companion.errors import UsageError
from companion.files import write_atomically
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame, channel_count, grey
from companion.vision.detector.detections import Detections, is_inside_picture
from companion.vision.grid.board import Board, fits_board
from companion.vision.grid.homography import distances
from companion.vision.networks import softmax
from companion.vision.pipeline.colour_model import (
    CellColours,
    SquareColours,
    square_colours,
)
from companion.vision.pipeline.evidence import (
    FEATURE_NAMES,
    MIN_PROBABILITY,
    CandidateOrigin,
    Candidates,
    Outcome,
    face_features,
    polynomial_features,
)
from companion.vision.pipeline.frame import Window, without_duplicates
from companion.vision.pipeline.reader import Reader
from companion.vision.pipeline.unread import (
    MAX_TAKEN_DISTANCE,
    cell_features,
    classified_cells,
    free_cells,
    odd_squares,
)

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
Key = tuple[CandidateOrigin, int]
"""Origin of a candidate, and the number of channels of its frame: each key has its own model."""
Examples = tuple[Floats, NDArray[np.int64]]
"""Features, (n, features), and the numbers of their outcomes, (n,)."""

BOARD_SETS, TABLE_SETS = ("binary", "scrabble-en"), ("bananagrams-en", "scrabble-en")
MAX_MATCH_DISTANCE_TILES, MIN_VISIBLE_SHARE = 0.35, 0.85
"""Largest distance of a detection from its tile's centre, in sides; least visible share of a tile that gives
an example."""
MAX_TILT_DEG = 25.0
"""Largest tilt of a camera nearly straight above."""
OBLIQUE_TABLE_SHARE, OBLIQUE_TILT_DEG = 0.3, (20.0, 60.0)
"""Share of the free tables seen obliquely, and the least and largest tilt of the camera there."""
MAX_LOOSE_TILES = 30
"""Number of a table's loose tiles face up, and of those face down, that is never reached."""
MAX_CLUTTER_ROUNDS = 4
"""Largest number of rounds of random clutter below a board."""
CAMOUFLAGE_SHARE, CAMOUFLAGE_SPREAD = 0.4, 0.15
"""Share of the boards with squares of the tiles' colour, and the largest standard deviation of that colour in
logarithms."""
FEW_SHARE, FEW_TILES = 0.4, 8
"""Share of the boards as a game begins, and the number of tiles that is never reached there."""
GLARE_SHARE = 0.3
"""Share of the boards, and of the tables, with the reflection of a lamp."""
MAX_CUT = 0.2
"""Largest share of a table's picture that is cut off on each side for the cells beside tiles."""
MAX_LAMPS, REFLECTION_SIZES = 4, (0.3, 1.0)
"""Largest number of lamps reflected on a table, and the least and largest factor on their reflections."""
MISSED_SHARE = 0.15
"""Share of the tiles that are treated as missed detections, so that their squares or cells give examples."""
PENALTY = 1.0
"""Ridge penalty beside the sum of all losses: a normal prior of each weight, with a variance of one half."""
HELD_OUT_EVERY = 5
"""One of this many pictures is held out."""
OUTCOME_NUMBERS = {outcome: number for number, outcome in enumerate(Outcome)}
UNCLEAR = len(OUTCOME_NUMBERS)
"""The label of tiles that are partly hidden, or partly in a cell, which give no example."""
MAX_ITERATIONS = 300
"""Largest number of steps of a fit."""
OUTLIER_PERCENT = 0.2
"""Percentage of the examples that are clipped at either bound of a feature."""


def fit_evidence(counts: tuple[int, int], seed: int, out: Path) -> None:
    """Fit the models to drawn boards and free tables, each in colour and in grey, and write them as JSON.

    ``counts`` are the numbers of both.  Raises UsageError where there are too few to fit and to hold out.
    """
    drawn: dict[Key, list[tuple[int, Examples]]] = {}
    with get_context("forkserver").Pool(PROCESSES, cv2.setNumThreads, (1,)) as pool:
        for draw, count in zip((board_examples, table_examples), counts, strict=True):
            for k, by_key in enumerate(pool.imap(draw, ((seed, k) for k in range(count)), chunksize=4)):
                for key, found in by_key.items():
                    drawn.setdefault(key, []).append((k, found))
    fitted = [fitted_model(key, drawn[key]) for key in sorted(drawn)]
    written = {"features": FEATURE_NAMES, "outcomes": list(Outcome), "models": fitted}
    write_atomically(out, f"{json.dumps(written)}\n".encode())


def board_examples(key: tuple[int, int]) -> Mapping[Key, Examples]:
    """Return the examples of one drawn board, in colour and in grey; ``key`` is seed and number."""
    rng = np.random.default_rng(key)
    name = BOARD_SETS[key[1] % len(BOARD_SETS)]
    counts, view = tile_set(name).counts or {}, random_view(rng)
    words = () if name == "binary" else random_words(rng, list(counts))
    clutter, alike = int(rng.integers(MAX_CLUTTER_ROUNDS + 1)), float(rng.uniform(0, CAMOUFLAGE_SPREAD))
    camouflage = alike if rng.random() < CAMOUFLAGE_SHARE else None
    most = int(rng.integers(rng.integers(1, FEW_TILES + 1))) if rng.random() < FEW_SHARE else None
    scene = equation_game(rng, view, counts, None, Variation(words, clutter, camouflage, most=most))
    picture = scene.picture
    picture = with_reflection(picture, rng, view.tile_px) if rng.random() < GLARE_SHARE else picture
    picture = with_hard_shadow(picture, rng, view.tile_px) if rng.random() < SHADOW_SHARE else picture
    reader = Reader(tile_set(name), "scrabble")
    return {
        (where, channel_count(frame)): found
        for frame in (picture, grey(picture))
        for where, found in labelled_candidates(rng, reader, frame, scene)
    }


def table_examples(key: tuple[int, int]) -> Mapping[Key, Examples]:
    """Return the examples of one drawn free table, in colour and in grey; ``key`` is seed and number."""
    rng = np.random.default_rng((*key, 1))
    name = TABLE_SETS[key[1] % len(TABLE_SETS)]
    letters = [symbol for symbol in tile_set(name).symbols if symbol]
    tableaux, hands, jumbled = int(rng.integers(0, 5)), int(rng.random() < 0.3), bool(rng.random() < 0.3)
    loose, face_down = (int(most) for most in rng.integers(0, MAX_LOOSE_TILES, 2))
    contents = SceneContents(
        random_words(rng, letters), letters, tableaux, 25, loose, face_down, hands, 0.2, jumbled
    )
    view = random_view(rng)
    if rng.random() < OBLIQUE_TABLE_SHARE:
        view = replace(view, tilt_deg=float(rng.uniform(*OBLIQUE_TILT_DEG)))
    scene = draw_scene(rng, view, contents, severity=float(rng.uniform(0.3, 1.5)))
    if scene.labels is None:
        return {}
    picture, reader = coloured(scene.picture, scene.labels, rng), Reader(tile_set(name))
    picture = with_hard_shadow(picture, rng, view.tile_px) if rng.random() < SHADOW_SHARE else picture
    found = {
        (CandidateOrigin.TABLE, channel_count(frame)): examples
        for frame in (picture, grey(picture))
        for examples in labelled_faces(reader, frame, scene.tiles)
    }
    part, tiles = partly_shown(rng, with_reflections(rng, picture, view.tile_px), scene.tiles)
    return found | {
        (where, channel_count(frame)): examples
        for frame in (part, grey(part))
        for where, examples in labelled_cells(rng, reader, frame, tiles)
    }


def with_reflections(rng: Rng, picture: Frame, tile_px: float) -> Frame:
    """Return a picture, on a share of the tables with the reflections of some lamps."""
    if rng.random() < GLARE_SHARE:
        for size in rng.uniform(*REFLECTION_SIZES, rng.integers(1, MAX_LAMPS + 1)):
            picture = with_reflection(picture, rng, tile_px * size)
    return picture


def partly_shown(rng: Rng, picture: Frame, tiles: Sequence[DrawnTile]) -> tuple[Frame, list[DrawnTile]]:
    """Return a random part of a picture with its tiles, those beyond its edge too."""
    high, wide = picture.shape[:2]
    left, top, right, bottom = (rng.uniform(0, MAX_CUT, 4) * (wide, high, wide, high)).astype(int)
    part = np.ascontiguousarray(picture[top : high - bottom, left : wide - right])
    return part, [replace(tile, corners=tile.corners - (left, top)) for tile in tiles]


def labelled_faces(reader: Reader, frame: Frame, tiles: Sequence[DrawnTile]) -> Iterator[Examples]:
    """Yield the features and labels of the detections that are not sure, unless none is sure."""
    seen = without_duplicates(reader.candidates(frame, grey(frame))[1])
    sure = seen.shows_symbol
    rows = np.flatnonzero(~sure)
    if sure.any():
        features = face_features(frame, seen, rows, sure)
        yield features, outcomes_of(seen.detections.kept(rows), tiles)


def labelled_cells(
    rng: Rng, reader: Reader, frame: Frame, tiles: Sequence[DrawnTile]
) -> Iterator[tuple[CandidateOrigin, Examples]]:
    """Yield the features and labels of the free cells beside tiles, some of which count as not detected."""
    result, seen = reader.candidates(frame, grey(frame))
    seen = without_duplicates(seen)
    real = outcomes_of(seen.detections, tiles) != OUTCOME_NUMBERS[Outcome.NONE]
    known = seen.kept(real & (rng.random(len(real)) > MISSED_SHARE))
    window = Window((0, 0, *seen.size), 1.0, result.view)
    _, free = free_cells(frame, known, window)
    numbers, cells = classified_cells((result.picture, window), free, known, reader.classifier)
    if not len(numbers):
        return
    features = cell_features(frame, cells, numbers, CellColours.of(frame, known, free))
    outcomes, whole = cell_outcomes(cells.detections, tiles), is_inside_picture(cells.detections, seen.size)
    for where, rows in ((CandidateOrigin.CELL, whole), (CandidateOrigin.CUT, ~whole)):
        yield where, (features[rows], outcomes[rows])


def cell_outcomes(cells: Detections, tiles: Sequence[DrawnTile]) -> NDArray[np.int64]:
    """Return the label of each free cell, (n,), ``UNCLEAR`` where a tile lies partly in it."""
    whole, partly = (outcomes_of(cells, tiles, r) for r in (MAX_MATCH_DISTANCE_TILES, MAX_TAKEN_DISTANCE))
    return np.where(whole == partly, whole, UNCLEAR)


def random_words(rng: Rng, letters: Sequence[str]) -> list[Word]:
    """Return 150 words of random letters."""
    return [[choose(rng, letters) for _ in range(rng.integers(2, 9))] for _ in range(150)]


def random_view(rng: Rng) -> View:
    """Return a random camera nearly straight above a table, of 0.5 to 3 megapixels."""
    width = int(np.exp(rng.uniform(np.log(800), np.log(2000))))
    tilt, turn = min(MAX_TILT_DEG, float(abs(rng.normal(0, 10)))), float(rng.uniform(0, 360))
    tile_px = width / float(rng.uniform(24, 60))
    return View(width, width * 3 // 4, tile_px, tilt, turn, float(rng.normal(0, 0.02)))


def labelled_candidates(
    rng: Rng, reader: Reader, frame: Frame, scene: EquationScene
) -> Iterator[tuple[CandidateOrigin, Examples]]:
    """Yield the features and labels of the candidates in a picture, by where they are."""
    seen = reader.candidates(frame, grey(frame))[1]
    board = seen.board
    if not isinstance(board, Board):
        return
    seen = seen.kept(fits_board(seen.detections, board))
    empty = square_colours(frame, board)
    colours = SquareColours.of(frame, seen, board, empty)
    candidates = Candidates.from_detections(seen, colours)
    features, outcomes = candidates.features(frame, colours), outcomes_of(seen.detections, scene.tiles)
    for where, rows in candidates.by_origin(colours).items():
        yield where, (features[rows], outcomes[rows])
    missed = rng.random(len(outcomes)) < MISSED_SHARE
    tiles = seen.kept((outcomes < OUTCOME_NUMBERS[Outcome.NONE]) & ~missed)
    colours = SquareColours.of(frame, tiles, board, empty)
    if not colours.sure.any():
        return
    dazzled, others = odd_squares(frame, colours, board)
    beside = others[colours.beside_tiles()[others]]
    squares = Candidates.of_squares(frame, colours, beside, reader.classifier)
    outcomes = cell_outcomes(squares.detections, scene.tiles)
    yield CandidateOrigin.NEIGHBOUR, (squares.features(frame, colours), outcomes)
    if frame.ndim == 3:
        squares = Candidates.of_squares(frame, colours, np.concatenate([dazzled, others]), reader.classifier)
        outcomes = outcomes_of(squares.detections, scene.tiles)
        yield CandidateOrigin.SQUARE, (squares.features(frame, colours), outcomes)


def outcomes_of(
    detections: Detections, tiles: Sequence[DrawnTile], reach: float = MAX_MATCH_DISTANCE_TILES
) -> NDArray[np.int64]:
    """Return the label of each detection, (n,), ``UNCLEAR`` for a partly hidden tile.

    ``reach`` is the largest distance of its tile's centre, in sides.
    """
    outcomes = np.full(len(detections), OUTCOME_NUMBERS[Outcome.NONE])
    if not tiles:
        return outcomes
    corners = np.array([tile.corners for tile in tiles])
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean(1)
    away = distances(detections.centres, corners.mean(1)) / sides
    for k, tile in zip(range(len(detections)), away.argmin(1).tolist(), strict=True):
        if away[k, tile] < reach:
            shown = Outcome.SYMBOL if tiles[tile].symbol else Outcome.BARE
            outcomes[k] = OUTCOME_NUMBERS[shown] if tiles[tile].visible > MIN_VISIBLE_SHARE else UNCLEAR
    return outcomes


def fitted_model(key: Key, pictures: Sequence[tuple[int, Examples]]) -> dict[str, object]:
    """Return a fitted model in the file's format; ``pictures`` are their numbers and examples.

    A candidate counts less the more its picture has: one of a patterned cloth alone has hundreds.
    """
    features, outcomes, numbers = concatenated(pictures)
    held, counts_as = numbers % HELD_OUT_EVERY == 0, 1 / np.sqrt(np.bincount(numbers)[numbers])
    if held.all() or not held.any():
        raise UsageError("too few pictures for a fit: give more with --boards and --tables, such as 50")
    low, high = np.percentile(features, (OUTLIER_PERCENT, 100 - OUTLIER_PERCENT), axis=0)
    rows = polynomial_features(np.clip(features, low, high))
    mean, spread = rows.mean(0), rows.std(0) + MIN_PROBABILITY
    rows = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    some = logistic(rows[~held], outcomes[~held], counts_as[~held])
    loss = float(
        np.average(negative_log_likelihood(rows[held], outcomes[held], some), weights=counts_as[held])
    )
    weights = logistic(rows, outcomes, counts_as)
    counts = np.bincount(outcomes, minlength=len(Outcome)).tolist()
    log.info("%s, %d channels: %s examples, held out %.4f nats", *key, counts, loss)
    parts = {"low": low, "high": high, "mean": mean, "spread": spread, "weights": weights}
    rounded = {name: np.round(part, 5).tolist() for name, part in parts.items()}
    return {
        "where": key[0],
        "channels": key[1],
        "examples": counts,
        "held_out_nats": round(loss, 5),
    } | rounded


def concatenated(
    pictures: Sequence[tuple[int, Examples]],
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return the features, labels and picture's number of each example."""
    features = np.concatenate([found for _, (found, _) in pictures])
    outcomes = np.concatenate([found for _, (_, found) in pictures])
    numbers = np.concatenate([np.full(len(found), k) for k, (found, _) in pictures])
    clear = outcomes != UNCLEAR
    return features[clear], outcomes[clear], numbers[clear]


def logistic(rows: Floats, outcomes: NDArray[np.int64], counts_as: Floats) -> Floats:
    """Return the weights, (features + 1, outcomes), of multinomial logistic regression with a ridge.

    ``counts_as``, (n,), is the weight of each example.
    """
    x, target = torch.from_numpy(rows), torch.from_numpy(outcomes)
    share = torch.from_numpy(counts_as / counts_as.sum())
    weights = torch.zeros(rows.shape[1], len(Outcome), dtype=torch.float64, requires_grad=True)
    optimiser: torch.optim.Optimizer = torch.optim.LBFGS(
        [weights], max_iter=MAX_ITERATIONS, line_search_fn="strong_wolfe"
    )

    def loss() -> float:
        optimiser.zero_grad()
        losses = cross_entropy(x @ weights, target, reduction="none")
        value = (losses * share).sum() + PENALTY / len(rows) * (weights[:-1] ** 2).sum()
        torch.autograd.backward(value)
        return float(value.detach())

    optimiser.step(loss)
    return np.asarray(weights.detach().numpy())


def negative_log_likelihood(rows: Floats, outcomes: NDArray[np.int64], weights: Floats) -> Floats:
    """Return the negative log likelihood of each outcome, (n,), in nats."""
    return np.asarray(-np.log(softmax(rows @ weights)[np.arange(len(outcomes)), outcomes] + MIN_PROBABILITY))
