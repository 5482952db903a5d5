from __future__ import annotations

import numpy as np

from companion.vision.networks import ClassifierNetwork

CROPS = np.random.default_rng(1).integers(0, 256, (5, 32, 32)).astype(np.uint8)


def test_features_come_with_the_same_logits_as_without() -> None:
    classifier = ClassifierNetwork()
    assert np.array_equal(classifier.embed(CROPS)[0], classifier.logits(CROPS))


def test_features_are_a_row_for_each_crop_and_differ() -> None:
    _, features = ClassifierNetwork().embed(CROPS)
    assert features.shape[0] == 5
    assert features.shape[1] > 100
    assert np.linalg.norm(features[0] - features[1]) > 0.1


def test_no_crops_give_no_rows() -> None:
    logits, features = ClassifierNetwork().embed(CROPS[:0])
    assert (len(logits), len(features)) == (0, 0)
