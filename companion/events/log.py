"""The event log: SQLite, append-only, each event chained to the one before by a hash."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Self
from urllib.parse import quote

from companion.errors import BadLog
from companion.events import codec
from companion.rules.event import Stamped

FORMAT = 1
"""Version of the tables; a log with a higher one is refused untouched."""

TABLES = """
CREATE TABLE events (
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
CREATE TRIGGER no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
"""

INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"

ROWS = """
SELECT number, at_ns, kind, version, body, hash FROM events WHERE game = ? AND number > ? ORDER BY number
"""

MEMORY = Path(":memory:")
"""Stands for a log that is kept nowhere."""


@dataclass(frozen=True, slots=True)
class Row:
    """One event as the log keeps it; ``hash`` covers it and the hash of the one before."""

    number: int
    at_ns: int
    kind: str
    version: int
    body: str
    hash: bytes

    def chained(self, game: str, before: bytes) -> bytes:
        """Return the hash that this event must have after the one before."""
        head = f"{game}\n{self.number}\n{self.at_ns}\n{self.kind}\n{self.version}\n"
        return hashlib.sha256(before + head.encode() + self.body.encode()).digest()


class EventLog:
    """The log in one file; close it, or use it in a ``with`` statement."""

    def __init__(self, path: Path = MEMORY, *, writable: bool = True) -> None:
        self.path, self.writable = path, writable
        self.heads: dict[str, tuple[int, bytes]] = {}
        if not writable and not path.exists():
            raise BadLog(f"there is no log {path}")
        try:
            refuse_newer(path)
            self.connection = opened(path) if writable else opened_to_read(path)
        except sqlite3.Error as error:
            raise BadLog(f"log {path}: {error}; companion log verify {path} says more") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and leave it so that who may only read can read it while nobody writes."""
        if self.writable:
            with suppress(sqlite3.Error):  # somebody reads it just now: it stays as it is, and readable
                self.connection.execute("PRAGMA busy_timeout=0")
                self.connection.execute("PRAGMA journal_mode=DELETE")
        self.connection.close()

    def append(self, game: str, events: Sequence[Stamped]) -> None:
        """Write events, all or none; they are on the disk when this returns.

        Raises
        ------
        BadLog
            Where their numbers do not follow the last one: somebody else has
            written to this game meanwhile.
        """
        before = self.head(game)[1]
        rows = []
        for one in events:
            row = Row(one.number, one.at_ns, *codec.written(one.event), b"")
            before = row.chained(game, before)
            rows.append(replace(row, hash=before))
        self.insert(game, rows)

    def insert(self, game: str, rows: Sequence[Row]) -> None:
        """Write rows with their hashes in one transaction; raise BadLog as ``append`` does."""
        number = self.head(game)[0]
        if [row.number for row in rows] != list(range(number + 1, number + 1 + len(rows))):
            raise BadLog(
                f"game {game}: event {rows[0].number} does not follow the last one in the log, {number}"
            )
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany(INSERT, [(game, *astuple(row)) for row in rows])
            self.connection.execute("COMMIT")
            self.heads[game] = rows[-1].number, rows[-1].hash
        except sqlite3.Error as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.heads.pop(game, None)
            raise BadLog(f"log {self.path}: game {game} could not be written: {error}") from error

    def head(self, game: str) -> tuple[int, bytes]:
        """Return the number and hash of a game's last event; 0 and nothing before the first."""
        if game not in self.heads:
            query = "SELECT number, hash FROM events WHERE game = ? ORDER BY number DESC LIMIT 1"
            self.heads[game] = self.connection.execute(query, (game,)).fetchone() or (0, b"")
        return self.heads[game]

    def hash_at(self, game: str, number: int) -> bytes:
        """Return the hash of one of a game's events, nothing where there is no such event."""
        query = "SELECT hash FROM events WHERE game = ? AND number = ?"
        found = self.connection.execute(query, (game, number)).fetchone()
        return bytes(found[0]) if found else b""

    def games(self) -> list[str]:
        """Return the names of all games, in order."""
        return [name for (name,) in self.connection.execute("SELECT DISTINCT game FROM events ORDER BY game")]

    def rows(self, game: str, after: int = 0) -> Iterator[Row]:
        """Yield a game's rows after a number, as they are."""
        for row in self.connection.execute(ROWS, (game, after)):
            yield Row(*row)


def opened(path: Path) -> sqlite3.Connection:
    """Return a connection that waits for the disk with every transaction."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=10.0, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        create(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def opened_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that cannot write."""
    uri = f"file:{quote(str(path))}?mode=ro"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10.0, check_same_thread=False)


def refuse_newer(path: Path) -> None:
    """Raise BadLog for a log of a newer companion, without touching it."""
    if path == MEMORY or not path.exists():
        return
    with closing(opened_to_read(path)) as connection:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > FORMAT:
        raise BadLog(
            f"log {path} is of format {found}; this companion knows {FORMAT}: update it, the log is untouched"
        )


def create(connection: sqlite3.Connection) -> None:
    """Make the tables of a new log."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.executescript(f"BEGIN IMMEDIATE;{TABLES}PRAGMA user_version={FORMAT};COMMIT;")
