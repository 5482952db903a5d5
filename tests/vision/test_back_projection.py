"""Tiles found by the colour that they have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drawing.camera import View
from calibration.drawing.equations import EquationScene, equation_game
from companion.model.tiles import tile_set
from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.colour import back_project
from companion.vision.detector.back_projection import SPREAD, add_back_projected
from companion.vision.fewshot.classifier import classifier_for
from companion.vision.networks import Detector
from companion.vision.pipeline.colour_model import face_colours
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader

BINARY = tile_set("binary")


@pytest.fixture(scope="module")
def game() -> EquationScene:
    return equation_game(np.random.default_rng(5), View(800, 600, 22.0, 8.0, 30.0), BINARY.counts or {})


@pytest.fixture(scope="module")
def seen(game: EquationScene) -> FrameDetections:
    return Reader(BINARY, "scrabble").detect(game.picture)


def test_tiles_that_were_overlooked_are_found_again_and_nothing_else(
    game: EquationScene, seen: FrameDetections
) -> None:
    dropped = np.arange(len(seen.detections)) % 3 == 0
    some = seen.kept(~dropped)
    every = add_back_projected(game.picture, some, Detector(), classifier_for(BINARY))
    new = every.detections.centres[len(some.detections) :]
    middles = np.array([tile.corners.mean(0) for tile in game.tiles if tile.symbol])
    assert all(np.linalg.norm(middles - at, axis=1).min() < 8 for at in new)
    assert len(new) > 0.6 * (dropped & (seen.probabilities.p_best_symbol() > 0.95)).sum()


@pytest.mark.parametrize(("sure", "some"), [(0.6, True), (0.4, False)])
def test_what_plainly_ends_need_only_be_likelier_to_show_a_symbol_than_not(
    game: EquationScene, seen: FrameDetections, sure: float, some: bool
) -> None:
    class Vague:
        symbols = classifier_for(BINARY).symbols

        def classify(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
            told = classifier_for(BINARY).classify(picture, quads)
            return replace(told, p_symbol=told.p_symbol * sure)

        classify_once = classify

    kept = seen.kept(np.arange(len(seen.detections)) % 3 > 0)
    new = add_back_projected(game.picture, kept, Detector(), Vague()).detections.centres[
        len(kept.detections) :
    ]
    middles = np.array([tile.corners.mean(0) for tile in game.tiles if tile.symbol])
    assert all(np.linalg.norm(middles - at, axis=1).min() < 8 for at in new)
    assert (len(new) > 5) == some


def test_few_tiles_do_not_tell_what_colour_all_have(game: EquationScene, seen: FrameDetections) -> None:
    few = seen.kept(np.arange(4))
    assert add_back_projected(game.picture, few, Detector(), classifier_for(BINARY)) is few


def test_likeness_is_full_where_a_face_is_and_nought_where_another_colour_is() -> None:
    frame = np.zeros((20, 40, 3), np.uint8)
    frame[:, :20], frame[:, 20:] = (120, 175, 215), (215, 175, 120)
    faces = face_colours(frame, np.array([[10.0, 10.0]]), np.eye(2)[None] * 16)[0]
    seen = back_project(frame, faces, SPREAD)
    assert seen[:, :20].min() >= 254
    assert seen[:, 20:].max() == 0
