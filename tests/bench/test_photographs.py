from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.evaluation.truth import truths_in
from companion.bench.photographs import COLLECTIONS, labelled_pictures, photograph_metrics, reader_of
from companion.model.reading import Reading
from companion.model.tiles import tile_set_names
from companion.vision.camera_frame import CameraFrame
from tests.made_up import reading, tile


class SeesA:
    """Reads an A wherever the table may be."""

    def read(self, frame: CameraFrame) -> Reading:
        return reading(others=(tile("A", (30.0, 30.0)),), size=(frame.shape[1], frame.shape[0]))


def picture(folder: Path, name: str, symbol: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / f"{name}.png"), np.zeros((60, 80), np.uint8))
    tiles = [{"symbol": symbol, "polygon": [[10, 10], [50, 10], [50, 50], [10, 50]]}]
    (folder / f"{name}.json").write_text(json.dumps({"tiles_set": "bananagrams-en", "tiles": tiles}))


def test_each_collection_is_read_from_its_folder_and_a_missing_one_is_told(tmp_path: Path) -> None:
    picture(tmp_path / "scenes", "tableau_1", "A")
    picture(tmp_path / "scenes", "binary_1", "B")
    picture(tmp_path / "scenes", "notes_1", "B")
    picture(tmp_path / "scenes", "martian_1", "A")
    told: list[str] = []
    found = {f.what: f for f in photograph_metrics(tmp_path, told.append, lambda _name, _board: SeesA())}
    assert told == ["scenes/tableau_1.png", "scenes/binary_1.png", "scenes/martian_1.png"]
    assert found["scenes, tableaux: symbols right"].value == 100
    assert found["scenes, binary: symbols right"].value == 0
    assert found["bananagrams_en"].how.startswith("there is no folder ")


def test_every_table_is_looked_at_in_colour(tmp_path: Path) -> None:
    picture(tmp_path, "free", "A")
    picture(tmp_path, "game", "A")
    with_board = {"tiles_set": "binary", "board": "scrabble", "tiles": []}
    (tmp_path / "game.json").write_text(json.dumps(with_board))
    assert [frame.ndim for _, frame, _ in labelled_pictures(tmp_path, "")] == [3, 3]


def test_every_collection_is_there_and_its_sets_are_ours(shared: Path) -> None:
    for collection in COLLECTIONS:
        found = list(truths_in(shared / collection.folder, collection.beginning))
        assert found
        assert {truth.tile_set for _, truth in found} <= set(tile_set_names())


def test_the_finnish_photographs_have_the_tiles_that_their_note_says(shared: Path) -> None:
    found = list(truths_in(shared / "photos/bananagrams_fi"))
    assert (len(found), sum(len(truth.tiles or ()) for _, truth in found)) == (70, 1655)


@pytest.mark.parametrize("board", [None, "scrabble"])
def test_a_reader_is_made_once(board: str | None) -> None:
    assert reader_of("scrabble-de", board) is reader_of("scrabble-de", board)
