"""From a camera's configuration to the camera."""

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
from hardware.cameras.pi import PiCamera
from hardware.cameras.played import Played
from hardware.cameras.stream import StreamCamera
from hardware.cameras.usb import UsbCamera
from hardware.cameras.watched import Watched

REPEATS_S = 8.0
"""RTSP: a film codec at low quality repeats a still table to the last bit until its next whole frame.

Tried with x264 over noise of 0.3 to 4 grey levels at 15 frames a second: at CRF 36 and worse it repeats until
the next whole frame; at CRF 28, 0.4 to 2.3 s over a plain table and 0.1 s over a rough one; at a fixed rate
of 200 kbit/s and more never longer than 0.13 s.
"""


def hushed() -> None:
    """Let OpenCV say errors alone, and FFmpeg nothing unless OPENCV_FFMPEG_LOGLEVEL asks for it."""
    logging.setLogLevel(logging.LOG_LEVEL_ERROR)
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read when the first film or stream is opened


def open_camera(config: CameraConfig, simulated: Callable[[CameraConfig], Camera] | None = None) -> Camera:
    """Return the camera that a configuration describes; it looks from ``with`` on.

    ``simulated`` makes the camera of a drawn table; NoCamera is raised where one is asked for and there is
    none.
    """
    match config.kind:
        case CameraKind.PI:
            return watched(config, partial(PiCamera, config))
        case CameraKind.USB:
            return watched(config, partial(UsbCamera, config))
        case CameraKind.STREAM:
            return watched(config, partial(StreamCamera, config))
        case CameraKind.FILM | CameraKind.FOLDER:
            return Played(config)
        case CameraKind.SIMULATED:
            if simulated is None:
                raise NoCamera(
                    phrase("a simulated camera has a simulated table under it: companion demo makes one")
                )
            return simulated(config)
        case _:
            assert_never(config.kind)


def watched(config: CameraConfig, opens: Callable[[], Source]) -> Watched:
    """Return a live camera held to what its configuration promises."""
    hushed()
    return Watched(config.called, opens, limits(config))


def limits(config: CameraConfig) -> Limits:
    """Return what a live camera is held to."""
    plain = Limits(fps=config.fps) if config.fps else Limits()
    if str(config.where).startswith("rtsp"):
        return replace(plain, repeats_s=REPEATS_S)
    return plain
