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
from companion.model.phrases import phrase
from companion.vision.picture import MAX_PIXELS, MAX_SIDE
from hardware.cameras.mains import MOST_BLUR_MS, flicker_ms, whole_flickers_ms
from hardware.cameras.sizes import SMALL_SIZE, is_small, memory_bytes
from hardware.frames import Playing, Shot, plain

log = logging.getLogger(__name__)

SETTLE_S = 1.0
"""How long the camera may choose its exposure."""

LARGEST_SIDE = 10_000
"""Asked for where no size is configured: Video4Linux then sets the largest that the camera has."""

SET_FRAMES = 3
"""Frames after which a new exposure shows in the picture."""

AS_BRIGHT = 1.25
"""Ratio of brightness up to which a picture counts as bright as before."""

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

    def isOpened(self) -> bool:
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
            raise NoCamera(
                phrase("is not there or another program has it: plug it in, close the other program")
            )
        self._set_size()
        self._lock()

    def take(self) -> Shot:
        """Return the next frame; raise NoCamera where the camera sends none."""
        fine, frame = self._device.read()
        if not fine or frame is None:
            raise NoCamera(phrase("was unplugged or sends no picture: see to its cable"))
        height, width = frame.shape[:2]
        if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
            raise NoCamera(
                phrase(
                    "sends pictures of %(wide)s x %(high)s pixels, which is too large: set a smaller size",
                    wide=width,
                    high=height,
                )
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
        width, height = config.width, config.height
        if not width:
            small = is_small(memory_bytes())
            width, height = SMALL_SIZE if small else (LARGEST_SIDE, LARGEST_SIDE)
            if small:
                log.warning("%s: some %d x %d pixels, as the memory is small", config.called, width, height)
        self._device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._device.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        self._device.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        if config.fps:
            self._device.set(cv2.CAP_PROP_FPS, config.fps)
        self._device.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # the newest frame, not a queue of old ones

    def _lock(self) -> None:
        """Let the camera choose for a moment, then hold it to that, or to what the configuration fixes."""
        config = self._config
        wishes = {
            "fixed white balance": (cv2.CAP_PROP_AUTO_WB, 0.0),
            "fixed focus": (cv2.CAP_PROP_AUTOFOCUS, 0.0),
        }
        if config.gain:
            wishes["gain"] = (cv2.CAP_PROP_GAIN, config.gain)
        fixed = self._expose(config.exposure_ms) if config.exposure_ms else self._hold_exposure()
        refused = [name for name, (what, value) in wishes.items() if not self._device.set(what, value)]
        refused += [] if fixed else ["fixed exposure"]
        if refused:
            log.info("%s: knows no %s", config.called, ", no ".join(refused))

    def _expose(self, exposure_ms: float) -> bool:
        """Set the exposure by hand; return whether the camera took it."""
        by_hand = self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, float(BY_HAND))
        return self._device.set(cv2.CAP_PROP_EXPOSURE, round(exposure_ms / UNIT_MS)) and by_hand

    def _hold_exposure(self) -> bool:
        """Hold an exposure of whole flickers that gives as bright a picture as the camera's own choice.

        The picture decides: many cameras do not report the exposure that they chose.  Where none is as
        bright, the camera goes on to choose, and False is returned.
        """
        self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, BY_ITSELF)
        until_ns = self._clock() + round(SETTLE_S * 1e9)
        aim = self._brightness()
        while self._clock() < until_ns:
            aim = self._brightness()
        flicker, told_ms = (
            flicker_ms(self._config.mains_hz),
            self._device.get(cv2.CAP_PROP_EXPOSURE) * UNIT_MS,
        )
        exposures = [flicker * many for many in range(1, 1 + int(MOST_BLUR_MS / flicker))]
        exposures.sort(key=lambda ms: abs(ms - whole_flickers_ms(max(told_ms, 0.0), self._config.mains_hz)))
        for exposure_ms in exposures:
            if not self._expose(exposure_ms):
                break
            got = [self._brightness() for _ in range(SET_FRAMES)][-1]
            if 1 / AS_BRIGHT <= got / aim <= AS_BRIGHT:
                return True
        self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, BY_ITSELF)
        return False

    def _brightness(self) -> float:
        """Return the mean of the next frame, 1 to 256."""
        return 1.0 + float(self.take().frame.mean())
