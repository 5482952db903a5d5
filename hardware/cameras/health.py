"""How a camera fares, judged by its last frames: when they came, how bright, how different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, takewhile

import cv2
import numpy as np

from companion.model.phrases import phrase
from companion.vision.picture import Frame

S = 1_000_000_000
"""Nanoseconds in a second."""

SPARSE = 8
"""Every so many rows and columns are looked at: a 12 MP frame then costs less than a millisecond."""

PARTS = (8, 8)
"""Into so many parts, across and down, the picture is divided to see where it changes."""

MOST = 0.5
"""A frame in which more than this share of the parts changed at all has changed all over."""

LIVELY_S, OFTEN_S = 5.0, 0.5
"""A stream is lively that has changed all over for so long, with so long between two such frames at most."""

STUCK_S = 5.0
"""After so long of the very same picture a camera is opened anew, at the soonest."""

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

    A film codec may repeat a still table to the last bit for up to ``repeats_s`` (0: there is none), and then
    counts as frozen only after that, unless the stream was lively before: then it was not the codec.
    """

    fps: float = 2.0
    first_s: float = 8.0
    silent_s: float = 1.5
    slow_s: float = 1.5
    black: float = 24.0
    black_s: float = 1.0
    frozen_s: float = 1.5
    repeats_s: float = 0.0

    @property
    def patience_s(self) -> float:
        """How long no frame may come: a camera that takes few is waited for longer."""
        return max(self.silent_s, 3 / self.fps)

    @property
    def stuck_s(self) -> float:
        """After how long of the very same picture a camera is opened anew."""
        return max(STUCK_S, 2 * self.frozen_s, 2 * self.repeats_s)

    @property
    def kept_s(self) -> float:
        """How long frames are remembered."""
        return self.window_s + self.black_s + (self.repeats_s + LIVELY_S if self.repeats_s else 0.0)

    @property
    def window_s(self) -> float:
        """How long frames are counted for: long enough for four."""
        return max(self.slow_s, 4 / self.fps)


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is kept of a frame: when it came, how bright its bright parts are, how it differs from the last.

    ``difference`` is the greatest change of a pixel that was looked at, in grey levels; 255 for the first
    frame.  ``stirred`` is the share of the picture's parts, 8 x 8, in which any of them changed at all.
    """

    came_ns: int
    brightness: float
    difference: float
    stirred: float = 1.0


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
    apart = cv2.absdiff(sparse, last)
    stirred = cv2.resize((apart > 0).astype(np.float32), PARTS, interpolation=cv2.INTER_AREA) > 0
    return Glimpse(came_ns, brightness, float(np.max(apart)), float(np.mean(stirred)))


def health(course: Course, now_ns: int, limits: Limits) -> Health:
    """Return how a camera fares at ``now_ns``: the gravest of what its last glimpses show."""
    seen = course.glimpses
    last_ns = seen[-1].came_ns if seen else course.started_ns
    if not seen and not course.trouble and now_ns - last_ns <= limits.first_s * S:
        return Health(State.WAITING, last_ns, phrase("is starting"))
    if course.trouble:
        return Health(State.GONE, last_ns, course.trouble)
    if now_ns - last_ns > limits.patience_s * S:
        return Health(State.GONE, last_ns, phrase("sends no picture: see to its cable, power and network"))
    return _seen(seen, now_ns, limits)


def _seen(seen: Sequence[Glimpse], now_ns: int, limits: Limits) -> Health:
    """Return what the frames themselves show."""
    still = [g.difference == 0 for g in seen]
    lasting = (
        (State.BLACK, [g.brightness < limits.black for g in seen], limits.black_s, DARK),
        (State.FROZEN, still, frozen_s(seen, still, limits), STUCK),
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
            State.SLOW,
            began_ns,
            phrase(
                "sends %(rate)s pictures a second, not %(fps)s: %(mend)s",
                rate=f"{rate:.1f}",
                fps=f"{limits.fps:g}",
                mend=HASTE,
            ),
        )
    return Health(State.OK, seen[0].came_ns, phrase("sees the table"))


def frozen_s(seen: Sequence[Glimpse], still: Sequence[bool], limits: Limits) -> float:
    """Return how long the very same picture may come, after what came before it."""
    if not limits.repeats_s:
        return limits.frozen_s
    run = sum(1 for _ in takewhile(bool, reversed(still)))
    return limits.frozen_s if lively(seen[: len(seen) - run]) else limits.repeats_s


def lively(seen: Sequence[Glimpse]) -> bool:
    """Return whether frames changed all over, again and again for so long, as only a sensor's noise does.

    Hands change a part of the picture, and a codec's whole frames, which change all of it, come rarely.
    """
    stirred = [g.came_ns for g in seen if g.stirred > MOST and g.came_ns >= seen[-1].came_ns - LIVELY_S * S]
    if not stirred or seen[0].came_ns > seen[-1].came_ns - LIVELY_S * S:
        return False
    ends = [seen[-1].came_ns - round(LIVELY_S * S), *stirred, seen[-1].came_ns]
    return all(later - sooner <= OFTEN_S * S for sooner, later in pairwise(ends))


HASTE = phrase("more light, a shorter exposure, a smaller picture or a better cable or network helps")
DARK = phrase("sees nothing but black: take its cap off and turn on the light")
STUCK = phrase("sends the same picture again and again: unplug it and plug it in again")
