"""Drawn families, from which the network of signs learns."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from calibration.drawing.fonts import HANDWRITING_FONT_PREFIXES, fonts_named
from calibration.training.signs.tasks import (
    BACKGROUND,
    BLANK,
    PICTURES,
    SCRIPTS,
    WIDE_CROP_SIDE_PX,
    WIDE_CROP_TILE_PX,
    FewShotTask,
    few_shot_task,
    few_shot_tasks,
    random_signs,
    script_letters,
)
from tests.calibration.simple import rng


@pytest.fixture(scope="module")
def drawn() -> FewShotTask:
    return few_shot_task((7, 1))


def test_a_family_shows_its_signs_bare_tiles_and_none_in_each_picture(drawn: FewShotTask) -> None:
    for picture in range(PICTURES):
        shows = drawn.shows[drawn.picture == picture]
        assert {BLANK, BACKGROUND} <= set(shows.tolist())
        assert (shows >= 0).sum() > 20
    assert drawn.crops.shape == (len(drawn.shows), WIDE_CROP_SIDE_PX, WIDE_CROP_SIDE_PX)
    assert drawn.shows.max() < len(drawn.signs)


def test_tiles_of_a_sign_are_cut_out_upright(drawn: FewShotTask) -> None:
    edge = (WIDE_CROP_SIDE_PX - WIDE_CROP_TILE_PX) // 2
    inner = drawn.crops[:, edge:-edge, edge:-edge].astype(float).reshape(len(drawn.crops), -1)
    inner -= inner.mean(1, keepdims=True)
    inner /= np.linalg.norm(inner, axis=1, keepdims=True) + 1
    alike = inner @ inner.T
    sign = int(np.bincount(drawn.shows[drawn.shows >= 0]).argmax())
    mine = np.flatnonzero(drawn.shows == sign)
    others = np.flatnonzero((drawn.shows >= 0) & (drawn.shows != sign))
    assert alike[np.ix_(mine, mine)].mean() > alike[np.ix_(mine, others)].mean() + 0.1


def test_the_same_seed_draws_the_same_families_in_however_many_processes() -> None:
    (one, other), (again, _) = (few_shot_tasks(2, 7, workers=workers) for workers in (1, 2))
    assert np.array_equal(one.crops, again.crops)
    assert one.signs == again.signs
    assert one.signs != other.signs


def test_no_japanese_and_no_hand_that_accuracy_is_reported_on_is_learnt_from() -> None:
    for seed in range(40):
        signs, hand = random_signs(rng(seed))
        assert not hand.style.font.name.startswith(HANDWRITING_FONT_PREFIXES)
        assert not any("HIRAGANA" in name or "KATAKANA" in name for name in map(named, "".join(signs)))


def named(character: str) -> str:
    return unicodedata.name(character, "")


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_has_letters_enough_for_a_family(script: str) -> None:
    (font, *_) = fonts_named((f"NotoSans{script}-",))
    assert len(script_letters(font, script)) >= 16
