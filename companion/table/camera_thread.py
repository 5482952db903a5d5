"""One camera's thread: it reads frames with a tracker and publishes the readings."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from types import TracebackType
from typing import Protocol, Self

from companion.errors import BadPicture, BadProfile, MirroredPicture
from companion.model.calls import SECOND
from companion.model.phrases import phrase
from companion.model.reading import Tile
from companion.model.status import CameraStatus
from companion.table.devices import Camera, GameClock, Health, Shot
from companion.table.publisher import SightingPublisher
from companion.table.remarks import Troubles
from companion.table.seating_plan import SeatingPlan
from companion.table.views import View
from companion.vision.camera_frame import CameraFrame
from companion.vision.tracking import TrackedReading

logger = logging.getLogger(__name__)

FRAME_TIMEOUT_S = 0.1
"""Time to wait for a frame before the camera's health is checked, in seconds."""

MAX_TILES_TO_SET_RATIO = 1.25
"""Largest ratio of read tiles to those in the set; with more they are taken for print, as on a newspaper."""

READER_NICE_VALUE = 5
"""Nice value of the threads that read pictures, below the priority of buttons, rules and lights."""

MAX_REQUESTS = 64
"""Largest number of requests for a detection pass that wait for their frame; there is one for a call."""

IDLE_FRAME_INTERVAL_S = 0.5
"""Interval of frames in seconds while nobody plays."""

MAX_POSE_AGE_S = 60.0
"""Seconds after which a camera is looked for again that has not moved all at once: an arm may sink."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """The health of a camera whose pictures have another size than its profile."""

    state: str = "misfit"
    says: str = phrase(
        "sends pictures of another size than when the table was set up: turn it back, or set the table up "
        "again"
    )
    sees: bool = False


MISFIT = Misfit()


Locate = Callable[[CameraFrame, Sequence[Tile], Sequence[Tile]], str]
"""Corrects a camera's view by a frame, and the tiles before it and in it; returns what to tell the host."""


def unmoved(_frame: CameraFrame, _before: Sequence[Tile], _now: Sequence[Tile]) -> str:
    """Return no message: this camera's place is not checked."""
    return ""


class FrameTracker(Protocol):
    """The interface of ``companion.vision.tracking.Tracker``."""

    def update(self, frame: CameraFrame, at_ns: int) -> TrackedReading:
        """Return the reading after one more frame."""
        ...

    def request_detection(self) -> None:
        """Request a detection pass over the whole next frame."""
        ...

    def restart(self) -> None:
        """Read the next frame as the first one."""
        ...


@dataclass(frozen=True, slots=True)
class TableCamera:
    """One camera of the table: its name, device, tracker and view.

    ``set_size`` is the number of tiles in the set, ``None`` where unknown.  ``locate`` corrects the views of
    the seats and of the reader where a frame, the tiles in the frame before and those in it show that the
    camera has moved, and returns what to tell the host, or an empty text; it raises BadProfile for a frame of
    another size.
    """

    name: str
    device: Camera
    tracker: FrameTracker
    view: View
    set_size: int | None = None
    locate: Locate = unmoved

    def too_many(self, reading: TrackedReading) -> bool:
        """Return whether far more tiles at rest are read than the set has.

        While hands move tiles, some are tracked at two places, and other things may look like tiles.
        """
        tiles = len(reading.reading.tiles)
        return self.set_size is not None and reading.still and tiles > MAX_TILES_TO_SET_RATIO * self.set_size


@dataclass(frozen=True, slots=True)
class CameraRig:
    """The cameras of a table and their seating plan; by default the first healthy camera is used."""

    cameras: tuple[TableCamera, ...] = ()
    plan: SeatingPlan | None = None


@dataclass(frozen=True, slots=True)
class ReadFrame:
    """A frame and the reading after it."""

    shot: Shot
    reading: TrackedReading


@dataclass(slots=True)
class Pace:
    """The times at which the last frames were taken and read, in ns; other threads append to them."""

    taken: deque[int] = field(default_factory=lambda: deque(maxlen=16))
    read: deque[int] = field(default_factory=lambda: deque(maxlen=16))

    def age_ns(self, now_ns: int) -> int:
        """Return the typical age of a picture when the next is read, or the newest one's age if larger."""
        ages = sorted(
            read - taken for taken, read in zip(list(self.taken), list(self.read)[1:], strict=False)
        )
        return max(now_ns - self.taken[-1], ages[len(ages) // 2] if ages else 0)


class CameraThread:
    """Reads one camera's frames and publishes the readings, within a ``with`` block.

    ``newest`` is the newest published frame; ``round_ns`` is the time of the thread's last action,
    ``fresh_ns`` that of its last frame which was read or found to be unfit for reading.
    """

    def __init__(
        self,
        camera: TableCamera,
        clock: GameClock,
        publisher: SightingPublisher,
        troubles: Troubles,
    ) -> None:
        self.camera, self._clock, self._publisher = camera, clock, publisher
        self._troubles = troubles
        self.newest: ReadFrame | None = None
        self.round_ns = self.fresh_ns = clock.table()
        self._pace = Pace()
        self._located_ns, self._is_misfit = 0, False
        self._began_ns: int | None = -1  # None after a restart by this thread
        self._requested: deque[int] = deque(maxlen=MAX_REQUESTS)
        self._last_health: tuple[str, bool] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {camera.name}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def request_detection(self, from_ns: int) -> None:
        """Request a detection pass over the whole of the first frame taken at or after a time.

        A frame on its way here may be older than the call that asks for the pass.
        """
        self._requested.append(from_ns)

    def status(self) -> CameraStatus:
        """Return the camera's status."""
        health, newest = self.health(), self.newest
        if newest is None:
            return CameraStatus(self.camera.name, str(health.state), health.says)
        height, width = newest.shot.frame.shape[:2]
        age = self._pace.age_ns(self._clock.table()) / SECOND
        fps, reads = rate(self._pace.taken), rate(self._pace.read)
        still = newest.reading.still
        return CameraStatus(
            self.camera.name, str(health.state), health.says, fps, reads, max(age, 0.0), width, height, still
        )

    def _run(self) -> None:
        """Process frames until stopped; an error loses one frame, not the game."""
        lower_priority()
        while not self._over.is_set():
            self.round_ns, began = self._clock.table(), time.monotonic()
            try:
                self._process_frame()
            except Exception:
                logger.exception(
                    "%s: a look was lost, and not by reading; the table goes on", self.camera.name
                )
                self._tell_host(self._fault())
            if not self._publisher.busy:
                self._over.wait(max(0.0, IDLE_FRAME_INTERVAL_S - (time.monotonic() - began)))

    def _process_frame(self) -> None:
        """Take the newest frame, if there is a new one, and publish its reading."""
        after_ns = self.newest.shot.at_ns if self.newest else 0
        shot = self.camera.device.newest(after_ns, FRAME_TIMEOUT_S)
        reading = self._read(shot) if shot else None
        health = self.health()
        if (health_now := (str(health.state), health.sees)) != self._last_health:
            self._last_health = health_now
            self._publisher.update_health(self.camera.name, health)
        if shot is None or reading is None:
            return
        self._pace.taken.append(shot.at_ns)
        self.fresh_ns = self._clock.table()
        self._pace.read.append(self.fresh_ns)
        try:
            if health.sees:
                self._publisher.update(self.camera.name, reading, crowded=self.camera.too_many(reading))
        finally:
            self.newest = ReadFrame(shot, reading)

    def health(self) -> Health:
        """Return the camera's health, which is ill while its pictures do not fit its profile."""
        return MISFIT if self._is_misfit else self.camera.device.health()

    def _read(self, shot: Shot) -> TrackedReading | None:
        """Return the reading after one more frame, or ``None`` if it cannot be read or placed."""
        while self._requested and self._requested[0] <= shot.at_ns:
            self._requested.popleft()
            self.camera.tracker.request_detection()
        try:
            reading = self._located(shot, self.camera.tracker.update(shot.frame, shot.at_ns))
        except BadProfile as error:
            self._is_misfit = True
            logger.warning("%s: a frame was passed over: %s", self.camera.name, error)
            self._over.wait(IDLE_FRAME_INTERVAL_S)
        except BadPicture as error:
            self.fresh_ns = self._clock.table()
            logger.warning("%s: a frame was passed over: %s", self.camera.name, error)
            if isinstance(error, MirroredPicture):
                self._tell_host(
                    phrase(
                        "the camera %(name)s shows letters as in a mirror, so nothing is read: "
                        "switch its mirroring off",
                        name=self.camera.name,
                    )
                )
        except Exception:
            logger.exception("%s: a frame could not be read and was passed over", self.camera.name)
            self._tell_host(self._fault())
        else:
            self._is_misfit = False
            return reading
        return None

    def _located(self, shot: Shot, reading: TrackedReading) -> TrackedReading:
        """Return a reading after correcting the view, where all has changed, and now and then."""
        if self._began_ns is None:
            self._began_ns = reading.began_ns
        moved = reading.began_ns != self._began_ns
        if moved or (reading.still and shot.at_ns - self._located_ns > MAX_POSE_AGE_S * SECOND):
            before = self.newest.reading.reading.tiles if self.newest else ()
            if text := self.camera.locate(shot.frame, before, reading.reading.tiles):
                logger.warning("%s: %s", self.camera.name, text)
                self._troubles.note(phrase("camera %(name)s: %(text)s", name=self.camera.name, text=text))
            self._located_ns, self._began_ns = shot.at_ns, reading.began_ns
            if moved and text:  # this frame was read as seen from the old place
                self.camera.tracker.restart()
                self._began_ns = None
        return reading

    def _fault(self) -> str:
        """Return what to tell the host of a picture that the program failed on."""
        return phrase(
            "a picture of the camera %(name)s was lost to a fault of the program: if it goes on, "
            "restart the table and send the diagnostics of the host's page",
            name=self.camera.name,
        )

    def _tell_host(self, text: str) -> None:
        """Report a lost picture to the host, and wait: the same may happen with every frame."""
        self._troubles.note(text)
        self._over.wait(IDLE_FRAME_INTERVAL_S)


def lower_priority() -> None:
    """Lower this thread's priority, so that a press does not wait for a picture."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), READER_NICE_VALUE)


def rate(stamps: deque[int]) -> float:
    """Return the rate of recent stamps, per second."""
    if len(stamps) < 2:
        return 0.0
    apart = [later - sooner for sooner, later in pairwise(list(stamps))]
    return round(SECOND * len(apart) / max(1, sum(apart)), 1)
