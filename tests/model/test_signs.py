from __future__ import annotations

import pytest

from companion.errors import BadTileSet
from companion.model.grid import Direction
from companion.model.signs import as_printed, verdicts_as_printed
from companion.model.tiles import TileSet, tile_set
from companion.model.verdicts import JudgedWord, TableauVerdict
from tests.made_up import reading, tableau, tile

BINARY = tile_set("binary")


def test_the_binary_set_prints_its_signs_as_its_rule_text_does() -> None:
    assert [BINARY.as_printed(text) for text in ("x", "/", "AND", "1x10=10/1")] == [
        "×",
        "÷",
        "AND",
        "1×10=10÷1",
    ]
    assert BINARY.as_typed("1×10=10÷1") == "1x10=10/1"


def test_a_reading_is_told_with_the_signs_on_the_tiles() -> None:
    seen = as_printed(reading(tableau("1 x 1"), others=(tile("/", (9.0, 9.0)),)), BINARY)
    assert [cell.symbol for cell in seen.tableaux[0].cells] == ["1", "×", "1"]
    assert "÷" in [one.symbol for one in seen.tiles]


def test_a_tile_face_down_stays_without_a_symbol() -> None:
    assert as_printed(reading(others=(tile(None, (9.0, 9.0)),)), BINARY).tiles[0].symbol is None


def test_letters_are_told_as_they_are() -> None:
    seen = reading(tableau("X x"))
    assert as_printed(seen, tile_set("bananagrams-en")) is seen


def test_equations_are_spelt_as_the_tiles_are_printed() -> None:
    verdict = TableauVerdict((JudgedWord("1x1=1", 0, 0, Direction.ACROSS, True),), 1, True)
    assert verdicts_as_printed([verdict], BINARY)[0].words[0].text == "1×1=1"


@pytest.mark.parametrize(
    "printed",
    [{"y": "×"}, {"x": "/"}, {"x": "×", "/": "×"}, {"x": "××"}],
    ids=["no such symbol", "another symbol", "one sign for two", "two characters"],
)
def test_signs_that_would_be_mixed_up_are_refused(printed: dict[str, str]) -> None:
    with pytest.raises(BadTileSet, match="'printed'"):
        TileSet("own", ("x", "/", "1"), printed=printed)


def test_a_file_with_signs_that_are_no_text_is_malformed() -> None:
    with pytest.raises(BadTileSet, match="a sign each"):
        TileSet.from_json("own", '{"symbols": ["x"], "printed": {"x": 1}}')
