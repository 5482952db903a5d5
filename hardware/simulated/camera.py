"""The simulated table's camera, and a clock that advances by one frame at a time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from hardware.cameras.health import Health, State
from hardware.clock import SECOND, Clock
from hardware.frames import Shot
from hardware.simulated.draw import Canvas

FPS = 8.0
"""Frames a second, by the clock of the simulation."""

LATENCY_NS = 100_000_000
"""Time from a frame's exposure to its delivery, in ns: about that of a Raspberry Pi's camera."""

IDLE_FACTOR = 3
"""Factor on the time between frames while nothing moves and the clock is stepped."""

POLL_S = 0.002
"""Real time between two checks of a stepped clock, in seconds."""


FINE_STEP_NS = 6_000_000
"""Step of the clock while a finger is on a button, in ns: far shorter than the debouncing lock."""

FINE_STEP_REAL_S = 0.006
"""Real time of such a step, in seconds, so that the button thread keeps up."""


def always() -> bool:
    """Return True: no finger is on a button."""
    return True


def never() -> bool:
    """Return False: something moves."""
    return False


@dataclass(slots=True)
class ClockState:
    """The time of a stepped clock, in ns; ``fingers_idle`` returns whether no finger is on a button."""

    now_ns: int = SECOND
    fingers_idle: Callable[[], bool] = always


@dataclass(frozen=True, slots=True)
class SteppedClock(Clock):
    """A clock that advances only by ``step``, so that a game is played as fast as frames can be read."""

    state: ClockState = field(default_factory=ClockState)

    def now_ns(self) -> int:
        """Return the time."""
        return self.state.now_ns

    def wait_s(self, until_ns: int) -> float:
        """Return the real time to wait before the next check, in seconds."""
        return POLL_S if until_ns > self.state.now_ns else 0.0

    def step(self, ns: int) -> None:
        """Advance the clock, in steps of ``FINE_STEP_NS`` while a finger is on a button."""
        until_ns = self.state.now_ns + ns
        while self.state.now_ns < until_ns and not self.state.fingers_idle():
            self.state.now_ns = min(until_ns, self.state.now_ns + FINE_STEP_NS)
            time.sleep(FINE_STEP_REAL_S)
        self.state.now_ns = until_ns


class AlwaysOpen:
    """A context manager of a device that needs neither opening nor closing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class SimulatedCamera(AlwaysOpen):
    """A camera above a drawn table; taking a frame advances the simulation.

    Parameters
    ----------
    canvas
        Draws the table.
    clock
        The clock of frames and stamps; a ``SteppedClock`` is stepped by each frame.
    advance
        Advances the simulation to a time, in ns, before it is drawn.
    motionless
        Returns whether nothing moves on the table now.
    """

    name = "simulated table"

    def __init__(
        self,
        canvas: Canvas,
        clock: Clock,
        advance: Callable[[int], None],
        motionless: Callable[[], bool] = never,
    ) -> None:
        self._canvas, self._clock, self._advance, self._motionless = canvas, clock, advance, motionless
        self._wait_ns = round(SECOND / FPS)
        self._lock = threading.Lock()
        self._newest: Shot | None = None
        self._since_ns = clock.now_ns()

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none."""
        with self._lock:
            due_ns = self._newest.at_ns + self._wait_ns if self._newest else self._clock.now_ns()
            self._wait_until(due_ns, wait_s)
            now_ns = self._clock.now_ns()
            if now_ns >= due_ns:
                self._advance(now_ns)
                self._newest = Shot(self._canvas.frame(), now_ns, self.name)
                self._wait_until(now_ns + LATENCY_NS)
                idle = isinstance(self._clock, SteppedClock) and self._motionless()
                self._wait_ns = round(SECOND / FPS) * (IDLE_FACTOR if idle else 1)
            return self._newest if self._newest and self._newest.at_ns > after_ns else None

    def _wait_until(self, at_ns: int, most_s: float = math.inf) -> None:
        """Let time pass until a stamp, in real time at most ``most_s`` seconds; or step a stepped clock."""
        if isinstance(self._clock, SteppedClock):
            self._clock.step(max(0, at_ns - self._clock.now_ns()))
        else:
            time.sleep(min(most_s, self._clock.wait_s(at_ns)))

    def health(self) -> Health:
        """Return OK: a drawn camera never fails."""
        return Health(State.OK, self._since_ns, "sees the table")
