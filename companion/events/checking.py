"""Verification of a log, and the repair of a damaged one."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from companion.errors import BadLog, CompanionError
from companion.events.log import (
    READ_ERRORS,
    SIDECAR_SUFFIXES,
    EventLog,
    Row,
    game_names,
    open_log_read_only,
    refuse_foreign,
    sidecar_path,
)
from companion.events.replay import decoded_events, verified_rows
from companion.files import sync_folder


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of checking one game of a log.

    Parameters
    ----------
    game
        Its name, or ``""`` for the file as a whole.
    rows
        The events up to the damage, or all.
    damage
        What is wrong, or ``None``.
    lost
        How many numbered events follow the damage; more may be missing if the file itself is broken.
    note
        Why undamaged events cannot be decoded by this companion, if they cannot.
    """

    game: str
    rows: tuple[Row, ...] = ()
    damage: str | None = None
    lost: int = 0
    note: str = ""

    @property
    def head(self) -> str:
        """The hash of the last good event, in hexadecimal; a copy kept elsewhere reveals a shortened log."""
        return self.rows[-1].hash.hex() if self.rows else ""

    def __str__(self) -> str:
        if not self.game:
            return f"file: DAMAGED: {self.damage}"
        held = f"game {self.game}: {len(self.rows)} events, head {self.head[:16] or 'none'}"
        bad = f"; DAMAGED: {self.damage}; {self.lost} later events cannot be used" if self.damage else ""
        return held + bad + (f"; {self.note}" if self.note else "")


def findings(path: Path) -> Iterator[Finding]:
    """Yield the findings of a log, game by game; raise BadLog for a newer log, or if there is none."""
    if not path.exists():
        raise BadLog(f"there is no log {path}")
    refuse_foreign(path)
    recover(path)
    try:
        with closing(open_log_read_only(path)) as connection:
            yield from file_findings(connection)
            for game in readable_names(connection):
                yield finding(connection, game)
    except READ_ERRORS as error:
        yield Finding("", (), f"{error}; no game can be read")


def recover(path: Path) -> None:
    """Have SQLite roll back a transaction that a power cut interrupted, if there is a journal."""
    if sidecar_path(path, "-journal").exists():
        with suppress(*READ_ERRORS), closing(sqlite3.connect(path, timeout=10.0)) as connection:
            connection.execute("PRAGMA user_version").fetchone()


def file_findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Yield the damage that SQLite reports, and the number of events that belong to no game."""
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    except READ_ERRORS as error:
        found = [str(error)]
    if found != ["ok"]:
        yield Finding("", (), " / ".join(line.replace("\n", " ") for line in found))
    with suppress(*READ_ERRORS):
        many = connection.execute("SELECT count(*) FROM events WHERE typeof(game) != 'text'").fetchone()[0]
        if many:
            yield Finding("", (), f"{many} events carry no game's name and cannot be used")


def readable_names(connection: sqlite3.Connection) -> list[str]:
    """Return the names of a log's games, read from both ends as far as possible."""
    found: set[str] = set()
    with suppress(*READ_ERRORS):
        for name in game_names(connection):
            found.add(name)
    last = "SELECT max(game) FROM events WHERE game < ?"
    with suppress(*READ_ERRORS):
        name = "\U0010ffff"
        while isinstance(name := connection.execute(last, (name,)).fetchone()[0], str) and name not in found:
            found.add(name)
    return sorted(found)


def finding(connection: sqlite3.Connection, game: str) -> Finding:
    """Return the finding of one game: its events up to the first that is missing, changed or unreadable."""
    rows: list[Row] = []
    damage, lost = None, 0
    try:
        rows.extend(verified_rows(game, readable_rows(connection, game)))
    except (*READ_ERRORS, BadLog) as error:
        damage, lost = str(error), count_events_after(connection, game, len(rows))
    if not rows and damage is None:
        damage = "no event carries this name: it was changed"
    return Finding(game, tuple(rows), damage, lost, unreadable(rows))


def unreadable(rows: Sequence[Row]) -> str:
    """Return why undamaged rows cannot be decoded by this companion, or an empty text."""
    try:
        deque(decoded_events(rows), maxlen=0)
    except CompanionError as error:
        return str(error)
    return ""


def readable_rows(connection: sqlite3.Connection, game: str) -> Iterator[Row]:
    """Yield a game's rows as far as the file can be read."""
    query = "SELECT number, at_ns, kind, version, body, hash FROM events WHERE game = ? ORDER BY number"
    for row in connection.execute(query, (game,)):
        yield Row.of(row)


def count_events_after(connection: sqlite3.Connection, game: str, number: int) -> int:
    """Return how many events of a game follow a number, by the highest number that can be read."""
    with suppress(*READ_ERRORS):
        query = "SELECT max(number) FROM events WHERE game = ?"
        last = connection.execute(query, (game,)).fetchone()[0]
        return max(0, last - number) if isinstance(last, int) else 0
    return 0


def repair_log(path: Path) -> Path:
    """Replace a log by its undamaged events and return where the damaged file is kept.

    Raises
    ------
    BadLog
        If the log is not damaged, or is of a newer format.
    """
    found = list(findings(path))
    if all(one.damage is None for one in found):
        raise BadLog(f"log {path} is not damaged; nothing was changed")
    fresh = path.with_name(f"{path.name}.repairing")
    fresh.unlink(missing_ok=True)
    with EventLog(fresh) as log:
        for one in found:
            if one.rows:
                log.insert(one.game, one.rows)
    kept = move_aside(path)
    fresh.replace(path)
    sync_folder(path.parent)
    return kept


def move_aside(path: Path) -> Path:
    """Rename a log and SQLite's files beside it; return the new path."""
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for ending in (*SIDECAR_SUFFIXES, ""):
        if (old := sidecar_path(path, ending)).exists():
            old.replace(sidecar_path(kept, ending))
    return kept
