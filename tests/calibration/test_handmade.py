from __future__ import annotations

import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.fonts import handwriting_fonts, training_fonts
from calibration.drawing.handmade import (
    enrolment_rows,
    hand_table,
    handwritten_face,
    legible,
    random_handwriting,
    warped,
)
from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import Scene
from calibration.drawing.strokes import doodle
from calibration.drawing.tiles import DrawnTile
from companion.errors import NoFonts

SYMBOLS = ("0", "AND", "")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_no_font_that_looks_written_is_trained_on() -> None:
    assert not set(handwriting_fonts()) & {path for some in training_fonts() for path in some}


def test_no_two_tiles_of_a_symbol_are_alike() -> None:
    one, again = rng(), random_handwriting(rng(), SYMBOLS, handwriting_fonts())
    assert np.abs(handwritten_face(again, "AND", one) - handwritten_face(again, "AND", one)).max() > 20


def test_the_same_seed_draws_the_same_table() -> None:
    def drawn() -> np.ndarray:
        lots = rng(3)
        someone = random_handwriting(lots, SYMBOLS, handwriting_fonts())
        return hand_table(lots, View(200, 150, 40, 0, 0), enrolment_rows(lots, SYMBOLS, 3), someone).picture

    assert np.array_equal(drawn(), drawn())


def test_a_hand_that_lacks_a_symbol_is_not_chosen() -> None:
    with pytest.raises(NoFonts):
        random_handwriting(rng(), ("\uffff",), handwriting_fonts())


def test_tiles_for_enrolment_lie_in_rows_of_so_many() -> None:
    laid = enrolment_rows(rng(), "ABCDE", 2)
    assert [tile.symbol for tile in laid] == list("ABCDE")
    assert [tile.cell for tile in laid] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
    assert laid[1].x - laid[0].x == pytest.approx(1.5, abs=0.5)


def test_only_the_first_of_so_many_tiles_lies_upright_where_the_others_may_lie_at_any_turn() -> None:
    laid = enrolment_rows(rng(), "AAABBB", 3, each=3)
    assert [abs(tile.turn) < 0.5 for tile in laid] == [True, False, False, True, False, False]


@pytest.mark.parametrize(("ink", "seen"), [(30, True), (245, False)])
def test_a_picture_in_which_one_tile_shows_no_ink_is_not_legible(ink: int, seen: bool) -> None:
    picture = np.full((20, 50), 250, np.uint8)
    picture[8:12, 8:12], picture[8:12, 38:42] = 30, ink
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], float)
    tiles = tuple(DrawnTile(PlacedTile(0, 0, 0, "A"), square + np.array([x, 0]), "A") for x in (0, 30))
    assert legible(Scene(picture, tiles, 20.0)) == seen


def test_a_hand_writes_the_shapes_that_are_its_own() -> None:
    someone = random_handwriting(rng(), SYMBOLS, handwriting_fonts())
    shape = np.zeros((96, 96), np.uint8)
    own = someone.with_masks((("☼", shape),))
    assert own.mask("☼") is shape
    assert own.mask("0") is someone.mask("0")
    assert someone.mask("\uffff") is None


def test_a_letter_in_a_shape_of_ones_own_keeps_about_its_ink() -> None:
    mask = random_handwriting(rng(), SYMBOLS, handwriting_fonts()).mask("0")
    assert mask is not None
    other = warped(rng(), mask, 2.0)
    assert not np.array_equal(other, mask)
    assert other.astype(int).sum() == pytest.approx(mask.astype(int).sum(), rel=0.3)


@pytest.mark.parametrize("seed", range(5))
def test_a_sign_made_up_has_ink_and_room_around_it(seed: int) -> None:
    mask = doodle(rng(seed))
    assert 0.01 < (mask > 127).mean() < 0.6
    assert mask.shape == (96, 96)
