from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibration.evaluation.truth import TrueTile, Truth, truths_in
from companion.errors import BadTruth
from companion.model.reading import Piece

SQUARE = [[0, 0], [40, 0], [40, 40], [0, 40]]


def truth(**keys: object) -> Truth:
    return Truth.from_json(json.dumps({"tiles_set": "bananagrams-en"} | keys))


def test_tiles_have_their_middle_and_side_from_their_outline() -> None:
    found = truth(tiles=[{"symbol": "A", "polygon": SQUARE}, {"symbol": "", "polygon": SQUARE}])
    assert found.tiles == (TrueTile("A", (20.0, 20.0), 40.0), TrueTile(None, (20.0, 20.0), 40.0))


def test_a_tile_may_have_a_middle_alone() -> None:
    assert truth(tiles=[{"symbol": "A", "centre": [3, 4]}]).tiles == (TrueTile("A", (3.0, 4.0)),)


def test_no_tiles_at_all_are_another_thing_than_tiles_nobody_noted() -> None:
    assert (truth(tiles=[]).tiles, truth().tiles) == ((), None)


def test_a_grid_is_one_tableau_in_which_a_question_mark_is_a_blank() -> None:
    assert truth(grid=["C.", "A?"]).grids == ({(0, 0): "C", (1, 0): "A", (1, 1): ""},)


def test_cells_of_several_letters_stand_in_lists_where_null_is_empty() -> None:
    found = truth(tableaux=[{"grid": [["1", None, "AND"]]}, {"grid": ["NO"]}])
    assert found.grids == ({(0, 0): "1", (0, 2): "AND"}, {(0, 0): "N", (0, 1): "O"})


@pytest.mark.parametrize(
    ("owner", "covered"), [("player1", {1}), ("board", {0}), ("loose", set()), ("players", set())]
)
def test_a_covered_tile_covers_the_tableau_of_its_owner(owner: str, covered: set[int]) -> None:
    tile = {"symbol": "A", "polygon": SQUARE, "owner": owner, "ignore": True}
    assert truth(tiles=[tile, tile | {"owner": "player5", "ignore": False}]).covered == covered


def test_letters_beside_boards_counts_and_areas_are_kept() -> None:
    found = truth(loose="SO", board="scrabble", face_down=3, ignore_boxes_frac=[[0.8, 0, 1, 1]])
    assert (found.loose, found.board, found.face_down) == (("S", "O"), "scrabble", 3)
    assert found.ignore_boxes == ((0.8, 0, 1, 1),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"tiles_set": "x", "tiles": [{"symbol": "A"}]}',
        '{"tiles_set": "x", "tiles": [{"symbol": "A", "polygon": [1, 2, 3]}]}',
        '{"tiles_set": "x", "grid": [["A B"]]}',
        '{"tiles_set": "x", "ignore_boxes_frac": [[1, 2]]}',
    ],
)
def test_a_malformed_truth_is_refused_and_its_file_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadTruth, match=r"a\.json: .*malformed"):
        list(truths_in(tmp_path))


def test_a_truth_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    (tmp_path / "a.json").write_bytes(b"\xff")
    with pytest.raises(BadTruth, match=r"a\.json"):
        list(truths_in(tmp_path))


def test_pictures_with_a_truth_are_found_by_their_beginning_and_in_order(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b_2.jpg", "b_1.png", "a_1.jpg", "deep/b_3.jpeg", "b_4.jpg"):
        (tmp_path / name).touch()
    for name in ("b_2", "b_1", "a_1", "deep/b_3", "b_5"):
        (tmp_path / f"{name}.json").write_text('{"tiles_set": "x"}')
    found = [path.name for path, _ in truths_in(tmp_path, "b_")]
    assert found == ["b_1.png", "b_2.jpg", "b_3.jpeg"]


def test_printed_signs_are_the_symbols_of_the_set() -> None:
    body = {
        "tiles_set": "binary",
        "grid": [["1", "×", "1"], [None, "÷", None]],
        "tiles": [{"symbol": "÷", "centre": [5, 5]}],
    }
    truth = Truth.from_json(json.dumps(body))
    assert truth.grids == ({(0, 0): "1", (0, 1): "x", (0, 2): "1", (1, 1): "/"},)
    assert truth.tiles is not None
    assert truth.tiles[0].symbol == "/"


def test_pyramids_on_a_board_are_large() -> None:
    body = {"tiles_set": "bananagrams-en", "pieces": [{"colour": "red", "row": 4, "col": 0}]}
    assert Truth.from_json(json.dumps(body)).pieces == (Piece("red", 4, 0, "large"),)
