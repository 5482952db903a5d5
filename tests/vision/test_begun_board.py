"""A board as a game begins: no tile lies on it, or the first."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.evaluation.boards import Game, binary
from calibration.evaluation.scoring import score
from companion.model.tiles import tile_set
from companion.vision.pipeline.reader import Reader

READER = Reader(tile_set("binary"), "scrabble")


def board(number: int, tiles: int) -> Game:
    return binary(np.random.default_rng((91_500, number)), most=tiles)


@pytest.mark.parametrize("number", [3, 20, 21, 50, 53])
def test_an_empty_board_shows_no_tile(number: int) -> None:
    reading = READER.read(board(number, 0).picture)
    assert reading.board == "scrabble"
    assert reading.tiles == ()


@pytest.mark.parametrize("number", [3, 20, 21, 50, 53])
@pytest.mark.parametrize("tiles", [1, 2])
def test_the_first_tiles_are_read_without_others_beside_them(number: int, tiles: int) -> None:
    game = board(number, tiles)
    seen = score(game.truth, READER.read(game.picture))
    assert (seen.right, seen.invented) == (seen.tiles, 0)
