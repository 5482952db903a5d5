"""The hall's replica of the tables' logs: SQLite, append-only, an event by table, game and number.

The table's own log is authoritative.  Events that a power cut takes from the replica are requested again, so
transactions do not wait for the disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from companion.errors import BadLog, UnusableLog
from companion.events.log import READ_ERRORS, SIDECAR_SUFFIXES, Row, decode_leniently, sidecar_path

SCHEMA_VERSION = 2
"""Version of the tables; a file with a higher one is refused untouched."""

SCHEMA = """
CREATE TABLE events (
    source TEXT NOT NULL,
    game TEXT NOT NULL,
    edition INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (source, game, edition, number)
) WITHOUT ROWID;
CREATE TRIGGER no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'copies are append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'copies are append-only'); END;
"""

MIGRATE_FROM_1 = (
    "ALTER TABLE events RENAME TO events_1; DROP TRIGGER no_update; DROP TRIGGER no_delete;",
    SCHEMA,
    "INSERT INTO events SELECT source, game, 0, number, at_ns, kind, version, body, hash FROM events_1;",
    "DROP TABLE events_1;",
)
"""Migration from format 1, which had no editions, to format 2."""

INSERT_ROW = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
SELECT_EDITIONS = "SELECT source, game, max(edition) FROM events WHERE edition > 0 GROUP BY source, game"
SELECT_HEADS = """
SELECT source, game, edition, max(number), hash FROM events GROUP BY source, game, edition
ORDER BY source, game, edition
"""
SELECT_ROWS = """
SELECT number, at_ns, kind, version, body, hash FROM events
WHERE source = ? AND game = ? AND edition = ? AND number > ? ORDER BY number
"""
SELECT_HASH = "SELECT hash FROM events WHERE source = ? AND game = ? AND edition = ? AND number = ?"
COPY_TO_EDITION = """
INSERT INTO events SELECT source, game, ? + 1, number, at_ns, kind, version, body, hash FROM events
WHERE source = ? AND game = ? AND edition = ? AND number <= ?
"""
SELECT_ALL_ROWS = "SELECT source, game, edition, number, at_ns, kind, version, body, hash FROM events"

row_values = attrgetter("number", "at_ns", "kind", "version", "body", "hash")
"""Returns a row's values in the order of the columns."""

DISK_ERRORS = {
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN),
}
"""SQLite's codes for faults of the disk or its permissions; other codes mean a damaged file."""

GameKey = tuple[str, str]
"""A table's id and the name of one of its games."""

Head = tuple[int, bytes]
"""Number and hash of a game's newest event."""

NO_HEAD: Head = (0, b"")


class LogReplica:
    """The replica in one file; any thread may read, one writes.

    Where a table's log differs from the events that were accepted before, its game gets a further edition:
    the newest counts, earlier ones stay.  A file that SQLite cannot read is renamed, and its readable events
    are copied; ``damage`` says so.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        self.editions: dict[GameKey, int] = {}
        self.damage = ""
        with self.sqlite_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self.connection = connect(path)
            except READ_ERRORS as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in DISK_ERRORS:
                    raise
                self.recreate(str(error))
            self.editions = self.load_editions()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.connection.close()

    def rebuild(self, why: str) -> None:
        """Rename the file, whose hash chains are broken, and copy its readable events to a new one."""
        with self.lock, self.sqlite_errors():
            self.connection.close()
            self.recreate(why)
            self.editions = self.load_editions()

    def recreate(self, why: str) -> None:
        """Rename the file and open a new one with its readable events."""
        aside = quarantine(self.path)
        self.damage = f"{self.path} was damaged ({why}) and is kept as {aside.name}"
        self.connection = connect(self.path)
        with self.transaction():
            self.connection.executemany(INSERT_ROW, salvage(aside))

    def load_editions(self) -> dict[GameKey, int]:
        """Return the newest edition of each game that has more than one."""
        found = self.connection.execute(SELECT_EDITIONS)
        return {(source, game): edition for source, game, edition in found}

    def insert(self, rows: Sequence[tuple[GameKey, Row]]) -> None:
        """Insert events, all or none; raise UnusableLog where they cannot be written."""
        with self.lock, self.sqlite_errors(), self.transaction():
            self.connection.executemany(
                INSERT_ROW, [(*key, self.editions.get(key, 0), *row_values(row)) for key, row in rows]
            )

    def new_edition(self, key: GameKey, after: int) -> None:
        """Start a new edition of a game with the events of the current one up to a number."""
        edition = self.editions.get(key, 0)
        with self.lock, self.sqlite_errors(), self.transaction():
            self.connection.execute(COPY_TO_EDITION, (edition, *key, edition, after))
            self.editions[key] = edition + 1

    def heads(self) -> Mapping[GameKey, Head]:
        """Return the newest event of every game."""
        with self.lock, self.sqlite_errors():
            found = self.connection.execute(SELECT_HEADS).fetchall()
        return {
            (source, game): (number, digest)
            for source, game, _edition, number, digest in found
            if isinstance(source, str) and isinstance(game, str) and isinstance(digest, bytes)
        }

    def rows(self, key: GameKey, after: int = 0) -> list[Row]:
        """Return the events of a game after a number; raise BadLog for one that is damaged."""
        with self.lock, self.sqlite_errors():
            given = (*key, self.editions.get(key, 0), after)
            return [Row.of(row) for row in self.connection.execute(SELECT_ROWS, given)]

    def hash_at(self, key: GameKey, number: int) -> bytes:
        """Return the hash of an event, empty where there is no such event."""
        with self.lock, self.sqlite_errors():
            given = (*key, self.editions.get(key, 0), number)
            found = self.connection.execute(SELECT_HASH, given).fetchone()
        return bytes(found[0]) if found else b""

    def verified_head(self, key: GameKey) -> Head:
        """Return the last event of a game up to which its hash chain is complete."""
        head = NO_HEAD
        with self.lock, self.sqlite_errors():
            for values in self.connection.execute(SELECT_ROWS, (*key, self.editions.get(key, 0), 0)):
                try:
                    row = Row.of(values)
                except BadLog:
                    return head
                if row.number != head[0] + 1 or row.chain_hash(key[1], head[1]) != row.hash:
                    return head
                head = row.number, row.hash
        return head

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in a transaction."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    @contextmanager
    def sqlite_errors(self) -> Iterator[None]:
        """Raise UnusableLog for errors of SQLite or the disk in the block."""
        try:
            yield
        except (*READ_ERRORS, OSError) as error:
            if isinstance(error, UnusableLog):
                raise
            raise UnusableLog(f"{self.path}: {error}; look whether its disk is full or read-only") from error


def connect(path: Path) -> sqlite3.Connection:
    """Open a file, creating or migrating it.

    Raises
    ------
    UnusableLog
        For a file of a newer companion.
    sqlite3.DatabaseError
        Where it is damaged, or the disk refuses to open it.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=10.0, check_same_thread=False)
    connection.text_factory = decode_leniently
    try:
        prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Create or migrate the schema and check the file; raise as ``connect`` does."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise UnusableLog(f"{path} was written by a newer companion; update this one")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    if version < SCHEMA_VERSION:
        steps = "".join(MIGRATE_FROM_1) if version else SCHEMA
        connection.executescript(f"BEGIN;{steps}PRAGMA user_version={SCHEMA_VERSION};COMMIT;")
    if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise sqlite3.DatabaseError(f"malformed: {found}")


def quarantine(path: Path) -> Path:
    """Rename a damaged file and SQLite's files beside it; return the new path."""
    number = next(n for n in count(1) if not path.with_name(f"{path.name}.damaged-{n}").exists())
    aside = path.with_name(f"{path.name}.damaged-{number}")
    for ending in ("", *SIDECAR_SUFFIXES):
        old = sidecar_path(path, ending)
        if old.exists():
            old.rename(sidecar_path(aside, ending))
    return aside


def salvage(path: Path) -> list[tuple[Any, ...]]:
    """Return the rows that can be read from a damaged file."""
    found: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(*READ_ERRORS):
        connection.text_factory = decode_leniently
        found.extend(connection.execute(SELECT_ALL_ROWS))  # what came before an error stays
    return found
