"""The health of a camera, from the times, brightness and changes of its last frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, takewhile

import cv2
import numpy as np

from companion.model.phrases import phrase
from companion.vision.camera_frame import CameraFrame, Frame, without_chroma
from companion.vision.colour import MIN_OVEREXPOSED_LEVEL
from hardware.clock import SECOND

SUBSAMPLING = 8
"""Step of the rows and columns that are read; with 8, a 12 MP frame takes less than a millisecond."""

CHANGE_GRID_SIZE = (8, 8)
"""Number of blocks, across and down, in which changes of the picture are counted."""

MIN_ALL_OVER_BLOCK_SHARE = 0.5
"""Share of blocks above which a frame has changed all over."""

MIN_ALL_OVER_CHANGE_S, MAX_ALL_OVER_CHANGE_GAP_S = 5.0, 0.5
"""Least seconds for which a stream must change all over to count so, and longest gap in them, in seconds."""

MIN_STUCK_S = 5.0
"""Least time of identical frames after which a camera is reopened, in seconds."""

MAX_STOPS = 3
"""Most stops, each half the light, by which a picture with overexposed parts is exposed less."""

BRIGHTNESS_PERCENTILE = 95
"""Percentile of the pixels that is ``FrameStats.brightness``."""


class State(StrEnum):
    """The state of a camera."""

    OK = "ok"
    WAITING = "waiting"
    BLACK = "black"
    FROZEN = "frozen"
    SLOW = "slow"
    GONE = "gone"
    ENDED = "ended"
    """A film or folder was played to its end."""


@dataclass(frozen=True, slots=True)
class Health:
    """A camera's state, since when (CLOCK_MONOTONIC, ns), and a sentence about it for people."""

    state: State
    since_ns: int
    says: str

    @property
    def sees(self) -> bool:
        """Whether its pictures can be trusted."""
        return self.state in {State.OK, State.SLOW}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a healthy camera; times in seconds, brightness in grey levels.

    ``first_s`` may pass before the first frame and ``silent_s`` between frames.  Frames may be black for
    ``black_s`` and identical for ``frozen_s``, as a working sensor's frames never are (infinite: not
    checked).  Fewer than half of ``fps`` over ``slow_s`` is slow.

    A frame is too dark below ``dark``, too bright where more than ``overexposed_share`` of its pixels are
    overexposed: a heap of tiles covers about 3 % of a picture.  A locked exposure no longer fits where that
    lasts ``other_light_s``.  Of 1,854 tiles in photographs 47 were missed in 4 times the light, 158 in 8
    times, and in 16 times 2 were read wrongly without a doubt; in a sixteenth of the light 7 were missed.

    A video codec may repeat a still picture exactly for up to ``repeats_s`` (0: no codec); identical frames
    then count as frozen only after that, unless the stream changed all over before.
    """

    fps: float = 2.0
    first_s: float = 8.0
    silent_s: float = 1.5
    slow_s: float = 1.5
    black: float = 24.0
    black_s: float = 1.0
    dark: float = 48.0
    overexposed_share: float = 0.01
    other_light_s: float = 5.0
    frozen_s: float = 1.5
    repeats_s: float = 0.0

    @property
    def patience_s(self) -> float:
        """Seconds that may pass without a frame; longer for a camera with a low frame rate."""
        return max(self.silent_s, 3 / self.fps)

    @property
    def stuck_s(self) -> float:
        """Seconds of identical frames after which a camera is reopened."""
        return max(MIN_STUCK_S, 2 * self.frozen_s, 2 * self.repeats_s)

    @property
    def kept_s(self) -> float:
        """Seconds for which statistics of frames are kept."""
        return (
            self.window_s + self.black_s + (self.repeats_s + MIN_ALL_OVER_CHANGE_S if self.repeats_s else 0.0)
        )

    @property
    def window_s(self) -> float:
        """Seconds over which frames are counted: long enough for four."""
        return max(self.slow_s, 4 / self.fps)


@dataclass(frozen=True, slots=True)
class FrameStats:
    """Statistics of a frame: its time of arrival in ns, its brightness and its change.

    ``difference`` is the greatest change of a subsampled pixel, in grey levels; 255 for the first frame.
    ``changed_share`` is the share of the 8 x 8 blocks in which any pixel changed, ``overexposed`` that of the
    pixels that are as bright as any.
    """

    came_ns: int
    brightness: float
    difference: float
    changed_share: float = 1.0
    overexposed: float = 0.0


class ExposureControl:
    """When a camera that locks its exposure shall choose it anew, and how far below its own choice.

    A camera that chose its exposure over a dark table burns the tiles that are laid there later.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits, self._stops = limits, 0
        self._was_fine = False
        self._fault, self._since_ns = 0, 0

    def stops(self, seen: FrameStats) -> int | None:
        """Return the stops below the camera's own choice for a new exposure, ``None`` while the old one fits.

        It does not where frames, up to the newest one, have been too dark or too bright for long.  Where they
        have been so ever since the last choice, another light is no reason: fewer stops or more are tried.
        """
        limits = self._limits
        dark = limits.black <= seen.brightness < limits.dark
        fault = -1 if dark else int(seen.overexposed > limits.overexposed_share)
        if not fault or fault != self._fault:
            self._was_fine |= not fault
            self._fault, self._since_ns = fault, seen.came_ns
        if seen.came_ns - self._since_ns <= limits.other_light_s * SECOND:
            return None
        before, self._since_ns = self._stops, seen.came_ns
        if not self._was_fine:
            self._stops = min(before + 1, MAX_STOPS) if fault > 0 else 0
        chosen = self._stops if self._was_fine or self._stops != before else None
        self._was_fine = False
        return chosen


@dataclass(frozen=True, slots=True)
class History:
    """A camera's start in ns, the statistics of its last frames, and its trouble, empty for none."""

    started_ns: int
    stats: Sequence[FrameStats] = ()
    trouble: str = ""


def subsampled(frame: CameraFrame) -> Frame:
    """Return every eighth pixel of a frame, grey, uint8, shape (h / 8, w / 8)."""
    sparse = without_chroma(frame)[::SUBSAMPLING, ::SUBSAMPLING]
    return np.ascontiguousarray(sparse if sparse.ndim == 2 else sparse[..., 1])


def frame_stats(came_ns: int, sparse: Frame, last: Frame | None) -> FrameStats:
    """Return the statistics of a frame, from its subsampled pixels and those of the frame before."""
    shades = np.cumsum(cv2.calcHist([sparse], [0], None, [256], [0, 256]))
    brightness = float(np.searchsorted(shades, BRIGHTNESS_PERCENTILE / 100 * shades[-1]))
    overexposed = float(1 - shades[MIN_OVEREXPOSED_LEVEL - 1] / shades[-1])
    if last is None or last.shape != sparse.shape:
        return FrameStats(came_ns, brightness, 255.0, 1.0, overexposed)
    apart = cv2.absdiff(sparse, last)
    changed = cv2.resize((apart > 0).astype(np.float32), CHANGE_GRID_SIZE, interpolation=cv2.INTER_AREA) > 0
    return FrameStats(came_ns, brightness, float(np.max(apart)), float(np.mean(changed)), overexposed)


def health(history: History, now_ns: int, limits: Limits) -> Health:
    """Return the health of a camera at ``now_ns``: the gravest state that its last frames show."""
    seen = history.stats
    last_ns = seen[-1].came_ns if seen else history.started_ns
    if not seen and not history.trouble and now_ns - last_ns <= limits.first_s * SECOND:
        return Health(State.WAITING, last_ns, phrase("is starting"))
    if history.trouble:
        return Health(State.GONE, last_ns, history.trouble)
    if now_ns - last_ns > limits.patience_s * SECOND:
        return Health(State.GONE, last_ns, phrase("sends no picture: see to its cable, power and network"))
    return _seen(seen, now_ns, limits)


def _seen(seen: Sequence[FrameStats], now_ns: int, limits: Limits) -> Health:
    """Return the health that the frames themselves show."""
    still = [g.difference == 0 for g in seen]
    lasting = (
        (State.BLACK, [g.brightness < limits.black for g in seen], limits.black_s, BLACK_FRAMES_TEXT),
        (State.FROZEN, still, frozen_s(seen, still, limits), FROZEN_FRAMES_TEXT),
    )
    for state, ill, limit_s, says in lasting:
        if not (run := sum(1 for _ in takewhile(bool, reversed(ill)))):
            continue
        # a frozen picture began with the frame before the first identical one
        since_ns = seen[max(0, len(seen) - run - (state is State.FROZEN))].came_ns
        if now_ns - since_ns >= limit_s * SECOND:
            return Health(state, since_ns, says)
    began_ns = now_ns - round(limits.window_s * SECOND)
    rate = sum(g.came_ns > began_ns for g in seen) / limits.window_s
    if seen[0].came_ns <= began_ns and rate < limits.fps / 2:
        return Health(
            State.SLOW,
            began_ns,
            phrase(
                "sends %(rate)s pictures a second, not %(fps)s: %(mend)s",
                rate=f"{rate:.1f}",
                fps=f"{limits.fps:g}",
                mend=FRAME_RATE_HINT,
            ),
        )
    return Health(State.OK, seen[0].came_ns, phrase("sees the table"))


def frozen_s(seen: Sequence[FrameStats], still: Sequence[bool], limits: Limits) -> float:
    """Return for how many seconds frames may be identical, given the frames before them."""
    if not limits.repeats_s:
        return limits.frozen_s
    run = sum(1 for _ in takewhile(bool, reversed(still)))
    return limits.frozen_s if changes_all_over(seen[: len(seen) - run]) else limits.repeats_s


def changes_all_over(seen: Sequence[FrameStats]) -> bool:
    """Return whether frames changed all over, often and for ``MIN_ALL_OVER_CHANGE_S``, as only noise does.

    Hands change a part of the picture only, and a codec's key frames, which change all of it, are rare.
    """
    changes = [
        g.came_ns
        for g in seen
        if g.changed_share > MIN_ALL_OVER_BLOCK_SHARE
        and g.came_ns >= seen[-1].came_ns - MIN_ALL_OVER_CHANGE_S * SECOND
    ]
    if not changes or seen[0].came_ns > seen[-1].came_ns - MIN_ALL_OVER_CHANGE_S * SECOND:
        return False
    ends = [seen[-1].came_ns - round(MIN_ALL_OVER_CHANGE_S * SECOND), *changes, seen[-1].came_ns]
    return all(later - sooner <= MAX_ALL_OVER_CHANGE_GAP_S * SECOND for sooner, later in pairwise(ends))


FRAME_RATE_HINT = phrase(
    "more light, a shorter exposure, a smaller picture or a better cable or network helps"
)
BLACK_FRAMES_TEXT = phrase("sees nothing but black: take its cap off and turn on the light")
FROZEN_FRAMES_TEXT = phrase(
    "sends the same picture again and again: turn it off and on, or unplug it and plug it in again"
)
