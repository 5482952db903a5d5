from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.evaluation.boards import is_whole, spelt_metrics
from calibration.evaluation.truth import TrueTile
from companion.model.reading import Reading
from tests.made_up import SIDE, reading, tableau

WORD = tuple(TrueTile(symbol, (SIDE * (k + 1.5), SIDE * 1.5), SIDE) for k, symbol in enumerate("WORD"))


def test_a_word_whose_letters_follow_each_other_is_whole() -> None:
    assert is_whole(WORD, reading(tableau("W O R D")))


def apart() -> Reading:
    """Return a reading in which the last letter lies in a tableau of its own."""
    seen = reading(tableau("W O R D"))
    *first, last = seen.tiles
    return replace(seen, tiles=(*first, replace(last, tableau=1)))


@pytest.mark.parametrize(
    "seen", [apart(), reading(tableau("W O R")), reading(tableau("W O R D S")), reading(tableau("W O . D"))]
)
def test_a_word_that_is_cut_or_has_more_letters_is_not(seen: Reading) -> None:
    assert not is_whole(WORD, seen)


def test_words_are_counted_but_for_those_that_are_covered() -> None:
    covered = (*WORD[:3], replace(WORD[3], covered=True))
    (told,) = spelt_metrics("board", [[WORD, covered], [WORD]], [reading(tableau("W O R D")), apart()])
    assert (told.value, told.what) == (50, "board: words beside the board whole")
    assert list(spelt_metrics("board", [[covered]], [apart()])) == []
