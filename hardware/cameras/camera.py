"""What a camera is to the table, and what a device must do to be one."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from hardware.cameras.health import Health
from hardware.frames import Shot


class Camera(Protocol):
    """Looks at the table, from ``with`` to the end of its block.

    A live camera that is away does not raise: it says so in its health and is tried again, so that a game
    goes on.  Any thread may ask.
    """

    def __enter__(self) -> Self:
        """Start to look; a film or folder that is not there raises BadFilm, a missing library NoCamera."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the device go."""

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none.

        Stamps are CLOCK_MONOTONIC, in ns, when the exposure began as far as the device tells.  A frame is
        shared by all who ask: nobody writes into it.
        """

    def health(self) -> Health:
        """Return how the camera fares now."""


class Source(Protocol):
    """An open device, in the one thread that reads it."""

    def take(self) -> Shot:
        """Return the next frame, waiting for it; raise NoCamera where none comes."""

    def close(self) -> None:
        """Let the device go."""
