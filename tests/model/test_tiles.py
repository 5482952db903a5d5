"""Tile sets: the boxes that come with the product, and those that a host writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.errors import BadTileSet
from companion.model.tiles import BLANK, MAX_FILE_CHARS, TileSet, tile_set, tile_set_names

PRINTED_ON_THE_BOX = {
    "bananagrams-en": 144,
    "binary": 100,  # a Scrabble set with new faces
    "scrabble-de": 102,
    "scrabble-en": 100,
}


@pytest.mark.parametrize(("name", "tiles"), PRINTED_ON_THE_BOX.items())
def test_a_box_holds_as_many_tiles_as_its_maker_says(name: str, tiles: int) -> None:
    assert tile_set(name).size == tiles


@pytest.mark.parametrize("name", PRINTED_ON_THE_BOX)
def test_a_box_holds_the_tiles_that_the_written_facts_give(name: str, shared: Path) -> None:
    facts = json.loads((shared / "facts" / "facts.json").read_text(encoding="utf-8"))[name]
    counts = {BLANK if face in {"?", "blank"} else face: n for face, n in facts["counts"].items()}
    assert tile_set(name).counts == counts


def test_every_set_that_comes_with_the_product_can_be_opened() -> None:
    assert tile_set_names() == sorted([*PRINTED_ON_THE_BOX, "bananagrams-fi"])
    assert [tile_set(name).name for name in tile_set_names()] == tile_set_names()


def test_nobody_knows_how_many_tiles_the_finnish_box_holds() -> None:
    finnish = tile_set("bananagrams-fi")
    assert finnish.counts is None
    assert finnish.size is None


def test_the_finnish_box_has_the_letters_of_finnish_and_no_others() -> None:
    assert "".join(tile_set("bananagrams-fi").symbols) == "AÄBDEGHIJKLMNOÖPRSTUVY"


@pytest.mark.parametrize(
    ("name", "blanks"), [("bananagrams-en", False), ("scrabble-en", True), ("binary", True)]
)
def test_only_some_boxes_have_blanks(name: str, blanks: bool) -> None:
    assert tile_set(name).has_blanks is blanks


def test_a_blank_scores_nothing_and_a_german_umlaut_six_or_eight() -> None:
    values = tile_set("scrabble-de").values
    assert [values[symbol] for symbol in (BLANK, "Ä", "Ö", "Ü")] == [0, 6, 8, 6]


def test_in_scrabble_boxes_every_face_has_a_value_and_in_bananagrams_none() -> None:
    for name in ("scrabble-de", "scrabble-en"):
        assert set(tile_set(name).values) == set(tile_set(name).symbols)
    assert tile_set("bananagrams-en").values == {}


@pytest.mark.parametrize(
    ("symbols", "counts", "values", "says"),
    [
        ((), None, {}, "the symbols must be given"),
        (("",), None, {}, "not blanks alone, each once; got ('',)"),
        (("A", "B", "A"), None, {}, "each once; got ('A', 'B', 'A')"),
        (("A",), {"A": 2, "Q": 1}, {}, "counts for symbols it does not have: ['Q']"),
        (("A",), {"A": 2}, {"Z": 9}, "values for symbols it does not have: ['Z']"),
        (("A", "B"), {"A": 2, "B": 0}, {}, "every count must be 1 or more"),
    ],
)
def test_an_impossible_box_is_refused_and_the_message_says_why(
    symbols: tuple[str, ...], counts: dict[str, int] | None, values: dict[str, int], says: str
) -> None:
    with pytest.raises(BadTileSet) as fault:
        TileSet("home", symbols, counts, values)
    assert "tile set 'home': " in str(fault.value)
    assert says in str(fault.value)


def test_symbols_come_from_the_counts_where_they_are_not_listed() -> None:
    assert TileSet.from_json("home", '{"counts": {"B": 2, "A": 1}}') == TileSet(
        "home", ("B", "A"), {"B": 2, "A": 1}, {}
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "malformed"),
        ("{", "malformed"),
        ("[" * 50_000, "malformed"),
        ('["A"]', "it must be an object"),
        ('{"letters": ["A"]}', "no other keys than symbols, counts, values"),
        ("{}", "the symbols must be given"),
        ('{"symbols": "ABC"}', "'symbols' must be a list of texts"),
        ('{"symbols": ["A", 1]}', "'symbols' must be a list of texts"),
        ('{"symbols": null}', "'symbols' must be a list of texts"),
        ('{"counts": ["A"]}', "'counts' must give each symbol a whole number"),
        ('{"counts": {"A": "2"}}', "'counts' must give each symbol a whole number"),
        ('{"counts": {"A": true}}', "'counts' must give each symbol a whole number"),
        ('{"symbols": ["A"], "values": {"A": 1.5}}', "'values' must give each symbol a whole number"),
        ('{"symbols": ["A"], "side_mm": "19"}', "'side_mm' must be a number of millimetres"),
        ('{"symbols": ["A"], "side_mm": true}', "'side_mm' must be a number of millimetres"),
        ('{"symbols": ["A"], "side_mm": 500}', "'side_mm' must be 5 to 100; got 500"),
        ('{"symbols": ["A"], "side_mm": NaN}', "'side_mm' must be 5 to 100; got nan"),
    ],
)
def test_a_malformed_file_is_refused_and_the_message_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(BadTileSet) as fault:
        TileSet.from_json("home", text)
    assert "'home'" in str(fault.value)
    assert says in str(fault.value)


def test_a_hosts_own_file_is_a_tile_set_named_after_it(tmp_path: Path) -> None:
    own = tmp_path / "our box.json"
    own.write_text('{"symbols": ["Ä", ""]}', encoding="utf-8")
    assert tile_set(str(own)) == TileSet("our box", ("Ä", ""))


def test_only_a_set_of_ones_own_knows_how_broad_its_tiles_are() -> None:
    assert TileSet.from_json("home", '{"symbols": ["A"], "side_mm": 19}').side_mm == 19
    assert {tile_set(name).side_mm for name in tile_set_names()} == {None}


def test_a_copy_of_a_set_opens_by_its_path(tmp_path: Path) -> None:
    own = tmp_path / "mine.json"
    own.write_text('{"counts": {"A": 2}, "values": {"A": 1}}', encoding="utf-8")
    assert tile_set(str(own)).size == 2


def test_a_mistyped_name_gets_the_nearest_one_and_the_list() -> None:
    with pytest.raises(BadTileSet, match=r"no tile set 'scrabble-fr'; did you mean 'scrabble-..'\?") as fault:
        tile_set("scrabble-fr")
    assert all(name in str(fault.value) for name in tile_set_names())


@pytest.mark.parametrize("name", ["klondike", "", "../tiles", "../tile_sets/binary"])
def test_a_name_that_resembles_none_gets_the_list_alone(name: str) -> None:
    with pytest.raises(BadTileSet, match=r"there are bananagrams-en, .*or give a \.json file"):
        tile_set(name)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadTileSet, match=r"gone\.json: No such file"):
        tile_set(str(tmp_path / "gone.json"))


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_bytes('{"symbols": ["Ä"]}'.encode("latin-1"))
    with pytest.raises(BadTileSet, match=r"old\.json: it is not UTF-8 text"):
        tile_set(str(tmp_path / "old.json"))


def test_a_file_without_end_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "long.json").write_text(" " * (MAX_FILE_CHARS + 1))
    with pytest.raises(BadTileSet, match=r"long\.json: it is longer than 100000 characters"):
        tile_set(str(tmp_path / "long.json"))
