"""A live camera with a thread that keeps its newest frame and brings it back when it was away."""

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
from companion.vision.picture import Frame
from hardware.cameras.camera import Source
from hardware.cameras.health import Course, Glimpse, Health, Limits, S, State, glimpse, health, thinned
from hardware.frames import Shot

log = logging.getLogger(__name__)

LOOK_S = 0.2
"""How often somebody looks whether frames still come."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 10.0
"""Between two tries to bring a camera back: each pause is twice the one before, up to the longest."""

PATIENCE_S = 3.0
"""How long the end waits for a device that hangs."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """What a camera's time is measured with: a clock in ns; how often to look and the first pause in s."""

    clock: Callable[[], int] = time.monotonic_ns
    look_s: float = LOOK_S
    pause_s: float = FIRST_PAUSE_S


class Watched:
    """A camera whose frames come by themselves: a Pi camera, a USB camera, a network stream.

    One thread takes frames and keeps the newest; a second one notices when none come, even while the first
    hangs in a driver, and says so once.
    """

    def __init__(
        self, name: str, opens: Callable[[], Source], limits: Limits, pulse: Pulse | None = None
    ) -> None:
        self._name, self._opens, self._limits, self._pulse = name, opens, limits, pulse or Pulse()
        self._changed, self._over = Condition(), Event()
        self._shot: Shot | None = None
        self._sparse: Frame | None = None
        self._glimpses: deque[Glimpse] = deque()
        self._trouble = ""
        self._started_ns = self._pulse.clock()
        self._told = Health(State.WAITING, self._started_ns, "is starting")
        self._threads = [
            Thread(target=work, name=f"{name}: {what}", daemon=True)
            for what, work in (("frames", self._look), ("watch", self._watch))
        ]

    def __enter__(self) -> Self:
        self._started_ns = self._pulse.clock()
        self._told = Health(State.WAITING, self._started_ns, "is starting")
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
            thread.join(PATIENCE_S)
        if any(thread.is_alive() for thread in self._threads):
            log.warning("%s: does not let go; unplug it", self._name)

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none."""
        with self._changed:
            self._changed.wait_for(lambda: self._shot is not None and self._shot.at_ns > after_ns, wait_s)
            return self._shot if self._shot is not None and self._shot.at_ns > after_ns else None

    def health(self) -> Health:
        """Return how the camera fares now; a change is said in the log, once."""
        with self._changed:
            now_ns, before = self._pulse.clock(), self._told
            found = health(
                Course(self._started_ns, tuple(self._glimpses), self._trouble), now_ns, self._limits
            )
            if found.state is before.state:
                # what is said of it may change, such as a rate; since when it is so does not
                self._told = replace(found, since_ns=before.since_ns)
            else:
                self._told = found
                self._tell(before)
            return self._told

    def _tell(self, before: Health) -> None:
        """Say in the log what has changed."""
        if self._told.state is State.OK:
            log.info(
                "%s: %s%s", self._name, self._told.says, "" if before.state is State.WAITING else " again"
            )
        else:
            log.warning("%s: %s", self._name, self._told.says)

    def _watch(self) -> None:
        """Look after the camera until the end."""
        while not self._over.wait(self._pulse.look_s):
            self.health()

    def _look(self) -> None:
        """Take frames until the end, opening the device again and again where it fails."""
        pauses = self.pauses()
        while not self._over.is_set():
            try:
                with closing(self._opens()) as source:
                    pauses = self._take(source, pauses)
            except NoCamera as error:
                self._lose(str(error))
            except Exception as error:  # a driver's fault may stop the pictures, never the game
                log.exception("%s: failed in a way nobody foresaw", self._name)
                self._lose(phrase("failed: %(error)s", error=error))
            self._over.wait(next(pauses))

    def _take(self, source: Source, pauses: Iterator[float]) -> Iterator[float]:
        """Take frames until the end, or until the camera has been stuck for long; return the next pauses."""
        changed_ns = self._pulse.clock()
        while not self._over.is_set():
            seen = self._keep(source.take())
            if seen.difference > 0:
                changed_ns, pauses = seen.came_ns, self.pauses()
            elif seen.came_ns - changed_ns > self._limits.stuck_s * S:
                break
        return pauses

    def pauses(self) -> Iterator[float]:
        """Yield the seconds to wait before each further try."""
        pause_s = self._pulse.pause_s
        while True:
            yield pause_s
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _keep(self, shot: Shot) -> Glimpse:
        """Make a frame the newest and return what is kept of it for the camera's health."""
        now_ns, sparse = self._pulse.clock(), thinned(shot.frame)
        kept_ns = round(S * self._limits.kept_s)
        with self._changed:
            seen = glimpse(now_ns, sparse, self._sparse)
            self._shot, self._sparse, self._trouble = shot, sparse, ""
            self._glimpses.append(seen)
            while self._glimpses[0].came_ns < now_ns - kept_ns:
                self._glimpses.popleft()
            self._changed.notify_all()
        return seen

    def _lose(self, trouble: str) -> None:
        """Note what ails the camera, until the next frame."""
        with self._changed:
            self._trouble = trouble
