"""A detection whose turn was misjudged is turned until its symbol can be read."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.tiles import tile_set
from companion.vision.classifier import ClassProbabilities, TrainedClassifier, crop_source
from companion.vision.detector.detections import Detections
from companion.vision.networks import FINE_CLASSIFIER_PATH, ClassifierNetwork
from companion.vision.pipeline.reader import MAX_REFINED, refine_rotation
from tests.vision.made_detections import LETTERS, detections_at

GREY = np.full((200, 200), 90, np.uint8)


class Wanting:
    """Reads an A the better the nearer an outline's turn is to what it wants, and counts its looks."""

    symbols = LETTERS

    def __init__(self, wanted: float) -> None:
        self.wanted, self.looked_at = wanted, 0

    def classify_once(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        assert picture.ndim == 2
        self.looked_at += len(quads)
        across = quads[:, 1] - quads[:, 0]
        off = np.abs(np.arctan2(across[:, 1], across[:, 0]) - self.wanted)
        chance = np.zeros((len(quads), len(LETTERS), 4))
        chance[:, 0, 0] = np.clip(1 - 3 * off, 0, 1)
        return ClassProbabilities(LETTERS, chance, np.zeros(len(quads)), 1 - chance.sum((1, 2)))

    classify = classify_once


def seen(classifier: Wanting, detections: Detections) -> tuple[Detections, ClassProbabilities]:
    """Return what becomes of detections once those that are read badly are turned."""
    return refine_rotation(classifier, GREY, detections, classifier.classify(*crop_source(GREY, detections)))


def test_a_tile_that_lies_askew_is_turned_until_it_is_read() -> None:
    detections, probabilities = seen(Wanting(0.3), detections_at([(100, 100)]))
    assert detections.turns[0] == pytest.approx(0.3)
    assert probabilities.p_best_symbol()[0] == pytest.approx(1)


def test_a_tile_that_is_read_well_stays_as_it_is() -> None:
    classifier = Wanting(0.02)
    detections, _ = seen(classifier, detections_at([(100, 100)]))
    assert (detections.turns[0], classifier.looked_at) == (0, 1)


def test_what_is_read_in_no_turn_stays_as_it_is() -> None:
    before = detections_at([(100, 100)])
    detections, probabilities = seen(Wanting(1.2), before)
    assert detections.turns.tolist() == before.turns.tolist()
    assert probabilities.p_background[0] == 1


def test_a_wild_pattern_costs_no_more_than_the_strongest_finds() -> None:
    classifier = Wanting(1.2)
    many = detections_at([(100, 100)] * (MAX_REFINED + 50))
    seen(classifier, many)
    assert classifier.looked_at == len(many) + 6 * MAX_REFINED


def test_nothing_is_turned_where_nothing_was_found() -> None:
    detections, probabilities = seen(Wanting(0), detections_at([]))
    assert (len(detections), len(probabilities.p_background)) == (0, 0)


def test_the_shipped_network_reads_a_bare_picture_as_no_letter_in_any_turn() -> None:
    classifier = TrainedClassifier(
        ClassifierNetwork(), ClassifierNetwork(FINE_CLASSIFIER_PATH), tile_set("bananagrams-en")
    )
    detections = detections_at([(100, 100)])
    turned, _ = refine_rotation(
        classifier, GREY, detections, classifier.classify(*crop_source(GREY, detections))
    )
    assert turned.turns[0] == 0
