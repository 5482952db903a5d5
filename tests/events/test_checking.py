"""Damage shows, is told, and can be repaired with the damaged file kept."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from companion.cli import main
from companion.errors import BadLog
from companion.events.checking import findings, repair_log
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import SECOND, Called
from companion.rules.event import Announced, Stamped
from tests.events.logs import WORDS, tampered, two_games


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log with two games of 14 events each."""
    return two_games(tmp_path / "log")


def told(path: Path) -> list[str]:
    return [str(one) for one in findings(path)]


def test_a_sound_log_is_told_game_by_game_with_its_head(path: Path) -> None:
    one, two = told(path)
    assert one.startswith("game one: 14 events, head ")
    assert two.startswith("game two: 14 events, head ")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ('body = \'{"text":"DUMPED!"}\'', "event 10 (Announced) or its hash was changed"),
        ("at_ns = at_ns + 1", "event 10 (Announced) or its hash was changed"),
        ("kind = 'PlayBegun'", "event 10 (PlayBegun) or its hash was changed"),
        ("hash = zeroblob(32)", "event 10 (Announced) or its hash was changed"),
    ],
)
def test_any_later_change_shows(path: Path, change: str, says: str) -> None:
    tampered(path, f"UPDATE events SET {change} WHERE game = 'one' AND number = 10")
    one, two = told(path)
    assert "9 events" in one
    assert says in one
    assert "4 later" not in two
    assert one.endswith("; 5 later events cannot be used")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("body = CAST(body AS BLOB)", "event 10 is damaged: its columns hold"),
        ("kind = CAST(kind AS BLOB)", "event 10 is damaged: its columns hold"),
        ("hash = 'x'", "event 10 is damaged: its columns hold"),
        ("body = CAST(x'8d' AS TEXT)", "or its hash was changed"),
        ("game = CAST(game AS BLOB)", "1 events carry no game's name"),
        ("game = CAST(x'6f6e658d' AS TEXT)", "event 10 is missing"),
    ],
)
def test_a_value_of_another_type_or_encoding_is_damage_and_repaired(
    path: Path, change: str, says: str
) -> None:
    tampered(path, f"UPDATE events SET {change} WHERE game = 'one' AND number = 10")
    assert any(says in text for text in told(path))
    repair_log(path)
    assert [text.split(",")[0] for text in told(path)] == ["game one: 9 events", "game two: 14 events"]


def test_a_deleted_event_shows(path: Path) -> None:
    tampered(path, "DELETE FROM events WHERE game = 'one' AND number = 5")
    assert "event 5 is missing; the next one there is 6" in told(path)[0]


def test_a_damaged_game_is_not_played_on(path: Path) -> None:
    tampered(path, "DELETE FROM events WHERE game = 'one' AND number = 5")
    with EventLog(path) as log, pytest.raises(BadLog, match="event 5 is missing"):
        Match.resumed(log, "one", WORDS)


def test_repair_keeps_what_is_good_and_the_damaged_file(path: Path) -> None:
    tampered(path, "DELETE FROM events WHERE game = 'one' AND number = 5")
    kept = repair_log(path)
    assert [text.split(",")[0] for text in told(path)] == ["game one: 4 events", "game two: 14 events"]
    assert "event 5 is missing" in told(kept)[0]
    with EventLog(path) as log:
        assert Match.resumed(log, "one", WORDS).number == 4


def test_a_second_repair_overwrites_no_kept_file(path: Path) -> None:
    kept = path
    for number in (5, 3):
        tampered(path, f"DELETE FROM events WHERE game = 'one' AND number = {number}")
        kept = repair_log(path)
    assert kept.name == "log.damaged-2"
    assert kept.with_name("log.damaged-1").exists()


def test_repair_takes_what_sqlite_keeps_beside_the_damaged_file_along(path: Path) -> None:
    overwritten(path, 0, 100)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).write_bytes(b"")
    kept = repair_log(path)
    assert all(kept.with_name(kept.name + ending).exists() for ending in ("-wal", "-shm"))


@pytest.mark.parametrize("action", ["verify", "repair"])
@pytest.mark.parametrize("name", ["folder", "photo.jpg"])
def test_what_is_no_log_is_neither_verified_nor_repaired(tmp_path: Path, action: str, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    assert main(["log", action, str(tmp_path / name)]) == 2
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "photo.jpg"]


def test_a_sound_log_is_not_repaired(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(BadLog, match="is not damaged; nothing was changed"):
        repair_log(path)
    assert path.read_bytes() == before


def overwritten(path: Path, start: float, length: int) -> None:
    data = bytearray(path.read_bytes())
    at = int(len(data) * start)
    data[at : at + length] = b"\xa5" * length
    path.write_bytes(data)


@pytest.mark.parametrize("start", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_file_with_broken_pages_is_read_up_to_the_damage_and_repaired(path: Path, start: float) -> None:
    with EventLog(path) as log:
        match = Match.resumed(log, "two", WORDS)
        for second in range(4, 100):
            match.handle(Called(second * SECOND, 1 + second % 2, "dump"))
    overwritten(path, start, 3000)
    assert any("DAMAGED" in text for text in told(path))
    repair_log(path)
    assert not any("DAMAGED" in text for text in told(path))


def test_a_file_without_its_head_holds_nothing_readable_but_is_kept(path: Path) -> None:
    overwritten(path, 0, 100)
    assert "no game can be read" in told(path)[0]
    kept = repair_log(path)
    assert (told(path), kept.exists()) == ([], True)


@pytest.mark.parametrize(("left", "zeros"), [(5, 0), (300, 0), (0, 200_000), (5, 200_000), (300, 200_000)])
def test_a_file_of_which_only_the_first_bytes_were_written_is_repaired(
    path: Path, left: int, zeros: int
) -> None:
    written = path.read_bytes()[:left] + bytes(zeros)
    path.write_bytes(written)
    assert repair_log(path).read_bytes() == written
    with EventLog(path) as log:
        assert log.games() == []


def test_an_event_that_this_companion_does_not_know_is_no_damage(path: Path) -> None:
    class Meowed(Announced):
        pass

    with EventLog(path) as log:
        log.append("one", [Stamped(15, 0, Meowed("meow"))])
    assert "15 events" in told(path)[0]
    assert f"Meowed version {Announced.version} was written by a newer companion" in told(path)[0]
    assert "DAMAGED" not in told(path)[0]


class TestCommand:
    def test_verify_says_so_of_a_sound_log(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["log", "verify", str(path)]) == 0
        assert "game one: 14 events" in capsys.readouterr().out

    def test_verify_returns_1_for_a_damaged_log(self, path: Path) -> None:
        tampered(path, "DELETE FROM events WHERE game = 'one' AND number = 5")
        assert main(["log", "verify", str(path)]) == 1

    def test_verify_of_an_empty_log(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        EventLog(tmp_path / "log").close()
        assert main(["log", "verify", str(tmp_path / "log")]) == 0
        assert "holds no game" in capsys.readouterr().out

    def test_repair_says_where_the_damaged_file_is(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        tampered(path, "DELETE FROM events WHERE game = 'one' AND number = 5")
        assert main(["log", "repair", str(path)]) == 0
        assert "log.damaged-1" in capsys.readouterr().err

    @pytest.mark.parametrize("action", ["verify", "repair"])
    def test_a_log_that_is_not_there_is_told(
        self, action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["log", action, str(tmp_path / "none")]) == 2
        assert "there is no log" in capsys.readouterr().err

    def test_a_newer_log_is_neither_verified_nor_repaired(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version=2")
        connection.close()
        assert [main(["log", action, str(path)]) for action in ("verify", "repair")] == [2, 2]
        assert "the log is untouched" in capsys.readouterr().err


def test_every_byte_that_is_changed_shows(path: Path, tmp_path: Path) -> None:
    """Change a letter inside the stored events at many places; verify finds every one."""
    data = path.read_bytes()
    places = [at for at in range(len(data)) if data[at : at + 9] == b'"counts":']
    assert len(places) >= 8
    assert all(changed_shows(data, at + 10, tmp_path / f"at{at}") for at in places)


def changed_shows(data: bytes, at: int, copy: Path) -> bool:
    changed = bytearray(data)
    changed[at] ^= 1
    copy.write_bytes(changed)
    return any("DAMAGED" in text for text in told(copy))
