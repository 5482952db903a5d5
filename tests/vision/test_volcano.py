"""Martian Boggle's board, painted by hand from straight above."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.reading import Piece
from companion.vision.classifier import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramid_colours import ToneClusters, cluster_tones, hue_name, split_at_gap
from companion.vision.detector.pyramids import Region, TopView, find_pyramids, nearest_cluster, pyramid_of
from companion.vision.grid.board import layout_on_board
from companion.vision.grid.volcano import CELLS_PER_SIDE, Volcano, find_lattice, find_volcano, is_no_pyramid

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
    centres = np.array([*(middle(*cell) for cell in cells), *(extra or [])])
    n = len(centres)
    return Detections(centres, np.tile(np.eye(2) * TILE, (n, 1, 1)), np.zeros(n), np.full(n, 0.9))


def open_cells(pyramids: dict[Cell, tuple[float, float, float]]) -> list[Cell]:
    return [
        (row, col)
        for row in range(CELLS_PER_SIDE)
        for col in range(CELLS_PER_SIDE)
        if (row, col) not in pyramids
    ]


def seen(frame: NDArray[np.uint8], detections: Detections) -> Volcano | None:
    """Return the board in a picture with its pyramids."""
    board = find_volcano(frame, detections)
    return find_pyramids(frame, board, detections, detections) if board else None


def told(board: Volcano | None) -> set[tuple[str, int, int, str]]:
    assert board is not None
    return {(piece.colour, piece.row, piece.col, piece.size) for piece in board.pieces}


def test_pyramids_on_the_home_rows_tell_where_the_board_ends() -> None:
    board = seen(painted(HOME), tiles(open_cells(HOME)))
    assert told(board) == {("red", 0, col, "large") for col in range(5)} | {
        ("cyan", 4, col, "large") for col in range(5)
    }


def test_scattered_pyramids_are_told_by_cell() -> None:
    where = {(0, 0): RED, (1, 3): RED, (2, 2): CYAN, (4, 4): RED, (3, 1): CYAN}
    board = seen(painted(where), tiles(open_cells(where)))
    assert told(board) == {
        ("red" if tint is RED else "cyan", row, col, "large") for (row, col), tint in where.items()
    }


def test_a_small_pyramid_beside_the_board_stands_where_the_cells_would_go_on() -> None:
    board = seen(painted(HOME | {(2, 8): RED}), tiles(open_cells(HOME)))
    assert told(board) - told(seen(painted(HOME), tiles(open_cells(HOME)))) == {("red", 2, 8, "small")}


def test_a_letter_that_shows_through_does_not_hide_its_pyramid() -> None:
    board = seen(painted(HOME), tiles([*open_cells(HOME), (0, 2), (4, 3)]))
    assert len(told(board)) == 10


def test_a_board_without_pyramids_has_none() -> None:
    assert told(seen(painted({}), tiles(open_cells({})))) == set()


def test_too_few_letters_are_no_board() -> None:
    assert seen(painted(HOME), tiles(open_cells(HOME)[:7])) is None


def test_grey_shows_no_pyramids() -> None:
    where = {(1, 1): RED}
    grey = painted(where)[..., 1].copy()
    assert told(seen(grey, tiles(open_cells(where)))) == set()


def test_loose_tiles_and_a_word_beside_the_board_are_no_part_of_its_lattice() -> None:
    word = [(700.0 + 31 * k, 80.0) for k in range(5)]
    detections = tiles(open_cells(HOME), [*word, (90.0, 500.0)])
    found = find_lattice(detections.centres, detections.shapes)
    assert found is not None
    assert found.held == 15
    assert not found.members[15:].any()


def test_the_widest_gap_parts_covered_faces_from_bare_ones() -> None:
    covered, doubt = split_at_gap(np.array([1.0, 0.9, 0.8, 0.05, 0.02, 0.0]))
    assert covered.tolist() == [True, True, True, False, False, False]
    assert not doubt.any()


def test_faces_without_a_gap_between_them_are_in_doubt() -> None:
    _, doubt = split_at_gap(np.array([0.3, 0.27, 0.24, 0.21, 0.18, 0.15, 0.12]))
    assert doubt.any()


def test_two_colours_are_told_apart_by_their_direction() -> None:
    shifts = np.array([[-1.0, 0.1], [-0.7, 0.0], [0.1, 1.2], [0.0, 0.6], [0.0, 0.01]])
    clusters = cluster_tones(shifts)
    assert clusters.labels[0] == clusters.labels[1] != clusters.labels[2] == clusters.labels[3]
    assert clusters.labels[4] == -1
    assert set(clusters.names) == {"yellow", "red"}


def test_more_than_five_of_a_colour_are_all_in_doubt() -> None:
    clusters = cluster_tones(np.array([[0.0, 1.0]] * 6 + [[0.0, 0.0]] * 19))
    assert clusters.doubt[:6].all()


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


def region(broad: float, long: float, area: float) -> Region:
    """Return something broad and long in the cell of row 2 and column 7."""
    left, top, right, low = 7.5 - broad / 2, 2.5 - long / 2, 7.5 + broad / 2, 2.5 + long / 2
    return Region(np.array([(left, top), (right, top), (right, low), (left, low)]), area)


@pytest.mark.parametrize(("long", "size"), [(0.9, "small"), (1.2, "medium")])
def test_the_size_of_a_pyramid_seen_aslant_is_told_by_its_breadth_in_doubt(long: float, size: str) -> None:
    broad = {"small": 0.55, "medium": 0.76}[size]
    piece = pyramid_of("red", region(broad, long, broad * long), 1.0, BOARD)
    assert piece is not None
    assert (piece.size, piece.doubt) == (size, True)


@pytest.mark.parametrize(("area", "size"), [(0.317, "small"), (0.608, "medium"), (1.0, "large")])
def test_sizes_are_told_by_the_area_of_the_base(area: float, size: str) -> None:
    piece = pyramid_of("red", region(np.sqrt(area), np.sqrt(area), area), 1.0, BOARD)
    assert piece is not None
    assert (piece.size, piece.row, piece.col, piece.doubt) == (size, 2, 7, False)


def test_a_medium_pyramid_of_which_a_part_is_hidden_is_no_small_one_for_sure() -> None:
    outline = np.array([(7.1, 2.1), (7.86, 2.1), (7.7, 2.77), (7.2, 2.77)])
    piece = pyramid_of("red", Region(outline, 0.33), 1.0, BOARD)
    assert piece is not None
    assert (piece.size, piece.doubt) == ("small", True)


def test_what_seems_large_is_a_medium_in_doubt_where_all_large_ones_stand_on_the_board() -> None:
    piece = pyramid_of("red", region(1.0, 1.0, 1.0), 1.0, BOARD, all_stand=True)
    assert piece is not None
    assert (piece.size, piece.doubt) == ("medium", True)


def test_a_pyramid_cut_by_the_pictures_edge_is_in_doubt() -> None:
    piece = pyramid_of("red", replace(region(0.563, 0.563, 0.317), cut=True), 1.0, BOARD)
    assert piece is not None
    assert piece.doubt


def test_a_tile_of_the_colour_of_a_pyramid_is_none() -> None:
    frame = painted(HOME | {(2, 8): RED})
    cells, beside = open_cells(HOME), (float(middle(2, 8)[0]), float(middle(2, 8)[1]))
    found = find_volcano(frame, tiles(cells))
    assert found is not None
    assert len(find_pyramids(frame, found, tiles(cells), tiles(cells, [beside])).beside) == 0


def test_a_size_between_two_is_in_doubt_and_a_speck_is_none() -> None:
    between = pyramid_of("red", region(0.67, 0.67, 0.45), 1.0, BOARD)
    assert between is not None
    assert between.doubt
    assert pyramid_of("red", region(0.22, 0.22, 0.05), 1.0, BOARD) is None


def test_a_mirrored_board_is_refused() -> None:
    with pytest.raises(ValueError, match="mirrors"):
        Volcano(np.diag([-60.0, 60.0, 1.0]))


def test_of_two_tiles_in_a_cell_the_surer_stays_in_doubt_and_others_lie_beside() -> None:
    detections = tiles([(1, 1)], [(*(middle(1, 1) + 5),), (800.0, 300.0)])
    detections = Detections(
        detections.centres, detections.shapes, detections.turns, np.array([0.9, 0.5, 0.9])
    )
    probabilities = ClassProbabilities(("A",), np.ones((3, 1, 4)) / 4, np.zeros(3), np.zeros(3), np.zeros(3))
    layout = layout_on_board(detections, probabilities, BOARD)
    assert layout.components[0].cells == {0: (1, 1)}
    assert layout.conflicts == {0, 1}
    assert BOARD.cells(detections)[1].tolist() == [True, True, False]


def test_what_lies_between_cells_or_is_a_pyramid_is_no_tile() -> None:
    detections = tiles([(0, 0)], [(*middle(0.5, 0.5),), (652.0, 281.0), (800.0, 300.0)])
    assert is_no_pyramid(detections, BOARD).tolist() == [True, False, False, True]


@pytest.mark.parametrize(("tone", "colour"), [((0.5, -0.1), 0), ((0.3, 0.9), 1), ((-0.1, 0.2), 1)])
def test_what_stands_beside_the_board_has_the_colour_that_it_is_likest(
    tone: tuple[float, float], colour: int
) -> None:
    clusters = ToneClusters(
        (np.array([1.0, 0.0]), np.array([0.3, 0.6])), np.zeros(25, int), np.zeros(25, bool)
    )
    away = np.zeros((48, 72, 2), np.float32)
    away[8:14, 28:34] = tone
    view = TopView(away, np.ones((48, 72), bool), np.array([-2, 3]))
    spot = np.array([(-0.8, 3.4), (-0.6, 3.4), (-0.6, 3.6), (-0.8, 3.6)])
    assert nearest_cluster(away, Region(spot, 0.04), view, clusters) == colour
