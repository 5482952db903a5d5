"""What the colours of squares tell, on a board painted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.classifier.probabilities import ClassProbabilities
from companion.vision.detector.detections import Detections
from companion.vision.detector.missed import apply_colour_evidence
from companion.vision.grid.scrabble import CELLS, Board
from companion.vision.grid.scrabble.finding import LAYOUT
from companion.vision.layout.compose import PLAINLY_BARE
from companion.vision.pipeline.colour_model import face_colours
from companion.vision.pipeline.frame import FrameDetections

SIDE = 20
PAPER = ((190, 185, 170), (60, 60, 200), (170, 150, 230), (160, 90, 40), (220, 190, 140))
"""Blue, green, red of a plain square, a triple and a double word, a triple and a double letter."""
WOOD = (120, 175, 215)
DARK, BROWN, CLOTH = (60, 60, 60), tuple(part // 2 for part in WOOD), (30, 110, 40)

BOARD = Board(np.diag([float(SIDE), float(SIDE), 1.0]), 1.0, 1.0)


def painted(tiles: list[tuple[int, int]]) -> NDArray[np.uint8]:
    """Return a board's picture with wooden tiles in some cells (row, col), each with a stroke of ink."""
    frame = np.array(PAPER, np.uint8)[LAYOUT].repeat(SIDE, 0).repeat(SIDE, 1)
    for row, col in tiles:
        face = frame[row * SIDE + 1 : (row + 1) * SIDE - 1, col * SIDE + 1 : (col + 1) * SIDE - 1]
        face[:] = WOOD
        face[4:14, 8:10] = (20, 20, 30)
    return np.ascontiguousarray(frame)


def look(cells: list[tuple[int, int]], chances: list[float]) -> FrameDetections:
    """Return detections in cells, each thought to be a 1 with some chance."""
    n = len(cells)
    centres = (np.array(cells, np.float64)[:, ::-1] + 0.5) * SIDE
    detections = Detections(centres, np.tile(np.eye(2) * 18.0, (n, 1, 1)), np.zeros(n), np.full(n, 0.95))
    chance = np.zeros((n, 1, 4))
    chance[:, 0, 0] = chances
    probabilities = ClassProbabilities(("1",), chance, np.zeros(n), np.zeros(n), np.zeros(n))
    return FrameDetections((CELLS * SIDE, CELLS * SIDE), detections, probabilities, 1.0, BOARD)


TILES = [(7, 5), (7, 6), (7, 7), (7, 8)]
MANY = [(7, col) for col in range(2, 14)]


class Named:
    """Says the same of every tile that it is shown, and remembers how many those were."""

    symbols: tuple[str, ...] = ("1",)

    def __init__(self, p_symbol: float = 0.0, p_blank: float = 0.0, p_background: float = 0.0) -> None:
        self.p_symbol, self.p_blank, self.p_background, self.shown = p_symbol, p_blank, p_background, 0

    def classify(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        assert picture.ndim == 2
        self.shown += (n := len(quads))
        chance = np.zeros((n, 1, 4))
        chance[:, 0, 0] = self.p_symbol
        return ClassProbabilities(
            self.symbols, chance, np.full(n, self.p_blank), np.full(n, self.p_background), np.zeros(n)
        )

    classify_once = classify


def cells(look: FrameDetections) -> list[tuple[int, int]]:
    """Return the row and column of every find."""
    return [(int(y // SIDE), int(x // SIDE)) for x, y in look.detections.centres]


def told(frame: NDArray[np.uint8], seen: FrameDetections, classifier: Named | None = None) -> FrameDetections:
    return apply_colour_evidence(frame, seen, BOARD, classifier or Named())


def test_a_printed_square_is_no_tile_and_tiles_on_any_square_stay() -> None:
    seen = look([*TILES, (4, 4), (3, 7)], [0.99, 0.99, 0.99, 0.5, 0.5, 0.6])
    assert cells(told(painted(TILES), seen)) == TILES


def test_print_that_reads_like_a_symbol_is_print_all_the_same() -> None:
    seen = look([*TILES, (0, 0)], [0.99, 0.99, 0.99, 0.99, 0.97])
    assert cells(told(painted(TILES), seen)) == TILES


def test_a_symbol_on_a_face_that_is_more_like_print_than_like_a_tile_is_a_doubt() -> None:
    frame = painted([*TILES, (4, 4)]).astype(np.float64)
    square = np.s_[4 * SIDE : 5 * SIDE, 4 * SIDE : 5 * SIDE]
    frame[square] = 0.4 * frame[square] + 0.6 * np.array(PAPER[2])
    seen = told(frame.astype(np.uint8), look([*TILES, (4, 4)], [0.99] * 5))
    assert cells(seen) == [*TILES, (4, 4)]
    assert seen.probabilities.p_best_symbol().round(3).tolist() == [0.99, 0.99, 0.99, 0.99, 0.792]


def test_a_tile_in_shade_is_a_tile() -> None:
    frame = painted([*TILES, (4, 4)])
    frame[: 6 * SIDE] = frame[: 6 * SIDE] // 2
    assert cells(told(frame, look([*TILES, (4, 4)], [0.99] * 4 + [0.5]))) == [*TILES, (4, 4)]


def test_a_tile_that_nobody_found_is_told_by_the_colour_of_its_square_and_named() -> None:
    classifier = Named(p_symbol=0.95)
    seen = told(painted([*TILES, (9, 7), (4, 4)]), look(TILES, [0.99] * 4), classifier)
    assert (cells(seen)[4:], classifier.shown) == ([(4, 4), (9, 7)], 2)
    assert seen.probabilities.p_best_symbol()[4:].tolist() == [0.95, 0.95]


def test_no_tile_is_told_of_a_square_beyond_the_picture() -> None:
    cut = painted([*TILES, (7, 9)])[:, : 10 * SIDE - 4]
    assert cells(told(cut, look(TILES, [0.99] * 4), Named(0.98))) == [*TILES, (7, 9)]


@pytest.mark.parametrize(
    ("light", "pale", "there"), [(1.0, 0.0, True), (0.85, 0.0, True), (1.15, 0.0, True), (1.0, 0.2, False)]
)
def test_what_seems_no_tile_is_a_doubt_only_where_it_has_just_the_colour_of_one(
    light: float, pale: float, there: bool
) -> None:
    frame = painted([*TILES, (9, 7)])
    square = np.s_[9 * SIDE : 10 * SIDE, 7 * SIDE : 8 * SIDE]
    frame[square] = (light * ((1 - pale) * frame[square] + pale * np.array(PAPER[0]))).astype(np.uint8)
    seen = told(frame, look(TILES, [0.99] * 4), Named(p_background=0.99))
    assert cells(seen) == [*TILES, *[(9, 7)] * there]
    assert (seen.probabilities.p_blank[4:] < PLAINLY_BARE).all()


@pytest.mark.parametrize(
    ("like_print", "chance", "there"), [(0.6, 0.88, True), (0.6, 0.7, False), (0.8, 0.88, False)]
)
def test_a_symbol_that_is_shown_is_print_only_on_a_face_plainly_like_print(
    like_print: float, chance: float, there: bool
) -> None:
    frame = painted([*TILES, (4, 4)]).astype(np.float64)
    square = np.s_[4 * SIDE : 5 * SIDE, 4 * SIDE : 5 * SIDE]
    frame[square] = (1 - like_print) * frame[square] + like_print * np.array(PAPER[2])
    seen = told(frame.astype(np.uint8), look([*TILES, (4, 4)], [0.99] * 4 + [chance]))
    assert cells(seen) == [*TILES, *[(4, 4)] * there]


def test_what_looks_like_a_tile_and_shows_hardly_anything_is_a_blank_in_doubt() -> None:
    seen = told(
        painted([*TILES, (9, 7)]),
        look(TILES, [0.99] * 4),
        Named(p_symbol=0.02, p_blank=0.08, p_background=0.9),
    )
    assert 0.5 < seen.probabilities.p_blank[4] < 0.85


def test_squares_that_all_look_like_bare_tiles_are_print_but_for_the_blank_among_them() -> None:
    pale = [(int(row), int(col)) for row, col in np.argwhere(LAYOUT[0, 3] == LAYOUT)]
    blank = pale[5]
    frame = painted(TILES)
    row, col = (SIDE * at for at in blank)
    frame[row + 1 : row + SIDE - 1, col + 1 : col + SIDE - 1] = WOOD
    seen = look([*TILES, *pale], [0.99] * 4 + [0.0] * len(pale))
    probabilities = replace(seen.probabilities, p_blank=np.array([0.0] * 4 + [0.97] * len(pale)))
    assert cells(told(frame, replace(seen, probabilities=probabilities))) == [*TILES, blank]


def test_a_bare_face_of_the_colour_of_its_square_is_a_doubt() -> None:
    frame = painted(TILES)
    frame[4 * SIDE : 5 * SIDE, 4 * SIDE : 5 * SIDE] = WOOD
    frame[10 * SIDE : 11 * SIDE, 10 * SIDE : 11 * SIDE] = WOOD
    seen = look([*TILES, (4, 4)], [0.99] * 4 + [0.0])
    probabilities = replace(seen.probabilities, p_blank=np.array([0.0] * 4 + [0.99]))
    # a double word square as brown as wood: nobody can say by colour whether a blank lies on it
    frame[LAYOUT.repeat(SIDE, 0).repeat(SIDE, 1) == LAYOUT[4, 4]] = WOOD
    assert told(frame, replace(seen, probabilities=probabilities)).probabilities.p_blank[4] < 0.85


def test_a_blank_on_squares_hardly_unlike_tiles_is_a_doubt() -> None:
    frame = painted([*TILES, (9, 7)])
    frame[(frame == PAPER[0]).all(-1)] = (140, 175, 215)  # as wood, but for a little blue
    seen = told(frame, look(TILES, [0.99] * 4), Named(p_blank=0.9))
    assert cells(seen) == [*TILES, (9, 7)]
    assert seen.detections.scores[4] * (1 - seen.probabilities.p_background[4]) < 0.35


@pytest.mark.parametrize(("classifier", "there"), [(Named(p_blank=0.9), False), (Named(p_symbol=0.8), True)])
def test_a_square_in_other_light_is_a_tile_only_where_it_shows_a_symbol(
    classifier: Named, there: bool
) -> None:
    frame = painted(TILES)
    frame[9 * SIDE : 10 * SIDE, 7 * SIDE : 8 * SIDE] = (137, 178, 203)  # more than halfway to wood
    assert ((9, 7) in cells(told(frame, look(TILES, [0.99] * 4), classifier))) == there


def test_where_light_burns_tiles_white_a_bare_square_as_white_is_a_doubt() -> None:
    frame = painted([*TILES, (9, 7)])
    frame[(frame == WOOD).all(-1)] = (252, 250, 254)
    seen = told(frame, look(TILES, [0.99] * 4), Named(p_blank=0.95))
    assert cells(seen) == [*TILES, (9, 7)]
    assert 0.5 < seen.probabilities.p_blank[4] < 0.85


def test_where_light_burns_tiles_white_a_white_square_that_seems_no_tile_is_none() -> None:
    frame = painted([*TILES, (9, 7)])
    frame[(frame == WOOD).all(-1)] = (252, 250, 254)
    assert cells(told(frame, look(TILES, [0.99] * 4), Named(p_background=0.99))) == TILES


def test_a_coloured_blank_in_brighter_light_is_a_doubt_and_no_more() -> None:
    frame = painted(TILES)
    frame[(frame == WOOD).all(-1)] = BROWN
    frame[9 * SIDE : 10 * SIDE, 7 * SIDE : 8 * SIDE] = np.multiply(BROWN, 1.4)
    seen = told(frame, look(TILES, [0.99] * 4), Named(p_blank=0.97))
    assert cells(seen) == [*TILES, (9, 7)]
    assert 0.5 < seen.probabilities.p_blank[4] < PLAINLY_BARE


def test_a_square_burnt_white_is_no_blank_however_bare_it_looks() -> None:
    frame = painted(TILES)
    frame[9 * SIDE : 10 * SIDE, 7 * SIDE : 8 * SIDE] = (250, 250, 250)
    assert cells(told(frame, look(TILES, [0.99] * 4), Named(p_blank=0.95))) == TILES


@pytest.mark.parametrize(
    ("colour", "score", "chance", "there"),
    [
        (BROWN, 0.3, 0.7, True),  # hardly a tile, and in another light, but with edges
        (DARK, 0.3, 0.7, False),  # hardly a tile, and grey, not wood
        (WOOD, 0.3, 0.7, True),
        (BROWN, 0.6, 0.7, True),
        (DARK, 0.6, 0.7, True),
        (DARK, 0.6, 0.97, True),
    ],
)
def test_what_is_not_surely_a_tile_beside_the_board_must_have_the_colour_of_one(
    colour: tuple[int, int, int], score: float, chance: float, there: bool
) -> None:
    frame = np.concatenate([painted(TILES), np.full((4 * SIDE, CELLS * SIDE, 3), CLOTH, np.uint8)])
    frame[17 * SIDE : 18 * SIDE, 3 * SIDE : 4 * SIDE] = colour
    assert ((17, 3) in cells(told(frame, with_one_beside(TILES, score, chance)))) == there


@pytest.mark.parametrize(
    ("cloth", "chance", "there"),
    [(WOOD, 0.7, False), (WOOD, 0.97, True), (DARK, 0.7, False), (DARK, 0.97, False)],
)
def test_what_has_no_edges_is_a_print_on_the_cloth_but_where_it_surely_shows_a_symbol_it_is_a_doubt(
    cloth: tuple[int, int, int], chance: float, there: bool
) -> None:
    frame = np.concatenate([painted(MANY), np.full((4 * SIDE, CELLS * SIDE, 3), cloth, np.uint8)])
    seen = told(frame, with_one_beside(MANY, 0.95, chance))
    assert ((17, 3) in cells(seen)) == there
    assert (seen.probabilities.p_best_symbol()[len(MANY) :] < 0.85).all()


def with_one_beside(tiles: list[tuple[int, int]], score: float, chance: float) -> FrameDetections:
    """Return tiles on the board, and a detection beside it that is a tile, and a 1, with some chance."""
    seen = look([*tiles, (17, 3)], [0.99] * len(tiles) + [chance])
    scores = np.array([0.95] * len(tiles) + [score])
    return replace(seen, detections=replace(seen.detections, scores=scores))


def test_nothing_is_doubted_where_no_tile_is_sure() -> None:
    assert cells(told(painted(TILES), look(TILES, [0.5] * 4))) == TILES


@pytest.mark.parametrize("chance", [0.95, 0.99])
def test_in_grey_nothing_sure_is_taken_for_print(chance: float) -> None:
    grey = painted(TILES)[..., 1].copy()
    assert cells(told(grey, look([*TILES, (4, 4)], [0.99] * 4 + [chance]))) == [*TILES, (4, 4)]


def test_faces_of_an_empty_board_have_no_colours() -> None:
    frame = np.zeros((40, 40, 3), np.uint8)
    assert face_colours(frame, np.zeros((0, 2)), np.zeros((0, 2, 2))).shape == (0, 3)
