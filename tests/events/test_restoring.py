"""A backup brought back into a log: all or nothing is taken from it, and nothing of the log is lost."""

from __future__ import annotations

import json
import resource
import struct
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest

from companion.cli import main
from companion.errors import BadExport, BadLog
from companion.events import restoring
from companion.events.exported import to_json
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.restoring import (
    RestoreAction,
    game_archives,
    pack_backup,
    preview_restore,
    restore_backup,
)
from companion.model.calls import SECOND, Called, Order, Ordered
from companion.rules.registry import game
from companion.words.lexicon import Lexicon
from tests.events.logs import packed

WORDS = Lexicon.of("few", ["cat"])
SEATS = ("Ada", "Bo")


def begun(log: EventLog, name: str, *calls: str, seats: tuple[str, ...] = SEATS) -> None:
    """Play the beginning of a game."""
    match = Match.begun(log, name, game("bananagrams"), seats, {"policy": "off"}, WORDS)
    match.handle(Ordered(0, Order.START))
    for number, call in enumerate(calls, 1):
        match.handle(Called(number * SECOND, 1, call))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The log that the backup is of: two games."""
    path = tmp_path / "old"
    with EventLog(path) as log:
        begun(log, "00001 monday", "split", "dump")
        begun(log, "00002 tuesday", "split")
    return path


@pytest.fixture
def backup(old: Path) -> BytesIO:
    return packed(old)


def zipped(files: Mapping[str, str | bytes]) -> BytesIO:
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return written


def exported(path: Path, name: str) -> str:
    with EventLog(path, writable=False) as log:
        return to_json(name, list(log.rows(name)))


def fates(backup: BytesIO, path: Path, played: str = "") -> dict[str, RestoreAction]:
    return {one.game: one.action for one in preview_restore(backup, path, played)}


def test_a_new_machine_has_all_games_again_event_for_event(
    old: Path, backup: BytesIO, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    assert fates(backup, new) == {"00001 monday": RestoreAction.NEW, "00002 tuesday": RestoreAction.NEW}
    assert restore_backup(backup, new) is None  # there was no log to keep
    for name in ("00001 monday", "00002 tuesday"):
        assert exported(new, name) == exported(old, name)


def test_games_that_the_log_has_besides_stay_and_the_log_of_before_is_kept(
    backup: BytesIO, tmp_path: Path
) -> None:
    path = tmp_path / "log"
    with EventLog(path) as log:
        begun(log, "00009 now")
    kept = restore_backup(backup, path)
    assert kept == tmp_path / "log.before-restore-1"
    with EventLog(kept, writable=False) as before, EventLog(path, writable=False) as after:
        assert before.games() == ["00009 now"]
        assert after.games() == ["00001 monday", "00002 tuesday", "00009 now"]


def test_a_game_that_was_cut_short_goes_on_as_the_backup_has_it(
    old: Path, backup: BytesIO, tmp_path: Path
) -> None:
    path = tmp_path / "log"
    with EventLog(old, writable=False) as whole, EventLog(path) as log:
        log.insert("00001 monday", list(whole.rows("00001 monday"))[:2])
    assert fates(backup, path)["00001 monday"] is RestoreAction.LONGER
    restore_backup(backup, path)
    assert exported(path, "00001 monday") == exported(old, "00001 monday")


def test_a_log_that_lacks_nothing_is_left_alone(old: Path, backup: BytesIO) -> None:
    with EventLog(old) as log:
        begun(log, "00003 wednesday")
    assert set(fates(backup, old).values()) == {RestoreAction.SAME}
    assert restore_backup(backup, old) is None
    assert list(old.parent.glob("*before*")) == []


def test_a_game_of_the_log_that_went_further_than_the_backup_stays(old: Path) -> None:
    with EventLog(old, writable=False) as log:
        short = to_json("00001 monday", list(log.rows("00001 monday"))[:2])
    assert fates(zipped({"game-0001.json": short}), old) == {"00001 monday": RestoreAction.SHORTER}


def test_another_game_of_the_same_name_is_never_replaced(backup: BytesIO, tmp_path: Path) -> None:
    path = tmp_path / "log"
    with EventLog(path) as log:
        begun(log, "00001 monday", seats=("Chi", "Dee"))
    own = exported(path, "00001 monday")
    assert fates(backup, path) == {"00001 monday": RestoreAction.OTHER, "00002 tuesday": RestoreAction.NEW}
    restore_backup(backup, path)
    assert exported(path, "00001 monday") == own
    assert "tuesday" in exported(path, "00002 tuesday")


def test_the_game_at_the_table_does_not_grow_behind_its_back(
    old: Path, backup: BytesIO, tmp_path: Path
) -> None:
    path = tmp_path / "log"
    with EventLog(old, writable=False) as whole, EventLog(path) as log:
        log.insert("00001 monday", list(whole.rows("00001 monday"))[:2])
    own = exported(path, "00001 monday")
    assert fates(backup, path, "00001 monday")["00001 monday"] is RestoreAction.PLAYED
    restore_backup(backup, path, "00001 monday")
    assert exported(path, "00001 monday") == own


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (BytesIO(), "no backup of a table, or it is damaged"),
        (BytesIO(b"PK\x03\x04 and then nothing"), "no backup of a table, or it is damaged"),
        (zipped({"holiday.jpg": b"\xff\xd8"}), "'holiday.jpg' is in it"),
        (zipped({"../game-0001.json": "{}"}), "'../game-0001.json' is in it"),
        (zipped({"game-0001.json": "{}"}), "game-0001.json: this is no exported game"),
        (zipped({"game-0001.json": b"\xff\xff"}), "game-0001.json: these events cannot be played back"),
        (zipped({"game-0001.json": "[" * 100_000}), "game-0001.json: this is no exported game"),
    ],
)
def test_what_is_no_backup_is_refused_with_what_is_wrong(given: BytesIO, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadExport, match=says.replace("(", r"\(")):
        restore_backup(given, tmp_path / "log")
    assert list(tmp_path.iterdir()) == []


def test_one_damaged_game_keeps_all_others_out_too(old: Path, tmp_path: Path) -> None:
    files = {
        "game-0001.json": exported(old, "00001 monday"),
        "game-0002.json": exported(old, "00002 tuesday").replace("few", "all"),
    }
    with pytest.raises(BadLog, match=r"game-0002\.json: game 00002 tuesday: event 1 .* was changed"):
        restore_backup(zipped(files), tmp_path / "log")
    assert not (tmp_path / "log").exists()


def test_a_backup_that_was_cut_short_is_refused(backup: BytesIO, tmp_path: Path) -> None:
    with pytest.raises(BadExport, match="damaged"):
        restore_backup(BytesIO(backup.getvalue()[:500]), tmp_path / "log")


def test_a_backup_whose_bytes_were_changed_is_refused(backup: BytesIO, tmp_path: Path) -> None:
    body = backup.getvalue()
    middle = len(body) // 2
    spoilt = BytesIO(body[:middle] + bytes([body[middle] ^ 0xFF]) + body[middle + 1 :])
    with pytest.raises((BadExport, BadLog)):
        restore_backup(spoilt, tmp_path / "log")
    assert not (tmp_path / "log").exists()


def test_a_backup_whose_list_of_files_lies_elsewhere_than_it_says_is_refused(
    backup: BytesIO, tmp_path: Path
) -> None:
    body = backup.getvalue()
    (offset,) = struct.unpack("<L", body[-6:-2])  # of the list, in the record that ends an archive
    moved = BytesIO(body[:-6] + struct.pack("<L", offset + 4096) + body[-2:])
    with pytest.raises(BadExport, match="damaged"):
        preview_restore(moved, tmp_path / "log")


def test_a_backup_of_a_newer_companion_says_so(old: Path, tmp_path: Path) -> None:
    newer = json.loads(exported(old, "00001 monday")) | {"version": 2}
    with pytest.raises(BadExport, match="this companion reads tableau-companion game 1"):
        preview_restore(zipped({"game-0001.json": json.dumps(newer)}), tmp_path / "log")


def test_a_game_whose_events_lead_nowhere_is_refused(tmp_path: Path, old: Path) -> None:
    body = json.loads(exported(old, "00001 monday"))
    body["events"] = []
    with pytest.raises((BadExport, BadLog), match=r"game-0001\.json: a game starts with its set-up"):
        preview_restore(zipped({"game-0001.json": json.dumps(body)}), tmp_path / "log")


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 201])
def test_a_name_that_no_page_can_show_is_refused(name: str, tmp_path: Path) -> None:
    with EventLog(tmp_path / "odd") as log:
        begun(log, name or "empty")
        text = to_json(name or "empty", list(log.rows(name or "empty")))
    if not name:
        text = text.replace('"game": "empty"', '"game": ""')
    with pytest.raises((BadExport, BadLog), match=r"game-0001\.json: "):
        preview_restore(zipped({"game-0001.json": text}), tmp_path / "log")


def test_a_game_that_is_in_it_twice_is_refused(old: Path, tmp_path: Path) -> None:
    text = exported(old, "00001 monday")
    with pytest.raises(BadExport, match="the game 00001 monday is in this backup twice"):
        preview_restore(zipped({"game-0001.json": text, "game-0002.json": text}), tmp_path / "log")


def test_numbers_that_no_log_keeps_are_refused(old: Path, tmp_path: Path) -> None:
    body = json.loads(exported(old, "00001 monday"))
    for number in (2**63, 1e400):
        body["events"][0]["at_ns"] = number
        with pytest.raises(BadExport, match="no exported game"):
            preview_restore(zipped({"game-0001.json": json.dumps(body)}), tmp_path / "log")


def test_more_than_any_table_has_played_is_refused(
    backup: BytesIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "MAX_GAME_BYTES", 1000)
    with pytest.raises(BadExport, match=r"game-0001\.json is no game: it is too large"):
        preview_restore(backup, tmp_path / "log")
    monkeypatch.setattr(restoring, "MAX_GAME_BYTES", 10_000)
    monkeypatch.setattr(restoring, "MAX_GAMES", 2)
    with pytest.raises(BadExport, match="more than any table has played"):
        preview_restore(backup, tmp_path / "log")


def test_a_backup_that_restoring_would_refuse_is_not_made(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "MAX_BACKUP_BYTES", 1000)
    with pytest.raises(BadExport, match="more than any table has played"):
        pack_backup(old, "note", BytesIO())


def test_each_archive_of_a_game_restores_and_the_log_is_copied_once(
    old: Path, backup: BytesIO, tmp_path: Path
) -> None:
    path = tmp_path / "log"
    with EventLog(path) as log:
        begun(log, "00009 now")
    files = [one.file for one in preview_restore(backup, path)]
    for number, one in enumerate(game_archives(backup, files)):
        restore_backup(BytesIO(one), path, keep=number == 0)
    assert exported(path, "00002 tuesday") == exported(old, "00002 tuesday")
    assert [one.name for one in tmp_path.glob("*before*")] == ["log.before-restore-1"]


def test_without_room_for_the_log_of_before_nothing_is_restored(backup: BytesIO, tmp_path: Path) -> None:
    path = tmp_path / "log"
    with EventLog(path) as log:
        begun(log, "00009 now")
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, most))  # as if the disk were full
    try:
        with pytest.raises(BadLog, match=r"kept as log\.before-restore-1: .*; nothing was restored"):
            restore_backup(backup, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    with EventLog(path, writable=False) as log:
        assert log.games() == ["00009 now"]
    assert [one.name for one in tmp_path.glob("*before*")] == []


@pytest.mark.parametrize(
    "changed", [{"events": []}, {"game": "\ud800"}, {"game": 7}, {"events": [{"number": 1}]}, {"events": {}}]
)
def test_an_export_that_no_log_can_keep_is_refused_and_nothing_is_written(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    body = {"format": "tableau-companion game", "version": 1, "game": "one", "events": []} | changed
    (tmp_path / "game.json").write_text(json.dumps(body))
    assert main(["log", "import", str(tmp_path / "log"), str(tmp_path / "game.json")]) == 2
    assert not (tmp_path / "log").exists()
