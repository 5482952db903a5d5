"""The list that comes with the product: what is in it, how it is built, how fast it is there."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from companion.errors import BadWordList
from companion.words import Lexicon, Verdict, build, default_lexicon, masked
from companion.words.chosen import DEFAULT_LIST_FILE

TWO_LETTERS = (
    "aa ab ad ae ag ah ai al am an ar as at aw ax ay ba be bi bo by da de do ed ef eh el em en er es et ew "
    "ex fa fe gi go ha he hi hm ho id if in is it jo ka ki la li lo ma me mi mm mo mu my na ne no nu od oe "
    "of oh oi ok om on op or os ow ox oy pa pe pi po qi re sh si so ta te ti to uh um un up us ut we wo xi "
    "xu ya ye yo za"
).split()


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return default_lexicon()


@pytest.fixture
def scowl(tmp_path: Path) -> Path:
    """A folder such as SCOWL's, with a handful of words."""
    folder = tmp_path / "scowl"
    folder.mkdir()
    lists = {
        "english-words.10": "cat\nto\nit's\nzebra\nhoc\n",
        "american-words.70": "color\nxy\n",
        "british_variant_1-words.80": "naïve\nsmørbrød\ncat\ncosplayed\n",
        "english-words.95": "qqq\n",
        "english-words.80": "paris\nparises\nlas\neaster\neasters\nsherpa\nsherpas\nstacey\n",
        "english-words.60": "viking\nvikings\njeep\n",
        "english-abbreviations.10": "etc\nmaths\ncum\n",
        "english-abbreviations.70": "ROM\n",
        "english-upper.10": "Paris\n",
        "english-upper.35": "Easter\nEasters\n",
        "english-upper.50": "Viking\nLas\nSherpa\n",
        "english-upper.80": "Sherpas\nStaceys\n",
        "english-proper-names.50": "Stacey\n",
        "english-proper-names.60": "Jeep\n",
        "README": "readme\n",
    }
    for name, words in lists.items():
        (folder / name).write_text(words, encoding="utf-8")
    return folder


def test_the_two_letter_words_are_exactly_the_hundred_and_seven(lexicon: Lexicon) -> None:
    listed = [(word, verdict) for word, verdict in lexicon.words if len(word) == 2]
    assert listed == [(word, Verdict.VALID) for word in TWO_LETTERS]
    assert len(TWO_LETTERS) == 107


@pytest.mark.parametrize(
    "word", ["cat", "colour", "color", "realise", "realize", "naive", "selfies", "yeet", "maths"]
)
def test_everyday_words_are_valid(lexicon: Lexicon, word: str) -> None:
    assert lexicon.verdict(word) is Verdict.VALID


@pytest.mark.parametrize("word", ["zax", "batatas", "smorbrod", "umiaq"])
def test_words_of_the_largest_size_are_rare(lexicon: Lexicon, word: str) -> None:
    assert lexicon.verdict(word) is Verdict.RARE


@pytest.mark.parametrize(
    "word", ["texas", "paris", "spain", "mali", "james", "steven", "easter", "deere", "parises"]
)
def test_proper_names_are_not_listed(lexicon: Lexicon, word: str) -> None:
    assert lexicon.verdict(word) is Verdict.NOT_LISTED


@pytest.mark.parametrize("word", ["ouija", "sherpa", "merlot", "tory", "tories"])
def test_capitalised_words_for_kinds_of_things_are_listed(lexicon: Lexicon, word: str) -> None:
    assert lexicon.verdict(word) is Verdict.RARE


@pytest.mark.parametrize(
    "word", ["cum", "alt", "ave", "rom", "mon", "ret", "mus", "nos", "eds", "morph", "tinct"]
)
def test_words_that_are_abbreviations_too_are_valid(lexicon: Lexicon, word: str) -> None:
    assert lexicon.verdict(word) is Verdict.VALID


@pytest.mark.parametrize("word", ["london", "cta", "csc", "hoc", "qqq", "etc", "a", "zq"])
def test_names_abbreviations_and_nonsense_are_not_listed(lexicon: Lexicon, word: str) -> None:
    assert lexicon.verdict(word) is Verdict.NOT_LISTED


def test_every_word_added_by_hand_is_valid(lexicon: Lexicon) -> None:
    added = (
        build.hand_made_words("modern")
        | build.hand_made_words("short")
        | build.hand_made_words("two_letters")
    )
    assert len(added) > 590
    assert {lexicon.verdict(word) for word in added} == {Verdict.VALID}


def test_a_tableau_of_fifty_words_is_judged_within_a_tenth_of_a_second_from_a_cold_start() -> None:
    start = time.process_time()
    lexicon = default_lexicon()
    for word in TWO_LETTERS[:50]:
        lexicon.accepts(word)
    assert time.process_time() - start < 0.1


def test_the_list_takes_less_than_four_megabytes_of_memory(lexicon: Lexicon) -> None:
    assert len(lexicon.words.text) < 4_000_000


def test_a_build_takes_the_plain_words_of_each_size_as_its_tier_says(scowl: Path) -> None:
    built = build.default_words(scowl)
    verdicts = {word: built.verdict(word) for word in ("cat", "zebra", "color", "naive", "smorbrod")}
    assert verdicts == {
        "cat": Verdict.VALID,
        "zebra": Verdict.VALID,
        "color": Verdict.VALID,
        "naive": Verdict.RARE,
        "smorbrod": Verdict.RARE,
    }


def test_a_build_leaves_out_names_abbreviations_signs_and_the_largest_size(scowl: Path) -> None:
    built = build.default_words(scowl)
    assert {built.verdict(word) for word in ("its", "etc", "paris", "qqq", "readme")} == {Verdict.NOT_LISTED}


def test_a_build_follows_the_files_made_by_hand(scowl: Path) -> None:
    built = build.default_words(scowl)
    verdicts = [built.verdict(word) for word in ("xy", "qi", "hoc", "maths", "yeet")]
    assert verdicts == [Verdict.NOT_LISTED, Verdict.VALID, Verdict.NOT_LISTED, Verdict.VALID, Verdict.VALID]


def test_a_build_takes_an_abbreviation_that_enable_has_for_a_word(scowl: Path) -> None:
    built = build.default_words(scowl)
    assert [built.verdict(word) for word in ("cum", "rom", "etc")] == [
        Verdict.VALID,
        Verdict.VALID,
        Verdict.NOT_LISTED,
    ]


def test_a_build_counts_a_word_better_known_as_a_name_one_step_less(scowl: Path) -> None:
    built = build.default_words(scowl)
    assert [built.verdict(word) for word in ("paris", "viking", "jeep")] == [
        Verdict.NOT_LISTED,  # an everyday name, a word in the largest size only
        Verdict.RARE,  # an everyday name, a word of size 60
        Verdict.VALID,  # no everyday name
    ]


def test_a_build_counts_the_plural_of_a_name_no_more_than_the_name(scowl: Path) -> None:
    built = build.default_words(scowl)
    assert [built.verdict(word) for word in ("parises", "vikings")] == [Verdict.NOT_LISTED, Verdict.RARE]


def test_a_build_takes_a_capitalised_word_with_a_plural_for_a_kind_and_no_name(scowl: Path) -> None:
    built = build.default_words(scowl)
    assert [built.verdict(word) for word in ("sherpa", "sherpas")] == [Verdict.RARE, Verdict.RARE]


def test_a_build_takes_for_a_name_what_the_small_sizes_or_lists_of_names_capitalise(scowl: Path) -> None:
    built = build.default_words(scowl)
    assert {built.verdict(word) for word in ("easter", "easters", "stacey")} == {Verdict.NOT_LISTED}


def test_a_build_takes_the_plural_of_an_ordinary_word_for_no_name(scowl: Path) -> None:
    assert build.default_words(scowl).verdict("las") is Verdict.RARE


def test_a_build_writes_the_list_and_says_what_it_is(
    scowl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out" / "list.txt.gz"
    assert build.main(["--scowl", str(scowl), "--to", str(target)]) == 0
    words = build.default_words(scowl)
    assert gzip.decompress(target.read_bytes()) == words.text
    assert capsys.readouterr().out == f"{target}: {words.label}, 7 of them rare\n"


def test_a_build_without_scowl_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(BadWordList, match="install the Debian package scowl"):
        build.default_words(tmp_path / "nowhere")


def test_the_shipped_list_is_what_the_build_makes() -> None:
    if not build.SCOWL.is_dir():
        pytest.skip("the Debian package scowl is not installed")
    assert gzip.decompress(DEFAULT_LIST_FILE.read_bytes()) == build.default_words(build.SCOWL).text


def test_a_damaged_default_list_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "default.txt.gz"
    broken.write_bytes(DEFAULT_LIST_FILE.read_bytes()[:1000])
    monkeypatch.setattr("companion.words.chosen.DEFAULT_LIST_FILE", broken)
    with pytest.raises(BadWordList, match="install the companion again"):
        default_lexicon()


def test_the_notices_that_the_sources_ask_for_are_shipped() -> None:
    notices = DEFAULT_LIST_FILE.with_name("NOTICES.txt").read_text(encoding="utf-8")
    beginning = notices[:1200]
    assert "Copyright (c) J Ross Beresford 1993-1999. All Rights Reserved." in beginning
    for holder in ("Kevin Atkinson", "Princeton University", "Geoff Kuenning", "Benjamin Titze", "ENABLE"):
        assert holder in notices


def test_offensive_words_are_judged_but_displayed_as_asterisks(lexicon: Lexicon) -> None:
    word = "shit"
    assert lexicon.verdict(word) is Verdict.VALID
    assert [masked(word), masked(word.upper()), masked("ship")] == ["****", "****", "ship"]
