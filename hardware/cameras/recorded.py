"""A camera that plays a film or a folder of pictures, at its own pace or frame by frame."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Lock
from types import TracebackType
from typing import Self

from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import BadFilm, BadPicture
from hardware.cameras.health import Health, State
from hardware.frames import PendingFrame, Shot, film_frames, folder_frames

log = logging.getLogger(__name__)


class RecordedCamera:
    """The frames of a film or folder, in order, until they end.

    With a ``pace`` the newest frame that is due is returned, and frames that were not taken in time are
    dropped, as with a camera.  With a pace of 0 none is dropped: each call returns the first frame after
    ``after_ns``, stamped with the film's own time after the start.
    """

    def __init__(
        self,
        config: CameraConfig,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._config, self._clock, self._sleep = config, clock, sleep
        self._lock = Lock()
        self._frames: Iterator[PendingFrame] = iter(())
        self._next: PendingFrame | None = None
        self._shot: Shot | None = None
        self._start_ns = clock()
        self._health = Health(State.WAITING, self._start_ns, "is starting")

    def __enter__(self) -> Self:
        config = self._config
        if config.kind is CameraKind.FILM:
            self._frames = film_frames(str(config.where), colour=config.colour)
        else:
            self._frames = folder_frames(
                str(config.where), round(1e9 / config.folder_fps), colour=config.colour
            )
        self._start_ns = self._clock()
        self._advance()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._frames, self._next = iter(()), None

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame after ``after_ns``, or None where ``wait_s`` or the end brings none."""
        until_ns = self._clock() + round(1e9 * max(0.0, wait_s))
        while True:
            with self._lock:
                self._select(after_ns)
                if self._shot and self._shot.at_ns > after_ns:
                    return self._shot
                due_ns = self._next.at_ns if self._next else until_ns
            pause_ns = min(due_ns, until_ns) - self._clock()
            if pause_ns <= 0:
                return None
            self._sleep(pause_ns / 1e9)

    def health(self) -> Health:
        """Return the health: waiting, playing or ended."""
        return self._health

    def _select(self, after_ns: int) -> None:
        """Advance to the frame to return."""
        if self._config.pace:
            now_ns = self._clock()
            while self._next and self._next.at_ns <= now_ns:
                self._advance()
        else:
            while self._next and (self._shot is None or self._shot.at_ns <= after_ns):
                self._advance()
        shown = self._shot is None or self._shot.at_ns <= after_ns
        if shown and self._next is None and self._health.state is not State.ENDED:
            self._health = Health(State.ENDED, self._clock(), "has come to its end")
            log.info("%s: has come to its end", self._config.called)

    def _advance(self) -> None:
        """Decode the next frame as the current one, and take the one after it; damaged ones are skipped."""
        if self._next:
            try:
                self._shot = self._next.shot()
                if self._health.state is State.WAITING:
                    self._health = Health(State.OK, self._clock(), "plays")
            except BadPicture as error:
                log.warning("%s: passed over: %s", self._config.called, error)
        self._next = self._fetch()

    def _fetch(self) -> PendingFrame | None:
        """Return the next frame, stamped with the camera's clock."""
        try:
            frame = next(self._frames, None)
        except BadFilm as error:
            log.warning("%s: ends here: %s", self._config.called, error)
            return None
        if frame is None:
            return None
        return replace(frame, at_ns=self._start_ns + round(frame.at_ns / (self._config.pace or 1)))
