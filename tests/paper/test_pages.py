"""Text on paper, in the letters of every PDF and in others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from companion.errors import NoFonts
from companion.paper import MARGIN_MM, PAPERS, fonts
from companion.paper.page import Pages

OPENED: Any = pypdfium2.PdfDocument
"""It carries no types."""

A4 = PAPERS["a4"]


def font(path: Path, signs: str) -> None:
    """Write a font whose every letter is a box half as broad as the letters are high."""
    names = [".notdef", *(f"sign{number}" for number in range(len(signs)))]
    built = FontBuilder(1000, isTTF=True)
    built.setupGlyphOrder(names)
    built.setupCharacterMap({ord(sign): name for sign, name in zip(signs, names[1:], strict=True)})
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for corner in ((0, 700), (400, 700), (400, 0)):
        pen.lineTo(corner)
    pen.closePath()
    built.setupGlyf(dict.fromkeys(names, pen.glyph()))
    built.setupHorizontalMetrics(dict.fromkeys(names, (500, 0)))
    built.setupHorizontalHeader(ascent=800, descent=-200)
    built.setupNameTable({"familyName": path.stem, "styleName": "Regular"})
    built.setupOS2()
    built.setupPost()
    built.save(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The only folder in which this machine has fonts."""
    monkeypatch.setattr(fonts, "FONT_FOLDERS", (tmp_path,))
    fonts.files.cache_clear()
    fonts.covered_code_points.cache_clear()
    yield tmp_path
    fonts.files.cache_clear()
    fonts.covered_code_points.cache_clear()


def written(*lines: str) -> str:
    """What is read back from a page with some lines."""
    pages = Pages(A4)
    pages.new_page("test")
    for number, line in enumerate(lines, 1):
        pages.text(line, MARGIN_MM, 20.0 * number, 12)
    with OPENED(pages.done()) as document:
        return str(document[0].get_textpage().get_text_range())


def test_the_letters_of_western_europe_need_no_font_of_the_machine(folder: Path) -> None:
    assert list(folder.iterdir()) == []
    assert written("Zoë – “Bö”") == "Zoë – “Bö”"


def test_other_letters_are_written_with_a_font_of_the_machine(folder: Path) -> None:
    font(folder / "Cyrillic-Regular.ttf", "ЖанЯ ")
    assert written("Жан Я", "Ada") == "Жан Я\r\nAda"


def test_a_name_in_two_alphabets_is_written_with_two_fonts(folder: Path) -> None:
    font(folder / "Cyrillic-Regular.ttf", "Жан ")
    font(folder / "Greek-Regular.ttf", "Ελένη")
    assert written("Жан Ελένη") == "Жан Ελένη"


def test_a_letter_that_no_font_has_is_named_with_what_helps_and_never_printed_as_a_box(folder: Path) -> None:
    font(folder / "Cyrillic-Regular.ttf", "Жан ")
    with pytest.raises(NoFonts, match=r"no font for '田' \(U\+7530\).*apt-get install fonts-noto-core"):
        written("Жан 田")


def test_a_file_that_is_no_font_is_passed_over(folder: Path) -> None:
    (folder / "Broken.ttf").write_bytes(b"no font at all")
    font(folder / "Cyrillic.ttf", "Ж")
    assert written("Ж") == "Ж"


def test_a_bold_font_is_taken_for_bold_and_a_plain_one_otherwise(folder: Path) -> None:
    for name in ("NotoSans-Bold", "NotoSans-Regular", "NotoSans-Italic"):
        font(folder / f"{name}.ttf", "Ж")
    assert [face.path.stem for face in fonts.faces("Ж", bold=True)] == ["NotoSans-Bold"]
    assert [face.path.stem for face in fonts.faces("Ж")] == ["NotoSans-Regular"]


def test_a_font_that_is_named_after_a_script_is_looked_at_before_others(folder: Path) -> None:
    for name in ("Aardvark", "SomeThai-Regular"):
        font(folder / f"{name}.ttf", "ส")
    assert [face.path.stem for face in fonts.faces("ส")] == ["SomeThai-Regular"]


def test_a_line_ends_or_has_its_middle_where_it_should() -> None:
    pages = Pages(A4)
    wide = pages.wide("COMPANION", 12)
    assert wide == pytest.approx(26.1, abs=0.05)  # Helvetica's widths: 6167 thousandths of 12 points
    pages.new_page("test")
    pages.text("COMPANION", 100.0, 20.0, 12, align="R")
    pages.text("COMPANION", 100.0, 40.0, 12, align="C")
    with OPENED(pages.done()) as document:
        page = document[0].get_textpage()
        lefts = [page.get_charbox(number)[0] * 25.4 / 72 for number in (0, 11)]
    assert lefts == pytest.approx([100 - wide, 100 - wide / 2], abs=0.5)


def test_text_is_wrapped_at_words_and_a_word_that_is_too_broad_is_parted() -> None:
    pages = Pages(A4)
    lines = pages.wrapped("so many words that they need lines " + "W" * 40, 40.0, 12)
    assert lines[:2] == ["so many words that", "they need lines"]
    assert "".join(lines[2:]) == "W" * 40
    assert all(pages.wide(line, 12) <= 40.0 for line in lines)


def test_what_looks_like_a_place_for_the_number_of_pages_stays_as_it_is() -> None:
    assert written("Chi {nb}") == "Chi {nb}"
