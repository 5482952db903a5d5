"""Martian Boggle's board, painted by hand from straight above."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.reading import Piece
from companion.vision.classifier import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramids import (
    face_shifts,
    find_pyramids,
    hue_name,
    judge,
    shows_whole_face,
    split_in_two,
)
from companion.vision.grid.board import layout_on_board
from companion.vision.grid.volcano import (
    CELL_CENTRES,
    CELLS_PER_SIDE,
    Palette,
    Volcano,
    find_lattice,
    find_volcano,
    is_no_pyramid,
)

PITCH, TILE, BASE = 60, 30, 46
"""Breadth of a cell, a tile and a large pyramid's base, in pixels."""
CORNER = np.array([200, 130])
"""Where the board begins in the picture."""
TABLE, SLATE, IVORY = (70, 110, 140), (75, 65, 62), (215, 228, 232)
RED, CYAN = (0.15, 0.15, 0.9), (0.8, 0.75, 0.2)
"""How much of blue, green and red the pyramids let through."""
HOME = {(0, col): RED for col in range(CELLS_PER_SIDE)} | {(4, col): CYAN for col in range(CELLS_PER_SIDE)}

Cell = tuple[int, int]


def middle(row: float, col: float) -> NDArray[np.float64]:
    return CORNER + PITCH * (np.array([col, row]) + 0.5)


def square(frame: NDArray[np.uint8], at: NDArray[np.float64], side: float) -> NDArray[np.uint8]:
    (left, top), (right, low) = np.round(at - side / 2).astype(int), np.round(at + side / 2).astype(int)
    return frame[top:low, left:right]


def painted(pyramids: dict[Cell, tuple[float, float, float]]) -> NDArray[np.uint8]:
    """Return a board with a letter in each cell and pyramids on and beside it."""
    frame = np.full((560, 900, 3), TABLE, np.uint8)
    square(frame, middle(2, 2), 5.4 * PITCH)[:] = SLATE
    for row in range(CELLS_PER_SIDE):
        for col in range(CELLS_PER_SIDE):
            square(frame, middle(row, col), TILE)[:] = IVORY
            square(frame, middle(row, col), TILE)[6:-6, 13:17] = (30, 30, 30)
    for (row, col), tint in pyramids.items():
        on_board = 0 <= row < CELLS_PER_SIDE and 0 <= col < CELLS_PER_SIDE
        area = square(frame, middle(row, col), BASE if on_board else BASE * 0.5625)
        area[:] = (area * np.array(tint)).astype(np.uint8)
    return frame


def tiles(cells: list[Cell], extra: list[tuple[float, float]] | None = None) -> Detections:
    """Return detections in some cells, and others at places in pixels."""
    centres = np.array([*(middle(*cell) for cell in cells), *(extra or [])]).reshape(-1, 2)
    n = len(centres)
    return Detections(centres, np.tile(np.eye(2) * TILE, (n, 1, 1)), np.zeros(n), np.full(n, 0.9))


def open_cells(pyramids: dict[Cell, tuple[float, float, float]]) -> list[Cell]:
    return [
        (row, col)
        for row in range(CELLS_PER_SIDE)
        for col in range(CELLS_PER_SIDE)
        if (row, col) not in pyramids
    ]


def bases(pyramids: dict[Cell, tuple[float, float, float]], **sides: float) -> Detections:
    """Return detected pyramids, small ones beside the board."""
    where = [(row, col, 0 <= row < CELLS_PER_SIDE and 0 <= col < CELLS_PER_SIDE) for row, col in pyramids]
    found = tiles([(row, col) for row, col, _ in where])
    broad = np.array([BASE if inside else sides.get("beside", BASE * 0.5625) for *_, inside in where])
    return replace(found, shapes=np.eye(2) * broad[:, None, None])


def seen(
    pyramids: dict[Cell, tuple[float, float, float]], letters: Detections | None = None
) -> Volcano | None:
    """Return the board in a picture of letters and pyramids."""
    letters, found = letters or tiles(open_cells(pyramids)), bases(pyramids)
    frame = painted(pyramids)
    board = find_volcano(letters, found, frame.shape[1::-1])
    return find_pyramids(frame, board, found, letters) if board else None


def told(board: Volcano | None) -> set[tuple[str, int, int, str]]:
    assert board is not None
    return {(piece.colour, piece.row, piece.col, piece.size) for piece in board.pieces}


def test_pyramids_on_the_home_rows_tell_where_the_board_ends() -> None:
    assert told(seen(HOME)) == {("red", 0, col, "large") for col in range(5)} | {
        ("cyan", 4, col, "large") for col in range(5)
    }


def test_scattered_pyramids_are_told_by_cell() -> None:
    where = {(0, 0): RED, (1, 3): RED, (2, 2): CYAN, (4, 4): RED, (3, 1): CYAN}
    assert told(seen(where)) == {
        ("red" if tint is RED else "cyan", row, col, "large") for (row, col), tint in where.items()
    }


def test_a_small_pyramid_beside_the_board_stands_where_the_cells_would_go_on() -> None:
    assert told(seen(HOME | {(2, 8): RED})) - told(seen(HOME)) == {("red", 2, 8, "small")}


def test_a_letter_that_shows_through_does_not_hide_its_pyramid() -> None:
    assert len(told(seen(HOME, tiles([*open_cells(HOME), (0, 2), (4, 3)])))) == 10


def test_a_board_without_pyramids_has_none() -> None:
    assert told(seen({})) == set()


def test_too_few_letters_and_pyramids_are_no_board() -> None:
    few = {cell: HOME[cell] for cell in [(0, 0), (0, 1)]}
    assert seen(few, tiles([(1, 0), (1, 1), (1, 2), (2, 1), (2, 2)])) is None


def test_of_two_places_that_hold_as_much_none_is_certain() -> None:
    rows = [(row, col) for row in range(4) for col in range(CELLS_PER_SIDE)]
    assert find_volcano(tiles(rows), bases({}), (900, 560)) is None


def test_a_cell_without_tile_and_pyramid_that_looks_like_the_board_is_empty() -> None:
    frame = painted(HOME)
    square(frame, middle(2, 2), TILE)[:] = SLATE
    letters = tiles([cell for cell in open_cells(HOME) if cell != (2, 2)])
    board = find_volcano(letters, bases(HOME), frame.shape[1::-1])
    assert board is not None
    assert find_pyramids(frame, board, bases(HOME), letters).holes == ((2, 2),)


@pytest.mark.parametrize(("shade", "holes"), [(240, ((2, 2),)), (255, ())])
def test_a_cell_that_a_reflection_hides_on_a_white_board_is_not_surely_empty(
    shade: int, holes: tuple[Cell, ...]
) -> None:
    frame = painted(HOME)
    frame[(frame == SLATE).all(2)] = 240
    square(frame, middle(2, 2), TILE)[:] = shade
    letters = tiles([cell for cell in open_cells(HOME) if cell != (2, 2)])
    board = find_volcano(letters, bases(HOME), frame.shape[1::-1])
    assert board is not None
    assert find_pyramids(frame, board, bases(HOME), letters).holes == holes


def test_loose_tiles_and_a_word_beside_the_board_are_no_part_of_its_lattice() -> None:
    word = [(700.0 + 31 * k, 80.0) for k in range(5)]
    detections = tiles(open_cells(HOME), [*word, (90.0, 500.0)])
    found = find_lattice(detections, bases({}))
    assert found is not None
    assert found.held(CELLS_PER_SIDE) == 15
    assert not found.members[15:].any()


def palette(*shifts: tuple[float, float]) -> Palette:
    return Palette(np.zeros(3), np.ones(3), np.array(shifts), 10, 1.0, 0.5)


def test_two_colours_are_told_apart_by_their_direction() -> None:
    shifts = np.array([[-1.0, 0.1], [-0.7, 0.0], [0.1, 1.2], [0.0, 0.6]])
    sides = split_in_two(shifts / np.linalg.norm(shifts, axis=1, keepdims=True))
    assert sides[0] == sides[1] != sides[2] == sides[3]


def test_shifts_in_about_one_direction_are_one_colour() -> None:
    assert split_in_two(np.array([[1.0, 0.0], [0.98, 0.2], [0.97, -0.2]])).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("shift", "score", "said"),
    [
        ((0.5, -0.1), 0.9, (0, False, True)),
        ((0.2, 0.9), 0.9, (1, False, True)),
        ((0.2, 0.9), 0.3, (1, True, True)),
        ((0.8, 0.5), 0.9, (1, True, True)),
        ((0.8, 0.5), 0.3, (1, True, False)),
        ((0.1, 0.0), 0.9, (0, False, False)),
        ((-0.8, 0.5), 0.9, (1, True, True)),
    ],
    ids=["one", "other", "hardly seen", "between two", "neither", "no shift", "far from both"],
)
def test_a_pyramid_is_told_by_its_score_and_by_a_colour_that_others_have(
    shift: tuple[float, float], score: float, said: tuple[int, bool, bool]
) -> None:
    found = judge(np.array([shift]), np.array([score]), palette((1.0, 0.0), (0.3, 0.6)))
    assert tuple(part[0] for part in found) == said


def test_more_than_five_of_a_colour_are_all_in_doubt() -> None:
    board = seen({(0, col): RED for col in range(5)} | {(4, 0): RED, (4, 2): CYAN})
    assert board is not None
    assert {(one.colour, one.doubt) for one in board.counted_pieces} == {("red", True), ("cyan", False)}


def test_letters_that_look_like_pyramids_do_not_merge_the_colours_of_the_others() -> None:
    where = {cell: tint if tint is RED else (0.7, 0.1, 0.6) for cell, tint in HOME.items()}
    bare = {(2, col): (0.97, 1.0, 0.97) for col in range(3)}
    found = seen(where | bare, tiles(open_cells(where)))
    assert {(colour, row) for colour, row, *_ in told(found)} == {("red", 0), ("purple", 4)}


def test_a_small_tile_on_a_board_of_another_colour_shows_its_whole_face() -> None:
    frame, board = painted(HOME), seen(HOME)
    frame[(frame == SLATE).all(2)] = (110, 60, 90)
    assert board is not None
    places = CELL_CENTRES[~board.covered()]
    assert shows_whole_face(face_shifts(frame, board, places)).all()
    square(frame, middle(2.25, 2), TILE)[:] = (120, 150, 200)
    assert np.flatnonzero(~shows_whole_face(face_shifts(frame, board, places))).tolist() == [7]


@pytest.mark.parametrize(
    ("light", "name"),
    [
        ((0.1, 0.1, 0.9), "red"),
        ((0.1, 0.8, 0.9), "yellow"),
        ((0.1, 0.7, 0.1), "green"),
        ((0.8, 0.75, 0.1), "cyan"),
        ((0.9, 0.2, 0.1), "blue"),
        ((0.7, 0.1, 0.6), "purple"),
        ((0.1, 0.4, 0.9), "orange"),
    ],
)
def test_colours_have_plain_names(light: tuple[float, float, float], name: str) -> None:
    blue, green, red = light
    assert hue_name(np.log([blue / green, red / green])) == name


BOARD = Volcano(
    np.array([[60.0, 0, 200], [0, 60, 130], [0, 0, 1]]), (Piece("red", 2, 7, "small", at=(650.0, 280.0)),)
)


def beside(side: float, at: Cell = (2, 8), score: float = 0.9, home: int = 4) -> Piece | None:
    """Return the pyramid beside a board of which some stand on it; its base is relative to theirs."""
    where = {cell: tint for cell, tint in HOME.items() if cell[1] < home}
    letters, found = tiles(open_cells(where)), bases(where | {at: RED}, beside=BASE * side)
    found = replace(found, scores=np.where(np.arange(len(found)) < len(where), 0.9, score))
    frame = painted(where | {at: RED})
    board = find_volcano(letters, bases(where), frame.shape[1::-1])
    assert board is not None
    pieces = find_pyramids(frame, board, found, letters).pieces
    return next((one for one in pieces if one.col >= CELLS_PER_SIDE or one.row < 0), None)


@pytest.mark.parametrize(("side", "size"), [(0.563, "small"), (0.78, "medium"), (1.0, "large")])
def test_sizes_are_told_by_the_side_of_the_base(side: float, size: str) -> None:
    piece = beside(side)
    assert piece is not None
    assert (piece.size, piece.row, piece.col, piece.doubt) == (size, 2, 8, False)


def test_what_seems_large_is_a_medium_in_doubt_where_all_large_ones_stand_on_the_board() -> None:
    piece = beside(1.0, home=5)
    assert piece is not None
    assert (piece.size, piece.doubt) == ("medium", True)


def test_a_pyramid_cut_by_the_pictures_edge_is_in_doubt() -> None:
    piece = beside(0.563, at=(2, 11))
    assert piece is not None
    assert piece.doubt


def test_a_hardly_seen_pyramid_is_in_doubt() -> None:
    piece = beside(0.563, score=0.4)
    assert piece is not None
    assert piece.doubt


def test_a_size_between_two_is_in_doubt_and_a_speck_is_none() -> None:
    between = beside(0.67)
    assert between is not None
    assert between.doubt
    assert beside(0.22) is None


def test_on_a_table_with_the_colour_of_pyramids_few_stand_beside_the_board_all_in_doubt() -> None:
    cells = [(row, col) for row in range(5) for col in (6, 8, 10)]
    frame, letters = painted(HOME | dict.fromkeys(cells, RED)), tiles(open_cells(HOME))
    board = find_volcano(letters, bases(HOME), frame.shape[1::-1])
    assert board is not None
    found = find_pyramids(frame, board, bases(HOME | dict.fromkeys(cells, RED)), letters)
    beside = [one for one in found.pieces if one.col >= CELLS_PER_SIDE]
    assert [one.doubt for one in beside] == [True] * 5


def test_a_mirrored_board_is_refused() -> None:
    with pytest.raises(ValueError, match="mirrors"):
        Volcano(np.diag([-60.0, 60.0, 1.0]))


def test_of_two_tiles_in_a_cell_the_surer_stays_in_doubt_and_others_lie_beside() -> None:
    detections = tiles([(1, 1)], [(*(middle(1, 1) + 5),), (800.0, 300.0)])
    detections = Detections(
        detections.centres, detections.shapes, detections.turns, np.array([0.9, 0.5, 0.9])
    )
    probabilities = ClassProbabilities(("A",), np.ones((3, 1, 4)) / 4, np.zeros(3), np.zeros(3))
    layout = layout_on_board(detections, probabilities, BOARD)
    assert layout.components[0].cells == {0: (1, 1)}
    assert layout.conflicts == {0, 1}
    assert BOARD.cells(detections)[1].tolist() == [True, True, False]


def test_what_lies_between_cells_or_is_a_pyramid_is_no_tile() -> None:
    detections = tiles([(0, 0)], [(*middle(0.5, 0.5),), (652.0, 281.0), (800.0, 300.0)])
    assert is_no_pyramid(detections, BOARD).tolist() == [True, False, False, True]
