"""Tiles on a Volcano board and beside it: their size, letters under pyramids, cells that show nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.reading import Piece
from companion.vision.classifier import ClassProbabilities
from companion.vision.decoding import MIN_CONFIDENCE
from companion.vision.detector.detections import WORKING_TILE_SIDE_PX, Detections
from companion.vision.detector.perspective import TILE_PX
from companion.vision.detector.scale_search import Networks
from companion.vision.grid.volcano import CELLS_PER_SIDE, Volcano
from companion.vision.networks import Detector
from companion.vision.pipeline import volcano
from companion.vision.pipeline.evidence import CandidateOrigin, with_face_evidence
from companion.vision.pipeline.frame import FrameDetections, Window
from companion.vision.pipeline.volcano import (
    board_view,
    doubt_unread_cells,
    read_through_pyramids,
)

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
        return ClassProbabilities(self.symbols, chance, zero, zero)

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
    probabilities = ClassProbabilities(("E",), chances, np.zeros(n), np.zeros(n))
    return FrameDetections((900, 560), detections, probabilities, 0.5, BOARD)


def painted(faces: dict[tuple[float, float], tuple[int, int, int]]) -> NDArray[np.uint8]:
    """Return a dark table with faces of some colours at some pixels."""
    frame = np.full((560, 900, 3), 40, np.uint8)
    for (x, y), colour in faces.items():
        frame[round(y) - 15 : round(y) + 15, round(x) - 15 : round(x) + 15] = colour
    return frame


def test_a_board_seen_from_above_has_cells_as_broad_as_its_pitch() -> None:
    places = np.array([(2.5, 2.5), (9.0, 7.0)])
    assert BOARD.cell_vectors(places) == pytest.approx(np.tile(np.eye(2) * PITCH, (2, 1, 1)))


def test_seen_aslant_the_nearer_cells_are_larger() -> None:
    near, far = np.linalg.det(ASLANT.cell_vectors(np.array([(2.5, 0.5), (2.5, 4.5)])))
    assert near > far


@pytest.mark.parametrize(("low", "high"), [(17.9, 30.1), (29.9, 48.1)])
def test_of_the_sizes_that_can_be_read_the_middle_one_is_the_tiles(low: float, high: float) -> None:
    grey, scale = np.zeros((560, 900), np.uint8), TILE_PX / SIDE
    view = board_view(grey, BOARD, look(middle(1, 1)), Reads(low * scale, high * scale))
    side = TILE_PX / np.sqrt(np.linalg.det(view.homography[:2, :2]))
    assert side == pytest.approx(max(low, 0.6 * SIDE) / 2 + min(high, 1.3 * SIDE) / 2, rel=0.03)


LETTERS = [middle(1, col) for col in range(CELLS_PER_SIDE)]


def test_what_lies_beside_the_board_is_judged_by_the_colour_of_the_tiles_on_it() -> None:
    places = [*LETTERS, (700.0, 100.0), (700.0, 300.0)]
    frame = painted(dict.fromkeys(LETTERS, WOOD) | {places[5]: WOOD, places[6]: GREEN})
    seen, sure = look(*places), np.array([True] * 5 + [False] * 2)
    beside = np.array([False] * 5 + [True] * 2)
    chances = replace(
        seen.probabilities,
        p_symbol=seen.probabilities.p_symbol * np.where(beside, 0.6, 1.0)[:, None, None],
        p_background=np.where(beside, 0.4, 0.0),
    )
    told = with_face_evidence(
        frame, replace(seen, probabilities=chances), beside, sure, CandidateOrigin.BESIDE
    )
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
    none = np.zeros(6, np.bool_)
    assert with_face_evidence(frame, seen, beside, none, CandidateOrigin.BESIDE) is seen


def test_a_cell_that_shows_neither_letter_nor_pyramid_is_asked_about() -> None:
    where = [(row, col) for row in range(CELLS_PER_SIDE) for col in range(CELLS_PER_SIDE)]
    board = Volcano(BOARD.homography, (Piece("red", 0, 0, "large"),))
    told = doubt_unread_cells(look(*(middle(*cell) for cell in where if cell not in {(0, 0), (2, 3)})), board)
    assert len(told.detections) == 24
    assert told.detections.centres[-1] == pytest.approx(middle(2, 3))
    assert told.detections.sides[-1] == pytest.approx(SIDE)
    assert 0.5 < told.probabilities.p_blank[-1] < 0.85


def test_nothing_is_asked_about_a_full_board() -> None:
    seen = look(*(middle(row, col) for row in range(CELLS_PER_SIDE) for col in range(CELLS_PER_SIDE)))
    assert len(doubt_unread_cells(seen, BOARD).detections) == len(seen.detections)


class Tells:
    """Reads the same letter with the same chance on every tile."""

    def __init__(self, symbol: str, chance: float) -> None:
        self.symbols: tuple[str, ...] = ("E", "X")
        self.symbol, self.chance = symbol, chance

    def classify_once(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        assert picture.ndim == 2
        chances, zero = np.zeros((len(quads), 2, 4)), np.zeros(len(quads))
        chances[:, self.symbols.index(self.symbol), 0] = self.chance
        return ClassProbabilities(self.symbols, chances, zero, zero)

    classify = classify_once


def under_pyramid(monkeypatch: pytest.MonkeyPatch, symbol: str, bright: float, grey: float) -> list[float]:
    """Return how surely a letter is read under a pyramid that the brightest plane and grey show so."""
    found = look(middle(0, 0)).detections
    told = Tells(symbol, bright).classify(np.zeros((9, 9), np.uint8), found.quads())
    monkeypatch.setattr(volcano, "detect_in_window", lambda *_: (found, told))
    board = replace(BOARD, pieces=(Piece("red", 0, 0, "large"),))
    window = Window((0, 0, 900, 560), WORKING_TILE_SIDE_PX / SIDE)
    seen = replace(look(), probabilities=told.kept(np.zeros(1, bool)))
    networks = Networks(Detector(), Tells(symbol, grey))
    frame = np.zeros((560, 900, 3), np.uint8)
    shown = read_through_pyramids(frame, seen, board, window, networks)
    chances: list[float] = shown.probabilities.p_best_symbol().tolist()
    return chances


def test_a_letter_under_a_pyramid_is_in_doubt_though_two_looks_surely_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (agreed,), (apart,) = (under_pyramid(monkeypatch, "E", 1.0, grey) for grey in (1.0, 0.1))
    assert apart < agreed < MIN_CONFIDENCE


@pytest.mark.parametrize(("symbol", "chance"), [("X", 1.0), ("E", 0.3)], ids=["edges", "hardly seen"])
def test_what_may_be_edges_or_hardly_shows_is_not_told(
    monkeypatch: pytest.MonkeyPatch, symbol: str, chance: float
) -> None:
    assert under_pyramid(monkeypatch, symbol, chance, chance) == []
