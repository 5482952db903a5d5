"""The event log: SQLite, append-only, each event chained to the one before by a hash."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from companion.errors import BadLog, UnusableLog
from companion.events import codec
from companion.model.phrases import phrase
from companion.rules.event import Stamped

LOG_FORMAT_VERSION = 1
"""Version of the tables; a log with a higher one is refused untouched."""

CREATE_TABLES_SQL = """
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

INSERT_EVENT_SQL = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"

SELECT_ROWS_SQL = """
SELECT number, at_ns, kind, version, body, hash FROM events WHERE game = ? AND number > ? ORDER BY number
"""

SELECT_NEXT_NAME_SQL = "SELECT min(game) FROM events WHERE game > ? AND game < x''"
"""Finds the next name: every text sorts before every blob."""

SELECT_ROWS_OF_KINDS_SQL = """
SELECT number, at_ns, kind, version, body, hash FROM events WHERE game = ? AND kind IN ({}) ORDER BY number
"""

MEMORY = Path(":memory:")
"""The path of a log in memory."""

SQLITE_MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite file."""

SCHEMA_MARKS = (
    b"CREATE TABLE events (",
    b"TRIGGER no_update",
    b"TRIGGER no_delete",
    b"the log is append-only",
)
"""Parts of ``CREATE_TABLES_SQL`` as SQLite stores them in the first page; any of them identifies a log."""

MAX_PAGE_BYTES = 65536
"""Size of SQLite's largest page, in bytes."""

READ_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""Errors of SQLite for a damaged file; the second if its message quotes bytes that are not UTF-8."""

SIDECAR_SUFFIXES = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a log."""


@dataclass(frozen=True, slots=True)
class Row:
    """One event as stored in the log; ``hash`` covers it and the hash of the event before."""

    number: int
    at_ns: int
    kind: str
    version: int
    body: str
    hash: bytes

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        """Return a row from SQLite's values; raise BadLog if a column has another type."""
        types = (int, int, str, int, str, bytes)
        if not all(isinstance(value, kind) for value, kind in zip(values, types, strict=True)):
            held = ", ".join(type(value).__name__ for value in values)
            raise BadLog(f"event {values[0]!r:.40} is damaged: its columns hold {held}")
        return cls(*values)

    def chain_hash(self, game: str, before: bytes) -> bytes:
        """Return the hash that this event must have, given the hash of the event before."""
        head = f"{game}\n{self.number}\n{self.at_ns}\n{self.kind}\n{self.version}\n"
        return hashlib.sha256(before + head.encode() + self.body.encode()).digest()


class EventLog:
    """The log in one file; close it, or use it in a ``with`` statement."""

    def __init__(self, path: Path = MEMORY, *, writable: bool = True) -> None:
        self.path, self.writable = path, writable
        self.heads: dict[str, tuple[int, bytes]] = {}
        if not writable and not path.exists():
            raise BadLog(f"there is no log {path}")
        refuse_foreign(path)
        with sqlite_errors_as_bad_log(path):
            self.connection = open_log(path) if writable else open_log_read_only(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; SQLite merges its write-ahead log into it."""
        self.connection.close()

    def __del__(self) -> None:
        """Close the file if it is still open: Python 3.13 warns of an open connection."""
        if hasattr(self, "connection"):
            self.connection.close()

    def append(self, game: str, events: Sequence[Stamped]) -> None:
        """Write events, all or none; they are on the disk when this returns.

        Raises
        ------
        BadLog
            If their numbers do not follow the last one: another process has written to this game.
        """
        before = self.head(game)[1]
        rows = []
        for one in events:
            row = Row(one.number, one.at_ns, *codec.encode(one.event), b"")
            before = row.chain_hash(game, before)
            rows.append(replace(row, hash=before))
        self.insert(game, rows)

    def insert(self, game: str, rows: Sequence[Row]) -> None:
        """Write rows with their hashes in one transaction; raise as ``append`` does."""
        if not rows:
            raise BadLog(f"game {game}: there are no events to write")
        number = self.head(game)[0]
        if [row.number for row in rows] != list(range(number + 1, number + 1 + len(rows))):
            raise BadLog(
                f"game {game}: event {rows[0].number} does not follow the last one in the log, {number}"
            )
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany(INSERT_EVENT_SQL, [(game, *astuple(row)) for row in rows])
            self.connection.execute("COMMIT")
            self.heads[game] = rows[-1].number, rows[-1].hash
        except sqlite3.Error as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.heads.pop(game, None)
            raise UnusableLog(f"log {self.path}: game {game} could not be written: {error}") from error

    def head(self, game: str) -> tuple[int, bytes]:
        """Return the number and hash of a game's last event; 0 and an empty hash if there is none."""
        if game not in self.heads:
            query = "SELECT number, hash FROM events WHERE game = ? ORDER BY number DESC LIMIT 1"
            with sqlite_errors_as_bad_log(self.path):
                self.heads[game] = self.connection.execute(query, (game,)).fetchone() or (0, b"")
        return self.heads[game]

    def hash_at(self, game: str, number: int) -> bytes:
        """Return the hash of one of a game's events, empty if there is no such event."""
        query = "SELECT hash FROM events WHERE game = ? AND number = ?"
        with sqlite_errors_as_bad_log(self.path):
            found = self.connection.execute(query, (game, number)).fetchone()
        return bytes(found[0]) if found else b""

    def holds(self, game: str, digest: bytes) -> bool:
        """Return whether an event of a game has a hash; only programs that have its events know one."""
        query = "SELECT 1 FROM events WHERE game = ? AND hash = ? LIMIT 1"
        with sqlite_errors_as_bad_log(self.path):
            return self.connection.execute(query, (game, digest)).fetchone() is not None

    def games(self) -> list[str]:
        """Return the names of all games, in order, in a time that does not grow with their events."""
        with sqlite_errors_as_bad_log(self.path):
            return list(game_names(self.connection))

    def rows_of(self, game: str, *kinds: str) -> Iterator[Row]:
        """Yield the rows of a game with events of some kinds, given by class name.

        Raise BadLog where one cannot be read.
        """
        places = ", ".join("?" for _ in kinds)
        with sqlite_errors_as_bad_log(self.path):
            for row in self.connection.execute(SELECT_ROWS_OF_KINDS_SQL.format(places), (game, *kinds)):
                yield Row.of(row)

    def rows(self, game: str, after: int = 0) -> Iterator[Row]:
        """Yield a game's rows after a number, unverified; raise BadLog if one cannot be read."""
        with sqlite_errors_as_bad_log(self.path):
            for row in self.connection.execute(SELECT_ROWS_SQL, (game, after)):
                yield Row.of(row)


@contextmanager
def sqlite_errors_as_bad_log(path: Path) -> Iterator[None]:
    """Raise BadLog for SQLite's errors in the block."""
    try:
        yield
    except READ_ERRORS as error:
        says = phrase(
            "log %(path)s: %(error)s; companion log verify %(path)s says more", path=path, error=error
        )
        raise BadLog(says) from error


def game_names(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the names of all games, in order, up to a damaged name that breaks the order.

    A log that was only just created, perhaps by a table that was killed then, has none.
    """
    if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None:
        return
    before, name = "", connection.execute(SELECT_NEXT_NAME_SQL, ("",)).fetchone()[0]
    while name is not None and name > before:
        yield name
        before, name = name, connection.execute(SELECT_NEXT_NAME_SQL, (name,)).fetchone()[0]


def open_log(path: Path) -> sqlite3.Connection:
    """Return a connection that flushes every transaction to the disk; raise BadLog for a newer log.

    It is opened for writing, so that SQLite rolls back what a power cut has interrupted.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=10.0, check_same_thread=False)
    connection.text_factory = decode_leniently
    try:
        refuse_newer(connection, path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        create_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_log_read_only(path: Path) -> sqlite3.Connection:
    """Return a read-only connection; raise BadLog for a newer log.

    A log that no process writes is complete in its one file, and is opened as immutable: otherwise SQLite
    creates files beside it in write-ahead mode, which a user without write access cannot.
    """
    alone = not any(sidecar_path(path, ending).exists() for ending in SIDECAR_SUFFIXES)
    uri = f"file:{quote(str(path))}?mode=ro{'&immutable=1' * alone}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10.0, check_same_thread=False)
    connection.text_factory = decode_leniently
    try:
        refuse_newer(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def decode_leniently(text: bytes) -> str:
    """Return a text of SQLite; invalid UTF-8 is replaced, so that the hash chain shows the damage."""
    return text.decode(errors="replace")


def sidecar_path(path: Path, ending: str) -> Path:
    """Return the path of one of SQLite's files beside a log."""
    return path.with_name(path.name + ending)


def refuse_newer(connection: sqlite3.Connection, path: Path) -> None:
    """Raise BadLog for a log of a newer companion."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > LOG_FORMAT_VERSION:
        raise BadLog(
            f"log {path} is of format {found}; this companion knows {LOG_FORMAT_VERSION}: "
            "update it, the log is untouched"
        )


def refuse_foreign(path: Path) -> None:
    """Raise BadLog if a file is not a log of games; the file is not touched."""
    if path == MEMORY or not path.exists():
        return
    if not path.is_file():
        raise BadLog(f"{path} is no file; a log of games is one, such as games.db")
    with sqlite_errors_as_bad_log(path):
        if not is_log(path):
            raise BadLog(f"{path} is no log of games; it is left as it is: give the log another name")


def is_log(path: Path) -> bool:
    """Return whether a file is a log, perhaps damaged or only just created.

    After a power cut a file may have its full length, but only zeros after its first bytes; another program's
    database has other bytes there.
    """
    head, ahead = first_bytes(path), first_bytes(sidecar_path(path, "-wal"))
    if not head or any(mark in page for mark in SCHEMA_MARKS for page in (head, ahead)):
        return True
    return SQLITE_MAGIC.startswith(head[: len(SQLITE_MAGIC)].rstrip(b"\0")) and not any(head[512:])


def first_bytes(path: Path) -> bytes:
    """Return the beginning of a file, four of SQLite's largest pages; empty if there is no file."""
    try:
        with path.open("rb") as file:
            return file.read(4 * MAX_PAGE_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise BadLog(f"{path}: {error.strerror}") from error


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of a new log."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.executescript(
            f"BEGIN IMMEDIATE;{CREATE_TABLES_SQL}PRAGMA user_version={LOG_FORMAT_VERSION};COMMIT;"
        )
