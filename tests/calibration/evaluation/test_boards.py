from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.drawing.volcano import PyramidTruth
from calibration.evaluation import boards
from calibration.evaluation.boards import Game, award_metrics, board_metrics, is_exact
from calibration.evaluation.scoring import Score
from calibration.evaluation.truth import TrueTile, Truth
from companion.model.reading import Piece, Reading
from companion.vision.camera_frame import CameraFrame
from tests.made_up import reading, tile

TRUTH = Truth(
    "bananagrams-en",
    "volcano",
    tiles=(TrueTile("A", (30.0, 30.0), 40.0),),
    pieces=(Piece("red", 0, 0, "large"),),
)
SEEN = replace(reading(others=(tile("A", (30.0, 30.0)),)), pieces=(Piece("pink", 0, 0, "large"),))
AWARD = PyramidTruth("red", "small", None, (200.0, 100.0))


class Sees:
    """Reads the same from every picture."""

    def __init__(self, seen: Reading) -> None:
        self.seen = seen

    def read(self, frame: CameraFrame) -> Reading:
        assert frame.ndim == 3
        return self.seen


def metrics(monkeypatch: pytest.MonkeyPatch, seen: Reading) -> dict[str, float]:
    game = Game(np.zeros((400, 600, 3), np.uint8), TRUTH)
    monkeypatch.setattr(boards, "KINDS", {"board": (lambda _rng, _finer: game, 1)})
    return {f.what: f.value for f in board_metrics(2, lambda _name, _board: Sees(seen), lambda _what: None)}


def test_a_board_is_exact_where_its_tiles_and_pyramids_are(monkeypatch: pytest.MonkeyPatch) -> None:
    found = metrics(monkeypatch, SEEN)
    assert (found["board: boards exact"], found["board: silent faults about pyramids"]) == (100, 0)


def test_a_pyramid_too_many_spoils_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    found = metrics(monkeypatch, replace(SEEN, pieces=(*SEEN.pieces, Piece("pink", 3, 3, "large"))))
    assert (found["board: boards exact"], found["board: silent faults about pyramids"]) == (0, 2)


def test_a_third_as_many_boards_are_drawn_twice_as_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(np.zeros((400, 600, 3), np.uint8), TRUTH)
    drawn: list[int] = []

    def draw(_rng: np.random.Generator, finer: int) -> Game:
        drawn.append(finer)
        return game

    monkeypatch.setattr(boards, "KINDS", {"board": (draw, 1), "board at 8 MP": (draw, 2)})
    told: list[str] = []
    list(board_metrics(7, lambda _name, _board: Sees(SEEN), told.append))
    assert (drawn, told[-1]) == ([1] * 7 + [2] * 2, "board at 8 MP, 2 of 2")


@pytest.mark.slow
def test_a_finer_board_is_the_same_board_in_a_larger_picture() -> None:
    coarse, fine = (boards.binary(np.random.default_rng(3), finer) for finer in (1, 2))
    assert [one.picture.shape for one in (coarse, fine)] == [(1200, 1600, 3), (2400, 3200, 3)]
    sides = [np.median([tile.side for tile in one.truth.tiles or ()]) for one in (coarse, fine)]
    assert 1.9 < sides[1] / sides[0] < 2.1


@pytest.mark.parametrize(
    "one", [Score(tiles=2, right=1), Score(invented=1), Score(tableaux=1), Score(pieces=2, pieces_right=1)]
)
def test_any_fault_makes_a_board_inexact(one: Score) -> None:
    assert not is_exact(one)


def test_an_award_is_right_near_its_place_and_of_its_size() -> None:
    game = Game(np.zeros((400, 600, 3), np.uint8), TRUTH, (AWARD,))
    beside = Piece("red", 2, 7, "small", at=(210.0, 95.0))
    larger = replace(beside, size="medium")
    for piece, expected in ((beside, [100, 0]), (larger, [0, 1]), (replace(larger, doubt=True), [0, 0])):
        found = award_metrics("board", [game.beside], [replace(SEEN, pieces=(piece,))])
        assert [metric.value for metric in found] == expected


def test_words_beside_a_drawn_board_come_letter_by_letter() -> None:
    words = boards.volcano(np.random.default_rng(5)).spelt
    for word in words:
        places = np.array([one.centre for one in word])
        steps = np.diff(places, axis=0)
        assert len(word) == 5
        assert (np.linalg.norm(steps - steps.mean(0), axis=1) < 0.3 * np.linalg.norm(steps.mean(0))).all()
    assert words
