"""A ring buffer of camera frames in shared memory, and a camera that reads it in another process."""

from __future__ import annotations

import time
from multiprocessing.shared_memory import SharedMemory

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.health import Health, State
from hardware.clock import Clock
from hardware.frames import Shot
from hardware.simulated.camera import AlwaysOpen

RING_BUFFER_SLOTS = 4
"""Length of the ring buffer: a reader may copy a frame while two more are written."""

POLL_INTERVAL_S = 0.005
"""Seconds between two checks for a newer frame."""

HEADER_BYTES = 8 * (1 + RING_BUFFER_SLOTS)
"""Bytes before the frames: the number of frames written, and the time of each, int64."""

Bytes = NDArray[np.uint8]


class SharedFrames:
    """The newest frames, each uint8 of ``shape``; one process writes them and another reads them.

    ``name`` is the shared memory that another process has created; without it, it is created here.
    """

    def __init__(self, shape: tuple[int, int, int], name: str | None = None) -> None:
        self.shape, self._owner = shape, name is None
        size = int(np.prod(shape))
        self._memory = SharedMemory(name, create=self._owner, size=HEADER_BYTES + RING_BUFFER_SLOTS * size)
        self.name = self._memory.name
        self._header: NDArray[np.int64] = np.ndarray(1 + RING_BUFFER_SLOTS, np.int64, self._memory.buf)
        self._slots: Bytes = np.ndarray((RING_BUFFER_SLOTS, *shape), np.uint8, self._memory.buf, HEADER_BYTES)
        if self._owner:
            self._header[:] = 0

    def put(self, frame: Bytes, at_ns: int) -> None:
        """Write a frame with the time at which it was taken."""
        count = int(self._header[0]) + 1
        self._slots[count % RING_BUFFER_SLOTS] = frame
        self._header[1 + count % RING_BUFFER_SLOTS] = at_ns
        self._header[0] = count

    def newest(self, after_ns: int) -> tuple[int, Bytes] | None:
        """Return the time of the newest frame and a copy of it; ``None`` where none is newer."""
        while (count := int(self._header[0])) and (
            at_ns := int(self._header[1 + count % RING_BUFFER_SLOTS])
        ) > after_ns:
            frame = self._slots[count % RING_BUFFER_SLOTS].copy()
            if int(self._header[0]) - count < RING_BUFFER_SLOTS - 1:
                return at_ns, frame
        return None

    def close(self) -> None:
        """Close the shared memory; its creator removes it too."""
        del self._header, self._slots
        self._memory.close()
        if self._owner:
            self._memory.unlink()


class SharedMemoryCamera(AlwaysOpen):
    """A camera whose frames are drawn in another process."""

    name = "simulated table"

    def __init__(self, frames: SharedFrames, clock: Clock) -> None:
        self._frames, self._since_ns = frames, clock.now_ns()

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none."""
        late_s = time.monotonic() + wait_s
        while (found := self._frames.newest(after_ns)) is None:
            if time.monotonic() > late_s:
                return None
            time.sleep(POLL_INTERVAL_S)
        return Shot(found[1], found[0], self.name)

    def health(self) -> Health:
        """Return OK: a drawn camera never fails."""
        return Health(State.OK, self._since_ns, "sees the table")
