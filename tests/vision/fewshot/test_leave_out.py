from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.fewshot.embedding import Embedder
from companion.vision.fewshot.head import Head, Trial, confusion, distinguishable_turns, fit_head
from tests.shapes import examples


@pytest.fixture(scope="module")
def shapes() -> tuple[Head, Trial]:
    return fit_head(Embedder(), examples(["△", "↑", "Γ", "✚"]))


def trial_of(own: NDArray[np.float64], corner: int) -> Trial:
    """Return one look at the only symbol, with these distances in its four turns."""
    return Trial(np.zeros(1, int), np.full(1, corner), own.reshape(1, 1, 4), np.ones(1), np.zeros(1, int))


def test_shapes_that_nobody_trained_are_told_by_examples_of_the_others(shapes: tuple[Head, Trial]) -> None:
    _, trial = shapes
    assert np.array_equal(trial.away.min(2).argmin(1), trial.truth)


def test_every_example_is_left_out_in_all_its_turns(shapes: tuple[Head, Trial]) -> None:
    _, trial = shapes
    assert np.unique(trial.example).tolist() == list(range(12))
    assert np.bincount(trial.corner).tolist() == [len(trial.truth) // 4] * 4


def test_a_sign_that_looks_alike_all_ways_up_has_no_turn(shapes: tuple[Head, Trial]) -> None:
    head, _ = shapes
    turns = dict(zip(head.kinds, head.turns.tolist(), strict=True))
    assert turns["✚"] == 1
    assert turns["↑"] == turns["Γ"] == 4


@pytest.mark.parametrize(
    ("away", "turns"),
    [([0.0, 500, 500, 500], 4), ([0.0, 500, 1, 500], 2), ([0.0, 1, 1, 1], 1)],
)
@pytest.mark.parametrize("corner", [0, 1, 3])
def test_turns_are_told_apart_where_the_right_one_is_much_nearer(
    away: list[float], turns: int, corner: int
) -> None:
    trial = trial_of(np.roll(np.array(away), corner), corner)
    assert distinguishable_turns(("A",), trial, 0.035).tolist() == [turns]


def test_a_bare_face_has_no_turn() -> None:
    assert distinguishable_turns(("",), trial_of(np.array([0.0, 500, 500, 500]), 0), 0.035).tolist() == [1]


def test_symbols_that_look_alike_are_never_sure_and_others_stay_as_they_are() -> None:
    # A lies as near to B as to itself, C far from both
    far = [9e4, 9e4, 9e4, 9e4]
    near = [0.0, 9e4, 9e4, 9e4]
    away = np.array([[near, near, far], [far, near, far], [far, far, near]])
    trial = Trial(np.arange(3), np.zeros(3, int), away, np.ones(3), np.arange(3))
    told = confusion(trial, 1.0).round(3).tolist()
    assert told == [[0.667, 0.333, 0], [0.333, 0.667, 0], [0, 0, 1]]


def test_symbols_that_look_alike_only_when_turned_stay_as_they_are() -> None:
    away = np.array([[[0.0, 9e4, 9e4, 9e4], [9e4, 0, 9e4, 9e4]], [[9e4, 9e4, 9e4, 0], [0, 9e4, 9e4, 9e4]]])
    trial = Trial(np.arange(2), np.zeros(2, int), away, np.ones(2), np.arange(2))
    assert np.allclose(confusion(trial, 1.0), np.eye(2))
