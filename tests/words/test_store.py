"""Shelves: lists are kept whole, change under nobody's hand unnoticed, and one of them judges."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from companion.errors import BadWordList
from companion.words import WordList, current_lexicon, lexicon_named
from companion.words.chosen import home, list_named, long_store, main_store
from companion.words.store import WordListStore

PETS = WordList.written("pets", ["cat", "dog"])
LONG = WordList.written("long", ["uncharacteristic"])


@pytest.fixture
def store(tmp_path: Path) -> WordListStore:
    return WordListStore(tmp_path / "words", "default")


def test_an_added_list_comes_back_as_it_was(store: WordListStore) -> None:
    store.add(PETS)
    assert store.names() == ["pets"]
    assert store.load("pets") == PETS


def test_anybody_can_check_an_added_list_by_its_hash(store: WordListStore) -> None:
    store.add(PETS)
    checked = subprocess.run(
        ["/usr/bin/sha256sum", "-c", "pets.txt.sha256"],
        cwd=store.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert checked.stdout == "pets.txt: OK\n"


def test_a_list_that_changed_after_it_was_added_does_not_judge(store: WordListStore) -> None:
    store.add(PETS)
    (store.folder / "pets.txt").write_bytes(b"cat\nxyzzy\n")
    with pytest.raises(BadWordList, match="'pets' has changed since; remove it and add it again"):
        store.load("pets")


def test_a_list_laid_there_by_hand_does_not_judge(store: WordListStore) -> None:
    store.folder.mkdir()
    (store.folder / "mine.txt").write_bytes(b"zebra\ncat\n")
    with pytest.raises(BadWordList, match="'mine': remove it and add it again"):
        store.load("mine")


def test_a_name_once_taken_is_not_given_again(store: WordListStore) -> None:
    store.add(PETS)
    with pytest.raises(BadWordList, match="already; remove it, or give another --name"):
        store.add(WordList.written("pets", ["cow"]))


@pytest.mark.parametrize("name", ["default", "none", "", ".hidden", "../up", "a/b", "Pets", "a b", "x" * 41])
def test_names_that_could_be_mistaken_are_refused(store: WordListStore, name: str) -> None:
    with pytest.raises(BadWordList, match="cannot name a word list"):
        store.add(WordList.written(name, ["cat"]))


def test_a_missing_list_is_told_with_the_nearest_name(store: WordListStore) -> None:
    store.add(PETS)
    with pytest.raises(
        BadWordList, match=r"no word list 'pet' .*did you mean 'pets'\? \(there are default, pets\)"
    ):
        store.load("pet")


def test_the_initial_list_is_in_use_until_another_is_chosen(store: WordListStore) -> None:
    store.add(PETS)
    before = store.in_use()
    store.use("pets")
    assert (before, store.in_use()) == ("default", "pets")


def test_a_damaged_list_cannot_be_chosen(store: WordListStore) -> None:
    store.add(PETS)
    (store.folder / "pets.txt").write_bytes(b"")
    with pytest.raises(BadWordList, match="has changed"):
        store.use("pets")
    assert store.in_use() == "default"


def test_a_removed_list_leaves_nothing_behind(store: WordListStore) -> None:
    store.add(PETS)
    store.remove("pets")
    assert list(store.folder.iterdir()) == []


def test_the_list_in_use_cannot_be_removed(store: WordListStore) -> None:
    store.add(PETS)
    store.use("pets")
    with pytest.raises(BadWordList, match="in use; choose another first, such as 'default'"):
        store.remove("pets")


def test_the_initial_list_cannot_be_removed(store: WordListStore) -> None:
    with pytest.raises(BadWordList, match="'default' stays"):
        store.remove("default")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadWordList, match="cannot be written"):
        WordListStore(tmp_path / "file", "default").add(PETS)


def test_a_list_that_cannot_be_taken_away_is_told(store: WordListStore) -> None:
    (store.folder / "odd.txt").mkdir(parents=True)
    with pytest.raises(BadWordList, match=r"odd\.txt cannot be removed"):
        store.remove("odd")


def test_a_choice_that_cannot_be_read_is_told(store: WordListStore) -> None:
    (store.folder / "in_use").mkdir(parents=True)
    with pytest.raises(BadWordList, match="choose a list again"):
        store.in_use()


def test_a_write_leaves_the_old_file_where_it_fails_half_way(
    store: WordListStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(PETS)
    store.use("pets")
    store.add(LONG)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("companion.files.os.fsync", full)
    with pytest.raises(BadWordList, match="No space left"):
        store.use("long")
    assert store.in_use() == "pets"


def test_the_default_judges_while_the_host_chose_nothing() -> None:
    assert current_lexicon().name == "default"


def test_the_chosen_list_judges() -> None:
    main_store().add(PETS)
    main_store().use("pets")
    assert current_lexicon().words == PETS


def test_a_chosen_list_that_is_gone_is_told_and_not_replaced(home: Path) -> None:
    main_store().add(PETS)
    main_store().use("pets")
    (home / "words" / "pets.txt").unlink()
    with pytest.raises(BadWordList, match="no word list 'pets'"):
        current_lexicon()


def test_the_second_list_in_use_goes_with_every_lexicon() -> None:
    long_store().add(LONG)
    long_store().use("long")
    assert current_lexicon().long == LONG
    assert lexicon_named("default").long == LONG


def test_lists_for_long_words_lie_on_a_shelf_of_their_own() -> None:
    main_store().add(PETS)
    long_store().add(LONG)
    assert (main_store().names(), long_store().names()) == (["pets"], ["long"])


def test_a_list_is_had_by_its_name() -> None:
    main_store().add(PETS)
    assert list_named("pets") == PETS


def test_the_host_s_files_lie_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COMPANION_HOME", "/srv/table")
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/share")
    named = home()
    monkeypatch.delenv("COMPANION_HOME")
    shared = home()
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert [named, shared, home()] == [
        Path("/srv/table"),
        Path("/srv/share/companion"),
        tmp_path / ".local/share/companion",
    ]
