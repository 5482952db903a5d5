from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.fonts import hand_fonts, training_fonts
from calibration.drawing.handmade import face_by, hand_table, random_hand, rows_laid
from companion.errors import NoFonts

SYMBOLS = ("0", "AND", "")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_no_font_that_looks_written_is_trained_on() -> None:
    assert not set(hand_fonts()) & {path for some in training_fonts() for path in some}


def test_no_two_tiles_of_a_symbol_are_alike() -> None:
    one, again = rng(), random_hand(rng(), SYMBOLS, hand_fonts())
    assert np.abs(face_by(again, "AND", one) - face_by(again, "AND", one)).max() > 20


def test_the_same_seed_draws_the_same_table() -> None:
    def drawn() -> np.ndarray:
        lots = rng(3)
        someone = random_hand(lots, SYMBOLS, hand_fonts())
        return hand_table(lots, View(200, 150, 40, 0, 0), rows_laid(lots, SYMBOLS, 3), someone).picture

    assert np.array_equal(drawn(), drawn())


def test_a_hand_that_lacks_a_symbol_is_not_chosen() -> None:
    with pytest.raises((IndexError, NoFonts)):
        random_hand(rng(), ("\uffff",), hand_fonts())


def test_tiles_for_enrolment_lie_in_rows_of_so_many() -> None:
    laid = rows_laid(rng(), "ABCDE", 2)
    assert [tile.symbol for tile in laid] == list("ABCDE")
    assert [tile.cell for tile in laid] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
    assert laid[1].x - laid[0].x == pytest.approx(1.5, abs=0.5)
