"""The protocols of cameras and of their devices."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from hardware.cameras.health import Health
from hardware.frames import Shot


class Camera(Protocol):
    """A camera, active from ``with`` to the end of its block; safe to use from any thread.

    A live camera that fails does not raise: its health says so and it is reopened, so that a game goes on.
    """

    def __enter__(self) -> Self:
        """Start; raise BadFilm for a missing film or folder, NoCamera for a missing library."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the device."""

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none.

        Stamps are CLOCK_MONOTONIC in ns, of the exposure's beginning where the device reports it.  Frames
        are shared by all callers and must not be written to.
        """

    def health(self) -> Health:
        """Return the camera's health."""


class Source(Protocol):
    """An open device, used by one thread only, that of a ``LiveCamera``.

    Its class opens the device, or raises NoCamera where it is not there; opening is then retried.
    """

    def take(self) -> Shot:
        """Wait for the next frame and return it; raise NoCamera where none comes.

        Frames are grey, or blue, green, red where the configuration asks for ``colour``.  Each is stamped
        later than the one before, as ``Camera.newest`` says, unless the device sends that one again.  The
        wait should be shorter than ``live.JOIN_TIMEOUT_S``, in which the table ends.  After NoCamera the
        camera's health is GONE and it is opened again.  The text of that error follows the camera's name, as
        in "stopped sending: see to the network"; it is a ``phrase``, to be translated.
        """

    @property
    def locks_exposure(self) -> bool:
        """Whether the device chose its exposure when it was opened, and keeps it."""

    def expose(self, stops: int) -> None:
        """Choose exposure and white balance anew, ``stops`` halvings below the device's own choice.

        What the configuration fixes stays, and so does the focus.  Raises NoCamera as ``take`` does.
        """

    def close(self) -> None:
        """Release the device."""
