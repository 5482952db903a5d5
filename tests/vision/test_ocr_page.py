"""What Tesseract is shown, in which language, and what its answers mean."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.ocr import (
    PAGE_MARGIN_PX,
    SYMBOL_COPIES,
    SYMBOL_HEIGHT_PX,
    is_ambiguous,
    languages_for,
    page,
    vocabulary,
)
from tests.vision.lettered import crop

FINNISH = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖ"


def shown(text: str, **looks: int) -> np.ndarray:
    sheet = page(crop(text, **looks))
    assert sheet is not None
    return sheet


def parts(sheet: np.ndarray) -> int:
    """Return how many separate pieces of ink a page has."""
    return int(cv2.connectedComponents((sheet < 128).astype(np.uint8))[0]) - 1


def test_a_page_is_black_on_white_and_has_the_letter_twice() -> None:
    sheet = shown("E")
    assert set(np.unique(sheet)) == {0, 255}
    assert parts(sheet) == SYMBOL_COPIES


def test_a_letter_is_as_high_on_every_page_with_white_around() -> None:
    for side in (32, 64, 96):
        rows, cols = np.nonzero(shown("E", side=side) < 128)
        assert np.ptp(rows) + 1 == pytest.approx(SYMBOL_HEIGHT_PX, abs=2)
        assert min(rows.min(), cols.min()) >= PAGE_MARGIN_PX


def test_white_ink_on_a_dark_face_looks_the_same() -> None:
    dark, light = shown("E", ink=30, face=225), shown("E", ink=225, face=30)
    assert dark.shape == light.shape
    assert (dark != light).mean() < 0.02


def test_the_small_number_in_the_corner_is_left_out() -> None:
    tile = crop("E")
    cv2.putText(tile, "3", (48, 56), cv2.FONT_HERSHEY_SIMPLEX, 0.3, 30)
    sheet = page(tile)
    assert sheet is not None
    assert parts(sheet) == SYMBOL_COPIES


def test_the_dots_of_an_umlaut_stay() -> None:
    tile = crop("o")
    for x in (26, 38):
        cv2.circle(tile, (x, 12), 3, 30, -1)
    sheet = page(tile)
    assert sheet is not None
    assert parts(sheet) == 3 * SYMBOL_COPIES


def test_dirt_is_left_out() -> None:
    tile = crop("I")
    tile[30, 14] = 30
    sheet = page(tile)
    assert sheet is not None
    assert parts(sheet) == SYMBOL_COPIES


def test_a_dark_edge_beside_the_letter_is_left_out() -> None:
    tile = crop("I")
    tile[6:58, 5:8] = 30
    sheet = page(tile)
    assert sheet is not None
    assert parts(sheet) == SYMBOL_COPIES


def test_a_bare_face_has_no_page() -> None:
    assert page(np.full((32, 32), 200, np.uint8)) is None


def test_english_reads_an_english_set() -> None:
    assert languages_for("ABC", {"eng", "osd"}) == (("eng",), (), ())


def test_one_language_is_enough_where_it_reads_all() -> None:
    assert languages_for(FINNISH, {"eng", "deu", "ell"}).used == ("deu",)


def test_what_is_installed_is_used_and_what_lacks_is_named() -> None:
    assert languages_for(FINNISH, {"eng"}) == (("eng",), ("deu",), ())


def test_of_equal_languages_the_installed_one_is_used() -> None:
    assert languages_for(FINNISH, {"fin"}) == (("fin",), (), ())


def test_letters_of_several_languages_take_several() -> None:
    assert languages_for("AÄÑ", {"eng", "deu", "spa"}) == (("deu", "spa"), (), ())


def test_greek_needs_greek() -> None:
    assert languages_for("ΔΨΩ", {"eng"}) == ((), ("ell",), ())
    assert languages_for("ΔΨΩ", {"eng", "ell"}) == (("ell",), (), ())


def test_digits_and_signs_need_no_language_of_their_own() -> None:
    assert languages_for(("2", "9", "x", "="), {"eng"}) == (("eng",), (), ())


def test_what_no_language_has_is_strange() -> None:
    assert languages_for("A☃", {"eng"}) == (("eng",), (), ("☃",))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("CC", 0),
        ("Cc", 0),
        ("c", 0),
        ("OO", 1),
        ("00", 1),
        ("CO", None),
        ("", None),
    ],
)
def test_small_letters_and_naughts_are_the_letters_they_look_like(text: str, meant: int | None) -> None:
    assert vocabulary(("C", "O"), ("eng",)).meant(text) == meant


def test_where_a_set_has_both_a_letter_and_its_likeness_they_stay_apart() -> None:
    both = vocabulary(("O", "0"), ("eng",))
    assert (both.meant("OO"), both.meant("00")) == (0, 1)


def test_a_letter_of_words_is_no_likeness_of_a_digit() -> None:
    binary = vocabulary(("0", "1", "NOT"), ("eng",))
    assert binary.meant("OO") is None
    assert binary.meant("NOTNOT") == 2


def test_only_letters_that_look_alike_have_two_cases() -> None:
    assert vocabulary(("A", "Ö"), ("deu",)).allowed == "AÖö"


def test_blanks_and_what_no_language_reads_mean_nothing() -> None:
    assert vocabulary(("", "A", "Δ"), ("eng",)).symbols == {"A": 1}


@pytest.mark.parametrize(
    ("read", "symbols", "ambiguous"),
    [("A", "AÄ", True), ("Ä", "AÄ", False), ("O", "OQ", True), ("Q", "OQ", False), ("E", "AE", False)],
)
def test_a_letter_may_have_had_dots_and_an_o_a_tail(read: str, symbols: str, ambiguous: bool) -> None:
    assert is_ambiguous(read, symbols) is ambiguous
