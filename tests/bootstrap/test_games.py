"""A new game and the list that judges it: a list of another language than the tiles is refused."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.bootstrap import games
from companion.bootstrap.games import (
    board_fault,
    game_lexicon,
    keep_played,
    last_played,
    match_lexicon,
    new_match,
    rare_word_rule,
    resume_match,
    tableau_judge,
)
from companion.config.cameras import CameraConfig, CameraKind
from companion.config.table import BoardConfig, TableConfig
from companion.errors import BadWordList
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import Called, Input, Order, Ordered, Ruling
from companion.model.tiles import tile_set
from companion.rules import registry
from companion.words import Lexicon, Rare, WordList, chosen
from companion.words.chosen import main_store
from tests.made_up import reading, tableau


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))


def config(tiles: str, game: str = "chew", words: str = "default", **options: Any) -> TableConfig:
    return TableConfig(game, ("Anna", "Bo"), tile_set=tiles, words=words, options=options)


@pytest.mark.parametrize("game", ["bananagrams", "chew", "league_city", "martian_boggle"])
def test_german_tiles_without_a_german_list_are_refused_with_what_to_do(game: str) -> None:
    told = r"default has no word with Ä, Ö, Ü .*\(companion words add FILE\).*\(policy: off\)"
    with EventLog() as log, pytest.raises(BadWordList, match=told):
        new_match(config("scrabble-de", game), log)


def test_german_tiles_are_judged_by_a_german_list() -> None:
    main_store().add(WordList.written("deutsch", ["öl", "übel", "äste"]))
    assert game_lexicon(config("scrabble-de", words="deutsch")).name == "deutsch"


def test_finnish_tiles_are_not_judged_by_a_list_without_their_letters() -> None:
    main_store().add(WordList.written("deutsch", ["öl", "übel"]))
    with pytest.raises(BadWordList, match="no word with Ä and cannot judge the tiles bananagrams-fi"):
        game_lexicon(config("bananagrams-fi", words="deutsch"))


def test_people_may_judge_tiles_of_any_language() -> None:
    assert game_lexicon(config("scrabble-de", policy="off")).name == "default"


def test_english_tiles_are_judged_by_any_list() -> None:
    main_store().add(WordList.written("few", ["cat"]))
    assert game_lexicon(config("bananagrams-en", words="few")).name == "few"


def test_a_game_without_words_asks_no_list() -> None:
    assert game_lexicon(config("scrabble-de", "binary_scrabble")).name == "default"


@pytest.fixture
def updated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """Brings another default list, as an update does."""

    def update() -> None:
        new = tmp_path / "default.txt.gz"
        new.write_bytes(gzip.compress(b"cat\ndog\n"))
        monkeypatch.setattr(chosen, "DEFAULT_LIST_FILE", new)

    return update


def test_a_game_goes_on_with_its_own_list_after_an_update_brought_another(
    tmp_path: Path, updated: Callable[[], None]
) -> None:
    table = config("bananagrams-en")
    with EventLog(tmp_path / "games.db") as log:
        match = new_match(table, log)
        updated()
        found = resume_match(table, log)
    assert found is not None
    assert (found[1].name, found[1].words.label) == (match.name, match.words.label)
    assert match_lexicon(table, match.words.label).accepts("horse")


def test_a_new_game_has_the_new_list_and_keeps_no_other(tmp_path: Path, updated: Callable[[], None]) -> None:
    with EventLog(tmp_path / "games.db") as log:
        new_match(config("bananagrams-en"), log)
        updated()
        assert new_match(config("bananagrams-en"), log).words.label.startswith("default (2 words")
    assert len(chosen.past_store().names()) == 1


def test_a_game_begins_though_its_list_cannot_be_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "home/words").mkdir(parents=True)
    (tmp_path / "home/words/past").write_text("no folder")
    with EventLog(tmp_path / "games.db") as log:
        assert new_match(config("bananagrams-en", words="default"), log).number > 0
    assert "a game that an update interrupts cannot go on" in caplog.text


def league_game_ended_by_a_score(log: EventLog) -> Match:
    """Return a game that a score of the referee has ended after its first round."""
    match = new_match(config("bananagrams-en", "league_city", policy="off"), log)
    inputs: list[Input] = [
        Ordered(0, Order.START),
        Called(1, 1, "go"),
        Ruling(2, "end_round", "time is up"),
        Ordered(3, Order.CONFIRM),
        Ruling(4, "set_score", "typed", 1, {"score": 999}),
    ]
    for received in inputs:
        match.handle(received)
    return match


def test_a_game_whose_end_was_taken_back_goes_on_after_a_restart() -> None:
    with EventLog() as log:
        match = league_game_ended_by_a_score(log)
        assert resume_match(config("bananagrams-en"), log) is None
        match.handle(Ruling(5, "undo", "a slip"))
        match.handle(Ordered(6, Order.NEXT_ROUND))
        found = resume_match(config("bananagrams-en"), log)
    assert found is not None
    assert (found[1].name, found[1].state.round) == (match.name, 2)


def test_a_game_of_fewer_players_than_the_tables_file_names_goes_on_after_a_restart() -> None:
    four = replace(
        config("bananagrams-en"), seats=("Anna", "Bo", "Cleo", "Dora"), facing_deg=(0.0, 90.0, 180.0, 270.0)
    )
    with EventLog() as log:
        new_match(four.for_game("bananagrams", ("Anna", "Bo", "Cleo"), {}), log)
        found = resume_match(four, log)
    assert found is not None
    assert (found[0].seats, found[0].facing_deg) == (("Anna", "Bo", "Cleo"), ())


@pytest.mark.parametrize(
    ("game", "board", "policy", "says"),
    [
        ("binary_scrabble", None, "advise", "Binary Number Scrabble is played on a board, and the table's"),
        ("martian_boggle", None, "strict", "add [board] to it"),
        ("bananagrams", BoardConfig(), "advise", "Bananagrams is played without a board, and the cameras"),
        ("binary_scrabble", BoardConfig(), "strict", ""),
        ("bananagrams", None, "strict", ""),
        ("binary_scrabble", None, "off", ""),
    ],
)
def test_a_game_that_lacks_its_board_is_told(
    game: str, board: BoardConfig | None, policy: str, says: str
) -> None:
    camera = CameraConfig(CameraKind.PI)
    table = replace(config("binary", game, policy=policy), board=board, cameras=(camera,))
    assert (says in board_fault(table)) if says else board_fault(table) == ""
    assert board_fault(replace(table, cameras=())) == ""


def test_a_name_that_cannot_be_kept_leaves_no_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    with EventLog(tmp_path / "games.db") as log:
        first, second = (new_match(config("bananagrams-en"), log).name for _ in range(2))
        keep_played(log, first)
        assert last_played(log) == first
        monkeypatch.setattr(games, "write_atomically", full)
        keep_played(log, second)
        assert last_played(log) == second


def test_a_game_that_has_ended_counts_as_over_without_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    with EventLog() as log:
        league_game_ended_by_a_score(log)
        monkeypatch.setattr(registry, "entries", dict)
        assert resume_match(config("bananagrams-en"), log) is None


@pytest.mark.parametrize(("rare", "valid"), [("accept", True), ("ask", None), ("refuse", False)])
def test_the_picture_says_of_rare_words_what_the_game_does(rare: str, valid: bool | None) -> None:
    lexicon = Lexicon(WordList.written("one", ["cat"], rare=["zax"]))
    judge = tableau_judge(tile_set("bananagrams-en"), lexicon, Rare(rare))
    assert judge(reading(tableau("Z A X")))[0].valid is valid


def test_what_the_host_decided_on_rare_words_is_in_the_set_up() -> None:
    assert [rare_word_rule(config("bananagrams-en", **given)) for given in ({}, {"rare": "ask"})] == [
        Rare.ACCEPT,
        Rare.ASK,
    ]
