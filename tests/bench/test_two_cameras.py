"""Boards under two cameras: what counts as right, and that two see more than one."""

from __future__ import annotations

import pytest

from companion.bench.two_cameras import KINDS, count_letters, rotated_board, two_camera_metrics
from companion.model.sightings import Board

LETTERS = {(0, 0): "A", (0, 1): "B", (1, 0): "C", (1, 1): "D"}


def test_a_letter_is_right_asked_about_or_a_silent_fault() -> None:
    board = Board(((0, 1, "B"), (1, 0, "O"), (1, 1, "D")), (), ((1, 1),))
    assert count_letters(LETTERS, board) == {"letters": 4, "right": 1, "silent": 2}


def test_a_missed_letter_is_asked_about_where_a_doubt_lies_beside_those_missed() -> None:
    row = {(0, col): symbol for col, symbol in enumerate("ABCDE")}
    board = Board(((0, 0, "A"), (0, 1, "B"), (0, 4, "E")), (), ((0, 1),))
    assert count_letters(row, board) == {"letters": 5, "right": 2, "silent": 0}
    assert count_letters(row, Board(board.cells)) == {"letters": 5, "right": 3, "silent": 2}


def test_a_board_is_turned_with_its_doubts() -> None:
    board = Board.of({(0, 0): "A", (1, 0): "B"})
    once = rotated_board(Board(board.cells, (), ((1, 0),)), 1, 5)
    assert (once.symbols(), once.doubts) == ({(0, 4): "A", (0, 3): "B"}, ((0, 3),))
    assert rotated_board(board, 4, 5) == board


@pytest.mark.slow
def test_two_cameras_read_what_a_lamp_hides_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.bench.two_cameras.KINDS", {"binary board": KINDS["binary board"]})
    heard: list[str] = []
    found = {metric.what.split(", ", 2)[2]: metric.value for metric in two_camera_metrics(1, heard.append)}
    assert heard == ["binary board, two cameras, 1 of 1"]
    one, both = (found[f"{who}: letters right and sure"] for who in ("one camera", "two cameras"))
    assert one < both
    assert found["two cameras: letters wrong or missed without a doubt"] == 0
