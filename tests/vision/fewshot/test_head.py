from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.fewshot.head import Head, ViewModel, distance_softmax, merge_equal_turns

KINDS = 2


def blobs(seed: int = 1, each: int = 12) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return features of two symbols in four turns: eight clouds, far apart, in twenty dimensions."""
    rng = np.random.default_rng(seed)
    middles = np.eye(20)[:8] * 10
    labels = np.repeat(np.arange(8), each)
    return (middles[labels] + rng.normal(0, 0.5, (len(labels), 20))).astype(np.float32), labels


def head(limit: float = 0.5, truly: Sequence[Sequence[float]] = ((1, 0), (0, 1))) -> Head:
    features, labels = blobs()
    eyes = (ViewModel.of(features, labels), ViewModel.of(-features, labels))
    return Head(("A", "B"), eyes, np.array([4, 4]), 0.03, limit, np.array(truly))


def test_fresh_tiles_are_told_with_their_turn() -> None:
    features, labels = blobs(seed=2)
    chance, known = head().symbol_probabilities((features, -features))
    assert np.array_equal(chance.reshape(len(labels), -1).argmax(1), labels)
    assert known.min() > 0.9


def test_the_chances_of_a_tile_add_up_to_one() -> None:
    features, _ = blobs(seed=3)
    chance, _ = head().symbol_probabilities((features, -features))
    assert np.allclose(chance.sum((1, 2)), 1)


def test_symbols_that_look_alike_share_what_they_have() -> None:
    features, labels = blobs(seed=2)
    chance, _ = head(truly=((0.7, 0.3), (0.2, 0.8))).symbol_probabilities((features, -features))
    assert np.allclose(chance.sum(2)[labels < 4].mean(0), [0.7, 0.3], atol=0.01)
    assert np.allclose(chance.sum(2)[labels >= 4].mean(0), [0.2, 0.8], atol=0.01)


def test_two_eyes_are_surer_than_either() -> None:
    features, labels = blobs(seed=2)
    both = head().symbol_probabilities((features, -features))[0].reshape(len(labels), -1)
    one = head()
    single = (
        replace(one, view_models=one.view_models[:1])
        .symbol_probabilities((features,))[0]
        .reshape(len(labels), -1)
    )
    assert both.max(1).mean() > single.max(1).mean()


def test_what_looks_like_no_example_is_not_known() -> None:
    stranger = (np.eye(20)[12:15] * 10).astype(np.float32)
    assert head().symbol_probabilities((stranger, -stranger))[1].max() < 0.1


def test_no_tiles_have_no_chances() -> None:
    nothing = np.zeros((0, 20), np.float32)
    chance, known = head().symbol_probabilities((nothing, nothing))
    assert (chance.shape, known.shape) == ((0, KINDS, 4), (0,))


def test_the_nearer_of_two_symbols_gets_more() -> None:
    away = np.array([[[0.0, 9, 9, 9], [2.0, 9, 9, 9]]])
    chance = distance_softmax(away, 1.0)[0]
    assert chance[0, 0] / chance[1, 0] == np.exp(1)


def test_turns_that_look_alike_share_their_chance() -> None:
    chance = np.array([[[0.4, 0.0, 0.0, 0.0], [0.3, 0.0, 0.1, 0.0], [0.2, 0.0, 0.0, 0.0]]])
    four, two, one = merge_equal_turns(chance, np.array([4, 2, 1]))[0]
    assert four.tolist() == [0.4, 0, 0, 0]
    assert two.tolist() == [0.2, 0, 0.2, 0]
    assert one.tolist() == [0.05] * 4
