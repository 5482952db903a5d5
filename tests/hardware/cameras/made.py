"""Made-up cameras and frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from companion.errors import NoCamera
from companion.vision.camera_frame import Frame
from hardware.frames import Shot

Draws = Callable[[int], Frame]
"""Draws the frame of a number."""


def noisy(number: int, shade: int = 120) -> Frame:
    """Return a frame as a living sensor makes it: never twice the same."""
    rng = np.random.default_rng(number)
    return np.asarray(np.clip(rng.normal(shade, 3, (48, 64)), 0, 255), np.uint8)


class Flow:
    """A source that gives frames until it is unplugged."""

    def __init__(self, clock: Callable[[], int], draws: Draws = noisy, most: int = 10**6) -> None:
        self._clock, self._draws, self._most = clock, draws, most
        self.taken, self.closed = 0, 0
        self.locks_exposure, self.stops = True, list[int]()

    def take(self) -> Shot:
        if self.taken >= self._most:
            raise NoCamera("was unplugged")
        self.taken += 1
        return Shot(self._draws(self.taken), self._clock(), f"frame {self.taken}")

    def expose(self, stops: int) -> None:
        self.stops.append(stops)

    def close(self) -> None:
        self.closed += 1


class Time:
    """A clock that goes when it is told to, and a sleep that makes it go."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000_000
        self.slept: list[float] = []

    def __call__(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_ns += round(seconds * 1e9)


def one_after_another(*sources: Flow | NoCamera) -> Callable[[], Flow]:
    """Return what opens each of these in turn and refuses for good afterwards."""
    coming: Iterator[Flow | NoCamera] = iter(sources)

    def opens() -> Flow:
        source = next(coming, NoCamera("is not there"))
        if isinstance(source, NoCamera):
            raise source
        return source

    return opens
