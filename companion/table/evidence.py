"""Pictures of calls, stored beside the log within a budget of bytes."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Self
from urllib.parse import quote

import cv2

from companion.config.table import Pictures
from companion.errors import Unanswered
from companion.files import write_atomically
from companion.vision.camera_frame import CameraFrame, downscaled

logger = logging.getLogger(__name__)

MEGABYTE = 1_000_000

MAX_PENDING_FRAMES = 8
"""Largest number of frames of undecided calls; the oldest are dropped."""


class Evidence:
    """Stores pictures of calls in a folder, in a thread of its own, within a ``with`` block.

    Parameters
    ----------
    folder
        The folder of the pictures of all games, which has a folder for each game.
    game
        The game's name in the log.
    config
        The budget, the width and the quality.
    """

    def __init__(self, folder: Path, game: str, config: Pictures) -> None:
        self._all, self._folder, self._config = folder, folder / quote(game, safe=" "), config
        self._pending: OrderedDict[tuple[int, int], CameraFrame] = OrderedDict()
        self._lock = threading.Lock()
        self._queue: SimpleQueue[tuple[int, CameraFrame] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="evidence", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._queue.put(None)
        self._thread.join()

    def note(self, seat: int, at_ns: int, frame: CameraFrame) -> None:
        """Hold the frame of a call until it is decided."""
        if not self._config.megabytes:
            return
        with self._lock:
            self._pending[seat, at_ns] = frame
            while len(self._pending) > MAX_PENDING_FRAMES:
                self._pending.popitem(last=False)

    def drop(self, seat: int, at_ns: int) -> None:
        """Drop the frame of a call that is never decided, as it repeats one that waits."""
        with self._lock:
            self._pending.pop((seat, at_ns), None)

    def decided(self, seat: int, at_ns: int, number: int) -> None:
        """Store the frame of a call under the number of its event.

        The call's stamp may have changed; a seat's calls are decided in their order.
        """
        with self._lock:
            oldest = next((key for key in self._pending if key[0] == seat), (seat, at_ns))
            frame = self._pending.pop((seat, at_ns) if (seat, at_ns) in self._pending else oldest, None)
        if frame is not None:
            self._queue.put((number, frame))

    def picture(self, number: int) -> bytes:
        """Return the picture of a call as JPEG; raise Unanswered if there is none."""
        path = self._folder / f"{number}.jpg"
        try:
            return path.read_bytes()
        except OSError as error:
            raise Unanswered(f"no picture was kept of event {number}") from error

    def _run(self) -> None:
        """Write queued pictures; a full disk loses pictures, not the game."""
        while (one := self._queue.get()) is not None:
            try:
                write_atomically(
                    self._folder / f"{one[0]}.jpg", jpeg(one[1], self._config.width, self._config.quality)
                )
                prune(self._all, self._config.megabytes * MEGABYTE)
            except (OSError, cv2.error) as error:
                logger.warning("the picture of event %d was not kept: %s", one[0], error)


def jpeg(frame: CameraFrame, width: int, quality: int = 80) -> bytes:
    """Return a frame as JPEG, at most ``width`` pixels wide."""
    small = downscaled(frame, width / frame.shape[1])
    return cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def pictures_folder(log: Path) -> Path:
    """Return the folder of the pictures beside a log."""
    return log.with_name(log.name + ".pictures")


def prune(folder: Path, budget: int) -> bool:
    """Delete the oldest pictures down to ``budget`` bytes; return whether any was deleted."""
    files = stored_pictures(folder)
    over = sum(size for size, _ in files) - budget
    for size, path in files:
        if over <= 0:
            break
        path.unlink(missing_ok=True)
        over -= size
    return bool(files) and budget < sum(size for size, _ in files)


def prune_to_share(folder: Path, share: float) -> bool:
    """Delete the oldest pictures down to a share of their bytes; return whether any was deleted."""
    return prune(folder, int(share * sum(size for size, _ in stored_pictures(folder))))


def stored_pictures(folder: Path) -> list[tuple[int, Path]]:
    """Return the size in bytes and the path of each picture, the oldest first.

    Games' names begin with a number and pictures have those of their events: a machine without a clock of
    its own may start with an older time.
    """
    paths = sorted(folder.glob("*/*.jpg"), key=lambda path: (path.parent.name, len(path.name), path.name))
    return [(path.stat().st_size, path) for path in paths]
