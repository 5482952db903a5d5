"""A player's tiles are shown on a photograph from above, each where it lies, so that people can tap it."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.config.table import BoardConfig
from companion.errors import Unanswered
from companion.model.grid import Place
from companion.model.reading import Cell, Reading, Tableau, Tile
from companion.model.sightings import Sighting
from companion.model.status import Outline
from companion.table.pictures import MAX_KEPT_CLOSE_UPS, TILE_PICTURE_PX, CloseUps, tile_picture
from companion.table.seating_plan import camera_view
from companion.table.views import SHARED_BOARD, BoardView
from tests.table.playing import reading_of, tile
from tests.table.test_views import HALVES, pose_of

Picture = NDArray[np.uint8]


def photograph(placed: Mapping[Place, Tile], size: tuple[int, int] = (480, 640)) -> Picture:
    """Return a frame in which each tile has a grey of its own, told by its cell."""
    frame = np.full(size, 100, np.uint8)
    for (row, col), one in placed.items():
        cv2.fillPoly(frame, [np.round(one.corners).astype(np.int32)], 150 + 20 * row + 5 * col)
    return frame


def aslant(placed: Mapping[Place, Tile]) -> dict[Place, Tile]:
    """Return tiles as a camera sees them that hangs aslant."""
    way = np.array([[0.8, -0.5, 200.0], [0.4, 0.9, 20.0], [2e-4, 4e-4, 1.0]])
    found = {}
    for cell, one in placed.items():
        corners = cv2.perspectiveTransform(np.array([one.corners]), way)[0]
        a, b, c, d = ((float(x), float(y)) for x, y in corners)
        found[cell] = Tile(one.symbol, one.face, (a, b, c, d), 1.0, False)
    return found


def grid(rows: int, cols: int) -> dict[Place, Tile]:
    return {
        (row, col): tile("A", 100 + 21 * col, 100 + 21 * row) for row in range(rows) for col in range(cols)
    }


def middle(outline: Outline) -> tuple[int, int]:
    x, y = np.mean(outline.corners, 0)
    return int(x), int(y)


def shown(ups: CloseUps, number: int) -> Picture:
    decoded = cv2.imdecode(np.frombuffer(ups.picture(number), np.uint8), cv2.IMREAD_GRAYSCALE)
    return np.asarray(decoded, np.uint8)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 1), (2, 2), (4, 5)])
def test_each_tile_is_seen_where_its_outline_says_whatever_the_camera_does(shape: tuple[int, int]) -> None:
    placed, ups = aslant(grid(*shape)), CloseUps()
    close = ups.make(photograph(placed), placed)
    picture = shown(ups, close.number)
    assert picture.shape == (close.height, close.width)
    assert len(close.tiles) == len(placed)
    for one in close.tiles:
        x, y = middle(one)
        assert abs(int(picture[y, x]) - (150 + 20 * one.row + 5 * one.col)) < 6


def test_rows_are_level_and_columns_upright() -> None:
    placed, ups = aslant(grid(3, 4)), CloseUps()
    close = ups.make(photograph(placed), placed)
    at = {(one.row, one.col): middle(one) for one in close.tiles}
    assert abs(at[1, 0][1] - at[1, 3][1]) <= 2
    assert abs(at[0, 2][0] - at[2, 2][0]) <= 2
    assert at[0, 0] < at[0, 3]
    assert at[0, 0][1] < at[2, 0][1]


def test_a_blank_whose_own_turn_nobody_knows_does_not_tilt_the_picture() -> None:
    placed = grid(1, 3)
    blank = placed[0, 1]
    a, b, c, d = blank.corners
    placed[0, 1] = Tile("", blank.face, (b, c, d, a), 1.0, False)
    close = CloseUps().make(photograph(placed), placed)
    assert len({middle(one)[1] for one in close.tiles}) == 1


def test_one_tile_alone_is_upright_whichever_way_it_lies() -> None:
    one = tile("A", 300, 200)
    a, b, c, d = one.corners
    turned = Tile("A", one.face, (c, d, a, b), 1.0, False)  # its own top left is at the lower right
    frame = photograph({})
    frame[200:210, 300:310] = 250
    placed = {(0, 0): turned}
    decoded = cv2.imdecode(np.frombuffer(tile_picture(frame, placed, (0, 0)), np.uint8), cv2.IMREAD_GRAYSCALE)
    picture = np.asarray(decoded, np.uint8)
    assert picture.shape == (TILE_PICTURE_PX, TILE_PICTURE_PX)
    half = TILE_PICTURE_PX // 2
    assert picture[half - 20, half - 20] > 200 > picture[half + 20, half + 20]


def test_a_tile_that_is_gone_has_no_picture() -> None:
    with pytest.raises(Unanswered, match="no tile is seen there any more"):
        tile_picture(photograph({}), grid(1, 1), (4, 4))


def test_where_nothing_lies_there_is_nothing_to_photograph() -> None:
    with pytest.raises(Unanswered, match="sees no tile there now"):
        CloseUps().make(photograph({}), {})


def test_only_the_newest_pictures_are_kept() -> None:
    ups, placed = CloseUps(), grid(1, 1)
    numbers = [ups.make(photograph(placed), placed).number for _ in range(MAX_KEPT_CLOSE_UPS + 1)]
    assert ups.picture(numbers[-1])
    with pytest.raises(Unanswered, match="not kept any more"):
        ups.picture(numbers[0])


def test_a_seats_tiles_are_known_by_the_cells_that_the_rules_see() -> None:
    seats = camera_view(pose_of(*HALVES), None, (0.0, 180.0))
    reading = reading_of(("AT", 300, 440), ("CAT", 100, 400), loose=[tile("X", 300, 300)])
    seen, placed = seats.seen(reading)[1], seats.placed(1)
    assert isinstance(seen, Sighting)
    assert {cell: one.symbol for cell, one in placed.items()} == seen.cells()
    assert placed[0, 0].centre == (100, 400)
    assert placed[0, 5].centre == (300, 440)


def test_a_seat_without_tiles_has_none_placed() -> None:
    seats = camera_view(pose_of(*HALVES), None, (0.0, 180.0))
    assert dict(seats.placed(1)) == {}
    seats.seen(reading_of(("CAT", 100, 400)))
    assert dict(seats.placed(2)) == {}


def test_a_boards_tiles_are_known_by_their_squares() -> None:
    board = BoardView(BoardConfig("scrabble"))
    cells = (Cell(7, 7, "N", False, 1.0), Cell(7, 8, "O", False, 1.0))
    tiles = (tile("N", 100, 100, where=(0, 7, 7)), tile("O", 120, 100, where=(0, 7, 8)), tile("X", 9, 9))
    board.seen(Reading(640, 480, "scrabble-en", tiles, (Tableau(cells, 0.0),), "scrabble"))
    assert {cell: one.symbol for cell, one in board.placed(SHARED_BOARD).items()} == {
        (7, 7): "N",
        (7, 8): "O",
    }


def test_the_largest_block_is_the_board_where_nothing_else_tells() -> None:
    board = BoardView(BoardConfig("squares", 1, 3))
    board.seen(reading_of(("AT", 300, 300), ("CAT", 100, 100)))
    assert [one.symbol for one in board.placed(SHARED_BOARD).values()] == ["C", "A", "T"]
