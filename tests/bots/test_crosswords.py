"""Bots that build crosswords: every tile used, every word known, within the room there is."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from companion.bots.crossword import CrosswordBuilder, GridSize
from companion.bots.vocabulary import Vocabulary
from companion.model.grid import islands, runs
from tests.bots.told import lexicon, vocabulary

ROOM = GridSize(11, 15)


def builder(seed: int, words: Vocabulary | None = None) -> CrosswordBuilder:
    return CrosswordBuilder(words or vocabulary(), ROOM, random.Random(seed))


@pytest.mark.parametrize("letters", ["PLANTEDQUIZWAXJOGEMBI", "EEAAIOURSTLNDRSTETAIN"])
def test_a_whole_hand_becomes_one_crossword_of_listed_words(letters: str) -> None:
    cells = builder(1).complete({}, letters)
    assert cells is not None
    assert Counter(cells.values()) == Counter(letters)
    assert len(islands(cells)) == 1
    assert all(lexicon().accepts("".join(run.symbols)) for run in runs(cells))
    assert all(ROOM.contains(cell) for cell in cells)


def test_one_more_letter_is_added_to_what_lies_there() -> None:
    lying = {(5, 5): "C", (5, 6): "A", (5, 7): "T"}
    cells = builder(1, Vocabulary(["cat", "cats"])).complete(lying, "S")
    assert cells == {**lying, (5, 8): "S"}


def test_letters_that_make_no_word_are_left_alone() -> None:
    assert builder(1, Vocabulary(["cat"])).complete({}, "CAX") is None


def test_a_phony_is_one_word_that_nobody_knows() -> None:
    made = builder(1, Vocabulary(["cat", "cats"])).phony({(5, 5): "C", (5, 6): "A", (5, 7): "T"}, "Q")
    assert made is not None
    assert ["".join(run.symbols) for run in runs(made)] == ["CATQ"]


def test_the_same_seed_builds_the_same() -> None:
    assert builder(7).complete({}, "PLANTEDQUIZ") == builder(7).complete({}, "PLANTEDQUIZ")
