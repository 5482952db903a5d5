"""Doubted tiles are shown upright to a second reader, and what it says is weighed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.tiles import TileSet
from companion.vision.decoding.choices import Choice
from companion.vision.grid.components import Layout
from companion.vision.layout.compose import DOUBT, composed
from companion.vision.ocr import looked_at_again
from companion.vision.ocr.interface import DEADLINE_S
from tests.vision.made_detections import LETTERS, finds_at, named

GREY = np.full((200, 400), 90, np.uint8)


class Saying:
    """A reader that says the same letter of every tile, as surely as told, and keeps what it was shown."""

    def __init__(self, letter: str, sure: float) -> None:
        self.letter, self.sure = letter, sure
        self.shown: NDArray[np.uint8] = np.zeros((0, 32, 32), np.uint8)

    def chances(
        self,
        cuts: NDArray[np.uint8],
        symbols: tuple[str, ...],
        deadline_s: float = DEADLINE_S,
        turns: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        assert deadline_s > 0
        assert turns is not None
        self.shown = cuts
        said = np.zeros((len(cuts), len(symbols), 4))
        said[:, symbols.index(self.letter), 0] = self.sure
        return said


def again(second: Saying, letter: str = "N", sure: float = 0.7, turn: int = 0) -> Choice:
    """Return what becomes of a tile read as a letter, or else a Z, with so much confidence."""
    names, finds = named(letter, turns=[turn], sure=sure, others="Z"), finds_at([(100, 100)])
    doubted = {0: Choice(letter, turn, sure, "Z")}
    return looked_at_again(second, GREY, finds, names, doubted)[0]


def test_two_readers_that_surely_say_the_same_settle_a_doubt() -> None:
    choice = again(Saying("N", 0.99))
    assert choice.symbol == "N"
    assert choice.confidence >= DOUBT


@pytest.mark.parametrize("letter", "OQGCDIL")
def test_a_letter_that_others_look_like_stays_a_doubt_whoever_reads_it(letter: str) -> None:
    choice = again(Saying(letter, 0.99), letter, sure=0.8)
    assert choice.symbol == letter
    assert choice.confidence < DOUBT


def test_a_second_reader_that_says_something_else_leaves_the_doubt_and_names_it() -> None:
    choice = again(Saying("M", 0.99))
    assert choice.confidence < DOUBT
    assert {choice.symbol, choice.other} == {"N", "M"}


def test_a_silent_second_reader_changes_nothing() -> None:
    assert again(Saying("N", 0.0)) == Choice("N", 0, 0.7, "Z")


@pytest.mark.parametrize("turn", range(4))
def test_the_tile_is_shown_upright_whatever_its_turn(turn: int) -> None:
    picture = GREY.copy()
    corner = [(82, 82), (118, 82), (118, 118), (82, 118)][turn]  # a bright spot at the symbol's own top left
    picture[corner[1] - 4 : corner[1] + 5, corner[0] - 4 : corner[0] + 5] = 250
    second = Saying("N", 0.9)
    doubted = {0: Choice("N", turn, 0.7, "Z")}
    looked_at_again(second, picture, finds_at([(100, 100)]), named("N", turns=[turn]), doubted)
    assert second.shown[0, :8, :8].max() > 200


def test_only_doubted_tiles_are_thought_of_again() -> None:
    asked: list[int] = []

    def ask(chosen: dict[int, Choice]) -> dict[int, Choice]:
        asked.extend(chosen)
        return chosen

    names = named("A", "N", sure=0.99)
    names.chance[1, LETTERS.index("N"), 0], names.chance[1, LETTERS.index("Z"), 0] = 0.6, 0.4
    layout = Layout((), frozenset())
    composed(finds_at([(50, 50), (300, 50)]), names, layout, TileSet("letters", LETTERS), ask)
    assert asked == [1]
