"""Copies of the tables' logs: SQLite, append-only, every event under its table, game and number.

The table's own log is the record.  What a power cut takes from these copies is asked for again, so that a
transaction need not wait for the disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Self

from companion.errors import UnusableLog
from companion.events.log import Row

FORMAT = 1
"""Version of the tables; a file with a higher one is refused untouched."""

TABLES = """
CREATE TABLE events (
    source TEXT NOT NULL,
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (source, game, number)
) WITHOUT ROWID;
CREATE TRIGGER no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'copies are append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'copies are append-only'); END;
"""

INSERT = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
HEADS = "SELECT source, game, max(number), hash FROM events GROUP BY source, game"
ROWS = """
SELECT number, at_ns, kind, version, body, hash FROM events
WHERE source = ? AND game = ? AND number > ? ORDER BY number
"""

Key = tuple[str, str]
"""A table's id and the name of one of its games."""

Head = tuple[int, bytes]
"""Number and hash of a game's newest event."""

NO_HEAD: Head = (0, b"")


class Copies:
    """The copies in one file; any thread may read, one writes."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        with self.reported():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(
                path, isolation_level=None, timeout=10.0, check_same_thread=False
            )
            version = self.connection.execute("PRAGMA user_version").fetchone()[0]
            if version > FORMAT:
                raise UnusableLog(f"{path} was written by a newer companion; update this one")
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=NORMAL")
            if version == 0:
                self.connection.executescript(f"BEGIN;{TABLES}PRAGMA user_version={FORMAT};COMMIT;")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.connection.close()

    def insert(self, rows: Sequence[tuple[Key, Row]]) -> None:
        """Keep events, all or none; raise UnusableLog where the disk does not take them."""
        with self.lock, self.reported():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                self.connection.executemany(INSERT, [(*key, *astuple(row)) for key, row in rows])
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def heads(self) -> Mapping[Key, Head]:
        """Return the newest event of every game."""
        with self.lock, self.reported():
            found = self.connection.execute(HEADS).fetchall()
        return {(source, game): (number, digest) for source, game, number, digest in found}

    def rows(self, key: Key, after: int = 0) -> list[Row]:
        """Return the events of a game after a number."""
        with self.lock, self.reported():
            return [Row.of(row) for row in self.connection.execute(ROWS, (*key, after))]

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Raise UnusableLog for whatever SQLite or the disk reports in the block."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, UnusableLog):
                raise
            raise UnusableLog(f"{self.path}: {error}; look whether its disk is full or read-only") from error
