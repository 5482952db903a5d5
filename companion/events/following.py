"""A log that another process writes, followed as it grows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from companion.errors import BadLog
from companion.events.log import EventLog, Row

NEXT_NAME = "SELECT min(game) FROM events WHERE game > ?"


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Raise BadLog for whatever SQLite complains of in the block."""
    try:
        yield
    except sqlite3.Error as error:
        raise BadLog(f"log {path}: {error}; companion log verify {path} says more") from error


@dataclass(slots=True)
class Following:
    """A log opened to read only; ``changed`` costs next to nothing while nothing is written.

    Every method raises BadLog where the log is newer than this companion or cannot be read.

    Parameters
    ----------
    path
        The log; it may not be there yet, and another may take its place.
    """

    path: Path
    log: EventLog | None = field(default=None, init=False)
    version: int = field(default=-1, init=False)
    file: int = field(default=0, init=False)

    def changed(self) -> bool:
        """Return whether anything was written since the last call."""
        file = self.path.stat().st_ino if self.path.exists() and self.path.stat().st_size else 0
        if self.log is not None and file != self.file:
            self.close()
        if self.log is None:
            if not file:
                return False
            self.log, self.file = EventLog(self.path, writable=False), file
        with told(self.path):
            found = self.log.connection.execute("PRAGMA data_version").fetchone()[0]
        changed, self.version = found != self.version, found
        return bool(changed)

    def games(self) -> list[str]:
        """Return the names of all games, in order, in a time that does not grow with their events."""
        found: list[str] = []
        with told(self.path):
            while self.log is not None:
                name = self.log.connection.execute(NEXT_NAME, (found[-1] if found else "",)).fetchone()[0]
                if name is None:
                    break
                found.append(name)
        return found

    def rows(self, game: str, after: int = 0) -> list[Row]:
        """Return the events of a game after a number, as the log has them."""
        with told(self.path):
            return [] if self.log is None else list(self.log.rows(game, after))

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            self.log.close()
        self.log, self.version = None, -1
