"""A backup brought back: every game in it is checked first, then those are written that the log lacks.

The log only grows, here too: a game that it has already is never replaced.
"""

from __future__ import annotations

import re
import sqlite3
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path

from companion.errors import BadExport, BadLog
from companion.events.checking import findings
from companion.events.exported import from_json, to_json
from companion.events.log import EventLog, Row, opened_to_read
from companion.events.reading import decoded, rules_of
from companion.rules.play import fold

LARGEST = 24 * 1024 * 1024
"""Bytes of a backup; a game of an evening takes some hundred thousand at most, packed."""

LARGEST_GAME, LARGEST_UNPACKED = 16 * 1024 * 1024, 512 * 1024 * 1024
"""Bytes of one game, and of all of them, unpacked; they are looked at one by one."""

MOST_GAMES = 5000
LONGEST_NAME = 200

README = "README.txt"
GAME = re.compile(r"game-\d{4,}\.json")

MIGHT_FAIL = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What playing back meets in events that no game ever led to."""


DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, OverflowError, RuntimeError, ValueError)
"""What opening an archive meets whose parts do not lie where it says."""


class Fate(StrEnum):
    """What becomes of a game of the backup."""

    NEW = "new"
    LONGER = "longer"
    SAME = "same"
    SHORTER = "shorter"
    OTHER = "other"
    PLAYED = "played"


WRITTEN = (Fate.NEW, Fate.LONGER)
"""Those that are written; the others are in the log already, or another game has their name."""


@dataclass(frozen=True, slots=True)
class Brought:
    """One game of a backup: its name, how many events it has, and what becomes of it."""

    game: str
    events: int
    fate: Fate


def packed(path: Path, note: str) -> bytes:
    """Return every game of a log, as far as each is undamaged, as a file of its own in one archive."""
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(README, f"{note}\n")
        for number, found in enumerate(findings(path) if path.exists() else (), 1):
            if found.rows:
                archive.writestr(f"game-{number:04}.json", to_json(found.game, found.rows))
    return written.getvalue()


def games(backup: bytes) -> Iterator[tuple[str, list[Row]]]:
    """Yield name and events of each game of a backup, checked.

    Raises
    ------
    BadExport
        Where it is no backup, is damaged, or holds more than a backup does.
    BadLog
        Where an event was changed, or was written by a newer companion.
    """
    seen: set[str] = set()
    try:
        with zipfile.ZipFile(BytesIO(backup)) as archive:
            for one in listed(archive):
                with archive.open(one) as file:
                    name, rows = checked(one.filename, file.read())
                check_new(one.filename, name, seen)
                seen.add(name)
                yield name, rows
    except (BadExport, BadLog):
        raise
    except DAMAGED as error:
        raise BadExport(f"this is no backup of a table, or it is damaged: {error}") from error


def check_new(file: str, name: str, seen: Collection[str]) -> None:
    """Raise BadExport where a game of this name was in the backup already."""
    if name in seen:
        raise BadExport(f"{file}: the game {name} is in this backup twice")


def listed(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the games' files of a backup; raise BadExport where anything else is in it, or too much."""
    found = archive.infolist()
    plain = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    for one in found:
        if one.filename != README and not GAME.fullmatch(one.filename):
            raise BadExport(f"this is no backup of a table: {one.filename[:60]!r} is in it")
        if one.file_size > LARGEST_GAME or one.compress_type not in plain:
            raise BadExport(f"{one.filename} is no game: it is too large, or packed in another way")
    if len(found) > MOST_GAMES or sum(one.file_size for one in found) > LARGEST_UNPACKED:
        raise BadExport("this is no backup of a table: it holds more than any table has played")
    return [one for one in found if one.filename != README]


def checked(file: str, body: bytes) -> tuple[str, list[Row]]:
    """Return name and events of one game; raise as ``games`` does, with the file's name."""
    try:
        name, rows = from_json(body.decode())
        events = list(decoded(rows))
        fold(rules_of(events), events)
    except (BadExport, BadLog) as error:
        raise type(error)(f"{file}: {error}") from error
    except MIGHT_FAIL as error:
        raise BadExport(f"{file}: these events cannot be played back: {error}") from error
    if not (name.isprintable() and 1 <= len(name) <= LONGEST_NAME):
        raise BadExport(f"{file}: a game's name has 1 to {LONGEST_NAME} signs, all of them to be seen")
    return name, rows


def looked_through(backup: bytes, path: Path, played: str = "") -> list[Brought]:
    """Return what would become of each game of a backup, which is checked whole; nothing is written.

    Parameters
    ----------
    backup
        The archive.
    path
        The log, which need not be there.
    played
        The game that the table has now: it stays as it is.

    Raises
    ------
    BadExport, BadLog
        As ``games`` does.
    """
    if not path.exists():
        return [Brought(name, len(rows), Fate.NEW) for name, rows in games(backup)]
    with EventLog(path, writable=False) as log:
        return [Brought(name, len(rows), fate(log, name, rows, played)) for name, rows in games(backup)]


def fate(log: EventLog, name: str, rows: Sequence[Row], played: str) -> Fate:
    """Return what becomes of a game: only what the log lacks is written."""
    many, head = log.head(name)
    if not many:
        return Fate.NEW
    known = head if many <= len(rows) else log.hash_at(name, len(rows))
    if known != rows[min(many, len(rows)) - 1].hash:
        return Fate.OTHER
    if many == len(rows):
        return Fate.SAME
    if name == played:
        return Fate.PLAYED
    return Fate.LONGER if many < len(rows) else Fate.SHORTER


def restored(backup: bytes, path: Path, played: str = "") -> Path | None:
    """Write what a log lacks of a backup; return where the log is kept as it was, if it had to be.

    The backup is checked whole before; each game is written whole or not at all.  Parameters and errors are
    those of ``looked_through``; BadLog is raised too where the disk takes no more.
    """
    if not any(one.fate in WRITTEN for one in looked_through(backup, path, played)):
        return None
    kept = copied(path) if path.exists() else None
    with EventLog(path) as log:
        for name, rows in games(backup):
            if fate(log, name, rows, played) in WRITTEN:
                log.insert(name, rows[log.head(name)[0] :])
    return kept


def copied(path: Path) -> Path:
    """Return where a log is kept as it is now; raise BadLog where there is no room for it."""
    number = 1
    while (kept := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    try:
        with closing(opened_to_read(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(kept),))
    except sqlite3.Error as error:
        kept.unlink(missing_ok=True)
        raise BadLog(f"log {path} cannot be kept as {kept.name}: {error}; nothing was restored") from error
    return kept
