"""Fonts of drawn tiles, and the faces made with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.drawing import fonts
from calibration.drawing.fonts import (
    CAPITAL_HEIGHT_PX,
    EVALUATION_FONT_PREFIXES,
    MASK_SIDE_PX,
    PACKAGES,
    PLAIN_FONT_PREFIXES,
    SERIF_FONT_PREFIXES,
    evaluation_fonts,
    fonts_named,
    glyph,
    missing_training_fonts,
    training_fonts,
)
from calibration.drawing.tile_style import FACE_SIDE_PX, TileStyle, draw_face, face_mask, random_style
from companion.errors import NoFonts
from companion.vision.classifier import SYMBOLS
from tests.calibration.simple import look, rng


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The only folder of fonts."""
    monkeypatch.setattr(fonts, "FOLDERS", (tmp_path,))
    fonts_named.cache_clear()
    yield tmp_path
    fonts_named.cache_clear()


def plain() -> Path:
    return training_fonts().plain[0]


# Which fonts


def test_no_font_kept_apart_for_reporting_is_among_those_for_training() -> None:
    for training in training_fonts():
        assert [path.name for path in training if path.name.startswith(EVALUATION_FONT_PREFIXES)] == []


def test_no_name_of_a_training_font_can_mean_one_that_is_kept_apart() -> None:
    assert [
        (a, b)
        for a in PLAIN_FONT_PREFIXES + SERIF_FONT_PREFIXES
        for b in EVALUATION_FONT_PREFIXES
        if a.startswith(b) or b.startswith(a)
    ] == []


def test_fonts_are_chosen_by_name_weight_and_posture(folder: Path) -> None:
    names = (
        "Roboto-Bold Roboto-Thin Roboto-BoldItalic RobotoSlab-Bold PTS75F PTS76F Lato-Bold Lato-Light".split()
    )
    for name in names:
        (folder / f"{name}.ttf").touch()
    assert [path.stem for path in evaluation_fonts()] == ["PTS75F", "Roboto-Bold"]
    assert [path.stem for path in training_fonts().plain] == ["Lato-Bold"]
    assert [path.stem for path in training_fonts().serifed] == ["RobotoSlab-Bold"]


def test_a_font_that_is_there_in_two_formats_is_taken_once(folder: Path) -> None:
    for name in ("Play-Bold.ttf", "Play-Bold.otf"):
        (folder / name).touch()
    assert len(evaluation_fonts()) == 1


def test_families_without_a_font_are_named(folder: Path) -> None:
    for name in ("Lato-Bold.ttf", "Vollkorn-Bold.ttf"):
        (folder / name).touch()
    assert set(missing_training_fonts()) == set(PLAIN_FONT_PREFIXES + SERIF_FONT_PREFIXES) - {
        "Lato",
        "Vollkorn",
    }


@pytest.mark.usefixtures("folder")
def test_without_any_font_the_error_says_what_to_install() -> None:
    with pytest.raises(NoFonts, match=r"as root: apt-get install .*fonts-dejavu") as caught:
        training_fonts()
    assert all(package in str(caught.value) for package in PACKAGES)


# Glyphs


@pytest.mark.parametrize("text", ["\ue123", "A\ue123", " ", "A B"])
def test_a_text_with_a_character_that_the_font_lacks_has_no_glyph(text: str) -> None:
    assert glyph(plain(), text) is None


@pytest.mark.parametrize("text", [*SYMBOLS, "÷", "−", "10"])
def test_a_glyph_keeps_inside_its_canvas(text: str) -> None:
    mask = glyph(plain(), text)
    assert mask is not None
    assert (mask.shape, mask.dtype.name) == ((MASK_SIDE_PX, MASK_SIDE_PX), "uint8")
    assert mask[[0, 1, -2, -1]].max() == mask[:, [0, 1, -2, -1]].max() == 0
    assert mask.max() > 200


@pytest.mark.parametrize("letter", ["H", "E", "I", "T", "X"])
def test_capitals_stand_50_pixels_high_in_the_middle(letter: str) -> None:
    mask = glyph(plain(), letter)
    assert mask is not None
    rows = np.flatnonzero(mask.max(1) > 127)
    assert rows[-1] - rows[0] + 1 == pytest.approx(CAPITAL_HEIGHT_PX, abs=2)
    assert (rows[-1] + rows[0]) / 2 == pytest.approx((MASK_SIDE_PX - 1) / 2, abs=1.5)


def test_an_accent_stands_above_the_capital() -> None:
    a, accented = glyph(plain(), "A"), glyph(plain(), "Ä")
    assert a is not None
    assert accented is not None
    assert np.flatnonzero(accented.max(1) > 127)[0] < np.flatnonzero(a.max(1) > 127)[0] - 5


def test_a_glyph_is_shared_and_so_cannot_be_painted_on() -> None:
    mask = glyph(plain(), "A")
    assert mask is not None
    with pytest.raises(ValueError, match="read-only"):
        mask[0, 0] = 1


# Faces


@pytest.mark.parametrize("symbol", ["W", "Q", "Å", "Ç", "AND", "XOR", "-", "I"])
@pytest.mark.parametrize("weight", [-1, 0, 2])
def test_no_ink_reaches_the_edge_of_a_face(symbol: str, weight: int) -> None:
    wide = replace(look(capital=0.72), stretch=1.16, shift=(0.04, -0.05), weight=weight)
    face, able = draw_face(wide, symbol, rng())
    assert able
    assert face[[0, -1]].min() == face[:, [0, -1]].min() == 255
    assert face.min() < 60


def test_a_capital_takes_the_asked_share_of_the_face() -> None:
    face, _ = draw_face(look(capital=0.5), "H", rng())
    rows = np.flatnonzero(face.min(1) < 128)
    assert (rows[-1] - rows[0] + 1) / FACE_SIDE_PX == pytest.approx(0.5, abs=0.04)
    assert (rows[-1] + rows[0]) / 2 == pytest.approx((FACE_SIDE_PX - 1) / 2, abs=1)


def test_a_value_stands_in_the_lower_right_corner() -> None:
    bare, _ = draw_face(look(), "I", rng())
    valued, _ = draw_face(replace(look(), value=True), "I", rng())
    rows, cols = np.nonzero(valued < bare - 50)
    assert rows.min() > FACE_SIDE_PX / 2
    assert cols.min() > FACE_SIDE_PX / 2


def test_engraved_ink_shines_in_the_middle_of_its_strokes() -> None:
    dull, _ = draw_face(look(), "H", rng())
    shining, _ = draw_face(replace(look(), shine=1.0, weight=2), "H", rng())
    assert dull.min() < 5
    assert np.median(shining[shining < 200]) > 30


def test_a_symbol_that_the_font_lacks_leaves_the_face_bare() -> None:
    face, able = draw_face(look(), "\ue123", rng())
    assert not able
    assert (face == 255).all()


@pytest.mark.parametrize("symbol", ["x", "-", "/", "="])
def test_a_sign_is_spelled_in_ways_that_fonts_have(symbol: str) -> None:
    assert all(draw_face(look(), symbol, rng(seed))[1] for seed in range(8))


def test_a_rounded_outline_leaves_the_corners_and_keeps_the_middle_of_each_side() -> None:
    cover = face_mask(replace(look(), rounding=0.2))
    assert cover[0, 0] == cover[-1, 0] == cover[0, -1] == 0
    assert (
        cover[0, FACE_SIDE_PX // 2]
        == cover[FACE_SIDE_PX // 2, -1]
        == cover[FACE_SIDE_PX // 2, FACE_SIDE_PX // 2]
        == 1
    )


def looks(count: int = 60) -> list[TileStyle]:
    return [random_style(rng(seed)) for seed in range(count)]


def test_random_looks_are_mostly_dark_ink_on_light_tiles() -> None:
    light = [one.face > one.ink + 30 for one in looks()]
    assert 0.8 < np.mean(light) < 1.0


def test_random_looks_use_the_given_fonts_or_those_for_training() -> None:
    assert {random_style(rng(seed), (Path("a.ttf"),)).font for seed in range(5)} == {Path("a.ttf")}
    assert {one.font for one in looks()} <= {*training_fonts().plain, *training_fonts().serifed}


def test_every_font_for_training_has_the_letters() -> None:
    every = [path for some in training_fonts() for path in some]
    assert [path.name for path in every if any(glyph(path, letter) is None for letter in "AQW")] == []
