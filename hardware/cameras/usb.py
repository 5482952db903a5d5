"""A USB camera, through Video4Linux.

The camera chooses exposure, white balance and focus after its start; then they are locked, where the camera
supports it.  Exposure and white balance are chosen anew where the light has become another.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import cv2
from numpy.typing import NDArray

from companion.config.cameras import CameraConfig
from companion.errors import NoCamera
from companion.model.phrases import phrase
from companion.vision.camera_frame import grey
from companion.vision.picture import MAX_PIXELS, MAX_SIDE_PX
from hardware.cameras.capture_settings import (
    LOW_MEMORY_PICTURE_SIZE,
    MAX_EXPOSURE_MS,
    flicker_free_exposure_ms,
    flicker_period_ms,
    is_low_memory,
    memory_bytes,
)
from hardware.frames import Shot, VideoSource, to_frame

log = logging.getLogger(__name__)

EXPOSURE_SETTLE_S = 1.0
"""Seconds for which the camera may choose its exposure."""

REQUESTED_SIDE_PX = 10_000
"""Width and height in pixels, requested without a configured size: Video4Linux sets the largest one."""

EXPOSURE_LATENCY_FRAMES = 3
"""Frames until a new exposure takes effect."""

MAX_BRIGHTNESS_RATIO = 1.25
"""Greatest ratio of two brightnesses that count as equal."""

AUTO_EXPOSURE, MANUAL_EXPOSURE = 3, 1
"""Values of Video4Linux's V4L2_CID_EXPOSURE_AUTO."""

EXPOSURE_UNIT_MS = 0.1
"""Unit of V4L2_CID_EXPOSURE_ABSOLUTE, in ms."""

MAX_STAMP_AGE_NS = 1_000_000_000
"""Age in ns above which a driver's stamp is taken as that of another clock."""


class Device(VideoSource, Protocol):
    """The part of OpenCV's ``VideoCapture`` that a camera uses."""

    def read(self) -> tuple[bool, NDArray[Any]]:
        """Return whether there is another frame, and that frame, blue, green, red."""

    def isOpened(self) -> bool:
        """Return whether the camera is open."""


OpenDevice = Callable[[str | int], Device]
"""Opens a camera by its number or device."""


def open_v4l2(where: str | int) -> Device:
    """Open a camera through Video4Linux."""
    return cv2.VideoCapture(where, cv2.CAP_V4L2)


class UsbCamera:
    """An open USB camera."""

    def __init__(
        self,
        config: CameraConfig,
        open_device: OpenDevice = open_v4l2,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._config, self._clock = config, clock
        self.locks_exposure = False
        self._device = open_device(config.where)
        if not self._device.isOpened():
            self._device.release()
            raise NoCamera(
                phrase("is not there or another program has it: plug it in, close the other program")
            )
        try:
            self._set_size()
            self._lock()
        except BaseException:
            self.close()
            raise

    def take(self) -> Shot:
        """Return the next frame; raise NoCamera where the camera sends none."""
        fine, frame = self._device.read()
        if not fine or frame is None:
            raise NoCamera(phrase("was unplugged or sends no picture: see to its cable"))
        height, width = frame.shape[:2]
        if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE_PX:
            raise NoCamera(
                phrase(
                    "sends pictures of %(wide)s x %(high)s pixels, which is too large: set a smaller size",
                    wide=width,
                    high=height,
                )
            )
        name = self._config.called
        return Shot(to_frame(frame, self._config.colour, name), self._stamp(), name)

    def expose(self, stops: int) -> None:
        """Choose exposure and white balance anew, except what the configuration fixes, and lock them."""
        self._log_refused(self._lock_light(stops))

    def close(self) -> None:
        """Release the camera."""
        self._device.release()

    def _stamp(self) -> int:
        """Return the driver's stamp of the frame where it is plausible, else the current time."""
        now_ns = self._clock()
        driver_ns = round(self._device.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
        return driver_ns if now_ns - MAX_STAMP_AGE_NS <= driver_ns <= now_ns else now_ns

    def _set_size(self) -> None:
        """Request compressed frames (needed for full size at full rate), the size and the rate."""
        config = self._config
        width, height = config.width, config.height
        if not width:
            small = is_low_memory(memory_bytes())
            width, height = LOW_MEMORY_PICTURE_SIZE if small else (REQUESTED_SIDE_PX, REQUESTED_SIDE_PX)
            if small:
                log.warning("%s: some %d x %d pixels, as the memory is small", config.called, width, height)
        self._device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._device.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        self._device.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        if config.fps:
            self._device.set(cv2.CAP_PROP_FPS, config.fps)
        self._device.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # the newest frame, not a queue of old ones

    def _lock(self) -> None:
        """Lock white balance, focus, gain and exposure, to the configured or the camera's own values."""
        self._device.set(cv2.CAP_PROP_AUTOFOCUS, 1.0)  # a driver keeps what was locked before
        refused = self._lock_light(stops=0)
        if not self._device.set(cv2.CAP_PROP_AUTOFOCUS, 0.0):
            refused.append("fixed focus")
        self._log_refused(refused)

    def _lock_light(self, stops: int) -> list[str]:
        """Choose and lock exposure, gain and white balance; return what the camera does not support."""
        config = self._config
        self._device.set(cv2.CAP_PROP_AUTO_WB, 1.0)
        fixed = self._expose(config.exposure_ms) if config.exposure_ms else self._hold_exposure(stops)
        wishes = {"fixed white balance": (cv2.CAP_PROP_AUTO_WB, 0.0)}
        if config.gain:
            wishes["gain"] = (cv2.CAP_PROP_GAIN, config.gain)
        refused = [name for name, (what, value) in wishes.items() if not self._device.set(what, value)]
        self.locks_exposure = fixed and not config.exposure_ms
        return refused if fixed else [*refused, "fixed exposure"]

    def _log_refused(self, refused: Sequence[str]) -> None:
        """Log which controls the camera does not support."""
        if refused:
            log.info("%s: knows no %s", self._config.called, ", no ".join(refused))

    def _expose(self, exposure_ms: float) -> bool:
        """Set a fixed exposure, and return whether the camera accepted it."""
        by_hand = self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, float(MANUAL_EXPOSURE))
        return self._device.set(cv2.CAP_PROP_EXPOSURE, round(exposure_ms / EXPOSURE_UNIT_MS)) and by_hand

    def _hold_exposure(self, stops: int) -> bool:
        """Fix an exposure of whole flickers, ``stops`` below that as bright as the camera's own choice.

        Brightness is measured in frames, as many cameras do not report their exposure.  Returns False, with
        automatic exposure, where no exposure fits.
        """
        self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, AUTO_EXPOSURE)
        until_ns = self._clock() + round(EXPOSURE_SETTLE_S * 1e9)
        aim = self._brightness()
        while self._clock() < until_ns:
            aim = self._brightness()
        flicker, driver_ms = (
            flicker_period_ms(self._config.mains_hz),
            self._device.get(cv2.CAP_PROP_EXPOSURE) * EXPOSURE_UNIT_MS,
        )
        exposures = [flicker * many for many in range(1, 1 + int(MAX_EXPOSURE_MS / flicker))]
        exposures.sort(
            key=lambda ms: abs(ms - flicker_free_exposure_ms(max(driver_ms, 0.0), self._config.mains_hz))
        )
        for exposure_ms in exposures:
            if not self._expose(exposure_ms):
                break
            got = [self._brightness() for _ in range(EXPOSURE_LATENCY_FRAMES)][-1]
            if 1 / MAX_BRIGHTNESS_RATIO <= got / aim <= MAX_BRIGHTNESS_RATIO:
                shorter_ms = max(flicker, exposure_ms / 2**stops)
                return self._expose(flicker_free_exposure_ms(shorter_ms, self._config.mains_hz))
        self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, AUTO_EXPOSURE)
        return False

    def _brightness(self) -> float:
        """Return 1 plus the mean grey level of the next frame."""
        return 1.0 + float(grey(self.take().frame).mean())
