"""Which tiles a game is played with, chosen on a page: kept over a restart, and missed when they are gone."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.enrolment.storage import own_folder, save_set
from companion.bootstrap.devices import Simulation
from companion.bootstrap.paths import log_path
from companion.bootstrap.readiness.table import CHOOSE_TILES
from companion.bootstrap.running import RunOptions, run
from companion.bootstrap.tile_set_choice import TileSetChoice, tile_set_reference
from companion.config.table import TableConfig
from companion.errors import BadTileSet, Unanswered
from companion.events.log import EventLog
from companion.events.replay import history
from companion.model.status import TileSets
from companion.model.tiles import TileSet
from companion.table import Table
from tests.bootstrap.test_running import config_in, running, status_when
from tests.shapes import examples
from tests.table.playing import patiently

KNOWN = ("bananagrams-en", "bananagrams-fi", "binary", "scrabble-de", "scrabble-en")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The host's own files, with a set that was learnt."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "own"))
    shapes = examples("AB", 3)
    save_set(TileSet("kitchen", ("A", "B")), shapes, own_folder())
    return tmp_path / "own"


def table(folder: Path, **more: Any) -> TableConfig:
    return replace(TableConfig("chew", ("Anna", "Bo"), log=str(folder / "games.db")), **more)


def test_known_and_learnt_sets_are_told_with_the_one_that_the_file_names(tmp_path: Path) -> None:
    assert TileSetChoice(table(tmp_path)).choices("chew") == TileSets("bananagrams-en", KNOWN, ("kitchen",))
    named = TileSetChoice(table(tmp_path, tile_set="/mine/set.json")).choices("chew")
    assert named == TileSets("/mine/set.json", (*KNOWN, "/mine/set.json"), ("kitchen",))


@pytest.mark.parametrize(
    ("file", "game", "tiles"),
    [
        ("scrabble-en", "chew", "scrabble-en"),
        ("scrabble-en", "bananagrams", "scrabble-en"),  # played with the same tiles as chew
        ("scrabble-en", "binary_scrabble", "binary"),
        ("bananagrams-en", "martian_boggle", "scrabble-en"),
        ("scrabble-en", "a_strangers_game", "scrabble-en"),
    ],
)
def test_a_game_for_which_none_was_chosen_takes_the_files_tiles_unless_it_needs_others(
    file: str, game: str, tiles: str, tmp_path: Path
) -> None:
    assert TileSetChoice(table(tmp_path, tile_set=file)).chosen(game) == tiles


def test_what_was_chosen_for_a_game_is_chosen_again_and_for_no_other(tmp_path: Path) -> None:
    TileSetChoice(table(tmp_path)).save("chew", "kitchen")
    TileSetChoice(table(tmp_path)).save("bananagrams", "scrabble-en")
    later = TileSetChoice(table(tmp_path))
    assert [later.chosen(game) for game in ("chew", "bananagrams", "league_city")] == [
        "kitchen",
        "scrabble-en",
        "bananagrams-en",
    ]


def test_a_file_that_names_other_tiles_than_then_is_followed(tmp_path: Path) -> None:
    TileSetChoice(table(tmp_path)).save("chew", "kitchen")
    assert TileSetChoice(table(tmp_path, tile_set="scrabble-de")).chosen("chew") == "scrabble-de"


def test_a_choice_that_cannot_be_saved_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choice = TileSetChoice(table(tmp_path))
    choice.save("chew", "kitchen")

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadTileSet, match=r"tiles\.json cannot be written: No space left on device"):
        choice.save("chew", "scrabble-en")
    assert choice.chosen("chew") == "kitchen"


@pytest.mark.parametrize("body", ["", "[]", '{"over": 1}', '{"over": "a", "chosen": [1]}', "\xff"])
def test_a_choice_that_cannot_be_read_is_no_choice_and_says_what_to_do(body: str, tmp_path: Path) -> None:
    (tmp_path / "tiles.json").write_text(body, "latin-1")
    with pytest.raises(BadTileSet, match=r"tiles\.json, which .* is damaged: delete it and choose again"):
        TileSetChoice(table(tmp_path)).chosen("chew")


def test_what_is_wanted_must_be_there_with_its_pictures(tmp_path: Path, home: Path) -> None:
    choice = TileSetChoice(table(tmp_path))
    assert (choice.validated("chew", "kitchen"), choice.validated("chew", "")) == (
        "kitchen",
        "bananagrams-en",
    )
    for name in ("cellar", "../kitchen", str(home / "tiles" / "kitchen.json")):
        with pytest.raises(BadTileSet, match=r"cannot be had \(there are none of that name\): choose"):
            choice.validated("chew", name)
    (home / "tiles" / "kitchen.png").unlink()
    with pytest.raises(BadTileSet, match=r"tiles kitchen cannot be had \(.*kitchen\.png.*\): choose others"):
        choice.validated("chew", "kitchen")


def test_a_set_of_ones_own_is_where_it_was_learnt(home: Path) -> None:
    assert tile_set_reference("kitchen") == str(home / "tiles" / "kitchen.json")
    assert [tile_set_reference(name) for name in ("binary", "/a/b.json")] == ["binary", "/a/b.json"]


def read_with(config: TableConfig, *, resume: bool = True) -> tuple[str, str]:
    """Return the game that a table begins or resumes, and the tiles that it has."""
    found: list[tuple[str, str]] = []

    def ready(at: Table) -> None:
        found.append((at.config.game, at.config.tile_set))

    run(config, RunOptions(resume=resume, until=lambda _table: True, ready=ready, simulation=Simulation()))
    return found[0]


def test_a_game_set_up_with_learnt_tiles_keeps_them_over_a_restart(tmp_path: Path, home: Path) -> None:
    config = replace(config_in(tmp_path), controls=table(tmp_path).controls)
    with running(config) as (line, _):
        assert line.tile_sets("chew") == TileSets("bananagrams-en", KNOWN, ("kitchen",))
        with pytest.raises(Unanswered, match=r"the tiles cellar cannot be had .*: choose others"):
            line.set_up("chew", ["Cleo", "Dan"], {"policy": "off"}, tiles="cellar")
        assert line.set_up("chew", ["Cleo", "Dan"], {"policy": "off"}, tiles="kitchen").accepted
        status_when(line, "00002")
        assert line.tile_sets("chew").chosen == "kitchen"
    own = str(home / "tiles" / "kitchen.json")
    assert read_with(config) == ("chew", own)
    assert read_with(replace(config, game="chew"), resume=False) == ("chew", own)
    assert read_with(config, resume=False) == ("bananagrams", "bananagrams-en")


def test_a_table_whose_tiles_are_gone_says_what_to_do_and_lets_people_judge(
    tmp_path: Path, home: Path
) -> None:
    config = replace(config_in(tmp_path), controls=table(tmp_path).controls)
    TileSetChoice(config).save("bananagrams", "kitchen")
    (home / "tiles" / "kitchen.json").unlink()
    with running(config) as (line, _):
        fault = line.order("start").text
        assert "kitchen.json: No such file or directory): choose others when you set up a game" in fault
        ill = [one for one in line.checkup().lines if one.grave]
        assert [(one.what, one.mend) for one in ill] == [("start", ""), ("reader", CHOOSE_TILES)]
        assert line.tile_sets("bananagrams") == TileSets("kitchen", KNOWN, ())
        assert line.set_up("bananagrams", ["A", "B"], {"policy": "off"}, tiles="scrabble-en").accepted
        status_when(line, "00002")
        patiently(lambda: line.order("start").accepted is True)
    with EventLog(log_path(config), writable=False) as log:
        first = history(log, log.games()[0])
    assert any("choose others when you set up a game" in str(one.event) for one in first)
