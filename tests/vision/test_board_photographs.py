"""The board is found in photographs of other people's tables, and none where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.vision.camera_frame import Frame
from tests.vision.boards_in import find_board


def photograph(path: Path, grey: bool = False) -> Frame:
    picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE if grey else cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture, dtype=np.uint8)


@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize("number", range(4))
def test_the_tiles_of_a_scene_lie_in_the_middle_of_cells(shared: Path, number: int, grey: bool) -> None:
    truth = json.loads((shared / f"scenes/binary_s101_00{number}.json").read_text())
    board = find_board(photograph(shared / "scenes" / truth["image"], grey))
    assert board is not None
    tiles = [tile for tile in truth["tiles"] if tile["owner"] == "board"]
    places = board.places(np.array([np.mean(tile["polygon"], axis=0) for tile in tiles]))[:, ::-1]
    off = places - np.floor(places) - 0.5
    assert np.sqrt((off**2).sum(axis=1).mean()) < 0.12
    for tile, (row, col) in zip(tiles, places, strict=True):
        assert "grid" not in truth or truth["grid"][int(row)][int(col)] == tile["symbol"]


@pytest.mark.parametrize("game", ["spiel-12/board-20", "spiel-13/board-25"])
def test_the_pale_cells_of_a_finished_game_are_those_with_tiles(shared: Path, game: str) -> None:
    folder = shared / "photos/scrabble_de"
    grid = json.loads((folder / f"{game}.json").read_text())["grid"]
    picture = photograph(folder / f"{game}.jpg")
    board = find_board(picture)
    assert board is not None
    flat = cv2.warpPerspective(
        picture, np.diag([20.0, 20.0, 1.0]) @ np.linalg.inv(board.homography), (300, 300)
    )
    saturation = cv2.cvtColor(flat, cv2.COLOR_BGR2HSV)[..., 1].reshape(15, 20, 15, 20)[:, 3:17, :, 3:17]
    pale = np.median(saturation, axis=(1, 3)) < 75
    assert pale.tolist() == [[letter != "." for letter in row] for row in grid]


@pytest.mark.slow
@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize("game", ["spiel-12", "spiel-13"])
def test_the_board_stays_in_place_all_through_a_game(shared: Path, game: str, grey: bool) -> None:
    frames = sorted((shared / "photos/scrabble_de" / game).glob("board-[012][0-9].jpg"))
    boards = [find_board(photograph(frame, grey)) for frame in frames]
    assert None not in boards
    ends = np.array([[board.squares()[0, 0], board.squares()[-1, 2]] for board in boards if board])
    assert len(frames) > 20
    assert np.abs(ends - np.median(ends, axis=0)).max() < 0.15 * 88  # a cell is 88 pixels wide


@pytest.mark.slow
@pytest.mark.parametrize("grey", [False, True])
def test_wrong_light_hides_no_board(shared: Path, grey: bool) -> None:
    frames = sorted((shared / "photos/scrabble_de/light_errors").glob("*.jpg"))
    assert frames
    assert [frame.name for frame in frames if find_board(photograph(frame, grey)) is None] == []


HAND_MEASURED = {
    "il_fullxfull.356512838_2ppn.jpg": [(239.6, 124.1), (1337.5, 140.0), (1240.8, 1197.4), (294.8, 1195.5)],
    "IMG_20151016_165902.jpg": [(402.5, 772.7), (1252.4, 690.0), (1463.7, 1592.3), (421.0, 1715.5)],
}
"""The middles of the four corner squares, clockwise from the top left, read off the enlarged picture."""


@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize("name", HAND_MEASURED)
def test_the_corner_squares_lie_where_a_person_sees_them(shared: Path, name: str, grey: bool) -> None:
    board = find_board(photograph(shared / "photos/scrabble_en" / name, grey))
    assert board is not None
    places = board.places(np.array(HAND_MEASURED[name], np.float64))[:, ::-1]
    assert places == pytest.approx(np.array([(0.5, 0.5), (0.5, 14.5), (14.5, 14.5), (14.5, 0.5)]), abs=0.12)


@pytest.mark.slow
@pytest.mark.parametrize("grey", [False, True])
def test_a_board_is_found_in_every_oblique_photograph(shared: Path, grey: bool) -> None:
    photographs = sorted((shared / "photos/scrabble_en").glob("*.jpg"))
    assert photographs
    assert [path.name for path in photographs if find_board(photograph(path, grey)) is None] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [
        "photos/bananagrams_en/*.jpg",
        "photos/bananagrams_fi/*.jpg",
        "scenes/tableau_*.jpg",
        "scenes/martian_*.jpg",
    ],
)
def test_no_board_is_seen_where_there_is_none(shared: Path, where: str) -> None:
    photographs = sorted(shared.glob(where))
    assert photographs
    assert [path.name for path in photographs if find_board(photograph(path)) is not None] == []
