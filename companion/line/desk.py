"""What the table answers on the line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from companion.line.values import Answer, Checkup, PictureKind, Status, TileSets


class Desk(Protocol):
    """Answers what pages ask; raises a CompanionError whose text is for the person who asked."""

    def order(self, order: str) -> Answer:
        """Hear the host's order: start, pause, resume, confirm, next_round or end."""
        ...

    def call(self, seat: int, call: str, details: Mapping[str, Any], by: str) -> Answer:
        """Hear a player's call that came by something else than a button; ``by`` says what, as ``phone``."""
        ...

    def ruling(self, ruling: str, reason: str, seat: int | None, details: Mapping[str, Any]) -> Answer:
        """Hear a referee's ruling."""
        ...

    def settle(self, seat: int, cell: tuple[int, int], symbol: str) -> Answer:
        """Hear what somebody has read on a tile in doubt; seat 0 is the shared board."""
        ...

    def status(self) -> Status:
        """Return how the table does."""
        ...

    def checkup(self) -> Checkup:
        """Look at everything that must be right before a game; during one only at what costs nothing."""
        ...

    def picture(self, kind: PictureKind, width: int, camera: int) -> bytes:
        """Return the newest picture of a camera (from 0) as JPEG, at most ``width`` pixels broad."""
        ...

    def evidence(self, number: int) -> bytes:
        """Return the picture kept for the call that is event ``number`` of the game now, as JPEG."""
        ...

    def lights_test(self, seat: int) -> None:
        """Show every pattern on a seat's lights, one after the other."""
        ...

    def set_up(
        self, game: str, seats: Sequence[str], options: Mapping[str, Any], words: str, tiles: str
    ) -> Answer:
        """Begin another game at this table; refused while one is being played."""
        ...

    def tile_sets(self, game: str) -> TileSets:
        """Return the tile sets that a game may be set up with."""
        ...

    def restore(self, backup: bytes) -> Answer:
        """Write what the log lacks of a backup; refused while a game is being played."""
        ...
