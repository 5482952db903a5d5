"""What the tiles of a set are laid to say."""

from __future__ import annotations

import pytest

from companion.model.tiles import TileSet, tile_set
from companion.rules.sense import sense_of
from companion.words.lexicon import Lexicon

WORDS = Lexicon.of("few", ["cat", "queen"])


def test_letters_spell_words_of_the_list() -> None:
    sense = sense_of(tile_set("bananagrams-en"), WORDS)
    assert sense
    assert [sense(tuple(word)) for word in ("CAT", "CAF")] == [True, False]
    assert sense(("QU", "E", "E", "N"))


def test_a_blank_or_a_word_too_long_for_the_list_leaves_it_open() -> None:
    sense = sense_of(tile_set("bananagrams-en"), WORDS)
    assert sense
    assert sense(("C", "", "T")) is None
    assert sense(("A",) * 16) is None


def test_without_a_list_letters_say_nothing() -> None:
    assert sense_of(tile_set("bananagrams-en"), None) is None
    assert sense_of(TileSet("own", ("1", "2")), None) is None


@pytest.mark.parametrize(
    ("symbols", "says"),
    [
        ("1 + 1 = 1 0", True),
        ("1 / 1 = 1 0", False),
        ("1 0 = 1 1 AND 1 0", True),
        ("1 + 1 0 x 1 0 = 1 1 0", True),  # from left to right
        ("1 + 1 0 x 1 0 = 1 0 1", True),  # products first
        ("1 + 1 0 x 1 0 = 1", False),
        ("1 _ 1 = 1 0", True),
        ("1 _ 1 = 1 1 1 1", False),
        ("1 _ 1 = _ 0", None),
        ("1 1 0", False),
    ],
)
def test_digits_and_signs_make_equations_in_any_order_that_players_agree_on(
    symbols: str, says: bool | None
) -> None:
    sense = sense_of(tile_set("binary"), None)
    assert sense
    assert sense(tuple(symbol.strip("_") for symbol in symbols.split())) is says
