"""Up to where each game of a log was acknowledged by the broker, kept in a small file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.errors import BadOutput


@dataclass(slots=True)
class Outbox:
    """The last acknowledged number of each game.

    A file that is missing or damaged only means that the newest game is published again from its start:
    who receives it drops what it has.  Older games are published on request alone.
    """

    path: Path
    reached: dict[str, int] | None = None

    def load(self, heads: Mapping[str, int]) -> None:
        """Read the file; ``heads`` are the games of the log with their newest numbers, in order."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            self.reached = {str(game): int(number) for game, number in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            self.reached = {game: heads[game] for game in list(heads)[:-1]}

    def after(self, game: str) -> int:
        """Return the number after which a game is still to be published."""
        return (self.reached or {}).get(game, 0)

    def acknowledge(self, game: str, number: int) -> None:
        """Note that the broker has taken a game's events up to a number."""
        if self.reached is not None and number > self.after(game):
            self.reached[game] = number

    def keep(self, games: Sequence[str]) -> None:
        """Write the file whole or not at all; raise BadOutput where the disk does not take it."""
        new = self.path.with_name(f".{self.path.name}.new")
        known = {game: number for game, number in (self.reached or {}).items() if game in games}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(known), encoding="utf-8")
            new.replace(self.path)
        except OSError as error:
            raise BadOutput(f"{self.path}: {error.strerror}") from error
