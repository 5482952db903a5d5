"""What is said of tableaux beside which a tile was not read."""

from __future__ import annotations

from dataclasses import replace

from companion.commands._reading import undecided, verdicts_of, with_unread
from companion.model.grid import Direction
from companion.model.reading import Unread
from companion.model.verdicts import JudgedWord, TableauVerdict
from tests.made_up import reading, tableau

ACROSS, DOWN = Direction.ACROSS, Direction.DOWN
SEEN = tableau("C A T\n. . O")
VALID = TableauVerdict((JudgedWord("CAT", 0, 0, ACROSS, True), JudgedWord("TO", 0, 2, DOWN, True)), 1, True)
WRONG = TableauVerdict((JudgedWord("CAT", 0, 0, ACROSS, False), JudgedWord("TO", 0, 2, DOWN, True)), 1, False)
BESIDE_C = replace(SEEN, unread=(Unread((20.0, 60.0), 0, 0),))


def test_a_tableau_that_was_read_whole_keeps_its_verdict() -> None:
    assert with_unread(VALID, SEEN) is VALID


def test_a_tableau_with_an_unread_tile_beside_it_is_unsure_and_so_are_the_words_that_may_go_on() -> None:
    told = with_unread(VALID, BESIDE_C)
    assert told.valid is None
    assert [word.valid for word in told.words] == [None, True]


def test_a_word_that_an_unread_tile_may_complete_is_not_refused() -> None:
    told = with_unread(WRONG, BESIDE_C)
    assert (told.valid, told.words[0].valid) == (None, None)


def test_every_tableau_of_a_picture_has_its_own_unread_places() -> None:
    verdicts = verdicts_of(reading(BESIDE_C, SEEN), lambda one: replace(undecided(one), valid=True))
    assert [one.valid for one in verdicts] == [None, True]
