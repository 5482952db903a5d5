"""What a known Volcano board tells of every tile on the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.reading import Piece
from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.classifier.rotation import READABLE
from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramid_colours import Tints, guessed, parted, washed_out
from companion.vision.grid.volcano.board import CELLS, Volcano
from companion.vision.layout.compose import WEAK
from companion.vision.pipeline.board_evidence import judged_beside
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.second_pass import (
    apart,
    cell_shapes,
    in_cells,
    readable,
    refine_each_size,
    sized_beside,
)
from companion.vision.pipeline.tile_colour import has_other_colour
from companion.vision.pipeline.volcano import restore_lost, shown
from companion.vision.pipeline.volcano_doubts import doubt_unread_cells

PITCH, SIDE = 60.0, 30.0
BOARD = Volcano(np.array([[PITCH, 0, 200], [0, PITCH, 130], [0, 0, 1]]))
ASLANT = Volcano(np.array([[PITCH, 0, 200], [0, PITCH, 130], [0, 0.02, 1]]))
WOOD, GREEN = (110, 170, 215), (60, 160, 60)


class Reads:
    """Reads an E surely in outlines between two breadths, and nothing in others."""

    def __init__(self, low: float, high: float) -> None:
        self.symbols: tuple[str, ...] = ("E",)
        self.bounds = low, high

    def classify_once(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        assert picture.ndim == 2
        broad = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
        well = (broad > self.bounds[0]) & (broad < self.bounds[1])
        chance = np.zeros((len(quads), 1, 4))
        chance[:, 0, 0] = np.where(well, 0.99, 0.1)
        zero = np.zeros(len(quads))
        return ClassProbabilities(self.symbols, chance, zero, zero, zero)

    classify = classify_once


def middle(row: float, col: float) -> tuple[float, float]:
    return 200 + PITCH * (col + 0.5), 130 + PITCH * (row + 0.5)


def look(*places: tuple[float, float], chance: float = 0.99, scores: float = 0.9) -> FrameDetections:
    """Return a look at tiles that show an E."""
    n = len(places)
    centres = np.array(places, np.float64).reshape(-1, 2)
    detections = Detections(centres, np.tile(np.eye(2) * SIDE, (n, 1, 1)), np.zeros(n), np.full(n, scores))
    chances = np.zeros((n, 1, 4))
    chances[:, 0, 0] = chance
    probabilities = ClassProbabilities(("E",), chances, np.zeros(n), np.zeros(n), np.zeros(n))
    return FrameDetections((900, 560), detections, probabilities, 0.5, BOARD)


def painted(faces: dict[tuple[float, float], tuple[int, int, int]]) -> NDArray[np.uint8]:
    """Return a dark table with faces of some colours at some pixels."""
    frame = np.full((560, 900, 3), 40, np.uint8)
    for (x, y), colour in faces.items():
        frame[round(y) - 15 : round(y) + 15, round(x) - 15 : round(x) + 15] = colour
    return frame


def test_a_board_seen_from_above_has_cells_as_broad_as_its_pitch() -> None:
    points = np.array([middle(2, 2), (860.0, 540.0)])
    assert cell_shapes(BOARD, points) == pytest.approx(np.tile(np.eye(2) * PITCH, (2, 1, 1)))


def test_a_tile_of_half_a_cell_is_told_so_wherever_it_lies() -> None:
    assert in_cells(look(middle(0, 0), (850.0, 300.0)).detections, BOARD) == pytest.approx([0.5, 0.5])


def test_seen_aslant_the_nearer_cells_are_larger() -> None:
    near, far = (
        np.linalg.det(cell_shapes(ASLANT, np.array([[200 / d + 2.5 * PITCH / d, (130 + row * PITCH) / d]])))[
            0
        ]
        for row, d in ((0.5, 1.01), (4.5, 1.09))
    )
    assert near > far


def test_far_from_the_board_its_slant_counts_no_more() -> None:
    places = np.array([[2.5, CELLS + 2.0], [2.5, CELLS + 8.0]])
    depth = 1 + 0.02 * places[:, 1]
    points = np.column_stack([(200 + PITCH * places[:, 0]) / depth, (130 + PITCH * places[:, 1]) / depth])
    shapes = cell_shapes(ASLANT, points)
    assert shapes[1] == pytest.approx(shapes[0])


def test_of_the_sizes_that_can_be_read_the_middle_one_is_the_tiles() -> None:
    grey = np.zeros((560, 900), np.uint8)
    assert readable(look(middle(1, 1)).detections, grey, Reads(17.9, 30.1)) == pytest.approx(0.8, abs=0.03)


def test_a_tile_that_is_unreadable_is_read_in_the_size_in_which_it_can_be() -> None:
    grey = np.zeros((560, 900), np.uint8)
    told = refine_each_size(grey, look(middle(1, 1), chance=0.3), Reads(34.0, 35.0))
    assert told.detections.sides == pytest.approx([1.15 * SIDE])
    assert told.probabilities.p_best_symbol()[0] > READABLE


def test_a_tile_that_is_unreadable_in_any_size_stays_as_it_is() -> None:
    grey = np.zeros((560, 900), np.uint8)
    told = refine_each_size(grey, look(middle(1, 1), chance=0.3), Reads(90.0, 91.0))
    assert told.detections.sides == pytest.approx([SIDE])


def test_tiles_beside_the_board_have_a_size_of_their_own() -> None:
    grey = np.zeros((560, 900), np.uint8)
    seen = look(middle(1, 1), *((700.0, 60.0 * k) for k in range(1, 5)))
    told = sized_beside(grey, seen.detections, BOARD, Reads(17.9, 30.1))
    assert told.sides == pytest.approx([SIDE] + [0.8 * SIDE] * 4, abs=1)


def test_few_tiles_beside_the_board_are_as_large_as_those_on_it() -> None:
    grey = np.zeros((560, 900), np.uint8)
    seen = look(middle(1, 1), (700.0, 100.0)).detections
    assert sized_beside(grey, seen, BOARD, Reads(17.9, 30.1)) is seen


def test_of_detections_that_lie_on_each_other_the_surest_stays() -> None:
    seen = look((300.0, 300.0), (306.0, 300.0), (340.0, 300.0))
    detections = replace(seen.detections, scores=np.array([0.5, 0.9, 0.4]))
    assert sorted(apart(detections, seen.probabilities).tolist()) == [1, 2]


LETTERS = [middle(1, col) for col in range(CELLS)]


def test_what_lies_beside_the_board_is_judged_by_the_colour_of_the_tiles_on_it() -> None:
    places = [*LETTERS, (700.0, 100.0), (700.0, 300.0)]
    frame = painted(dict.fromkeys(LETTERS, WOOD) | {places[5]: WOOD, places[6]: GREEN})
    seen, sure = look(*places), np.array([True] * 5 + [False] * 2)
    assert has_other_colour(frame, seen, BOARD, sure).tolist() == [False] * 6 + [True]
    beside = np.array([False] * 5 + [True] * 2)
    chances = replace(
        seen.probabilities,
        p_symbol=seen.probabilities.p_symbol * np.where(beside, 0.6, 1.0)[:, None, None],
        p_background=np.where(beside, 0.4, 0.0),
    )
    told = judged_beside(frame, replace(seen, probabilities=chances), beside, sure)
    assert (told.probabilities.p_symbol[:5] == chances.p_symbol[:5]).all()
    of_wood, of_paint = (
        told.probabilities.p_best_symbol()[np.abs(told.detections.centres - place).max(1) < 1].max(
            initial=0.0
        )
        for place in places[5:]
    )
    assert of_wood > of_paint + 0.2


def test_nothing_is_told_of_what_lies_beside_a_board_without_a_sure_letter() -> None:
    frame, seen = painted({(700.0, 100.0): GREEN}), look(*LETTERS, (700.0, 100.0))
    beside = np.array([False] * 5 + [True])
    assert judged_beside(frame, seen, beside, np.zeros(6, np.bool_)) is seen


def test_what_surely_was_a_tile_beside_the_board_is_a_doubt_where_a_second_look_lost_it() -> None:
    beside, seen = [(700.0, 100.0), (700.0, 300.0)], look(*LETTERS, (702.0, 300.0))
    told = restore_lost(seen, look(*LETTERS[1:], middle(4, 4), *beside), BOARD)
    assert told.detections.centres[6:].tolist() == [[700.0, 100.0]]
    assert len(told.probabilities.p_blank) == 7
    assert told.detections.scores[6] < WEAK


def test_a_pyramid_that_light_has_paled_is_told_by_the_way_its_colour_is_off() -> None:
    tints = Tints((np.array([-0.5, 0.4]), np.array([0.1, -1.0])), np.zeros(4, int), np.zeros(4, bool))
    shifts = np.array([[-0.2, 0.16], [-0.1, 0.08], [0.2, 0.16], [0.03, -0.3]])
    assert washed_out(tints, shifts).tolist() == [True, False, False, True]
    assert not washed_out(Tints((), np.zeros(4, int), np.zeros(4, bool)), shifts).any()


def test_grey_tells_no_colour() -> None:
    grey = painted(dict.fromkeys(LETTERS, WOOD))[..., 1].copy()
    assert not has_other_colour(grey, look(*LETTERS), BOARD).any()


def test_what_hardly_shows_a_letter_is_dropped_beside_the_board_but_not_on_it() -> None:
    assert shown(look(middle(0, 0), (700.0, 300.0), chance=0.1), BOARD).tolist() == [True, False]


def test_a_cell_that_shows_neither_letter_nor_pyramid_is_asked_about() -> None:
    where = [(row, col) for row in range(CELLS) for col in range(CELLS)]
    board = Volcano(BOARD.homography, (Piece("red", 0, 0, "large"),))
    told = doubt_unread_cells(look(*(middle(*cell) for cell in where if cell not in {(0, 0), (2, 3)})), board)
    assert len(told.detections) == 24
    assert told.detections.centres[-1] == pytest.approx(middle(2, 3))
    assert told.detections.sides[-1] == pytest.approx(SIDE)
    assert 0.5 < told.probabilities.p_blank[-1] < 0.85


def test_nothing_is_asked_about_a_full_board() -> None:
    seen = look(*(middle(row, col) for row in range(CELLS) for col in range(CELLS)))
    assert doubt_unread_cells(seen, BOARD) is seen


def test_a_pale_colour_is_told_from_bare_faces_beside_a_strong_one() -> None:
    covered, doubt = parted(np.array([1.0, 0.9, 0.85, 0.4, 0.36, 0.33, 0.05, 0.03, 0.02, 0.0]))
    assert covered.tolist() == [True] * 6 + [False] * 4
    assert not doubt.any()


def test_a_cell_that_looks_like_the_board_is_a_pyramid_in_doubt_of_the_likelier_colour() -> None:
    tints = Tints((np.array([1.0, 0.0]), np.array([0.0, 1.0])), np.array([0, 1, -1]), np.zeros(3, np.bool_))
    shifts = np.array([[1.0, 0.0], [0.0, 1.0], [0.1, 0.4]])
    told = guessed(tints, shifts, np.array([False, False, True]))
    assert (told.of.tolist(), told.doubt.tolist()) == ([0, 1, 1], [False, False, True])


def test_a_colour_that_has_all_its_pyramids_on_the_board_has_no_more() -> None:
    of = np.array([0] * 5 + [1, -1])
    tints = Tints((np.array([1.0, 0.0]), np.array([0.0, 1.0])), of, np.zeros(7, np.bool_))
    shifts = np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0], [0.5, 0.2]])
    assert guessed(tints, shifts, of < 0).of[-1] == 1


def test_where_nothing_is_coloured_nothing_is_guessed() -> None:
    none = Tints((), np.full(3, -1), np.zeros(3, np.bool_))
    assert guessed(none, np.zeros((3, 2)), np.ones(3, np.bool_)) is none
