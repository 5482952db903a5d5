"""Frames of the simulated camera on their way to a table in another process, through shared memory."""

from __future__ import annotations

import time
from multiprocessing.shared_memory import SharedMemory

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.health import Health, State
from hardware.clock import Clock
from hardware.frames import Shot
from hardware.simulated.camera import AlwaysOpen

SLOTS = 4
"""Frames that are kept: whoever copies the newest has time for two more to be written."""

POLL_S = 0.005
"""How often it is looked whether there is a newer frame."""

HEAD = 8 * (1 + SLOTS)
"""Bytes before the frames: how many were written, and when each was taken."""

Bytes = NDArray[np.uint8]


class Frames:
    """The newest frames, each uint8 of a shape; one process writes them and another reads.

    ``name`` is that of frames which another process has made; without it they are made here.
    """

    def __init__(self, shape: tuple[int, int, int], name: str | None = None) -> None:
        self.shape, self._mine = shape, name is None
        size = int(np.prod(shape))
        self._memory = SharedMemory(name, create=self._mine, size=HEAD + SLOTS * size)
        self.name = self._memory.name
        self._head: NDArray[np.int64] = np.ndarray(1 + SLOTS, np.int64, self._memory.buf)
        self._slots: Bytes = np.ndarray((SLOTS, *shape), np.uint8, self._memory.buf, HEAD)
        if self._mine:
            self._head[:] = 0

    def put(self, frame: Bytes, at_ns: int) -> None:
        """Write a frame that was taken at a time."""
        count = int(self._head[0]) + 1
        self._slots[count % SLOTS] = frame
        self._head[1 + count % SLOTS] = at_ns
        self._head[0] = count

    def newest(self, after_ns: int) -> tuple[int, Bytes] | None:
        """Return when the newest frame was taken, and a copy of it; ``None`` where none is newer."""
        while (count := int(self._head[0])) and (at_ns := int(self._head[1 + count % SLOTS])) > after_ns:
            frame = self._slots[count % SLOTS].copy()
            if int(self._head[0]) - count < SLOTS - 1:
                return at_ns, frame
        return None

    def close(self) -> None:
        """Let go of the memory; whoever has made it removes it."""
        del self._head, self._slots
        self._memory.close()
        if self._mine:
            self._memory.unlink()


class FarCamera(AlwaysOpen):
    """The simulated camera of a table whose world is drawn in another process."""

    name = "simulated table"

    def __init__(self, frames: Frames, clock: Clock) -> None:
        self._frames, self._since_ns = frames, clock.now_ns()

    def newest(self, after_ns: int, wait_s: float) -> Shot | None:
        """Return the newest frame that was taken after ``after_ns``, or None where ``wait_s`` brings none."""
        late_s = time.monotonic() + wait_s
        while (found := self._frames.newest(after_ns)) is None:
            if time.monotonic() > late_s:
                return None
            time.sleep(POLL_S)
        return Shot(found[1], found[0], self.name)

    def health(self) -> Health:
        """Return that a drawn camera never fails."""
        return Health(State.OK, self._since_ns, "sees the table")
