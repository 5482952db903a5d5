"""A live camera whose threads keep its newest frame, watch its health and reopen it after failures."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Condition, Event, Thread
from types import TracebackType
from typing import Self

from companion.errors import NoCamera
from companion.model.phrases import phrase
from companion.vision.camera_frame import Frame
from hardware.cameras.camera import Source
from hardware.cameras.health import (
    ExposureControl,
    FrameStats,
    Health,
    History,
    Limits,
    State,
    frame_stats,
    health,
    subsampled,
)
from hardware.clock import SECOND
from hardware.frames import Shot

log = logging.getLogger(__name__)

HEALTH_CHECK_INTERVAL_S = 0.2
"""Seconds between two checks of the camera's health."""

FIRST_REOPEN_DELAY_S, MAX_REOPEN_DELAY_S = 0.5, 10.0
"""First and longest pause between two tries to reopen a camera, in seconds; each pause doubles."""

JOIN_TIMEOUT_S = 3.0
"""Seconds to wait for each thread at the end, as a driver may hang."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock in ns, the seconds between health checks, and the first pause in seconds."""

    clock: Callable[[], int] = time.monotonic_ns
    watch_s: float = HEALTH_CHECK_INTERVAL_S
    pause_s: float = FIRST_REOPEN_DELAY_S


class LiveCamera:
    """A Pi camera, a USB camera or a network stream.

    One thread takes frames and keeps the newest; a second one logs changes of the camera's health, even while
    the first hangs in a driver.
    """

    def __init__(
        self, name: str, open_source: Callable[[], Source], limits: Limits, timing: Timing | None = None
    ) -> None:
        self._name, self._open_source, self._limits, self._timing = (
            name,
            open_source,
            limits,
            timing or Timing(),
        )
        self._changed, self._over = Condition(), Event()
        self._shot: Shot | None = None
        self._subsampled: Frame | None = None
        self._stats: deque[FrameStats] = deque()
        self._trouble = ""
        self._started_ns = self._timing.clock()
        self._reported = Health(State.WAITING, self._started_ns, "is starting")
        self._threads = [
            Thread(target=work, name=f"{name}: {what}", daemon=True)
            for what, work in (("frames", self._capture), ("watch", self._watch))
        ]

    def __enter__(self) -> Self:
        self._started_ns = self._timing.clock()
        self._reported = Health(State.WAITING, self._started_ns, "is starting")
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(JOIN_TIMEOUT_S)
        if any(thread.is_alive() for thread in self._threads):
            log.warning("%s: still waits for a picture at the end: its driver may hang", self._name)

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none."""
        with self._changed:
            self._changed.wait_for(lambda: self._shot is not None and self._shot.at_ns > after_ns, wait_s)
            return self._shot if self._shot is not None and self._shot.at_ns > after_ns else None

    def health(self) -> Health:
        """Return the camera's health; a change of its state is logged once."""
        with self._changed:
            now_ns, before = self._timing.clock(), self._reported
            found = health(History(self._started_ns, tuple(self._stats), self._trouble), now_ns, self._limits)
            if found.state is before.state:
                # the message may change, such as a rate; the beginning of the state does not
                self._reported = replace(found, since_ns=before.since_ns)
            else:
                self._reported = found
                self._log_change(before)
            return self._reported

    def _log_change(self, before: Health) -> None:
        """Log a change of state."""
        if self._reported.state is State.OK:
            log.info(
                "%s: %s%s", self._name, self._reported.says, "" if before.state is State.WAITING else " again"
            )
        else:
            log.warning("%s: %s", self._name, self._reported.says)

    def _watch(self) -> None:
        """Check the health until the end."""
        while not self._over.wait(self._timing.watch_s):
            self.health()

    def _capture(self) -> None:
        """Take frames until the end, and reopen the device where it fails."""
        pauses = self.pauses()
        while not self._over.is_set():
            try:
                with closing(self._open_source()) as source:
                    pauses = self._take(source, pauses)
            except NoCamera as error:
                self._set_trouble(str(error))
            except Exception as error:  # a driver's fault may stop the pictures, never the game
                log.exception("%s: failed in a way nobody foresaw", self._name)
                self._set_trouble(phrase("failed: %(error)s", error=error))
            self._over.wait(next(pauses))

    def _take(self, source: Source, pauses: Iterator[float]) -> Iterator[float]:
        """Take frames until the end, or until the camera is stuck; return the next pauses."""
        changed_ns, exposure = self._timing.clock(), ExposureControl(self._limits)
        while not self._over.is_set():
            seen = self._keep(source.take())
            if source.locks_exposure and (stops := exposure.stops(seen)) is not None:
                log.info("%s: exposes %d stops below its own choice", self._name, stops)
                self._set_trouble(phrase("chooses its exposure anew, as the light has changed"))
                source.expose(stops)
                changed_ns = self._timing.clock()
                continue
            if seen.difference > 0:
                changed_ns, pauses = seen.came_ns, self.pauses()
            elif seen.came_ns - changed_ns > self._limits.stuck_s * SECOND:
                break
        return pauses

    def pauses(self) -> Iterator[float]:
        """Yield the seconds to wait before each further try."""
        pause_s = self._timing.pause_s
        while True:
            yield pause_s
            pause_s = min(2 * pause_s, MAX_REOPEN_DELAY_S)

    def _keep(self, shot: Shot) -> FrameStats:
        """Make a frame the newest, and return its statistics."""
        now_ns, sparse = self._timing.clock(), subsampled(shot.frame)
        kept_ns = round(SECOND * self._limits.kept_s)
        with self._changed:
            seen = frame_stats(now_ns, sparse, self._subsampled)
            self._shot, self._subsampled, self._trouble = shot, sparse, ""
            self._stats.append(seen)
            while self._stats[0].came_ns < now_ns - kept_ns:
                self._stats.popleft()
            self._changed.notify_all()
        return seen

    def _set_trouble(self, trouble: str) -> None:
        """Set the camera's trouble, until the next frame."""
        with self._changed:
            self._trouble = trouble
