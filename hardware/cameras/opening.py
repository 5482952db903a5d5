"""Create the camera of a configuration."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import assert_never

from cv2.utils import logging

from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import NoCamera
from companion.model.phrases import phrase
from hardware.cameras.camera import Camera, Source
from hardware.cameras.health import Limits
from hardware.cameras.live import LiveCamera
from hardware.cameras.pi import PiCamera
from hardware.cameras.recorded import RecordedCamera
from hardware.cameras.stream import StreamCamera
from hardware.cameras.usb import UsbCamera

REPEATED_FRAMES_S = 8.0
"""``Limits.repeats_s`` of RTSP: a codec at low quality repeats a still picture until its next key frame.

Measured with x264, noise of 0.3 to 4 grey levels and 15 frames a second: at CRF 36 and worse it repeats until
the next key frame; at CRF 28 for 0.4 to 2.3 s over a plain table and 0.1 s over a rough one; at 200 kbit/s
and more for at most 0.13 s.
"""


def silence_opencv() -> None:
    """Have OpenCV log errors only, and FFmpeg nothing unless OPENCV_FFMPEG_LOGLEVEL is set."""
    logging.setLogLevel(logging.LOG_LEVEL_ERROR)
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read when the first film or stream is opened


def open_camera(config: CameraConfig, simulated: Callable[[CameraConfig], Camera] | None = None) -> Camera:
    """Return the camera of a configuration, not yet entered.

    ``simulated`` creates a simulated camera; NoCamera is raised where one is configured without it.
    """
    match config.kind:
        case CameraKind.PI:
            return live_camera(config, partial(PiCamera, config))
        case CameraKind.USB:
            return live_camera(config, partial(UsbCamera, config))
        case CameraKind.STREAM:
            return live_camera(config, partial(StreamCamera, config))
        case CameraKind.FILM | CameraKind.FOLDER:
            return RecordedCamera(config)
        case CameraKind.SIMULATED:
            if simulated is None:
                raise NoCamera(
                    phrase("a simulated camera has a simulated table under it: companion demo makes one")
                )
            return simulated(config)
        case _:
            assert_never(config.kind)


def live_camera(config: CameraConfig, open_source: Callable[[], Source]) -> LiveCamera:
    """Return a live camera with the limits of its configuration."""
    silence_opencv()
    return LiveCamera(config.called, open_source, limits(config))


def limits(config: CameraConfig) -> Limits:
    """Return the health limits of a live camera."""
    plain = Limits(fps=config.fps) if config.fps else Limits()
    if str(config.where).startswith("rtsp"):
        return replace(plain, repeats_s=REPEATED_FRAMES_S)
    return plain
