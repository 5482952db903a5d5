"""A log that another process writes, followed as it grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from companion.events.log import EventLog, Row

NEXT_NAME = "SELECT min(game) FROM events WHERE game > ?"


@dataclass(slots=True)
class Following:
    """A log opened to read only; ``changed`` costs next to nothing while nothing is written.

    Parameters
    ----------
    path
        The log; it may not be there yet.
    """

    path: Path
    log: EventLog | None = field(default=None, init=False)
    version: int = field(default=-1, init=False)

    def changed(self) -> bool:
        """Return whether anything was written since the last call.

        Raises
        ------
        BadLog
            Where the log is newer than this companion or cannot be read.
        """
        if self.log is None:
            if not self.path.exists() or not self.path.stat().st_size:
                return False
            self.log = EventLog(self.path, writable=False)
        found = self.log.connection.execute("PRAGMA data_version").fetchone()[0]
        changed, self.version = found != self.version, found
        return bool(changed)

    def games(self) -> list[str]:
        """Return the names of all games, in order, in a time that does not grow with their events."""
        found: list[str] = []
        while self.log is not None:
            name = self.log.connection.execute(NEXT_NAME, (found[-1] if found else "",)).fetchone()[0]
            if name is None:
                break
            found.append(name)
        return found

    def rows(self, game: str, after: int = 0) -> list[Row]:
        """Return the events of a game after a number, as the log has them."""
        return [] if self.log is None else list(self.log.rows(game, after))

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            self.log.close()
            self.log = None
