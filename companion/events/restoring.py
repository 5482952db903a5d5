"""Backups: packing the games of a log, and restoring those that a log lacks, after all were verified.

Restoring only appends: a game that the log has is never replaced.
"""

from __future__ import annotations

import re
import sqlite3
import zipfile
import zlib
from collections.abc import Collection, Container, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import IO

from companion.errors import BadExport, BadLog
from companion.events.checking import findings
from companion.events.exported import from_json, to_json
from companion.events.log import EventLog, Row, open_log_read_only
from companion.events.replay import decoded_events, rules_of
from companion.rules.play import fold

MAX_BACKUP_BYTES = 1024**3
"""Largest size of a backup, in bytes; an evening's game takes some hundred thousand at most, packed."""

MAX_GAME_BYTES, MAX_UNPACKED_BYTES = 16 * 1024**2, 32 * 1024**3
"""Largest size of one game, and of all of them, unpacked, in bytes; games are unpacked one by one."""

MAX_GAMES = 20_000
"""Most games of a backup: ten a day for five years."""

MAX_GAME_NAME_CHARS = 200

README = "README.txt"
GAME_FILE_PATTERN = re.compile(r"game-\d{4,}\.json")

REPLAY_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Errors of replaying events that no game has produced."""


ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, OverflowError, RuntimeError, ValueError)
"""Errors of opening a damaged archive."""


class RestoreAction(StrEnum):
    """What restoring does with a game of the backup."""

    NEW = "new"
    LONGER = "longer"
    SAME = "same"
    SHORTER = "shorter"
    OTHER = "other"
    PLAYED = "played"


WRITTEN_ACTIONS = (RestoreAction.NEW, RestoreAction.LONGER)
"""Games that are written; the others are in the log already, or another game has their name."""


@dataclass(frozen=True, slots=True)
class BackupGame:
    """One game of a backup: its file, its name, its number of events, and what restoring does with it."""

    file: str
    game: str
    events: int
    action: RestoreAction


def pack_backup(path: Path, note: str, to: IO[bytes]) -> None:
    """Write a ZIP archive with a file for each game of a log, up to its first damage, to an empty file.

    Raises
    ------
    BadExport
        If the games exceed the limits of a backup, which restoring would refuse.
    """
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(README, f"{note}\n")
        for number, found in enumerate(findings(path) if path.exists() else (), 1):
            if found.rows:
                archive.writestr(f"game-{number:04}.json", to_json(found.game, found.rows))
        check_limits(archive.infolist())


def game_archives(backup: IO[bytes], files: Container[str]) -> Iterator[bytes]:
    """Yield a backup of its own for each of some game files of a backup; raise as ``games`` does."""
    with reading(backup) as archive:
        for one in backup_files(archive):
            if one.filename in files:
                written = BytesIO()
                with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as part:
                    part.writestr(one.filename, archive.read(one))
                yield written.getvalue()


def games(backup: IO[bytes]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield the file, the name and the verified rows of each game of a backup.

    Raises
    ------
    BadExport
        If it is not a backup, is damaged, or exceeds the limits of one.
    BadLog
        If an event was changed, or was written by a newer companion.
    """
    seen: set[str] = set()
    with reading(backup) as archive:
        for one in backup_files(archive):
            name, rows = read_game(one.filename, archive.read(one))
            check_new(one.filename, name, seen)
            seen.add(name)
            yield one.filename, name, rows


@contextmanager
def reading(backup: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Open a backup during a block; raise BadExport where it is no archive, or a damaged one."""
    try:
        with zipfile.ZipFile(backup) as archive:
            yield archive
    except (BadExport, BadLog):
        raise
    except ARCHIVE_ERRORS as error:
        raise BadExport(f"this is no backup of a table, or it is damaged: {error}") from error


def check_new(file: str, name: str, seen: Collection[str]) -> None:
    """Raise BadExport if the backup has two games of this name."""
    if name in seen:
        raise BadExport(f"{file}: the game {name} is in this backup twice")


def backup_files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the game files of a backup; raise BadExport if it has other files, or too much."""
    found = archive.infolist()
    check_limits(found)
    plain = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    for one in found:
        if one.filename != README and not GAME_FILE_PATTERN.fullmatch(one.filename):
            raise BadExport(f"this is no backup of a table: {one.filename[:60]!r} is in it")
        if one.compress_type not in plain:
            raise BadExport(f"{one.filename} is no game: it is packed in another way")
    return [one for one in found if one.filename != README]


def check_limits(files: Sequence[zipfile.ZipInfo]) -> None:
    """Raise BadExport if the files of an archive exceed the limits of a backup."""
    if too_large := [one.filename for one in files if one.file_size > MAX_GAME_BYTES]:
        raise BadExport(f"{too_large[0]} is no game: it is too large")
    many, unpacked = len(files), sum(one.file_size for one in files)
    packed = sum(one.compress_size for one in files)
    if many > MAX_GAMES or unpacked > MAX_UNPACKED_BYTES or packed > MAX_BACKUP_BYTES:
        raise BadExport("this is no backup of a table: it holds more than any table has played")


def read_game(file: str, body: bytes) -> tuple[str, list[Row]]:
    """Return the name and the rows of one game; raise as ``games`` does, with the file's name."""
    try:
        name, rows = from_json(body.decode())
        events = list(decoded_events(rows))
        fold(rules_of(events), events)
    except (BadExport, BadLog) as error:
        raise type(error)(f"{file}: {error}") from error
    except REPLAY_ERRORS as error:
        raise BadExport(f"{file}: these events cannot be played back: {error}") from error
    if not (name.isprintable() and 1 <= len(name) <= MAX_GAME_NAME_CHARS):
        raise BadExport(f"{file}: a game's name has 1 to {MAX_GAME_NAME_CHARS} signs, all of them to be seen")
    return name, rows


def preview_restore(backup: IO[bytes], path: Path, played: str = "") -> list[BackupGame]:
    """Return what restoring would do with each game of a backup, which is verified; nothing is written.

    Parameters
    ----------
    backup
        The archive.
    path
        The log, which may be missing.
    played
        The name of the game at the table, which is not changed.

    Raises
    ------
    BadExport, BadLog
        As ``games`` does.
    """
    if not path.exists():
        return [BackupGame(file, name, len(rows), RestoreAction.NEW) for file, name, rows in games(backup)]
    with EventLog(path, writable=False) as log:
        return [
            BackupGame(file, name, len(rows), restore_action(log, name, rows, played))
            for file, name, rows in games(backup)
        ]


def restore_action(log: EventLog, name: str, rows: Sequence[Row], played: str) -> RestoreAction:
    """Return what restoring does with a game: only events that the log lacks are written."""
    many, head = log.head(name)
    if not many:
        return RestoreAction.NEW
    known = head if many <= len(rows) else log.hash_at(name, len(rows))
    if known != rows[min(many, len(rows)) - 1].hash:
        return RestoreAction.OTHER
    if many == len(rows):
        return RestoreAction.SAME
    if name == played:
        return RestoreAction.PLAYED
    return RestoreAction.LONGER if many < len(rows) else RestoreAction.SHORTER


def restore_backup(backup: IO[bytes], path: Path, played: str = "", *, keep: bool = True) -> Path | None:
    """Write the events of a backup that a log lacks; return the path of the old log's copy, if one was made.

    The whole backup is verified first; each game is written completely or not at all.  With ``keep`` the log
    is copied before.  The other parameters and the errors are those of ``preview_restore``; BadLog is also
    raised if the disk is full.
    """
    if not any(one.action in WRITTEN_ACTIONS for one in preview_restore(backup, path, played)):
        return None
    kept = copy_log(path) if keep and path.exists() else None
    with EventLog(path) as log:
        for _file, name, rows in games(backup):
            if restore_action(log, name, rows, played) in WRITTEN_ACTIONS:
                log.insert(name, rows[log.head(name)[0] :])
    return kept


def copy_log(path: Path) -> Path:
    """Copy a log and return the copy's path; raise BadLog if the disk is full."""
    number = 1
    while (kept := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    try:
        with closing(open_log_read_only(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(kept),))
    except sqlite3.Error as error:
        kept.unlink(missing_ok=True)
        raise BadLog(f"log {path} cannot be kept as {kept.name}: {error}; nothing was restored") from error
    return kept
