"""Letters and signs drawn by a pen."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.drawing.fonts import CAPITAL_HEIGHT_PX, MASK_SIDE_PX, Mask
from calibration.drawing.strokes import STROKES, draw_symbol, random_pen
from calibration.drawing.tile_style import PEN_SHARE, draw_face, random_style
from companion.vision.classifier import SYMBOLS
from tests.calibration.simple import look, rng

MANY = 40
PARTS = {"=": 2, "÷": 3}
HOLES = {"O": 1, "0": 1, "D": 1}


def masks(symbol: str) -> list[Mask]:
    """Return a symbol as many pens draw it."""
    found = [draw_symbol(rng(seed), random_pen(rng(seed)), symbol) for seed in range(MANY)]
    there = [mask for mask in found if mask is not None]
    assert len(there) == MANY
    return there


def parts(ink: np.ndarray) -> int:
    """Return of how many parts a mask consists."""
    return cv2.connectedComponents((ink > 200).astype(np.uint8))[0] - 1


@pytest.mark.parametrize("symbol", STROKES)
def test_a_pen_draws_like_a_font(symbol: str) -> None:
    for mask in masks(symbol):
        assert mask.shape == (MASK_SIDE_PX, MASK_SIDE_PX)
        assert mask.dtype == np.uint8
        assert mask.max() == 255
        rim = np.ones((MASK_SIDE_PX, MASK_SIDE_PX), bool)
        rim[1:-1, 1:-1] = False
        assert not mask[rim].any()


@pytest.mark.parametrize("letter", "OCGD")
def test_letters_are_as_high_as_capitals(letter: str) -> None:
    for mask in masks(letter):
        rows = np.flatnonzero((mask > 127).any(1))
        assert CAPITAL_HEIGHT_PX - 2 <= rows[-1] - rows[0] + 1 <= CAPITAL_HEIGHT_PX + 2


@pytest.mark.parametrize("symbol", STROKES)
def test_what_hangs_together_hangs_together_and_what_does_not_does_not(symbol: str) -> None:
    assert {parts(mask) for mask in masks(symbol)} == {PARTS.get(symbol, 1)}


@pytest.mark.parametrize("symbol", HOLES)
def test_a_round_letter_holds_one_hole(symbol: str) -> None:
    assert {parts(255 - mask) for mask in masks(symbol)} == {1 + HOLES[symbol]}


def test_a_q_is_an_o_with_more_ink_in_its_lower_half() -> None:
    for seed in range(MANY):
        pen = random_pen(rng(seed))
        ring, tailed = draw_symbol(rng(seed), pen, "O"), draw_symbol(rng(seed), pen, "Q")
        assert ring is not None
        assert tailed is not None
        assert (tailed >= ring).all()
        more = np.argwhere(tailed > ring.astype(int) + 127)
        assert len(more) > 10
        assert more[:, 0].max() > MASK_SIDE_PX / 2 + 4  # rows


def test_a_division_sign_is_no_plus() -> None:
    for sign, plus in zip(masks("÷"), masks("+"), strict=True):
        assert parts(sign) > parts(plus)


def test_pens_differ_and_the_same_chance_draws_the_same() -> None:
    assert len({random_pen(rng(seed)) for seed in range(MANY)}) == MANY
    for symbol in STROKES:
        a, b = (draw_symbol(rng(3), random_pen(rng(3)), symbol) for _ in range(2))
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("symbol", sorted(set(SYMBOLS) - set(STROKES)))
def test_a_pen_draws_nothing_else(symbol: str) -> None:
    assert draw_symbol(rng(), random_pen(rng()), symbol) is None


def test_a_face_shows_what_the_pen_draws_and_the_font_the_rest() -> None:
    plain = look()
    penned = replace(plain, pen=random_pen(rng(5)))
    for symbol, same in (("Q", False), ("A", True)):
        by_font, by_pen = (draw_face(one, symbol, rng())[0] for one in (plain, penned))
        assert np.array_equal(by_font, by_pen) is same


def test_pens_are_for_training_alone() -> None:
    some = [random_style(rng(seed)).pen for seed in range(200)]
    assert 0.6 * PEN_SHARE < np.mean([pen is not None for pen in some]) < 1.4 * PEN_SHARE
    kept = [random_style(rng(seed), (look().font,)).pen for seed in range(200)]
    assert kept == [None] * 200
