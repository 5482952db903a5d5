"""The configuration of a camera."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from companion.errors import BadConfig

MAX_PICTURE_SIDE_PX = 32_766
"""Greatest width and height of a picture, in pixels."""

MAX_FPS = 240.0
MAX_EXPOSURE_MS = 1000.0
MAX_DELAY_MS = 5000.0
MAX_PACE = 1000.0
"""Greatest speed of playing a film, relative to its own."""

USUAL_DELAY_MS = 500.0
"""Usual delay of a network camera's pictures, in ms.

IP cameras in a local network had 488 to 850 (Kaknjo and others, Real-Time Video Latency Measurement, 2018);
motion JPEG is faster.
"""

ADDRESS_PREFIXES = ("http://", "https://", "rtsp://", "rtsps://")
"""Prefixes of a network camera's address."""


class CameraKind(StrEnum):
    """The source of the pictures."""

    PI = "pi"
    USB = "usb"
    STREAM = "stream"
    FILM = "film"
    FOLDER = "folder"
    SIMULATED = "simulated"

    @property
    def is_live(self) -> bool:
        """Whether it is a device that takes pictures without end; then its health and speed are watched."""
        return self in {CameraKind.PI, CameraKind.USB, CameraKind.STREAM}

    @property
    def is_recorded(self) -> bool:
        """Whether its pictures were taken before; else its place over the table is watched."""
        return self in {CameraKind.FILM, CameraKind.FOLDER}


@dataclass(frozen=True, slots=True)
class CameraConfig:
    """One camera of the table.

    ``where`` is a Pi camera's number (0, 1), a USB camera's number or device (``/dev/video0``), a stream's
    address, a film's path or a folder of pictures; a simulated camera needs none.  ``name`` is shown to
    people (empty: made from kind and place).

    ``width`` and ``height`` in pixels and ``fps`` in frames a second: 0 leaves them to the camera.
    ``colour`` is needed for boards that are detected by their colours; tiles are read in grey, which is
    faster.

    ``mains_hz`` is the mains frequency of the lamps: exposures last whole flickers.  ``exposure_ms``,
    ``gain``, ``red`` and ``blue`` (white balance) and ``focus_m`` (distance from lens to table in metres) are
    fixed values; those of 0 are chosen by the camera and then locked, until the light is another.

    ``delay_ms`` is the time from the exposure of a stream's pictures to their arrival, which nothing in them
    tells; ``None`` stands for the usual one, until ``companion calibrate delay`` has measured it.

    ``pace`` is the speed of films and folders: 1 for real time, 0 for frame by frame.  ``folder_fps`` is the
    number of pictures of a folder a second.

    ``profile`` is the path of the camera's profile from ``companion calibrate``.
    """

    kind: CameraKind
    where: str | int = 0
    name: str = ""
    width: int = 0
    height: int = 0
    fps: float = 0.0
    colour: bool = False
    mains_hz: Literal[50, 60] = 50
    exposure_ms: float = 0.0
    gain: float = 0.0
    red: float = 0.0
    blue: float = 0.0
    focus_m: float = 0.0
    delay_ms: float | None = None
    pace: float = 1.0
    folder_fps: float = 5.0
    profile: str | None = None

    def __post_init__(self) -> None:
        self._check_place()
        self._must(len(self.name) <= 80 and (self.name.isprintable()), "name", "at most 80 signs on one line")
        for key, size in (("width", self.width), ("height", self.height)):
            self._must(0 <= size <= MAX_PICTURE_SIDE_PX, key, f"0 to {MAX_PICTURE_SIDE_PX:,} pixels")
        self._must((self.width == 0) == (self.height == 0), "width", "given together with height, or neither")
        self._must(self.mains_hz in {50, 60}, "mains_hz", "50 or 60")
        self._range("fps", self.fps, MAX_FPS)
        self._range("exposure_ms", self.exposure_ms, MAX_EXPOSURE_MS)
        for key, value in (("gain", self.gain), ("red", self.red), ("blue", self.blue)):
            self._range(key, value, 64.0)
        self._must((self.red == 0) == (self.blue == 0), "red", "given together with blue, or neither")
        self._range("focus_m", self.focus_m, 100.0)
        self._range("delay_ms", self.delay_ms or 0.0, MAX_DELAY_MS)
        self._range("pace", self.pace, MAX_PACE)
        self._range("folder_fps", self.folder_fps, MAX_FPS)
        self._must(self.folder_fps > 0, "folder_fps", "more than 0")

    @property
    def stream_delay_ms(self) -> float:
        """The delay of a stream's pictures in ms, measured or usual."""
        return USUAL_DELAY_MS if self.delay_ms is None else self.delay_ms

    @property
    def called(self) -> str:
        """The camera's name for people, without the password of an address."""
        if self.name or self.kind is CameraKind.SIMULATED:
            return self.name or "simulated table"
        return f"{self.kind} {without_password(str(self.where))}"

    def _check_place(self) -> None:
        """Raise BadConfig unless ``where`` fits the kind of camera."""
        number = isinstance(self.where, int) and not isinstance(self.where, bool)
        text = "" if number else str(self.where)
        self._must(number or (0 < len(text) <= 4096 and text.isprintable()), "where", "one line of text")
        match self.kind:
            case CameraKind.PI:
                self._must(number and 0 <= int(self.where) < 8, "where", "the Pi camera's number, 0 or 1")
            case CameraKind.USB:
                fine = 0 <= int(self.where) < 64 if number else text.startswith("/dev/")
                self._must(fine, "where", "the camera's number, or its device such as /dev/video0")
            case CameraKind.STREAM:
                starts = f"an address that begins with {', '.join(ADDRESS_PREFIXES)}"
                self._must(text.startswith(ADDRESS_PREFIXES), "where", starts)
            case CameraKind.FILM | CameraKind.FOLDER:
                self._must(not number, "where", f"the path of a {self.kind}")
            case CameraKind.SIMULATED:
                pass

    def _range(self, key: str, value: float, most: float) -> None:
        """Raise BadConfig unless a number is from 0 to ``most``."""
        self._must(math.isfinite(value) and 0 <= value <= most, key, f"0 to {most:g}")

    def _must(self, fine: bool, key: str, asked: str) -> None:
        """Raise BadConfig unless ``fine``, with the key, what is allowed, and its value."""
        if not fine:
            got = without_password(str(getattr(self, key)))
            raise BadConfig(f"cameras: {self.kind}: {key} must be {asked}; got {got!r}")


def without_password(address: str) -> str:
    """Return an address without user and password."""
    scheme, mark, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else address
