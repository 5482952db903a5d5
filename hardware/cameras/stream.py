"""A network camera, such as a phone: MJPEG over HTTP, or RTSP, through FFmpeg."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import cv2

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
    """An open stream; as it carries no times of exposure, stamps are those of arrival less its delay."""

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

    def take(self) -> Shot:
        """Return the next frame, damaged ones skipped; raise NoCamera where the stream ends or stops."""
        for _ in range(MAX_DAMAGED_FRAMES):
            fine, frame = self._stream.read()
            if not fine or frame is None:
                raise NoCamera(
                    phrase("stopped sending: see to the camera's program, its battery and the network")
                )
            at_ns, name = self._clock() - round(1e6 * self._config.stream_delay_ms), self._config.called
            try:
                return Shot(to_frame(frame, self._config.colour, name), at_ns, name)
            except BadPicture as error:
                log.warning("%s", error)
        raise NoCamera(phrase("sends pictures that cannot be decoded: restart the camera's program"))

    def close(self) -> None:
        """Release the stream."""
        self._stream.release()
