"""The event log: SQLite, append-only, each event chained to the one before by a hash."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

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

    def __init__(self, path: Path = MEMORY) -> None:
        self.path = path
        self.heads: dict[str, tuple[int, bytes]] = {}
        try:
            refuse_newer(path)
            self.connection = sqlite3.connect(
                path, isolation_level=None, timeout=10.0, check_same_thread=False
            )
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=FULL")
            create(self.connection)
        except sqlite3.Error as error:
            raise BadLog(f"log {path}: {error}; see companion log verify and companion log repair") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def append(self, game: str, events: Sequence[Stamped]) -> None:
        """Write events, all or none; they are on the disk when this returns.

        Raises
        ------
        BadLog
            Where their numbers do not follow the last one: somebody else has
            written to this game meanwhile.
        """
        number, before = self.head(game)
        rows = []
        for one in events:
            number += 1
            row = Row(one.number, one.at_ns, *codec.written(one.event), b"")
            before = row.chained(game, before)
            rows.append((game, row.number, row.at_ns, row.kind, row.version, row.body, before))
        if [row[1] for row in rows] != list(range(number - len(rows) + 1, number + 1)):
            self.heads.pop(game, None)
            raise BadLog(f"game {game}: event {events[0].number} does not follow the last one in the log")
        self.insert(game, rows)
        self.heads[game] = number, before

    def insert(self, game: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Write rows in one transaction."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            self.connection.execute("COMMIT")
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

    def games(self) -> list[str]:
        """Return the names of all games, in order."""
        return [name for (name,) in self.connection.execute("SELECT DISTINCT game FROM events ORDER BY game")]

    def rows(self, game: str, after: int = 0) -> Iterator[Row]:
        """Yield a game's rows after a number, as they are."""
        for row in self.connection.execute(ROWS, (game, after)):
            yield Row(*row)


def refuse_newer(path: Path) -> None:
    """Raise BadLog for a log of a newer companion, without touching it."""
    if path == MEMORY or not path.exists():
        return
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > FORMAT:
        raise BadLog(
            f"log {path} is of format {found}; this companion knows {FORMAT}: update it, the log is untouched"
        )


def create(connection: sqlite3.Connection) -> None:
    """Make the tables of a new log."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.executescript(f"BEGIN IMMEDIATE;{TABLES}PRAGMA user_version={FORMAT};COMMIT;")
