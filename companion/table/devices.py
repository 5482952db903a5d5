"""The interfaces of the table's devices, and the game's clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.model.patterns import Pattern
from companion.vision.camera_frame import CameraFrame

Now = Callable[[], int]
"""Returns the time of the devices' clock, in ns: CLOCK_MONOTONIC or a simulated one."""


class Shot(Protocol):
    """A frame, uint8, and when it was taken."""

    @property
    def frame(self) -> CameraFrame:
        """The picture, (h, w) grey or (h, w, 3) blue, green, red; read-only."""
        ...

    @property
    def at_ns(self) -> int:
        """When it was taken, by the table's clock."""
        ...


class Health(Protocol):
    """A camera's health."""

    @property
    def state(self) -> str:
        """One of ok, waiting, black, frozen, slow, gone, ended, misfit."""
        ...

    @property
    def says(self) -> str:
        """A sentence about its problem and what to do."""
        ...

    @property
    def sees(self) -> bool:
        """Whether its pictures can be trusted."""
        ...


class Camera(Protocol):
    """A camera."""

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame taken after a time, or ``None`` if there is none within ``wait_s``."""
        ...

    def health(self) -> Health:
        """Return the present health."""
        ...


class Shown(Protocol):
    """What a light shows."""

    @property
    def pattern(self) -> str:
        """One of ``Pattern``."""
        ...

    @property
    def number(self) -> int:
        """The number of tiles to draw."""
        ...


class Lights(Protocol):
    """The lights before the seats."""

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        """Show a pattern at one seat, or at all (``None``); ``number`` is how many tiles to draw."""
        ...

    def showing(self) -> Mapping[int, Shown]:
        """Return what each seat's light shows now."""
        ...


class Sound(Protocol):
    """The table's sound output."""

    def play(self, pattern: Pattern, clips: Sequence[str] = ()) -> None:
        """Play a pattern's tune, and then clips, which are named as in ``config.spoken``."""
        ...


class Press(Protocol):
    """A button press of a player."""

    @property
    def at_ns(self) -> int:
        """The time of the leading edge, by the table's clock."""
        ...

    @property
    def seat(self) -> int:
        """The seat's number, from 1."""
        ...

    @property
    def button(self) -> int:
        """The button's number, from 1."""
        ...

    @property
    def gesture(self) -> str:
        """The gesture: short, long or double."""
        ...

    @property
    def late(self) -> bool:
        """Whether its edge was lost, so that it cannot decide who was first."""
        ...


class NoLights:
    """A table without lights."""

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        """Do nothing."""

    def showing(self) -> Mapping[int, Shown]:
        """Return an empty mapping: no seat has a light."""
        return {}


class NoSound:
    """A silent table."""

    def play(self, pattern: Pattern, clips: Sequence[str] = ()) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class GameClock:
    """The game's clock, in nanoseconds since the game's beginning, across pauses and power cuts.

    ``from_ns`` is the stamp of the last event in the log, and ``base_ns`` the table's time at which the clock
    continued from it.
    """

    table: Now
    base_ns: int
    from_ns: int = 0

    @classmethod
    def going_on(cls, table: Now, from_ns: int = 0) -> GameClock:
        """Return a clock that continues from a stamp now."""
        return cls(table, table(), from_ns)

    def now(self) -> int:
        """Return the game's time."""
        return self.at(self.table())

    def at(self, table_ns: int) -> int:
        """Return the game's time at a time of the table's clock; earlier times give ``from_ns``."""
        return self.from_ns + max(0, table_ns - self.base_ns)

    def table_at(self, at_ns: int) -> int:
        """Return the time of the table's clock at the game's time."""
        return self.base_ns + at_ns - self.from_ns
