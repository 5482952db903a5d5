"""Sources of frames that are no camera: a folder of pictures, a film, anything that yields frames.

Every frame comes with a stamp of the source's own time, in ns from its beginning: never the wall clock, so
that the same source says the same at every run.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadFilm
from companion.vision.picture import MAX_PIXELS, MAX_SIDE, Frame, decode, shown

log = logging.getLogger(__name__)

KINDS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif")
"""Endings of the pictures that are taken from a folder."""

MOST_PICTURES = 100_000
"""Files that a folder may hold: a day of three pictures a second."""

MOST_FRAMES = 10_000_000
"""Frames that are taken from anything: more than three days at 30 a second."""

STEP_NS = 200_000_000
"""Time from frame to frame where nobody knows it."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame, uint8, (h, w) grey or (h, w, 3) blue, green, red; when it was taken, in ns; and its name."""

    frame: Frame
    at_ns: int
    name: str


class Playing(Protocol):
    """An open film, as OpenCV has it."""

    def get(self, what: int, /) -> float:
        """Return a number about the film."""

    def read(self) -> tuple[bool, NDArray[Any]]:
        """Return whether there was another frame, and that frame, blue, green, red."""

    def release(self) -> None:
        """Close the film."""


def shots(path: str | os.PathLike[str], step_ns: int = STEP_NS, *, colour: bool = False) -> Iterator[Shot]:
    """Return the frames of a folder of pictures or of a film; the arguments and errors are theirs."""
    return folder(path, step_ns, colour=colour) if Path(path).is_dir() else film(path, colour=colour)


def given(frames: Iterable[Frame], step_ns: int = STEP_NS) -> Iterator[Shot]:
    """Return frames from anywhere, ``step_ns`` apart, named by their number; at most ``MOST_FRAMES``."""
    times = count(0, checked(step_ns))
    some = zip(islice(frames, MOST_FRAMES), times, strict=False)
    return (Shot(frame, at_ns, f"frame {at_ns // step_ns}") for frame, at_ns in some)


def folder(path: str | os.PathLike[str], step_ns: int = STEP_NS, *, colour: bool = False) -> Iterator[Shot]:
    """Return the pictures in a folder in the order of their names, ``step_ns`` apart.

    Other files are passed over.  Each picture is opened when its turn comes.

    Raises
    ------
    BadFilm
        At once, where the folder cannot be listed, holds no picture or too many files.
    BadPicture
        In its turn, where a picture cannot be read; the ones after it can still be had.
    """
    names = listed(Path(path))
    times = count(0, checked(step_ns))

    def opened(name: str, at_ns: int) -> Shot:
        return Shot(decode(Path(path, name), colour=colour), at_ns, shown(name))

    return map(opened, names, times)


def listed(path: Path) -> list[str]:
    """Return the names of the pictures in a folder in order; raise BadFilm for none or too many."""
    try:
        with os.scandir(path) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MOST_PICTURES + 1), strict=False)]
    except (OSError, ValueError) as error:
        raise BadFilm(f"{shown(path)}: cannot be listed: {getattr(error, 'strerror', error)}") from error
    if len(names) > MOST_PICTURES:
        raise BadFilm(f"{shown(path)}: more than {MOST_PICTURES:,} files; use a folder for each game")
    found = sorted(name for name in names if name.lower().endswith(KINDS) and not name.startswith("."))
    if not found:
        raise BadFilm(f"{shown(path)}: holds no picture ({', '.join(KINDS)})")
    return found


def film(path: str | os.PathLike[str], *, colour: bool = False) -> Iterator[Shot]:
    """Return the frames of a film file, stamped with the film's own time.

    Raises
    ------
    BadFilm
        At once, where the file cannot be opened as a film or its frames are too large; in its turn, where the
        film's time does not go on.
    """
    name = shown(path)
    if not Path(path).is_file():
        raise BadFilm(f"{name}: no such film file")
    # an absolute path, lest the decoder take it for a network address or a numbered series
    capture = cv2.VideoCapture(str(Path(path).resolve()), cv2.CAP_FFMPEG)
    width, height = capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
    if not capture.isOpened():
        raise BadFilm(f"{name}: cannot be read as a film; save it as MP4 or MKV, or as a folder of pictures")
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        capture.release()
        raise BadFilm(
            f"{name}: frames of {width:.0f} x {height:.0f} pixels; at most {MAX_PIXELS // 10**6} MP"
        )
    return played(capture, name, colour)


def played(capture: Playing, name: str, colour: bool) -> Iterator[Shot]:
    """Yield the frames of an open film and close it."""
    last_ns, done, expected = -1, 0, capture.get(cv2.CAP_PROP_FRAME_COUNT)
    try:
        while done < MOST_FRAMES and (read := capture.read())[0]:
            at_ns = round(capture.get(cv2.CAP_PROP_POS_MSEC) * 1_000_000)
            if at_ns <= last_ns:
                raise BadFilm(f"{name}: frame {done} comes at {at_ns} ns, one before it at {last_ns} ns")
            yield Shot(plain(read[1], colour), at_ns, f"{name} frame {done}")
            last_ns, done = at_ns, done + 1
    finally:
        capture.release()
    if done < expected:
        log.warning("%s: ends after %d of %.0f frames; it may have been cut short", name, done, expected)


def plain(frame: NDArray[Any], colour: bool) -> Frame:
    """Return a decoded frame in colour or in grey."""
    return np.asarray(frame if colour else cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)


def checked(step_ns: int) -> int:
    """Return a time between frames; raise BadFilm where it is none."""
    if step_ns < 1:
        raise BadFilm(f"the time between frames must be at least 1 ns; got {step_ns}")
    return step_ns
