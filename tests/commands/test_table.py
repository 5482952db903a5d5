"""``companion table``: the whole of it, on recorded frames, from one file."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.events.log import EventLog
from companion.events.replay import history
from companion.model.grid import parse_grid
from companion.rules import event as ev

TABLE = """
game = "bananagrams"
seats = ["Anna", "Bo"]
policy = "off"
log = "games.db"
socket = "line"
tile_set = "scrabble-de"
[board]
kind = "scrabble"
[[cameras]]
kind = "folder"
where = "{where}"
pace = 0
"""


def boards(log: Path) -> list[dict[tuple[int, int], str]]:
    """Return every board that a log's only game has seen."""
    with EventLog(log, writable=False) as kept:
        events = history(kept, kept.games()[0])
    return [one.event.board.symbols() for one in events if isinstance(one.event, ev.BoardSeen)]


@pytest.mark.slow
def test_a_recorded_game_is_seen_to_its_last_tile(shared: Path, tmp_path: Path) -> None:
    frames = shared / "photos" / "scrabble_de" / "spiel-12"
    path = tmp_path / "table.toml"
    path.write_text(TABLE.format(where=frames))
    assert main(["table", str(path), "--start", "--until", "film"]) == 0
    truth = json.loads((frames / "board-20.json").read_text(encoding="utf-8"))
    assert boards(tmp_path / "games.db")[-1] == parse_grid(truth["grid"])


def test_an_empty_table_is_played_at_and_left_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    for n in range(2):
        cv2.imwrite(str(frames / f"{n}.png"), np.full((240, 320), 120, np.uint8))
    path = tmp_path / "table.toml"
    path.write_text(TABLE.format(where="frames"))
    assert main(["table", str(path), "--start", "--until", "film"]) == 0
    told = capsys.readouterr()
    assert "host: start" in told.out
    assert "has come to its end; people judge until it sees again" in told.out
    assert "game 00001 table" in told.err


def test_a_table_goes_on_with_its_unfinished_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test_an_empty_table_is_played_at_and_left_again(tmp_path, capsys)
    assert main(["table", str(tmp_path / "table.toml"), "--resume", "--until", "film"]) == 0
    with EventLog(tmp_path / "games.db", writable=False) as log:
        assert len(log.games()) == 1
        said = [one.event.text for one in history(log, log.games()[0]) if isinstance(one.event, ev.Announced)]
    again = "the table was started again in the middle of the game; nothing that was decided is lost"
    assert said[0] == again
    assert all("has come to its end" in more for more in said[1:])  # the film may be over before the table is


def test_every_game_has_an_example_to_begin_with(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "--example", "chew"]) == 0
    assert 'game = "chew"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "which table? Give its CONFIG.toml"),
        (["none.toml"], "none.toml: No such file"),
        (["--example", "chw"], "did you mean 'chew'"),
    ],
)
def test_what_is_missing_is_said(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", *words]) == 2
    assert says in capsys.readouterr().err
