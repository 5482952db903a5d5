"""The words command: lists are added, listed, shown, chosen, removed and measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli import main
from companion.words.chosen import current_lexicon

PETS_HASH = "5b1a91edff05"
"""Start of what ``printf 'cat\\ncats\\ndog\\n' | sha256sum`` prints."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def pets(tmp_path: Path) -> str:
    path = tmp_path / "My Pets.txt"
    path.write_text("DOG\nCAT\ncats\nit's\n", encoding="utf-8")
    return str(path)


def test_an_added_list_is_named_after_its_file_and_told_by_count_and_hash(
    pets: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["words", "add", pets]) == 0
    said = capsys.readouterr()
    assert said.out == f"added my-pets (3 words, sha256 {PETS_HASH})\n"
    assert said.err == "skipped 1 lines that tiles cannot spell: line 4: it's\n"


def test_an_added_list_takes_the_name_it_is_given(pets: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["words", "add", pets, "--name", "farm"])
    assert capsys.readouterr().out.startswith("added farm (3 words")


def test_a_hunspell_dictionary_is_added_with_what_it_says_of_its_licence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fi.aff").write_text("# License: BSD\nSET UTF-8\nSFX N Y 1\nSFX N 0 n .\n", encoding="utf-8")
    (tmp_path / "fi.dic").write_text("2\ntalo/N\nyö\n", encoding="utf-8")
    assert main(["words", "add", str(tmp_path / "fi.dic"), "--name", "suomi"]) == 0
    added, notice = capsys.readouterr().out.splitlines()
    assert added.startswith("added suomi (3 words, sha256 ")
    assert notice == "the dictionary says: License: BSD"


def test_a_file_that_is_no_list_is_refused_with_status_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.txt").write_bytes("mökki\n".encode("latin-1"))
    assert main(["words", "add", str(tmp_path / "old.txt")]) == 2
    assert capsys.readouterr().err.startswith("companion words: word list 'old' is not UTF-8 text")


def test_the_lists_are_named_with_a_star_at_those_in_use(
    pets: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    main(["words", "add", pets, "--name", "zoo", "--long"])
    main(["words", "use", "zoo", "--long"])
    capsys.readouterr()
    assert main(["words", "list"]) == 0
    default, farm, zoo = capsys.readouterr().out.splitlines()
    assert default.startswith("* default (")
    assert farm == f"  farm (3 words, sha256 {PETS_HASH})"
    assert zoo == f"* zoo (3 words, sha256 {PETS_HASH}), for words over 15 letters"


def test_a_damaged_list_is_listed_with_what_is_wrong(
    pets: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    (home / "words" / "farm.txt").write_bytes(b"cow\n")
    capsys.readouterr()
    assert main(["words", "list"]) == 0
    assert "farm: word list 'farm' has changed since" in capsys.readouterr().out


def test_programs_read_the_lists_as_json(pets: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["words", "add", pets, "--name", "farm"])
    capsys.readouterr()
    main(["words", "list", "--json"])
    default, farm = json.loads(capsys.readouterr().out)
    assert (default["name"], default["in_use"]) == ("default", True)
    assert (farm["count"], farm["rare"], farm["in_use"], farm["long"]) == (3, 0, False, False)
    assert farm["sha256"].startswith(PETS_HASH)


def test_the_chosen_list_judges_until_another_is_chosen(
    pets: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    assert main(["words", "use", "farm"]) == 0
    assert current_lexicon().name == "farm"
    assert main(["words", "use", "default"]) == 0
    assert current_lexicon().name == "default"
    assert capsys.readouterr().out.endswith("words are judged by farm\nwords are judged by default\n")


def test_a_second_list_can_be_put_away_again(pets: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["words", "add", pets, "--name", "zoo", "--long"])
    main(["words", "use", "zoo", "--long"])
    main(["words", "use", "none", "--long"])
    assert current_lexicon().long is None
    assert capsys.readouterr().out.endswith("words over 15 letters are judged by none\n")


def test_a_list_that_is_not_there_is_refused_with_the_nearest_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["words", "use", "defualt"]) == 2
    assert "did you mean 'default'?" in capsys.readouterr().err


def test_a_removed_list_is_gone(pets: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["words", "add", pets, "--name", "farm"])
    assert main(["words", "remove", "farm"]) == 0
    assert capsys.readouterr().out.endswith("removed farm\n")
    assert main(["words", "show", "farm"]) == 2


def test_a_list_is_shown_with_its_size_its_whole_hash_and_its_file(
    pets: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    main(["words", "use", "farm"])
    capsys.readouterr()
    assert main(["words", "show", "farm"]) == 0
    name, words, sha256, file = capsys.readouterr().out.splitlines()
    assert name == "name    farm (in use)"
    assert words == "words   3, 0 of them rare"
    assert sha256.startswith(f"sha256  {PETS_HASH}")
    assert file == f"file    {home / 'words' / 'farm.txt'}"


def test_the_default_list_is_shown_with_the_notice_of_its_largest_source(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["words", "show", "default"]) == 0
    shown = capsys.readouterr().out
    assert "Copyright (c) J Ross Beresford 1993-1999. All Rights Reserved." in shown
    assert "official" not in shown.lower()


def test_a_second_list_is_shown_from_its_own_shelf(pets: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["words", "add", pets, "--name", "zoo", "--long"])
    capsys.readouterr()
    assert main(["words", "show", "zoo", "--long", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["name"], shown["long"], shown["in_use"]) == ("zoo", True, False)
    assert main(["words", "show", "zoo"]) == 2


def test_a_list_is_measured_against_a_file(
    pets: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    (tmp_path / "yard.txt").write_text("cat\ncow\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["words", "compare", str(tmp_path / "yard.txt"), "--list", "farm"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"farm (3 words, sha256 {PETS_HASH}) against yard.txt (2 words, sha256 ")
    assert "33.33%" in shown  # one of three accepted words, cat, is in the file
    assert "50.00%" in shown  # one of the file's two words is accepted


def test_words_that_differ_are_printed_and_written_to_a_file(
    pets: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    (tmp_path / "yard.txt").write_text("cat\ncow\n", encoding="utf-8")
    everything = tmp_path / "all.tsv"
    assert (
        main(["words", "compare", str(tmp_path / "yard.txt"), "--list", "farm", "--all", str(everything)])
        == 0
    )
    shown = capsys.readouterr().out
    assert "valid, not in the file, 2: dog cats\nonly in the file, 1: cow\n" in shown
    assert everything.read_text(encoding="utf-8") == "valid\tdog\nvalid\tcats\nmissing\tcow\n"


def test_at_most_forty_words_of_a_kind_are_printed(
    pets: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    forms = [f"z{first}{second}" for first in "abcdefgh" for second in "abcdefgh"]
    (tmp_path / "yard.txt").write_text("\n".join(forms), encoding="utf-8")
    main(["words", "compare", str(tmp_path / "yard.txt"), "--list", "farm"])
    shown = capsys.readouterr().out
    assert "only in the file, 64: zaa zab" in shown
    assert (" zeh ...\n" in shown, "zfa" in shown) == (True, False)


def test_programs_read_the_measure_as_json(
    pets: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["words", "add", pets, "--name", "farm"])
    main(["words", "use", "farm"])
    (tmp_path / "yard.txt").write_text("cat\ncow\n", encoding="utf-8")
    capsys.readouterr()
    main(["words", "compare", str(tmp_path / "yard.txt"), "--json"])
    measured = json.loads(capsys.readouterr().out)
    assert (measured["list"]["name"], measured["file"]["count"]) == ("farm", 2)
    assert measured["agreement"][0] == {
        "letters": None,
        "lenient": False,
        "accepted": 3,
        "other": 2,
        "both": 1,
        "precision": 1 / 3,
        "recall": 1 / 2,
    }
    assert measured["differences"] == [
        {"letters": 3, "valid": 1, "rare": 0, "missing": 1},
        {"letters": 4, "valid": 1, "rare": 0, "missing": 0},
    ]
