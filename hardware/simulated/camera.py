"""The simulated table's camera, and a clock that goes on frame by frame for whoever is in a hurry."""

from __future__ import annotations

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
"""Frames a second of the table's time."""

STILL = 3
"""So many times as long is the next frame waited for where nothing moves and nobody's time is real."""

POLL_S = 0.002
"""How long somebody waits, in real life, before looking again at a clock that goes on by steps."""


FINE_NS = 6_000_000
"""Steps of a clock while fingers are on buttons: far shorter than buttons are locked for."""

FINE_S = 0.006
"""How long, in real life, such a step takes, so that those who listen keep up."""


def always() -> bool:
    """Return that nobody's finger is on a button."""
    return True


def never() -> bool:
    """Return that something moves."""
    return False


@dataclass(slots=True)
class Hand:
    """Where a stepped clock stands; ``resting`` says whether no finger is on a button."""

    now_ns: int = SECOND
    resting: Callable[[], bool] = always


@dataclass(frozen=True, slots=True)
class SteppedClock(Clock):
    """A clock that stands until it is told to go on: a game is played as fast as frames can be read."""

    hand: Hand = field(default_factory=Hand)

    def now_ns(self) -> int:
        """Return the time."""
        return self.hand.now_ns

    def wait_s(self, until_ns: int) -> float:
        """Return how long to wait, in real life, before looking again."""
        return POLL_S if until_ns > self.hand.now_ns else 0.0

    def step(self, ns: int) -> None:
        """Let so much time pass, in fine steps while a finger is on a button."""
        until_ns = self.hand.now_ns + ns
        while self.hand.now_ns < until_ns and not self.hand.resting():
            self.hand.now_ns = min(until_ns, self.hand.now_ns + FINE_NS)
            time.sleep(FINE_S)
        self.hand.now_ns = until_ns


class AlwaysOpen:
    """A context manager of what needs neither opening nor closing, such as a camera that is drawn."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class SimulatedCamera(AlwaysOpen):
    """Looks at a drawn table; the table goes on whenever a frame is taken.

    Parameters
    ----------
    canvas
        What draws the table.
    clock
        By which frames are taken and stamped; a ``SteppedClock`` goes on with each frame.
    lives
        Lets the table go on to a time, in ns, before it is drawn.
    still
        Whether nothing moves on it now.
    """

    name = "simulated table"

    def __init__(
        self, canvas: Canvas, clock: Clock, lives: Callable[[int], None], still: Callable[[], bool] = never
    ) -> None:
        self._canvas, self._clock, self._lives, self._still = canvas, clock, lives, still
        self._wait_ns = round(SECOND / FPS)
        self._lock = threading.Lock()
        self._newest: Shot | None = None
        self._since_ns = clock.now_ns()

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none."""
        with self._lock:
            due_ns = self._newest.at_ns + self._wait_ns if self._newest else self._clock.now_ns()
            if isinstance(self._clock, SteppedClock):
                self._clock.step(max(0, due_ns - self._clock.now_ns()))
            else:
                time.sleep(min(wait_s, self._clock.wait_s(due_ns)))
            now_ns = self._clock.now_ns()
            if now_ns >= due_ns:
                self._lives(now_ns)
                self._newest = Shot(self._canvas.frame(), now_ns, self.name)
                idle = isinstance(self._clock, SteppedClock) and self._still()
                self._wait_ns = round(SECOND / FPS) * (STILL if idle else 1)
            return self._newest if self._newest and self._newest.at_ns > after_ns else None

    def health(self) -> Health:
        """Return that a drawn camera never fails."""
        return Health(State.OK, self._since_ns, "sees the table")
