"""What simulated players know of the table they sit at, be it in this process or in another."""

from __future__ import annotations

from typing import Any, Protocol

from companion.config.controls import Gesture
from companion.config.table import TableConfig
from companion.model.calls import Input
from companion.rules.interface import RuleSystem, WordSource
from companion.table.devices import GameClock


class SatMatch(Protocol):
    """The game that is played."""

    @property
    def name(self) -> str:
        """What the log calls it."""

    @property
    def game(self) -> RuleSystem[Any]:
        """Its rules."""

    @property
    def words(self) -> WordSource:
        """What judges its words."""


class SatLoop(Protocol):
    """What decides at the table."""

    @property
    def match(self) -> SatMatch:
        """The game that is played."""

    @property
    def state(self) -> Any:
        """The game's state as last decided."""

    def submit(self, received: Input) -> None:
        """Hand over something heard."""


class Sat(Protocol):
    """A table at which players sit."""

    @property
    def config(self) -> TableConfig:
        """How it is set up."""

    @property
    def clock(self) -> GameClock:
        """The game's clock."""

    @property
    def loop(self) -> SatLoop:
        """What decides."""


class Fingers(Protocol):
    """What presses the table's buttons."""

    def press(
        self, seat: int, button: int, gesture: Gesture = Gesture.SHORT, at_ns: int | None = None
    ) -> int:
        """Press a button, now or at a time to come, and return when its contact closes first."""
