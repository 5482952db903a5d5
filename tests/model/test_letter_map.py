"""The letters of a board with pyramids over time: what is known, and since when it lies there."""

from __future__ import annotations

from companion.model.grid import parse_grid
from companion.model.letter_map import LetterMap
from companion.model.sightings import Board, Cell


def seen(*rows: str, under: tuple[Cell, ...] = (), doubts: tuple[Cell, ...] = ()) -> Board:
    return Board(Board.of(parse_grid(rows)).cells, ((1, under),), doubts)


def told(*looks: Board) -> Board:
    """Return the last of some looks as it is told; they are taken at 10, 20, ..."""
    known = LetterMap()
    for number, look in enumerate(looks, 1):
        known = known.updated(look, 10 * number)
    return known.applied_to(looks[-1])


def test_a_letter_lies_there_since_before_the_first_look_or_since_it_was_first_seen() -> None:
    assert told(seen("A"), seen("AB")).since == ((0, 0, 0), (0, 1, 20))


def test_a_letter_in_the_open_stays_known_under_a_pyramid_that_shows_another() -> None:
    board = told(seen("A"), seen("R", under=((0, 0),), doubts=((0, 0),)))
    assert (board.symbols(), board.doubts, board.since) == ({(0, 0): "A"}, (), ((0, 0, 0),))


def test_what_shows_through_a_pyramid_fills_a_gap() -> None:
    assert told(seen("A", under=((0, 0),))).symbols() == {(0, 0): "A"}


def test_a_letter_that_only_shows_through_in_doubt_stays_a_doubt() -> None:
    board = told(seen("A", under=((0, 0),), doubts=((0, 0),)))
    assert (board.doubts, board.since) == (((0, 0),), ())


def test_a_lifted_pyramid_shows_the_old_tile_which_lies_there_since_long() -> None:
    assert told(seen("A"), seen("A", under=((0, 0),)), seen("A")).since == ((0, 0, 0),)


def test_another_letter_in_the_open_lies_there_since_then() -> None:
    assert told(seen("A"), seen("B")).since == ((0, 0, 20),)


def test_a_tile_that_was_seen_gone_and_shows_the_same_letter_again_is_another() -> None:
    assert told(seen("A"), seen("."), seen("A")).since == ((0, 0, 30),)


def test_a_doubtful_look_at_the_same_letter_is_the_same_tile() -> None:
    assert told(seen("A"), seen("A", doubts=((0, 0),)), seen("A")).since == ((0, 0, 0),)


def test_what_only_a_doubt_showed_in_between_is_no_other_tile() -> None:
    assert told(seen("A"), seen("B", doubts=((0, 0),)), seen("A")).since == ((0, 0, 0),)


def test_a_letter_last_read_with_a_doubt_is_not_known_under_a_pyramid() -> None:
    board = told(seen("A"), seen("B", doubts=((0, 0),)), seen("R", under=((0, 0),), doubts=((0, 0),)))
    assert (board.symbols(), board.doubts, board.since) == ({(0, 0): "R"}, ((0, 0),), ())


def test_a_letter_in_doubt_in_the_open_is_told_as_a_doubt() -> None:
    assert told(seen("A"), seen("B", doubts=((0, 0),))).doubts == ((0, 0),)
