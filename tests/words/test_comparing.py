"""How far lists agree, on a handful of words counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.words import WordList, default_lexicon
from companion.words.comparing import Agreement, Differences, differences, list_agreements
from companion.words.text_lists import from_file

JUDGE = WordList.written("judge", ["at", "cat", "cot", "zzzzz"], rare=["cit", "cut"])
YARDSTICK = WordList.written("yardstick", ["at", "cat", "cit", "cog"])


@pytest.mark.parametrize(
    ("letters", "lenient", "accepted", "other", "both"),
    [
        (None, False, 4, 4, 2),  # at cat | at cat cit cog
        (None, True, 6, 4, 3),  # and cit
        (2, False, 1, 1, 1),
        (3, False, 2, 3, 1),
        (3, True, 4, 3, 2),
        (4, True, 0, 0, 0),
    ],
)
def test_words_are_counted_by_length_and_policy(
    letters: int | None, lenient: bool, accepted: int, other: int, both: int
) -> None:
    assert Agreement(letters, lenient, accepted, other, both) in list_agreements(JUDGE, YARDSTICK)


def test_precision_and_recall_are_parts_of_the_accepted_and_of_the_other_words() -> None:
    strict = list_agreements(JUDGE, YARDSTICK)[0]
    assert (strict.precision, strict.recall) == (2 / 4, 2 / 4)


def test_where_there_is_no_word_there_is_no_precision_and_no_recall() -> None:
    fours = list_agreements(JUDGE, YARDSTICK)[-1]
    assert (fours.letters, fours.precision, fours.recall) == (4, None, None)


def test_words_that_one_list_lacks_are_told_by_kind() -> None:
    assert differences(JUDGE, YARDSTICK) == Differences(
        valid=("cot", "zzzzz"), rare=("cut",), missing=("cog",)
    )


def test_differences_are_counted_at_each_length() -> None:
    assert list(differences(JUDGE, YARDSTICK).by_length()) == [
        (3, {"valid": 1, "rare": 1, "missing": 1}),
        (5, {"valid": 1, "rare": 0, "missing": 0}),
    ]


def test_the_default_list_agrees_with_a_tournament_list_as_far_as_was_measured(shared: Path) -> None:
    yardstick = from_file(shared / "words" / "enable2k.txt", "yardstick").words
    strict, lenient = list_agreements(default_lexicon().words, yardstick)[:2]
    assert strict.precision == pytest.approx(0.897, abs=0.001)
    assert strict.recall == pytest.approx(0.612, abs=0.001)
    assert lenient.precision == pytest.approx(0.680, abs=0.001)
    assert lenient.recall == pytest.approx(0.9983, abs=0.0002)
