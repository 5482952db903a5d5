"""The protocol of a simulated seat: what a bot perceives of the table and what it does there."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Protocol

from companion.model.grid import Place


class SeatInterface(Protocol):
    """One seat at the table.

    ``u`` and ``v`` are positions in tile sides from the middle of the seat's own area: ``u`` to the right and
    ``v`` towards the player.
    """

    @property
    def width(self) -> float:
        """Width of the own area, in tile sides."""

    @property
    def depth(self) -> float:
        """Depth of the own area, in tile sides."""

    @property
    def busy(self) -> bool:
        """Whether the own hand is still doing something."""

    @property
    def all_idle(self) -> bool:
        """Whether everybody's hands are at rest."""

    @property
    def tiles_left(self) -> int:
        """Number of tiles in the pool."""

    @property
    def board(self) -> MutableMapping[Place, int]:
        """The tile on each square of the shared board, by row and column."""

    @property
    def pieces(self) -> Mapping[Place, int]:
        """The own pyramids on the board, by row and column."""

    @property
    def opponent_pieces(self) -> Mapping[Place, int]:
        """The other player's pyramids on the board."""

    def move_pyramid(self, start: Place, goal: Place) -> None:
        """Move an own pyramid from one square of the board to another."""

    def lift_pyramid(self, square: Place, u: float, v: float) -> None:
        """Put an own pyramid from the board into the own area."""

    def put_back_pyramid(self, square: Place) -> None:
        """Put the pyramid that was lifted from a square back onto it."""

    def allows_tile(self, u: float, v: float) -> bool:
        """Return whether tiles may be put on a place; marker cards must stay uncovered."""

    def symbol(self, tile: int) -> str:
        """Return what is on a tile's face."""

    def place_tile(self, tile: int, u: float, v: float, *, up: bool = True) -> None:
        """Put a tile somewhere in the own area."""

    def draw_tiles(self, many: int) -> list[int]:
        """Return the numbers of random tiles from the pool, which now belong to this seat."""

    def return_tile(self, tile: int) -> None:
        """Return a tile to the pool, face down."""

    def place_on_board(self, tile: int, row: int, col: int) -> None:
        """Put a tile on a square of the shared board."""

    def call_by_phone(self, call: str, details: Mapping[str, Any]) -> None:
        """Make a call on a phone, with its details."""

    def rest_hand(self, u: float, v: float, seconds: float) -> None:
        """Rest the hand on a place, even beyond the own area, for ``seconds``."""

    def call_by_button(self, call: str) -> None:
        """Make a call with the seat's buttons."""
