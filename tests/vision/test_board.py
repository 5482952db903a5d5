"""A board is found where it was drawn, to a fraction of a cell, and nowhere else."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadPicture
from companion.vision.grid.board import Board
from companion.vision.grid.homography import shift_homography
from companion.vision.grid.lattice import Lattice
from companion.vision.grid.scrabble import place
from tests.slow import mostly_slow
from tests.vision.boards_in import find_board
from tests.vision.drawn_board import LAYOUT, STYLES, Matrix3, Picture, drawn, error, pose, seen, straight

CELLS = np.array([[col, row] for col in range(15) for row in range(15)])


@pytest.mark.parametrize("colour", ["colour", "grey"])
@pytest.mark.parametrize(
    ("turn", "tilt"), mostly_slow([(45, 15), (0, 0), (17, 30), (100, 25), (200, 30), (-80, 10)])
)
@pytest.mark.parametrize("style", STYLES)
def test_a_drawn_board_is_found_at_any_turn_and_tilt(
    style: str, turn: float, tilt: float, colour: str
) -> None:
    matrix = pose((1280, 960), turn, tilt, 45)
    picture = seen(drawn(STYLES[style]), (1280, 960), matrix)
    if colour == "grey":
        picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    board = find_board(picture)
    assert board is not None
    assert error(board, matrix) < 0.05


@pytest.mark.parametrize("style", STYLES)
def test_a_board_under_a_hundred_tiles_is_found(style: str) -> None:
    picture, matrix = straight(style, tiles=100, seed=3)
    board = find_board(picture)
    assert board is not None
    assert error(board, matrix) < 0.05


@pytest.mark.parametrize("style", STYLES)
def test_a_board_half_in_hard_shadow_is_found(style: str) -> None:
    picture, matrix = straight(style, tiles=30)
    cv2.fillPoly(
        shadow := np.ones(picture.shape[:2], np.float32),
        [np.array([[0, 0], [700, 0], [300, 750], [0, 750]])],
        0.45,
    )
    board = find_board((picture * shadow[..., None]).astype(np.uint8))
    assert board is not None
    assert error(board, matrix) < 0.05


@pytest.mark.parametrize("check_px", [18, 20, 30, 34])
def test_a_board_on_a_chequered_cloth_is_found(check_px: int) -> None:
    matrix, flat = pose((1000, 750), 20, 5, 34), drawn(STYLES["beige"])
    sheet = np.zeros_like(flat)
    sheet[40:-40, 40:-40] = 255
    stripes = np.arange(1000) // check_px % 2
    cloth = 90 + 60 * (stripes[:750, None] + stripes)
    on_sheet = seen(sheet, (1000, 750), matrix, 0.0) > 250
    board = find_board(np.where(on_sheet, seen(flat, (1000, 750), matrix), cloth[..., None]).astype(np.uint8))
    assert board is not None
    assert error(board, matrix) < 0.05


def test_a_board_in_dim_warm_light_is_found() -> None:
    picture, matrix = straight("green")
    board = find_board((picture * [0.15, 0.25, 0.4]).astype(np.uint8))
    assert board is not None
    assert error(board, matrix) < 0.05


@pytest.mark.parametrize("side", [18, 22, 30])
def test_a_small_picture_suffices(side: float) -> None:
    matrix = pose((640, 480), 20, 15, side)
    board = find_board(seen(drawn(STYLES["beige"]), (640, 480), matrix))
    assert board is not None
    assert error(board, matrix) < 0.08


def test_a_board_far_off_in_a_large_picture_is_found() -> None:
    matrix = pose((4000, 3000), 33, 20, 50)
    board = find_board(seen(drawn(STYLES["beige"]), (4000, 3000), matrix))
    assert board is not None
    assert error(board, matrix) < 0.05


def test_a_board_whose_edge_is_cut_off_keeps_its_cells() -> None:
    picture, matrix = straight()
    left, top = 230, 110  # the first column and row are out of the picture
    cut = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1.0]]) @ matrix
    board = find_board(picture[top:, left:])
    assert board is not None
    assert error(board, cut) < 0.05


def test_the_rows_run_as_near_to_left_to_right_as_the_pattern_allows() -> None:
    matrix = pose((1000, 1000), 100, 0, 40)  # read upwards on its side: ten degrees off a turn further
    board = find_board(seen(drawn(STYLES["beige"]), (1000, 1000), matrix))
    assert board is not None
    (x0, y0), (x1, y1), *_ = board.squares()[15 * 7 + 7]
    assert np.rad2deg(np.arctan2(y1 - y0, x1 - x0)) == pytest.approx(10, abs=0.5)


def test_the_same_picture_gives_the_same_board_and_stays_as_it_was() -> None:
    picture, _ = straight(tiles=40)
    before = picture.copy()
    first, second = find_board(picture), find_board(picture)
    assert first is not None
    assert second is not None
    assert (first.homography == second.homography).all()
    assert (picture == before).all()


def test_an_empty_board_tells_nearly_its_whole_layout_and_no_other_place_does() -> None:
    picture, matrix = straight()
    at = place(picture, Lattice(matrix @ shift_homography((0.5, 0.5)), CELLS, np.ones(225, bool)))
    assert at.start.tolist() == [0, 0]
    assert 0.9 < at.quality <= 1.0
    assert at.quality - at.margin < 0.3


def test_a_mirrored_view_of_the_array_is_read_as_well() -> None:
    picture, _ = straight()
    assert find_board(picture[:, ::-1]) is not None


@pytest.mark.parametrize("seed", range(4))
def test_squares_in_another_order_are_no_board(seed: int) -> None:
    kinds = np.array(LAYOUT).reshape(-1)
    shuffled = np.random.default_rng(seed).permutation(kinds).reshape(15, 15).tolist()
    assert find_board(straight(layout=shuffled)[0]) is None


def test_a_plain_grid_is_no_board() -> None:
    assert find_board(straight(layout=[["."] * 15] * 15)[0]) is None


def test_a_chequered_cloth_is_no_board() -> None:
    squares = np.indices((30, 40)).sum(axis=0) % 2 * 180 + 40
    assert find_board(np.kron(squares, np.ones((25, 25))).astype(np.uint8)) is None


@pytest.mark.parametrize("shape", [(1, 1), (1, 30_000), (3, 200, 3), (480, 640), (480, 640, 3)])
def test_a_bare_or_tiny_picture_holds_no_board(shape: tuple[int, ...]) -> None:
    assert find_board(np.full(shape, 90, np.uint8)) is None


def test_noise_holds_no_board() -> None:
    assert find_board(np.random.default_rng(1).integers(0, 256, (480, 640, 3)).astype(np.uint8)) is None


@pytest.mark.parametrize(
    "frame",
    [
        np.zeros((40, 40), np.float64),
        np.zeros((40, 40, 4), np.uint8),
        np.zeros(40, np.uint8),
        np.zeros((0, 40), np.uint8),
    ],
)
def test_what_is_no_picture_is_refused(frame: Picture) -> None:
    with pytest.raises(BadPicture, match="convert it to grey or BGR first"):
        find_board(frame)


def test_a_lattice_out_of_the_picture_tells_nothing() -> None:
    far = np.array([[20.0, 0, 5000], [0, 20, 5000], [0, 0, 1]])
    assert place(np.zeros((100, 100), np.uint8), Lattice(far, CELLS, np.ones(225, bool))).quality == 0.0


def test_squares_that_lie_behind_the_camera_are_no_board() -> None:
    ahead = np.array([[30.0, 0, 20], [0, 30, 20], [0, 0, 1]])
    assert Board.is_visible(ahead)
    assert Board.is_visible(-ahead)
    assert not Board.is_visible(ahead @ np.diag([-1.0, 1.0, 1.0]))
    assert not Board.is_visible(ahead + np.array([[0, 0, 0], [0, 0, 0], [-0.1, 0, 0]]))


def plain_board() -> Board:
    """Return a board with cells of 10 pixels whose first corner lies at (100, 50)."""
    return Board(np.array([[10.0, 0, 100], [0, 10, 50], [0, 0, 1]]))


def test_a_point_lies_in_the_cell_that_holds_it() -> None:
    assert plain_board().places(np.array([[125.0, 95.0]]))[0] == pytest.approx((2.5, 4.5))


def test_corners_go_clockwise_from_the_top_left() -> None:
    corners = plain_board().squares()[15 * 2 + 1]
    assert np.array(corners) == pytest.approx(np.array([(110, 70), (120, 70), (120, 80), (110, 80)]))


def test_a_quarter_turn_starts_at_the_old_top_right_and_runs_down() -> None:
    corners = plain_board().turned(1).squares()[0]
    assert np.array(corners) == pytest.approx(np.array([(250, 50), (250, 60), (240, 60), (240, 50)]))


@given(st.integers(-9, 9), st.integers(0, 14), st.integers(0, 14))
def test_four_more_turns_change_nothing(quarters: int, row: int, col: int) -> None:
    board = plain_board()
    one, other = (board.turned(turns).squares()[15 * row + col] for turns in (quarters, quarters + 4))
    assert np.array(one) == pytest.approx(np.array(other))


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.eye(2), "3x3 finite numbers"),
        (np.full((3, 3), np.nan), "3x3 finite numbers"),
        (np.diag([-1.0, 1.0, 1.0]), "mirrors"),
        (np.array([[1.0, 0, 0], [0, 1, 0], [-0.1, 0, 1]]), "behind the camera"),
    ],
)
def test_a_homography_that_is_none_is_refused(matrix: Matrix3, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Board(matrix)


def test_a_board_keeps_its_homography_to_itself() -> None:
    matrix = np.diag([10.0, 10.0, 1.0])
    board = Board(matrix)
    matrix[0, 0] = 99.0
    assert board.homography[0, 0] == 10.0
    with pytest.raises(ValueError, match="read-only"):
        board.homography[0, 0] = 1.0
