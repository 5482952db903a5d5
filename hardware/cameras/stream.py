"""A network camera, such as a phone: MJPEG over HTTP, or RTSP, through FFmpeg."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition, Thread

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.config.cameras import CameraConfig
from companion.errors import BadPicture, NoCamera
from companion.model.phrases import phrase
from companion.vision.picture import MAX_PIXELS, MAX_SIDE_PX
from hardware.frames import Shot, leave_jpeg_encoded, to_frame

log = logging.getLogger(__name__)

OPEN_TIMEOUT_MS, READ_TIMEOUT_MS = 5000, 2000
"""Timeouts of connecting and of the next frame, in ms."""

MAX_DAMAGED_FRAMES = 30
"""Frames that may be damaged one after another: some seconds of a phone's film."""


class StreamCamera:
    """An open stream; as it carries no times of exposure, stamps are those of arrival less its delay.

    A thread receives each picture at once and keeps the newest: where decoding is slower than the stream, old
    pictures would queue up in the network's buffers, and come later than they are stamped by seconds.
    """

    def __init__(self, config: CameraConfig, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._config, self._clock = config, clock
        waits = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            OPEN_TIMEOUT_MS,
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            READ_TIMEOUT_MS,
        ]
        self._stream = cv2.VideoCapture(str(config.where), cv2.CAP_FFMPEG, waits)
        if not self._stream.isOpened():
            self._stream.release()
            raise NoCamera(
                phrase("does not answer: start the camera's program, and see that it is in the same network")
            )
        size = [self._stream.get(what) for what in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
        if size[0] * size[1] > MAX_PIXELS or max(size) > MAX_SIDE_PX:
            self._stream.release()
            raise NoCamera(
                phrase(
                    "sends pictures of %(wide)s x %(high)s pixels: set a smaller size there",
                    wide=round(size[0]),
                    high=round(size[1]),
                )
            )
        leave_jpeg_encoded(self._stream)
        self._changed, self._over = Condition(), False
        self._received: Received | None = None
        self._receiver = Thread(target=self._receive, name=f"{config.called}: stream", daemon=True)
        self._receiver.start()

    locks_exposure = False

    def take(self) -> Shot:
        """Return the newest frame, damaged ones skipped; raise NoCamera where the stream ends or stops."""
        for _ in range(MAX_DAMAGED_FRAMES):
            with self._changed:
                self._changed.wait_for(lambda: self._received is not None or self._over)
                received, self._received = self._received, None
            if received is None:
                raise NoCamera(
                    phrase("stopped sending: see to the camera's program, its battery and the network")
                )
            name = self._config.called
            try:
                return Shot(to_frame(received.picture, self._config.colour, name), received.at_ns, name)
            except BadPicture as error:
                log.warning("%s", error)
        raise NoCamera(phrase("sends pictures that cannot be decoded: restart the camera's program"))

    def expose(self, stops: int) -> None:
        """Leave the exposure to the camera's own program."""

    def close(self) -> None:
        """End the receiving, which releases the stream."""
        with self._changed:
            self._over = True
        self._receiver.join(READ_TIMEOUT_MS / 1000)

    def _receive(self) -> None:
        """Receive pictures until the stream ends or is closed."""
        delay_ns, last = round(1e6 * self._config.stream_delay_ms), None
        try:
            while not self._over:
                fine, picture = self._stream.read()
                if not fine or picture is None:
                    break
                last = Received(np.asarray(picture, np.uint8), self._clock() - delay_ns).unless_repeats(last)
                with self._changed:
                    self._received = last
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()
            self._stream.release()


@dataclass(frozen=True, slots=True, eq=False)
class Received:
    """A picture as ``to_frame`` takes it, and its stamp in ns."""

    picture: NDArray[np.uint8]
    at_ns: int

    def unless_repeats(self, last: Received | None) -> Received:
        """Return this picture; the last one where this is the same JPEG file, as no two exposures give.

        Some programs send a picture again while their camera has no newer one.  A codec's pictures may be
        equal without that, as it does not encode small changes.
        """
        is_file = self.picture.ndim == 2
        return last if last and is_file and np.array_equal(self.picture, last.picture) else self
