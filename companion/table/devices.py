"""What the table asks of its devices, and the game's clock; ``companion.bootstrap`` has the devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.model.patterns import Pattern
from companion.vision.picture import Frame

Now = Callable[[], int]
"""Returns CLOCK_MONOTONIC in ns, or a simulated table's, as its devices stamp by."""


class Shot(Protocol):
    """A frame, uint8, and when it was taken."""

    @property
    def frame(self) -> Frame:
        """The picture, (h, w) grey or (h, w, 3) blue, green, red; nobody writes into it."""
        ...

    @property
    def at_ns(self) -> int:
        """When it was taken, by the table's clock."""
        ...


class Health(Protocol):
    """How a camera fares."""

    @property
    def state(self) -> str:
        """One of ok, waiting, black, frozen, slow, gone, ended."""
        ...

    @property
    def says(self) -> str:
        """What ails it, and what helps."""
        ...

    @property
    def sees(self) -> bool:
        """Whether its pictures can be trusted."""
        ...


class Camera(Protocol):
    """Looks at the table."""

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame taken after a time, or ``None`` where the wait brings none."""
        ...

    def health(self) -> Health:
        """Return how it fares now."""
        ...


class Shown(Protocol):
    """What a light shows."""

    @property
    def pattern(self) -> str:
        """One of ``Pattern``."""
        ...

    @property
    def number(self) -> int:
        """How many tiles to draw."""
        ...


class Lights(Protocol):
    """The lights before the seats."""

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        """Light up before one seat or, without one, before all; ``number`` is how many tiles to draw."""
        ...

    def showing(self) -> Mapping[int, Shown]:
        """Return what each seat's light shows now."""
        ...


class Sound(Protocol):
    """What the table says aloud."""

    def play(self, pattern: Pattern, clips: Sequence[str] = ()) -> None:
        """Let what a light says be heard too, and then clips, which ``config.spoken`` names."""
        ...


class Press(Protocol):
    """A player has pressed a button."""

    @property
    def at_ns(self) -> int:
        """The leading edge, by the table's clock."""
        ...

    @property
    def seat(self) -> int:
        """Who, from 1."""
        ...

    @property
    def button(self) -> int:
        """Which, from 1."""
        ...

    @property
    def gesture(self) -> str:
        """How: short, long or double."""
        ...

    @property
    def late(self) -> bool:
        """Whether the edge was lost, so that nothing may be decided on who was first."""
        ...


class NoLights:
    """A table without lights."""

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        """Do nothing."""

    def showing(self) -> Mapping[int, Shown]:
        """Return that no seat has a light."""
        return {}


class NoSound:
    """A silent table."""

    def play(self, pattern: Pattern, clips: Sequence[str] = ()) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class GameClock:
    """Counts nanoseconds from the game's beginning, over pauses and power cuts.

    ``from_ns`` is the stamp of the last event that was kept before, and
    ``base_ns`` the table's time at which the clock went on from there.
    """

    table: Now
    base_ns: int
    from_ns: int = 0

    @classmethod
    def going_on(cls, table: Now, from_ns: int = 0) -> GameClock:
        """Return a clock that goes on now from a stamp."""
        return cls(table, table(), from_ns)

    def now(self) -> int:
        """Return the game's time."""
        return self.at(self.table())

    def at(self, table_ns: int) -> int:
        """Return the game's time at a time of the table's clock; before it went on, when it did."""
        return self.from_ns + max(0, table_ns - self.base_ns)
