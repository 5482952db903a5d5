"""What a bot has: hands, eyes for its own tiles, a button; whoever runs the table hands it in."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Protocol

from companion.model.grid import Place


class Reach(Protocol):
    """What one player sees and does.

    Places are in tile sides from the middle of the player's own area, ``u``
    to the right and ``v`` down as the player reads.
    """

    @property
    def broad(self) -> float:
        """Breadth of the own area."""

    @property
    def deep(self) -> float:
        """Depth of the own area."""

    @property
    def busy(self) -> bool:
        """Whether the own hand is still doing something."""

    @property
    def quiet(self) -> bool:
        """Whether everybody's hands are at rest."""

    @property
    def left(self) -> int:
        """How many tiles are left in the middle."""

    @property
    def board(self) -> MutableMapping[Place, int]:
        """The tiles on the board that all share, by row and column."""

    @property
    def pieces(self) -> Mapping[Place, int]:
        """The own pyramids on the board, by row and column."""

    @property
    def others(self) -> Mapping[Place, int]:
        """The other player's pyramids on the board."""

    def shift(self, start: Place, goal: Place) -> None:
        """Move an own pyramid from one square of the board to another."""

    def lift(self, square: Place, u: float, v: float) -> None:
        """Put an own pyramid from the board into the own area."""

    def stand(self, square: Place) -> None:
        """Put the pyramid that was lifted from a square back onto it."""

    def may_lie(self, u: float, v: float) -> bool:
        """Return whether tiles may lie on a place: on marker cards none do."""

    def symbol(self, tile: int) -> str:
        """Return what is on a tile's face."""

    def carry(self, tile: int, u: float, v: float, *, up: bool = True) -> None:
        """Put a tile somewhere in the own area."""

    def take(self, many: int) -> list[int]:
        """Return tiles chosen from the middle, which nobody else takes any more."""

    def give_back(self, tile: int) -> None:
        """Put a tile back to those in the middle, face down."""

    def lay(self, tile: int, row: int, col: int) -> None:
        """Put a tile on a square of the board that all share."""

    def say(self, call: str, details: Mapping[str, Any]) -> None:
        """Make a call on a phone, with what it takes."""

    def rest(self, u: float, v: float, seconds: float) -> None:
        """Put the hand down somewhere, even beyond the own area, and leave it there for so long."""

    def press(self, call: str) -> None:
        """Call, with a finger on the own button."""
