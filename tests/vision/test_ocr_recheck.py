"""Doubted tiles are shown upright to a second reader, and what it says is weighed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.classifier import ClassProbabilities
from companion.vision.decoding import MIN_CONFIDENCE, Choice, ask_ocr, compose, recheck_with_ocr
from companion.vision.grid.components import Layout
from tests.vision.made_detections import LETTERS, detections_at, probabilities_of

GREY = np.full((200, 400), 90, np.uint8)


class Saying:
    """A reader that says the same letter of every tile, as surely as told, and keeps what it was shown."""

    def __init__(self, letter: str, sure: float) -> None:
        self.letter, self.sure = letter, sure
        self.shown: NDArray[np.uint8] = np.zeros((0, 32, 32), np.uint8)

    def symbol_probabilities(self, cuts: NDArray[np.uint8], symbols: tuple[str, ...]) -> NDArray[np.float64]:
        self.shown = cuts
        said = np.zeros((len(cuts), len(symbols)))
        said[:, symbols.index(self.letter)] = self.sure
        return said


def again(second: Saying, letter: str = "N", sure: float = 0.7, turn: int = 0) -> Choice:
    """Return what becomes of a tile read as a letter, or else a Z, with so much confidence."""
    probabilities, detections = (
        probabilities_of(letter, turns=[turn], sure=sure, others="Z"),
        detections_at([(100, 100)]),
    )
    doubted = {0: Choice(letter, turn, sure, "Z")}
    choice = recheck_with_ocr(ask_ocr(second, GREY, detections, probabilities, doubted), doubted).get(
        0, doubted[0]
    )
    assert isinstance(choice, Choice)
    return choice


def test_two_readers_that_surely_say_the_same_settle_a_doubt() -> None:
    choice = again(Saying("N", 0.99))
    assert choice.symbol == "N"
    assert choice.confidence >= MIN_CONFIDENCE


def test_a_second_reader_that_says_something_else_leaves_the_doubt_and_names_it() -> None:
    choice = again(Saying("M", 0.99))
    assert choice.confidence < MIN_CONFIDENCE
    assert {choice.symbol, choice.runner_up} == {"N", "M"}


def test_a_silent_second_reader_changes_nothing() -> None:
    assert again(Saying("N", 0.0)) == Choice("N", 0, 0.7, "Z")


@pytest.mark.parametrize("turn", range(4))
def test_the_tile_is_shown_upright_whatever_its_turn(turn: int) -> None:
    picture = GREY.copy()
    corner = [(82, 82), (118, 82), (118, 118), (82, 118)][turn]  # a bright spot at the symbol's own top left
    picture[corner[1] - 4 : corner[1] + 5, corner[0] - 4 : corner[0] + 5] = 250
    second = Saying("N", 0.9)
    doubted = {0: Choice("N", turn, 0.7, "Z")}
    ask_ocr(second, picture, detections_at([(100, 100)]), probabilities_of("N", turns=[turn]), doubted)
    assert second.shown[0, :8, :8].max() > 200


def composed_with(probabilities: ClassProbabilities, said: str, sure: float) -> list[tuple[str | None, bool]]:
    """Return symbol and doubt of two tiles of which a second reader said some letter, upright."""
    second = np.zeros(probabilities.p_symbol.shape)
    second[:, LETTERS.index(said), 0] = sure
    tiles, _ = compose(
        detections_at([(50, 50), (300, 50)]),
        replace(probabilities, second=second),
        Layout((), frozenset()),
        (400, 100),
    )
    return [(tile.symbol, tile.doubt) for tile in tiles]


def test_only_of_doubted_tiles_it_counts_what_a_second_reader_said() -> None:
    probabilities = probabilities_of("A", "N", sure=0.99)
    probabilities.p_symbol[1, LETTERS.index("N"), 0], probabilities.p_symbol[1, LETTERS.index("Z"), 0] = (
        0.7,
        0.3,
    )
    assert composed_with(probabilities, "N", 0.99) == [("A", False), ("N", False)]


def test_what_was_said_of_another_turn_does_not_count() -> None:
    probabilities = probabilities_of("N", "N", sure=0.7, others="ZZ", turns=[0, 1])
    assert composed_with(probabilities, "N", 0.99) == [("N", False), ("N", True)]


def test_what_a_second_reader_said_turns_with_the_tile() -> None:
    probabilities = probabilities_of("A", turns=[1])
    probabilities.second[0, 0, 1] = 0.5
    turned = probabilities.rotated(np.array([np.pi / 2]))
    assert turned.second[0, 0].argmax() == turned.p_symbol[0, 0].argmax() == 0
