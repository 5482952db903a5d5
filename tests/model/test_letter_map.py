from __future__ import annotations

from dataclasses import replace

import pytest

from companion.model.grid import Place
from companion.model.letter_map import Known, Letter, LetterMap, Surprise
from companion.model.reading import Piece, Reading
from tests.made_up import reading, tableau


def seen(drawing: str, covered: list[Place], doubts: dict[Place, str | None] | None = None) -> Reading:
    """Return a reading of a board with pyramids on some cells."""
    pieces = tuple(Piece("red", row, col, "large") for row, col in covered)
    return replace(reading(tableau(drawing, doubts)), board="volcano", pieces=pieces)


def test_letters_in_the_open_are_known_with_the_time() -> None:
    known = LetterMap().seen(seen("A B\n. C", []), 5)
    assert known.letters[0, 1] == Letter("B", Known.OPEN, 5)
    assert (known.symbol((1, 1)), known.symbol((1, 0)), len(known.unknown)) == ("C", None, 22)


def test_a_letter_stays_known_when_a_pyramid_comes_to_stand_on_it() -> None:
    known = LetterMap().seen(seen("A B", []), 5).seen(seen("A .", [(0, 1)]), 9)
    assert known.letters[0, 1] == Letter("B", Known.OPEN, 5)


def test_what_is_seen_through_a_pyramid_fills_a_gap_and_changes_nothing_else() -> None:
    known = LetterMap().seen(seen("A B", []), 5).seen(seen("A D C", [(0, 1), (0, 2)]), 9)
    assert (known.symbol((0, 1)), known.letters[0, 2]) == ("B", Letter("C", Known.THROUGH, 9))


def test_a_lifted_pyramid_confirms_what_was_thought() -> None:
    known = LetterMap().seen(seen("Q", [(0, 0)]), 5).seen(seen("Q", []), 9)
    assert (known.letters[0, 0], known.surprises) == (Letter("Q", Known.OPEN, 9), ())


def test_a_lifted_pyramid_corrects_what_was_thought_and_that_is_told_once() -> None:
    lifted = LetterMap().seen(seen("O", [(0, 0)]), 5).seen(seen("Q", []), 9)
    assert (lifted.symbol((0, 0)), lifted.surprises) == ("Q", (Surprise((0, 0), "O", "Q"),))
    assert lifted.seen(seen("Q", []), 12).surprises == ()


def test_a_letter_in_doubt_and_a_blank_tell_nothing() -> None:
    known = LetterMap().seen(seen("A B", [], {(0, 1): "R"}), 5)
    assert (known.symbol((0, 0)), known.symbol((0, 1))) == ("A", None)


def test_a_tile_that_players_replace_is_forgotten() -> None:
    known = LetterMap().seen(seen("A B", []), 5).replaced([(0, 1)])
    assert (known.symbol((0, 0)), known.symbol((0, 1))) == ("A", None)


def test_a_picture_without_the_board_changes_nothing() -> None:
    known = LetterMap().seen(seen("A", []), 5)
    assert known.seen(reading(tableau("Z")), 9) == known


def test_pyramids_beside_the_board_cover_nothing() -> None:
    assert LetterMap().seen(seen("A", [(2, 7), (-3, 1)]), 5).covered == frozenset()


def test_a_cell_off_the_board_is_refused() -> None:
    with pytest.raises(ValueError, match="rows and columns 0 to 4"):
        LetterMap({(5, 0): Letter("A", Known.OPEN, 1)})
