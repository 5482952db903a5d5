"""A log that another process writes, read as it grows."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from companion.errors import BadLog
from companion.events.log import EventLog, Row, sidecar_path, sqlite_errors_as_bad_log

COUNT_TABLES_SQL = "SELECT count(*) FROM sqlite_master"

READ_RETRY_S = 1.0
"""Seconds after which a log that could not be read counts as changed again."""

FileState = tuple[int, bool]
"""The log's inode, and whether a write-ahead log is beside it; the log is opened again if either changes."""


def played_path(log: Path) -> Path:
    """Return the path of the file beside a log that holds the name of the game at the table."""
    return log.with_name(f"{log.name}.at-table")


def played_name(log: Path) -> str:
    """Return the name of the game that was last at the table of a log, empty where that is not known."""
    try:
        return played_path(log).read_text("utf-8")
    except (OSError, ValueError):
        return ""


@dataclass(slots=True)
class LogFollower:
    """A log opened read-only and polled for changes; polling an unchanged log costs very little.

    Every method raises BadLog if the log is newer than this companion or cannot be read.

    Parameters
    ----------
    path
        The log; it may be missing at first, and may be replaced by another file.
    """

    path: Path
    log: EventLog | None = field(default=None, init=False)
    version: int = field(default=-1, init=False)
    file: FileState = field(default=(0, False), init=False)
    retry_s: float = field(default=math.inf, init=False)

    def changed(self) -> bool:
        """Return whether anything was written since the last call, or is to be read again after an error."""
        file = self._file()
        if self.log is not None and file != self.file:
            self.close()
        if self.log is None:
            if not file[0]:
                return False
            self.log, self.file = EventLog(self.path, writable=False), file
        with sqlite_errors_as_bad_log(self.path):
            if self.version < 0 and not self.log.connection.execute(COUNT_TABLES_SQL).fetchone()[0]:
                self.close()  # its writer has created the file, but not yet its content
                return False
            found = self.log.connection.execute("PRAGMA data_version").fetchone()[0]
        due = time.monotonic() >= self.retry_s
        if due:
            self.retry_s = math.inf
        changed, self.version = found != self.version, found
        return bool(changed) or due

    def games(self) -> list[str]:
        """Return the names of all games, in order."""
        with self._retried():
            return [] if self.log is None else self.log.games()

    def rows(self, game: str, after: int = 0, most: int | None = None) -> list[Row]:
        """Return the events of a game after a number, as the log has them; at most ``most`` are read."""
        with self._retried():
            return [] if self.log is None else list(islice(self.log.rows(game, after), most))

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            self.log.close()
        self.log, self.version = None, -1

    @contextmanager
    def _retried(self) -> Iterator[None]:
        """Let the log count as changed again after an error in the block."""
        try:
            yield
        except BadLog:
            self.retry_s = time.monotonic() + READ_RETRY_S
            raise

    def _file(self) -> FileState:
        """Return the state of the log's file; the inode is 0 while it is empty or missing."""
        if not (self.path.exists() and self.path.stat().st_size):
            return 0, False
        return self.path.stat().st_ino, sidecar_path(self.path, "-wal").exists()
