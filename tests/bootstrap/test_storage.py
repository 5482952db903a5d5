"""A log that fails: what is done about it, what is told, and that the game goes on."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest

from companion.bootstrap import storage
from companion.bootstrap.storage import recover, write_obstacle
from companion.errors import BadLog, TableInTrouble, UnusableLog
from companion.events.log import EventLog, Row
from companion.rpc import TableClient
from companion.table.evidence import pictures_folder
from tests.bootstrap.test_running import config_in, running
from tests.events.logs import tampered, two_games
from tests.table.playing import patiently

FULL = UnusableLog("game one could not be written: database or disk is full")


class Disk:
    """A disk that takes nothing until so many bytes were deleted from a folder, or for so many tries."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, tries: int) -> None:
        self.number, self.tries, self.stop = number, tries, threading.Event()
        monkeypatch.setattr("companion.bootstrap.storage.tempfile.NamedTemporaryFile", self.taken)
        monkeypatch.setattr(storage, "RETRY_S", 0.001)

    def taken(self, **_wishes: object) -> object:
        self.tries -= 1
        if self.tries >= 0:
            raise OSError(self.number, "as the disk says")
        return Path(__file__).open("ab")  # ``quiet`` sees to it that nothing is written


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the probe write nothing."""
    monkeypatch.setattr(storage, "PROBE_BYTES", 0)


@pytest.mark.parametrize(
    ("number", "says"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "cannot be written (as the disk says)")],
)
@pytest.mark.usefixtures("quiet")
def test_people_are_told_why_they_wait_and_what_to_do(
    number: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    recover(tmp_path / "log", FULL, told.append, Disk(monkeypatch, number, 3).stop)
    assert says in told[0]
    assert "the table goes on by itself" in told[0]


@pytest.mark.usefixtures("quiet")
def test_a_full_disk_loses_its_oldest_pictures_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pictures_folder(tmp_path / "log") / "one"
    folder.mkdir(parents=True)
    for number in range(4):
        (folder / f"{number}.jpg").write_bytes(bytes(100))
    done = recover(tmp_path / "log", FULL, print, Disk(monkeypatch, errno.ENOSPC, 1).stop)
    assert sorted(one.name for one in folder.iterdir()) == ["1.jpg", "2.jpg", "3.jpg"]
    assert "oldest pictures of calls were deleted" in done


@pytest.mark.usefixtures("quiet")
def test_once_a_full_disk_has_room_again_the_game_goes_on_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    done = recover(tmp_path / "log", FULL, told.append, Disk(monkeypatch, errno.ENOSPC, 3).stop)
    assert len(set(told)) == 1  # nothing is told that is no longer so
    assert "could not be written for a while" in done


def test_a_damaged_log_is_repaired_and_the_damaged_file_kept(tmp_path: Path) -> None:
    path = two_games(tmp_path / "log")
    tampered(path, "DELETE FROM events WHERE game = 'one' AND number = 5")
    done = recover(path, BadLog("event 5 is missing"), print, threading.Event())
    assert "kept as log.damaged-1" in done
    with EventLog(path) as log:
        assert len(list(log.rows("one"))) == 4


def test_an_error_that_waiting_does_not_mend_is_raised(tmp_path: Path) -> None:
    with pytest.raises(BadLog, match="update it"):
        recover(tmp_path / "log", BadLog("of format 2: update it"), print, threading.Event())


def test_told_to_stop_it_waits_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch, errno.ENOSPC, 10**9)
    disk.stop.set()
    with pytest.raises(BadLog, match="disk is full"):
        recover(tmp_path / "log", FULL, print, disk.stop)


def test_a_writable_folder_hinders_nothing(tmp_path: Path) -> None:
    assert write_obstacle(tmp_path) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_game_goes_on_after_its_log_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "RETRY_S", 0.2)
    insert, full = EventLog.insert, threading.Event()

    def written(log: EventLog, game: str, rows: list[Row]) -> None:
        if full.is_set():
            raise FULL
        insert(log, game, rows)

    monkeypatch.setattr(EventLog, "insert", written)
    monkeypatch.setattr(storage, "write_obstacle", lambda _folder: "the disk is full" * full.is_set())
    with running(config_in(tmp_path), start=True) as (line, mock):
        patiently(lambda: line.status().number >= 4)
        game = line.status().match
        full.set()
        assert line.ruling("set_score", "lost", 1, {"score": 3}).accepted is False
        patiently(lambda: in_trouble(line) == "the disk is full")
        assert any(mock.light_colours(1))
        full.clear()
        patiently(lambda: not in_trouble(line))
        assert (line.status().match, line.ruling("set_score", "kept", 1, {"score": 3}).accepted) == (
            game,
            True,
        )


def in_trouble(line: TableClient) -> str:
    """Return why the table cannot keep a game, once it is there to say so; nothing where it can."""
    try:
        line.status()
    except TableInTrouble as error:
        return str(error)
    return ""
