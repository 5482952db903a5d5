from __future__ import annotations

import numpy as np

from companion.vision.fewshot.classifier import background_probability, blank_probability, log_odds

TILE = np.array([[0.9, 0.05, 0.05]])
NOTHING = np.array([[0.05, 0.05, 0.9]])


def test_a_tile_is_there_where_both_networks_say_so_and_none_where_both_deny_it() -> None:
    known = np.array([0.5])
    assert background_probability(TILE, TILE, known)[0] < 0.1
    assert background_probability(NOTHING, NOTHING, known)[0] > 0.5


def test_likeness_to_the_examples_speaks_for_a_tile_on_which_the_networks_disagree() -> None:
    like, unlike = (background_probability(NOTHING, TILE, np.array([known]))[0] for known in (0.99, 0.01))
    assert like < unlike / 3


def test_a_tile_is_bare_as_far_as_both_networks_say_so() -> None:
    bare = np.array([[0.04, 0.9, 0.06]])
    assert blank_probability(bare, bare)[0] > 0.9
    assert blank_probability(TILE, TILE)[0] < 0.1
    assert round(float(blank_probability(np.array([[0.2, 0.8, 0]]), np.array([[0.8, 0.2, 0]]))[0]), 3) == 0.5


def test_chances_of_nought_and_one_have_odds_that_can_be_reckoned_with() -> None:
    assert np.round(log_odds(np.array([0.0, 0.5, 1.0])), 1).tolist() == [-6.9, 0.0, 6.9]
