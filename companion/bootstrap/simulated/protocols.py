"""Protocols of the table that bots play at, which runs in this process or in another."""

from __future__ import annotations

from typing import Any, Protocol

from companion.config.controls import Gesture
from companion.config.table import TableConfig
from companion.model.calls import Input
from companion.rules.interface import RuleSystem, WordSource
from companion.table.devices import GameClock


class MatchProtocol(Protocol):
    """The match: a game with its log."""

    @property
    def name(self) -> str:
        """The game's name in the log."""

    @property
    def game(self) -> RuleSystem[Any]:
        """Its rules."""

    @property
    def words(self) -> WordSource:
        """The word list that judges."""


class LoopProtocol(Protocol):
    """The table's loop."""

    @property
    def match(self) -> MatchProtocol:
        """The game that is played."""

    @property
    def state(self) -> Any:
        """The newest state of the game."""

    def submit(self, received: Input) -> None:
        """Queue an input for the loop."""


class TableProtocol(Protocol):
    """A table."""

    @property
    def config(self) -> TableConfig:
        """The table's configuration."""

    @property
    def clock(self) -> GameClock:
        """The game's clock."""

    @property
    def loop(self) -> LoopProtocol:
        """The table's loop."""


class ButtonPresser(Protocol):
    """Presses buttons of the table."""

    def press(
        self, seat: int, button: int, gesture: Gesture = Gesture.SHORT, at_ns: int | None = None
    ) -> int:
        """Press a button now or at ``at_ns``, and return when its contact closes first, in ns."""
