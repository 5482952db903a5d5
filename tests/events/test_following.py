"""A log is followed while another connection writes it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from companion.errors import BadLog
from companion.events.following import LogFollower
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import Order, Ordered
from companion.rules.registry import game
from companion.web.live.monitor import TableMonitor
from companion.words.lexicon import Lexicon


def begun(log: EventLog, name: str) -> Match:
    return Match.begun(log, name, game("bananagrams"), ["Ada", "Bo"], {}, Lexicon.of("two", ["aa", "at"]))


def test_a_log_that_is_not_there_yet_has_neither_changes_nor_games(tmp_path: Path) -> None:
    following = LogFollower(tmp_path / "log")
    assert not following.changed()
    assert following.games() == []
    assert following.rows("one") == []


def test_a_log_whose_tables_are_still_to_be_made_is_not_there_yet(tmp_path: Path) -> None:
    following = LogFollower(tmp_path / "log")
    with closing(sqlite3.connect(tmp_path / "log")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        assert not following.changed()
    with EventLog(tmp_path / "log") as log:
        begun(log, "one")
        assert following.changed()
        assert following.games() == ["one"]
    following.close()


def test_what_is_written_is_noticed_once_and_read_from_where_one_was(tmp_path: Path) -> None:
    following = LogFollower(tmp_path / "log")
    with EventLog(tmp_path / "log") as log:
        match = begun(log, "one")
        assert following.changed()
        assert not following.changed()
        match.handle(Ordered(0, Order.START))
        assert following.changed()
    assert [row.number for row in following.rows("one", 1)] == [2, 3]
    following.close()


def test_another_log_in_its_place_is_followed_from_its_start(tmp_path: Path) -> None:
    following = LogFollower(tmp_path / "log")
    with EventLog(tmp_path / "log") as log:
        begun(log, "one")
        following.changed()
    with EventLog(tmp_path / "fresh") as log:
        begun(log, "two")
    for ending in ("-wal", "-shm"):  # as a repair does
        (tmp_path / f"log{ending}").unlink(missing_ok=True)
    (tmp_path / "fresh").replace(tmp_path / "log")
    assert following.changed()
    assert following.games() == ["two"]
    following.close()


def test_a_log_that_breaks_is_told_in_words(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        begun(log, "one")
    following = LogFollower(tmp_path / "log")
    following.changed()
    with (tmp_path / "log").open("r+b") as file:
        file.seek(100)
        file.write(b"x" * 20_000)
    with pytest.raises(BadLog, match="companion log verify"):
        following.games()
    following.close()


def test_games_are_named_in_order(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        begun(log, "two")
        begun(log, "one")
        following = LogFollower(tmp_path / "log")
        following.changed()
        assert following.games() == ["one", "two"]
        following.close()


def test_what_could_not_be_read_for_a_moment_is_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.events.following.READ_RETRY_S", 0.0)
    monitor = TableMonitor(tmp_path / "log")
    with EventLog(tmp_path / "log") as log:
        begun(log, "one")
        with monkeypatch.context() as failing:
            failing.setattr(EventLog, "games", unreadable)
            assert monitor.poll_log()
        assert monitor.fault == "disk I/O error"
        assert monitor.poll_log()
    assert (monitor.fault, monitor.names) == ("", ["one"])
    assert not monitor.poll_log()
    monitor.following.close()


def unreadable(_log: EventLog) -> list[str]:
    raise BadLog("disk I/O error")
