"""How a camera fares, judged by its last frames: when they came, how bright, how different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

import cv2
import numpy as np

from companion.reading.picture import Frame

S = 1_000_000_000
"""Nanoseconds in a second."""

SPARSE = 8
"""Every so many rows and columns are looked at: a 12 MP frame then costs less than a millisecond."""

BRIGHT_SHARE = 95
"""Per cent of the pixels that are at most as bright as ``Glimpse.brightness``."""


class State(StrEnum):
    """What may be said of a camera."""

    OK = "ok"
    WAITING = "waiting"
    BLACK = "black"
    FROZEN = "frozen"
    SLOW = "slow"
    GONE = "gone"
    ENDED = "ended"
    """A film or folder that was played to its end."""


@dataclass(frozen=True, slots=True)
class Health:
    """How a camera fares, since when (CLOCK_MONOTONIC, ns), and a sentence about it for the people there."""

    state: State
    since_ns: int
    says: str

    @property
    def sees(self) -> bool:
        """Whether its pictures can be trusted."""
        return self.state in {State.OK, State.SLOW}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a camera is held to; times in seconds, brightness in grey levels.

    ``first_s`` may pass before the first frame and ``silent_s`` between frames; ``black_s`` and ``frozen_s``
    are how long frames may be black or the very same to the last bit, which a living sensor's never are
    (infinite: never asked).  ``fps`` are promised: fewer than half of them over ``slow_s`` is slow.
    """

    fps: float = 2.0
    first_s: float = 8.0
    silent_s: float = 1.5
    slow_s: float = 1.5
    black: float = 24.0
    black_s: float = 1.0
    frozen_s: float = 1.5

    @property
    def patience_s(self) -> float:
        """How long no frame may come: a camera that takes few is waited for longer."""
        return max(self.silent_s, 3 / self.fps)

    @property
    def window_s(self) -> float:
        """How long frames are counted for: long enough for four."""
        return max(self.slow_s, 4 / self.fps)


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is kept of a frame: when it came, how bright its bright parts are, how it differs from the last.

    ``difference`` is the greatest change of a pixel that was looked at, in grey levels; 255 for the first
    frame.
    """

    came_ns: int
    brightness: float
    difference: float


@dataclass(frozen=True, slots=True)
class Course:
    """What happened to a camera: when it was started, what ails it (empty: nothing), its last glimpses."""

    started_ns: int
    glimpses: Sequence[Glimpse] = ()
    trouble: str = ""


def thinned(frame: Frame) -> Frame:
    """Return every eighth pixel of a frame, grey, shape (h / 8, w / 8)."""
    sparse = frame[::SPARSE, ::SPARSE]
    return np.ascontiguousarray(sparse if sparse.ndim == 2 else sparse[..., 1])


def glimpse(came_ns: int, sparse: Frame, last: Frame | None) -> Glimpse:
    """Return what is kept of a frame, from its thinned pixels and those of the frame before."""
    shades = np.cumsum(cv2.calcHist([sparse], [0], None, [256], [0, 256]))
    brightness = float(np.searchsorted(shades, BRIGHT_SHARE / 100 * shades[-1]))
    if last is None or last.shape != sparse.shape:
        return Glimpse(came_ns, brightness, 255.0)
    return Glimpse(came_ns, brightness, float(np.max(cv2.absdiff(sparse, last))))


def health(course: Course, now_ns: int, limits: Limits) -> Health:
    """Return how a camera fares at ``now_ns``: the gravest of what its last glimpses show."""
    seen = course.glimpses
    last_ns = seen[-1].came_ns if seen else course.started_ns
    if not seen and not course.trouble and now_ns - last_ns <= limits.first_s * S:
        return Health(State.WAITING, last_ns, "is starting")
    if course.trouble:
        return Health(State.GONE, last_ns, course.trouble)
    if now_ns - last_ns > limits.patience_s * S:
        return Health(State.GONE, last_ns, "sends no picture: see to its cable, power and network")
    return _seen(seen, now_ns, limits)


def _seen(seen: Sequence[Glimpse], now_ns: int, limits: Limits) -> Health:
    """Return what the frames themselves show."""
    lasting = (
        (State.BLACK, [g.brightness < limits.black for g in seen], limits.black_s, DARK),
        (State.FROZEN, [g.difference == 0 for g in seen], limits.frozen_s, STUCK),
    )
    for state, ill, limit_s, says in lasting:
        if not (run := sum(1 for _ in takewhile(bool, reversed(ill)))):
            continue
        # a frame that is the same as the one before: the standing began with that one
        since_ns = seen[max(0, len(seen) - run - (state is State.FROZEN))].came_ns
        if now_ns - since_ns >= limit_s * S:
            return Health(state, since_ns, says)
    began_ns = now_ns - round(limits.window_s * S)
    rate = sum(g.came_ns > began_ns for g in seen) / limits.window_s
    if seen[0].came_ns <= began_ns and rate < limits.fps / 2:
        return Health(
            State.SLOW, began_ns, f"sends {rate:.1f} pictures a second, not {limits.fps:g}: {HASTE}"
        )
    return Health(State.OK, seen[0].came_ns, "sees the table")


HASTE = "more light, a shorter exposure, a smaller picture or a better cable or network helps"
DARK = "sees nothing but black: take its cap off and turn on the light"
STUCK = "sends the same picture again and again: unplug it and plug it in again"
