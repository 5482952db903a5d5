"""Frames from recordings: a folder of pictures, or a film.

Frames are stamped with the recording's own time, in ns from its beginning, so that every run is the same.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadFilm, BadPicture
from companion.vision.camera_frame import CameraFrame
from companion.vision.picture import MAX_PIXELS, MAX_SIDE_PX, decode, decode_bytes, to_printable

log = logging.getLogger(__name__)

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif")
"""Suffixes of the pictures that are read from a folder."""

MAX_FOLDER_FILES = 100_000
"""Largest number of files in a folder: about nine hours of three pictures a second."""

MAX_FILM_FRAMES = 10_000_000
"""Greatest number of frames of a film: more than three days at 30 a second."""

ONE_THREAD = (cv2.CAP_PROP_N_THREADS, 1)
"""Settings of the decoder: each thread keeps a frame of its own, 18 MB at 12 megapixels."""

MOTION_JPEG = cv2.VideoWriter.fourcc(*"MJPG")
UNDECODED = -1
"""Value of CAP_PROP_FORMAT with which FFmpeg returns frames as they are stored."""

DEFAULT_FRAME_STEP_NS = 200_000_000
"""Default time between two pictures of a folder, in ns."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame, its time in ns, and its name."""

    frame: CameraFrame
    at_ns: int
    name: str


@dataclass(frozen=True, slots=True)
class PendingFrame:
    """A frame of a recording that is not decoded yet: its time in ns, its name, and its decoder.

    ``decode`` raises BadPicture where the frame cannot be read.  It holds only until the next frame is taken.
    """

    at_ns: int
    name: str
    decode: Callable[[], CameraFrame]

    def shot(self) -> Shot:
        """Return the decoded frame."""
        return Shot(self.decode(), self.at_ns, self.name)


class VideoSource(Protocol):
    """The part of OpenCV's ``VideoCapture`` that films and cameras use."""

    def get(self, what: int, /) -> float:
        """Return a property of the source."""

    def set(self, what: int, value: float, /) -> bool:
        """Set a property, and return whether the source accepted it."""

    def release(self) -> None:
        """Close the source."""


class FilmSource(VideoSource, Protocol):
    """The part of OpenCV's ``VideoCapture`` that films use."""

    def grab(self) -> bool:
        """Advance by a frame, and return whether there is another one."""

    def retrieve(self) -> tuple[bool, NDArray[Any]]:
        """Return whether the frame can be decoded, and the frame, blue, green, red."""


def folder_frames(
    path: str | os.PathLike[str], step_ns: int = DEFAULT_FRAME_STEP_NS, *, colour: bool = False
) -> Iterator[PendingFrame]:
    """Return the pictures in a folder in the order of their names, ``step_ns`` apart.

    Other files are skipped.  Raises BadFilm where the folder cannot be listed, holds no picture or too many
    files.
    """
    names = list_pictures(Path(path))
    times = count(0, check_step(step_ns))

    def pending(name: str, at_ns: int) -> PendingFrame:
        return PendingFrame(at_ns, to_printable(name), partial(decode, Path(path, name), colour=colour))

    return map(pending, names, times)


def list_pictures(path: Path) -> list[str]:
    """Return the names of the pictures in a folder in order; raise BadFilm for none or too many."""
    try:
        with os.scandir(path) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MAX_FOLDER_FILES + 1), strict=False)]
    except (OSError, ValueError) as error:
        raise BadFilm(
            f"{to_printable(path)}: cannot be listed: {getattr(error, 'strerror', error)}"
        ) from error
    if len(names) > MAX_FOLDER_FILES:
        raise BadFilm(
            f"{to_printable(path)}: more than {MAX_FOLDER_FILES:,} files; use a folder for each game"
        )
    found = sorted(
        name for name in names if name.lower().endswith(PICTURE_SUFFIXES) and not name.startswith(".")
    )
    if not found:
        raise BadFilm(f"{to_printable(path)}: holds no picture ({', '.join(PICTURE_SUFFIXES)})")
    return found


def film_frames(path: str | os.PathLike[str], *, colour: bool = False) -> Iterator[PendingFrame]:
    """Return the frames of a film file, stamped with the film's own time.

    Raises
    ------
    BadFilm
        At once, where the file cannot be opened as a film or its frames are too large; when a frame is taken,
        where the film's time does not advance.
    """
    name = to_printable(path)
    if not Path(path).is_file():
        raise BadFilm(f"{name}: no such film file")
    # an absolute path is no network address or numbered series to the decoder
    capture = cv2.VideoCapture(str(Path(path).resolve()), cv2.CAP_FFMPEG, ONE_THREAD)
    width, height = capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
    if not capture.isOpened():
        raise BadFilm(f"{name}: cannot be read as a film; save it as MP4 or MKV, or as a folder of pictures")
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE_PX:
        capture.release()
        raise BadFilm(
            f"{name}: frames of {width:.0f} x {height:.0f} pixels; at most {MAX_PIXELS // 10**6} MP"
        )
    return video_frames(capture, name, colour)


def leave_jpeg_encoded(capture: VideoSource) -> None:
    """Let a source of Motion JPEG return JPEG files, which ``to_frame`` decodes.

    FFmpeg would decode them to colour, with 60 MB more at 12 megapixels where grey is wanted.
    """
    if int(capture.get(cv2.CAP_PROP_FOURCC)) == MOTION_JPEG:
        capture.set(cv2.CAP_PROP_FORMAT, UNDECODED)


def video_frames(capture: FilmSource, name: str, colour: bool) -> Iterator[PendingFrame]:
    """Yield the frames of an open film and close it."""
    leave_jpeg_encoded(capture)
    last_ns, done, expected = -1, 0, capture.get(cv2.CAP_PROP_FRAME_COUNT)
    try:
        while done < MAX_FILM_FRAMES and capture.grab():
            at_ns = round(capture.get(cv2.CAP_PROP_POS_MSEC) * 1_000_000)
            if at_ns <= last_ns:
                raise BadFilm(f"{name}: frame {done} comes at {at_ns} ns, one before it at {last_ns} ns")
            called = f"{name} frame {done}"
            yield PendingFrame(at_ns, called, partial(retrieve_frame, capture, called, colour))
            last_ns, done = at_ns, done + 1
    finally:
        capture.release()
    if done < expected:
        log.warning("%s: ends after %d of %.0f frames; it may have been cut short", name, done, expected)


def retrieve_frame(capture: FilmSource, name: str, colour: bool) -> CameraFrame:
    """Return a film's current frame in colour or grey; raise BadPicture where it cannot be decoded."""
    there, frame = capture.retrieve()
    if not there:
        raise BadPicture(f"{name} cannot be decoded")
    return to_frame(frame, colour, name)


def to_frame(frame: NDArray[Any], colour: bool, name: str) -> CameraFrame:
    """Return a frame in colour or grey.

    ``frame`` is decoded, (h, w, 3) in blue, green, red, or the bytes of an encoded picture, (1, n); raises
    BadPicture where those cannot be decoded.
    """
    if frame.ndim == 2:
        return decode_bytes(frame.tobytes(), name=name, colour=colour)
    return np.asarray(frame if colour else cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)


def check_step(step_ns: int) -> int:
    """Return a time between frames in ns; raise BadFilm where it is not positive."""
    if step_ns < 1:
        raise BadFilm(f"the time between frames must be at least 1 ns; got {step_ns}")
    return step_ns
