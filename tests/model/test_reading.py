"""Values of a reading."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from companion.model.reading import Cell, Corners, Face, Piece, Reading, Tableau, Tile

SQUARE: Corners = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def tile(corners: Corners = SQUARE) -> Tile:
    return Tile("A", Face.UP, corners, 0.99, False)


def test_the_centre_of_a_tile_is_the_middle_of_its_corners() -> None:
    assert tile().centre == (5.0, 5.0)


def test_a_leaning_tile_has_its_centre_where_its_diagonals_cross() -> None:
    leaning: Corners = ((2.0, 0.0), (8.0, 2.0), (6.0, 8.0), (0.0, 6.0))
    assert tile(leaning).centre == (4.0, 4.0)


def test_a_tile_is_loose_until_it_is_given_a_place() -> None:
    assert (tile().tableau, tile().row, tile().col) == (None, None, None)
    assert replace(tile(), tableau=0, row=3, col=5).row == 3


def test_nothing_read_can_be_changed_afterwards() -> None:
    cell = Cell(0, 0, "A", doubt=False, confidence=0.9)
    for value, name in ((tile(), "symbol"), (cell, "symbol"), (Tableau((cell,), 90.0), "turn_deg")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, "B")


def test_faces_are_written_as_the_output_writes_them() -> None:
    assert [str(face) for face in Face] == ["up", "down"]


def test_a_seat_is_unknown_until_somebody_says_who_sits_where() -> None:
    assert Tableau((), 0.0).seat is None


def test_two_readings_of_one_picture_are_equal_however_long_they_took() -> None:
    quick = Reading(640, 480, "binary", (tile(),), (), timing_ms={"total": 1.0})
    slow = replace(quick, timing_ms={"total": 900.0})
    assert quick == slow
    assert quick != replace(quick, tile_set="scrabble-en")


def test_no_two_readings_share_their_times() -> None:
    first, second = (Reading(1, 1, "binary", (), ()) for _ in range(2))
    first.timing_ms["total"] = 3.0
    assert second.timing_ms == {}


def test_a_reading_without_a_board_shows_no_pieces() -> None:
    plain = Reading(1, 1, "binary", (), ())
    assert (plain.board, plain.pieces) == (None, ())
    assert replace(plain, board="volcano", pieces=(Piece("green", 0, 3, "large"),)).pieces[0].col == 3
