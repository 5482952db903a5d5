from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from calibration.evaluation.game_frames import (
    Mismatch,
    earlier_frames,
    game_metrics,
    mismatches,
    mismatches_text,
)
from companion.model.grid import parse_grid
from companion.model.reading import Cell, Reading
from companion.vision.camera_frame import CameraFrame, to_bgr
from tests.made_up import reading, tableau

FINAL = parse_grid(["CAT", "..O", "..?"])


class Plays:
    """Reads a board whose number is the brightness of the frame, which is in colour."""

    def __init__(self, boards: dict[int, Reading]) -> None:
        self.boards = boards

    def read(self, frame: CameraFrame) -> Reading:
        return self.boards[int(to_bgr(frame)[0, 0, 0])]


def game(folder: Path, frames: dict[str, int], **truth: object) -> None:
    folder.mkdir(parents=True)
    for name, grey in frames.items():
        cv2.imwrite(str(folder / f"{name}.png"), np.full((20, 20), grey, np.uint8))
    (folder / f"{max(frames)}.json").write_text(json.dumps({"tiles_set": "scrabble-de"} | truth))


def test_an_earlier_frame_that_holds_a_part_of_the_final_board_agrees() -> None:
    assert mismatches(reading(tableau("C A T")), FINAL) == ()


def test_another_letter_or_a_tile_where_none_is_at_last_strays() -> None:
    found = mismatches(reading(tableau("C A N\n. . .\nX . .", {(2, 0): "Y"})), FINAL)
    assert [str(stray) for stray in found] == ["1C N, at last T", "3A X (doubt), at last nothing"]


def test_blanks_are_called_so() -> None:
    cell = Cell(14, 14, "", False, 1.0)
    assert str(Mismatch(cell, None)) == "15O a blank, at last nothing"
    assert str(Mismatch(Cell(0, 0, "E", False, 1.0), "")) == "1A E, at last a blank"


def test_the_frames_of_a_game_are_those_before_the_final_one_without_the_draw(tmp_path: Path) -> None:
    game(tmp_path / "g", {"board-00": 0, "board-00a": 0, "board-02": 0, "board-01": 0, "board-03": 0})
    assert [path.name for path in earlier_frames(tmp_path / "g" / "board-03.png")] == [
        "board-01.png",
        "board-02.png",
    ]


def test_a_game_is_told_by_frames_and_by_sure_cells(tmp_path: Path) -> None:
    frames = {"board-00": 9, "board-01": 1, "board-02": 2, "board-03": 3}
    game(tmp_path / "games" / "one", frames, board="scrabble", grid=["CAT", "..O"])
    told: list[str] = []
    plays = Plays({1: reading(tableau("C A T")), 2: reading(tableau("C A R\n. . N", {(1, 2): "O"}))})
    agree, sure = game_metrics(tmp_path / "games", lambda _name, _board: plays, told.append)
    assert told == ["one/board-01.png", "one/board-02.png"]
    assert agree.what == "games/one: earlier frames that agree with the final board"
    assert (agree.value, agree.target_text) == (50, "at least 100 %")
    assert agree.how == "1 of 2; board-02 1C R, at last T; board-02 2C N (doubt), at last O"
    assert (sure.value, sure.how) == (1, "board-02 1C R, at last T")


def test_a_lone_board_or_a_table_without_one_is_no_game(tmp_path: Path) -> None:
    game(tmp_path / "games" / "alone", {"board-01": 1}, board="scrabble", grid=["CAT"])
    game(tmp_path / "games" / "free", {"board-01": 1, "board-02": 1}, grid=["CAT"])
    assert list(game_metrics(tmp_path / "games", lambda _name, _board: Plays({}), print)) == []


def test_of_very_many_strays_the_first_are_named_and_the_rest_counted() -> None:
    stray = Mismatch(Cell(0, 0, "X", False, 1.0), None)
    assert mismatches_text({"f": (stray,) * 12}).count("1A X") == 12
    assert mismatches_text({"f": (stray,) * 15}).endswith("; 3 more cells")
    assert mismatches_text({}) == ""
