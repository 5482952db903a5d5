"""A USB camera, by way of Video4Linux.

Exposure, white balance and focus are the camera's own choice for a moment after it starts and are then
locked, as far as it knows how.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

import cv2

from companion.config.cameras import CameraConfig
from companion.errors import NoCamera
from companion.reading.picture import MAX_PIXELS, MAX_SIDE
from hardware.cameras.mains import whole_flickers_ms
from hardware.frames import Playing, Shot, plain

log = logging.getLogger(__name__)

SETTLE_S = 1.0
"""How long the camera may choose its exposure."""

BY_ITSELF, BY_HAND = 3, 1
"""Video4Linux's V4L2_CID_EXPOSURE_AUTO: the camera chooses by the light, or it is told."""

UNIT_MS = 0.1
"""Video4Linux counts exposures in steps of 100 microseconds (V4L2_CID_EXPOSURE_ABSOLUTE)."""

OLDEST_NS = 1_000_000_000
"""A driver's stamp that is older than this is of another clock."""


class Device(Playing, Protocol):
    """An open camera, as OpenCV has it."""

    def set(self, what: int, value: float, /) -> bool:
        """Set a number of the camera; return whether it took it."""

    def isOpened(self) -> bool:  # noqa: N802  OpenCV's name
        """Return whether there is a camera."""


Opens = Callable[[str | int], Device]
"""Opens a camera by its number or device."""


def by_v4l2(where: str | int) -> Device:
    """Return a camera opened by Video4Linux."""
    return cv2.VideoCapture(where, cv2.CAP_V4L2)


class UsbCamera:
    """An open USB camera."""

    def __init__(
        self,
        config: CameraConfig,
        opens: Opens = by_v4l2,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._config, self._clock = config, clock
        self._device = opens(config.where)
        if not self._device.isOpened():
            self._device.release()
            raise NoCamera("is not there or another program has it: plug it in, close the other program")
        self._set_size()
        self._lock()

    def take(self) -> Shot:
        """Return the next frame; raise NoCamera where the camera sends none."""
        fine, frame = self._device.read()
        if not fine or frame is None:
            raise NoCamera("was unplugged or sends no picture: see to its cable")
        height, width = frame.shape[:2]
        if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
            raise NoCamera(
                f"sends pictures of {width} x {height} pixels, which is too large: set a smaller size"
            )
        return Shot(plain(frame, self._config.colour), self._stamp(), self._config.called)

    def close(self) -> None:
        """Let the camera go."""
        self._device.release()

    def _stamp(self) -> int:
        """Return when the driver says that the frame began, where it tells; else when it came."""
        now_ns = self._clock()
        told_ns = round(self._device.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
        return told_ns if now_ns - OLDEST_NS <= told_ns <= now_ns else now_ns

    def _set_size(self) -> None:
        """Ask for compressed frames (full size at full rate needs them), the size and the rate."""
        config = self._config
        self._device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        if config.width:
            self._device.set(cv2.CAP_PROP_FRAME_WIDTH, config.width)
            self._device.set(cv2.CAP_PROP_FRAME_HEIGHT, config.height)
        if config.fps:
            self._device.set(cv2.CAP_PROP_FPS, config.fps)
        self._device.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # the newest frame, not a queue of old ones

    def _lock(self) -> None:
        """Let the camera choose for a moment, then hold it to that, or to what the configuration fixes."""
        config = self._config
        if not config.exposure_ms:
            self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, BY_ITSELF)
            until_ns = self._clock() + round(SETTLE_S * 1e9)
            while self._clock() < until_ns:
                self.take()
        chosen_ms = config.exposure_ms or self._device.get(cv2.CAP_PROP_EXPOSURE) * UNIT_MS
        exposure_ms = config.exposure_ms or whole_flickers_ms(chosen_ms, config.mains_hz)
        wishes = {"exposure by hand": (cv2.CAP_PROP_AUTO_EXPOSURE, float(BY_HAND))}
        if chosen_ms > 0:
            wishes["exposure"] = (cv2.CAP_PROP_EXPOSURE, round(exposure_ms / UNIT_MS))
        wishes["fixed white balance"] = (cv2.CAP_PROP_AUTO_WB, 0.0)
        wishes["fixed focus"] = (cv2.CAP_PROP_AUTOFOCUS, 0.0)
        if config.gain:
            wishes["gain"] = (cv2.CAP_PROP_GAIN, config.gain)
        refused = [name for name, (what, value) in wishes.items() if not self._device.set(what, value)]
        if refused:
            log.info("%s: knows no %s", config.called, ", no ".join(refused))
