from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.reading.enrolled.features import Sight
from companion.reading.enrolled.head import Head
from companion.reading.enrolled.leave_out import Trial, learnt, telling_turns
from tests.shapes import examples


@pytest.fixture(scope="module")
def shapes() -> tuple[Head, Trial]:
    return learnt(Sight(), examples(["△", "↑", "Γ", "✚"]))


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
    assert telling_turns(("A",), trial, 0.035).tolist() == [turns]


def test_a_bare_face_has_no_turn() -> None:
    assert telling_turns(("",), trial_of(np.array([0.0, 500, 500, 500]), 0), 0.035).tolist() == [1]
