"""Hunspell dictionaries written out: forms, special flags, encodings, names and limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.errors import BadWordList
from companion.words import hunspell
from companion.words.hunspell import Dictionary

AFFIXES = """
# Copyright (C) 2020 Somebody
# License: MIT
SET UTF-8
FORBIDDENWORD d
ONLYINCOMPOUND o
NEEDAFFIX h
CIRCUMFIX f
PFX U Y 1
PFX U 0 un .
PFX G Y 1
PFX G 0 ge/f .
SFX E Y 2
SFX E en te [^t]en
SFX E 0 s [aeiouäö]
SFX T Y 1
SFX T en t/f en
SFX S N 1
SFX S 0 er/M [^e]
SFX M Y 1
SFX M 0 n .
SFX A Y 1
SFX A 0 'ed .
"""


def dictionary(folder: Path, *entries: str, affixes: str = AFFIXES, encoding: str = "utf-8") -> Dictionary:
    (folder / "little.aff").write_text(affixes, encoding=encoding)
    text = "\n".join([str(len(entries)), *entries, ""])
    (folder / "little.dic").write_text(text, encoding=encoding)
    return hunspell.from_file(folder / "little.dic", "little")


def words(folder: Path, *entries: str) -> set[str]:
    return {word for word, _ in dictionary(folder, *entries).read.words}


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("tanzen", {"tanzen"}),
        ("tanzen/E", {"tanzen", "tanzte"}),  # en goes where no t stands before it
        ("warten/E", {"warten"}),
        ("sofa/E", {"sofa", "sofas"}),
        ("gut/U", {"gut", "ungut"}),
        ("sagen/EU", {"sagen", "sagte", "unsagen", "unsagte"}),  # both at once
        ("klein/S", {"klein", "kleiner", "kleinern"}),  # a suffix after a suffix
        ("klein/SU", {"klein", "kleiner", "kleinern", "unklein"}),  # S goes with no prefix
        ("holen/GT", {"holen", "geholt"}),  # one goes around the word: no holt, no geholen
        ("fehl/h", set()),
        ("fehl/hU", {"unfehl"}),
        ("fugen/o", set()),
        ("falsch/dE", set()),
        ("tag/A", {"tag"}),  # an apostrophe is on no tile
        ("café\tpo:noun", {"café"}),
    ],
)
def test_an_entry_is_written_out(tmp_path: Path, entry: str, forms: set[str]) -> None:
    assert words(tmp_path, entry, "ja") == forms | {"ja"}


@pytest.mark.parametrize(
    ("kind", "first", "second", "both"),
    [
        ("", "E", "S", "ES"),
        ("FLAG UTF-8", "Ö", "ß", "Öß"),
        ("FLAG long", "Ee", "Ss", "EeSs"),
        ("FLAG num", "17", "303", "17,303"),
    ],
)
def test_flags_are_written_in_four_ways(
    tmp_path: Path, kind: str, first: str, second: str, both: str
) -> None:
    rules = f"SET UTF-8\n{kind}\nSFX {first} Y 1\nSFX {first} 0 s .\nSFX {second} Y 1\nSFX {second} 0 er .\n"
    read = dictionary(tmp_path, f"klein/{both}", affixes=rules).read
    assert [word for word, _ in read.words] == ["klein", "kleiner", "kleins"]


def test_flags_may_stand_for_others(tmp_path: Path) -> None:
    rules = "SET UTF-8\nAF 2\nAF S\nAF SE\nSFX S Y 1\nSFX S 0 s .\nSFX E Y 1\nSFX E 0 er .\n"
    read = dictionary(tmp_path, "klein/2", "bald/1", affixes=rules).read
    assert [word for word, _ in read.words] == ["bald", "balds", "klein", "kleiner", "kleins"]


def test_german_letters_are_read_in_the_encoding_that_the_affixes_name(tmp_path: Path) -> None:
    read = dictionary(tmp_path, "Öl", "Straße", affixes="SET ISO8859-1\n", encoding="latin-1").read
    assert [word for word, _ in read.words] == ["strasse", "öl"]


def test_capitals_are_names_where_few_entries_have_one(tmp_path: Path) -> None:
    read = dictionary(tmp_path, "talo", "kissa", "koira", "Helsinki").read
    assert ([word for word, _ in read.words], read.skipped) == (["kissa", "koira", "talo"], ("Helsinki",))


def test_capitals_are_nouns_where_many_entries_have_one(tmp_path: Path) -> None:
    assert words(tmp_path, "Haus", "Maus", "gut", "GmbH") == {"haus", "maus", "gut"}


def test_what_the_dictionary_says_of_its_licence_is_kept(tmp_path: Path) -> None:
    assert dictionary(tmp_path, "ja").notices == ("Copyright (C) 2020 Somebody", "License: MIT")


def test_a_dictionary_without_its_affixes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lone.dic").write_text("1\nja\n", encoding="utf-8")
    with pytest.raises(BadWordList, match=r"needs its affix file beside it: .*lone\.aff"):
        hunspell.from_file(tmp_path / "lone.dic", "lone")


def test_an_encoding_that_nobody_knows_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadWordList, match="is damaged: unknown encoding: utf-99"):
        dictionary(tmp_path, "ja", affixes="SET UTF-99\n")


def test_a_file_in_another_encoding_than_it_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadWordList, match="is damaged: 'utf-8' codec can't decode"):
        dictionary(tmp_path, "yö", affixes="SET UTF-8\n", encoding="latin-1")


def test_a_condition_with_half_a_bracket_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadWordList, match=r"little\.aff or little\.dic is damaged"):
        dictionary(tmp_path, "ja/E", affixes="SET UTF-8\nSFX E Y 1\nSFX E 0 s [^]\n")


def test_a_dictionary_with_too_many_forms_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.words.hunspell.MAX_LINES", 2)
    with pytest.raises(BadWordList, match="more than 2 forms"):
        dictionary(tmp_path, "eins", "zwei", "drei")


def test_a_dictionary_without_a_word_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadWordList, match="no word that tiles can spell"):
        dictionary(tmp_path, "1st")
