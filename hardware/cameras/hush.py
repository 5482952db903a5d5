"""OpenCV and FFmpeg kept from saying at every try what the camera's health says once."""

from __future__ import annotations

import os

from cv2.utils import logging


def hushed() -> None:
    """Let OpenCV say errors alone, and FFmpeg nothing unless OPENCV_FFMPEG_LOGLEVEL asks for it."""
    logging.setLogLevel(logging.LOG_LEVEL_ERROR)
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read when the first film or stream is opened
