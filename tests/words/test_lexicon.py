"""Lexicons: what a list says of a word, in any case and alphabet, and what tells it from other lists."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadWordList
from companion.words import Lexicon, Rare, Verdict, WordList

european = st.characters(categories=["Ll", "Lu"], max_codepoint=0x52F, exclude_characters="İı")
words = st.text(european, min_size=1, max_size=8)
SIXTEEN = "uncharacteristic"


@pytest.fixture
def animals() -> WordList:
    return WordList.written("animals", ["cat", "Cats", "dog"], rare=["catta", "dog"])


def test_a_word_of_the_list_is_valid_in_any_case(animals: WordList) -> None:
    assert {animals.verdict(word) for word in ("cat", "CAT", "Cat", "cATS")} == {Verdict.VALID}


def test_a_rare_word_is_called_rare(animals: WordList) -> None:
    assert animals.verdict("CATTA") is Verdict.RARE


def test_a_word_given_as_valid_and_as_rare_is_valid(animals: WordList) -> None:
    assert animals.verdict("dog") is Verdict.VALID


@pytest.mark.parametrize(
    "word", ["", "ca", "catt", "cattas", "aardvark", "zebra", "cat?", "catta?", "cat\ncats", "\udcff"]
)
def test_anything_else_is_not_listed(animals: WordList, word: str) -> None:
    assert animals.verdict(word) is Verdict.NOT_LISTED


def test_an_empty_list_lists_nothing() -> None:
    assert WordList.written("none", []).verdict("cat") is Verdict.NOT_LISTED


def test_the_host_decides_on_rare_words(animals: WordList) -> None:
    lexicon = Lexicon(animals)
    assert [lexicon.validity("catta", rare) for rare in Rare] == [True, None, False]


def test_valid_words_are_accepted_and_others_are_not_whatever_the_policy(animals: WordList) -> None:
    lexicon = Lexicon(animals)
    assert {lexicon.validity("cat", rare) for rare in Rare} == {True}
    assert {lexicon.validity("cot", rare) for rare in Rare} == {False}


@pytest.mark.parametrize(
    ("listed", "laid"),
    [
        ("mökki", "MÖKKI"),
        ("Straße", "STRASSE"),
        ("mo\N{COMBINING DIAERESIS}kki", "MÖKKI"),
        ("łódź", "ŁÓDŹ"),
        ("λόγος", "ΛΌΓΟΣ"),
        ("слово", "СЛОВО"),
        ("ışık", "IŞIK"),
        ("iyi", "İYİ"),
    ],
)
def test_letters_of_every_european_alphabet_are_the_same_in_capitals(listed: str, laid: str) -> None:
    assert Lexicon.of("words", [listed]).verdict(laid) is Verdict.VALID


@given(st.sets(words), st.sets(words), st.sets(words))
def test_a_list_says_of_each_word_what_a_set_of_words_says(
    valid: set[str], rare: set[str], others: set[str]
) -> None:
    built = WordList.written("drawn", valid, rare)
    sure, unsure = ({word.casefold() for word in given_words} for given_words in (valid, rare))
    for word in valid | rare | others:
        known = Verdict.RARE if word.casefold() in unsure else Verdict.NOT_LISTED
        assert built.verdict(word) is (Verdict.VALID if word.casefold() in sure else known)


@given(st.sets(words))
def test_the_order_in_which_words_are_given_does_not_matter(given_words: set[str]) -> None:
    ordered = sorted(given_words)
    assert WordList.written("a", ordered).sha256 == WordList.written("b", reversed(ordered)).sha256


def test_a_list_tells_its_words_in_order_with_their_verdicts(animals: WordList) -> None:
    assert list(animals) == [
        ("cat", Verdict.VALID),
        ("cats", Verdict.VALID),
        ("catta", Verdict.RARE),
        ("dog", Verdict.VALID),
    ]


def test_a_list_is_known_by_name_count_and_the_hash_of_its_text(animals: WordList) -> None:
    lexicon = Lexicon(animals)
    hashed = hashlib.sha256(b"cat\ncats\ncatta?\ndog\n").hexdigest()
    assert (lexicon.name, lexicon.count, lexicon.sha256) == ("animals", 4, hashed)
    assert animals.rare_count == 1
    assert lexicon.label == f"animals (4 words, sha256 {hashed[:12]})"


@pytest.mark.parametrize("word", ["it's", "e-mail", "a b", "r2d2", "", "cat?", "cat\n"])
def test_a_word_that_tiles_cannot_spell_never_gets_into_a_list(word: str) -> None:
    with pytest.raises(BadWordList, match="letters only"):
        Lexicon.of("words", ["cat", word])


def test_a_second_list_alone_judges_words_over_fifteen_letters() -> None:
    lexicon = Lexicon(
        WordList.written("short", ["cat", SIXTEEN]), WordList.written("long", ["cot", "antidisestablish"])
    )
    assert lexicon.verdict("ANTIDISESTABLISH") is Verdict.VALID
    assert lexicon.verdict(SIXTEEN) is Verdict.NOT_LISTED
    assert lexicon.verdict("cat") is Verdict.VALID
    assert lexicon.verdict("cot") is Verdict.NOT_LISTED


def test_both_lists_are_named_where_there_is_a_second_one() -> None:
    label = Lexicon(WordList.written("short", ["cat"]), WordList.written("long", [SIXTEEN])).label
    assert label.startswith("short (1 words, ")
    assert "; over 15 letters long (1 words, " in label


def test_long_words_are_judged_where_any_list_has_them() -> None:
    short, long = WordList.written("short", ["cat"]), WordList.written("long", [SIXTEEN])
    assert Lexicon(short).covers(15)
    assert not Lexicon(short).covers(16)
    assert Lexicon(short, long).covers(16)
    assert Lexicon(long).covers(16)


@pytest.mark.parametrize(
    ("symbols", "possible"),
    [
        (("c", "", "t"), True),
        (("", "a", "t"), True),
        (("", "", ""), True),
        (("C", "A", "T", ""), True),
        (("c", "a", "t", "", ""), True),  # catta, a rare word
        (("d", "", "t"), False),
        (("", ""), False),
        (("c", "a", "", "?"), False),
        (("", ".", "t"), False),
    ],
)
def test_a_blank_stands_for_any_one_letter(
    animals: WordList, symbols: tuple[str, ...], possible: bool
) -> None:
    assert Lexicon(animals).fits(symbols) is possible


def test_a_blank_stands_for_a_letter_beyond_the_english_ones() -> None:
    lexicon = Lexicon.of("words", ["mökki", "ёж"])
    assert lexicon.fits(("M", "", "K", "K", "I"))
    assert lexicon.fits(("", "Ж"))
    assert not lexicon.fits(("М", "", "", "K", "K", "I"))


def test_a_pattern_over_fifteen_letters_is_looked_up_in_the_second_list() -> None:
    pattern = (*SIXTEEN[:-1], "")
    assert Lexicon(WordList.written("short", ["cat"]), WordList.written("long", [SIXTEEN])).fits(pattern)
    assert not Lexicon(WordList.written("short", [SIXTEEN]), WordList.written("long", ["cat"])).fits(pattern)


@given(st.sets(words, min_size=1), st.data())
def test_a_listed_word_fits_with_any_of_its_letters_blank(given_words: set[str], data: st.DataObject) -> None:
    listed = WordList.written("drawn", given_words)
    word = data.draw(st.sampled_from([word for word, _ in listed]))
    blanks = data.draw(st.sets(st.integers(0, len(word) - 1)))
    assert listed.fits(["" if n in blanks else letter for n, letter in enumerate(word)])
