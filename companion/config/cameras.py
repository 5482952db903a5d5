"""A camera of the table, as its configuration file describes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from companion.errors import BadConfig

LARGEST_PX = 32_766
"""Pixels that a side of a picture may have."""

MOST_FPS = 240.0
MOST_EXPOSURE_MS = 1000.0
FASTEST = 1000.0
"""How much faster than it was taken a film may be played."""

ADDRESSES = ("http://", "https://", "rtsp://", "rtsps://")
"""How the address of a camera in the network may begin."""


class CameraKind(StrEnum):
    """Where the pictures come from."""

    PI = "pi"
    USB = "usb"
    STREAM = "stream"
    FILM = "film"
    FOLDER = "folder"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class CameraConfig:
    """One camera of the table.

    ``where`` says which: a Pi camera's number (0, 1), a USB camera's number or device (``/dev/video0``), a
    stream's address, a film's file or a folder of pictures; a simulated table needs none.  ``name`` is what
    people call it (empty: made from its kind and place).

    ``width``, ``height`` in pixels and ``fps`` in frames a second: 0 leaves them to the camera.  ``colour``
    is needed where a board's squares are told by their colours; tiles alone are read in grey, which is
    quicker.

    ``mains_hz`` is the frequency of the lamps' current: exposures last whole flickers of it.
    ``exposure_ms``, ``gain``, ``red`` and ``blue`` (white balance) and ``focus_m`` (distance from lens to
    table in metres) lock what the camera would choose for itself; those of 0 are chosen by the camera when
    it starts and locked then.

    ``pace`` is for films and folders: 1 plays as fast as they were taken, 2 twice as fast, 0 as fast as
    somebody looks.  ``folder_fps`` is how many pictures of a folder make a second.

    ``profile`` is the file that ``companion calibrate`` made for this camera.
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
    pace: float = 1.0
    folder_fps: float = 5.0
    profile: str | None = None

    def __post_init__(self) -> None:
        self._check_place()
        self._must(len(self.name) <= 80 and (self.name.isprintable()), "name", "at most 80 signs on one line")
        for key, size in (("width", self.width), ("height", self.height)):
            self._must(0 <= size <= LARGEST_PX, key, f"0 to {LARGEST_PX:,} pixels")
        self._must((self.width == 0) == (self.height == 0), "width", "given together with height, or neither")
        self._must(self.mains_hz in {50, 60}, "mains_hz", "50 or 60")
        self._range("fps", self.fps, MOST_FPS)
        self._range("exposure_ms", self.exposure_ms, MOST_EXPOSURE_MS)
        for key, value in (("gain", self.gain), ("red", self.red), ("blue", self.blue)):
            self._range(key, value, 64.0)
        self._must((self.red == 0) == (self.blue == 0), "red", "given together with blue, or neither")
        self._range("focus_m", self.focus_m, 100.0)
        self._range("pace", self.pace, FASTEST)
        self._range("folder_fps", self.folder_fps, MOST_FPS)
        self._must(self.folder_fps > 0, "folder_fps", "more than 0")

    @property
    def called(self) -> str:
        """What people call the camera; no password of an address is in it."""
        if self.name or self.kind is CameraKind.SIMULATED:
            return self.name or "simulated table"
        return f"{self.kind} {without_password(str(self.where))}"

    def _check_place(self) -> None:
        """Raise BadConfig unless ``where`` is a place that this kind of camera can be at."""
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
                starts = f"an address that begins with {', '.join(ADDRESSES)}"
                self._must(text.startswith(ADDRESSES), "where", starts)
            case CameraKind.FILM | CameraKind.FOLDER:
                self._must(not number, "where", f"the path of a {self.kind}")
            case CameraKind.SIMULATED:
                pass

    def _range(self, key: str, value: float, most: float) -> None:
        """Raise BadConfig unless a number is from 0 to ``most``."""
        self._must(math.isfinite(value) and 0 <= value <= most, key, f"0 to {most:g}")

    def _must(self, fine: bool, key: str, asked: str) -> None:
        """Raise BadConfig unless the value of a key is as asked."""
        if not fine:
            got = without_password(str(getattr(self, key)))
            raise BadConfig(f"cameras: {self.kind}: {key} must be {asked}; got {got!r}")


def without_password(address: str) -> str:
    """Return an address without the user and password that may stand before its host."""
    scheme, mark, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else address
