"""Pictures from outside: files or bytes of any kind in, one frame out.

A frame is upright: its EXIF orientation is applied.
"""

from __future__ import annotations

import io
import logging
import os
import stat
import struct
import threading
import warnings
import zlib
from pathlib import Path
from typing import Literal, overload

import cv2
import numpy as np
from PIL import ExifTags, Image, ImageFile, UnidentifiedImageError

from companion.errors import BadOutput, BadPicture, UsageError
from companion.vision.camera_frame import CameraFrame, Frame, Yuv420

log = logging.getLogger(__name__)

PICTURE_FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF")
"""Formats of cameras and screens.  No TIFF: its library writes to standard error by itself."""

DRAWING_SUFFIXES = (".png", ".jpg", ".jpeg")
"""File suffixes of a drawing."""

MAX_BYTES = 128 * 2**20
MAX_PIXELS = 100_000_000
MAX_SIDE_PX = 32_766
"""The longest side in pixels that OpenCV's warps take (their coordinates are signed 16-bit)."""

STRIP_ROWS = 256
"""Number of rows converted at a time: a 12 MP picture needs half the memory, at the same speed.

Of fewer rows there are more strips: at each, a busy thread may keep the interpreter's lock for 5 ms.
"""

STORED_TURNS = {2: (0, -1), 3: (2, 1), 4: (2, -1), 5: (3, -1), 6: (1, 1), 7: (1, -1), 8: (3, 1)}
"""Quarter turns counter-clockwise and then the step along rows, -1 if they are reversed, from the upright
picture to the stored one, by EXIF orientation (CIPA DC-008, tag 0x0112).
"""

CHANNELS = {"L": ("L",), "RGB": ("B", "G", "R"), "YCbCr": ("Cr", "Cb")}
"""Channels of a frame by the mode in which it is decoded."""

PILLOW_FAULTS = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    EOFError,
    RuntimeError,
    MemoryError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)
"""All errors that Pillow's decoders are known to raise on malformed pictures."""

_one_at_a_time = threading.Lock()
"""Held while decoding: warning filters are global, and two large pictures fill a small machine."""


@overload
def decode(path: str | os.PathLike[str], *, colour: Literal[False] = False) -> Frame: ...


@overload
def decode(path: str | os.PathLike[str], *, colour: bool) -> CameraFrame: ...


def decode(path: str | os.PathLike[str], *, colour: bool = False) -> CameraFrame:
    """Return the picture in a regular file as ``decode_bytes`` does.

    Raises BadPicture also where it cannot be opened; a folder, pipe or device is refused without waiting.
    """
    return decode_bytes(file_bytes(Path(path)), name=to_printable(path), colour=colour)


@overload
def decode_bytes(data: bytes, *, name: str = "picture", colour: Literal[False] = False) -> Frame: ...


@overload
def decode_bytes(data: bytes, *, name: str = "picture", colour: bool) -> CameraFrame: ...


def decode_bytes(data: bytes, *, name: str = "picture", colour: bool = False) -> CameraFrame:
    """Return an encoded picture as a frame in ``colour`` (``Yuv420`` of a JPEG, else BGR), or in grey.

    Grey is a JPEG's luminance as it is stored.  Of a moving picture the first frame is read, with a warning
    in the log; transparent parts become white; 16-bit grey is reduced to 8.

    Raises
    ------
    BadPicture
        Where ``data`` is empty, truncated, no picture, of another format, or out of bounds (128 MiB, 100
        megapixels, 32,766 pixels a side); the text begins with ``name``.
    """
    if not data:
        raise BadPicture(f"{name}: is empty")
    _bounded(name, len(data))
    try:
        with _one_at_a_time, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _frame(data, name, colour)
    except BadPicture:
        raise
    except UnidentifiedImageError as error:
        raise BadPicture(f"{name}: {_unknown(data)}") from error
    except Image.DecompressionBombError as error:
        raise BadPicture(f"{name}: {_TOO_LARGE}") from error
    except PILLOW_FAULTS as error:
        raise BadPicture(
            f"{name}: damaged or cut short, cannot be decoded ({to_printable(error)})"
        ) from error


def file_bytes(path: Path) -> bytes:
    """Return the content of a regular file of at most ``MAX_BYTES``; raise BadPicture otherwise."""
    name = to_printable(path)
    try:
        if b"\0" in os.fsencode(path):
            raise BadPicture(f"{name}: no file can have this name")
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise BadPicture(f"{name}: is a folder; give the pictures in it")
        if not stat.S_ISREG(found.st_mode):
            raise BadPicture(f"{name}: is a pipe or a device; save the picture to a file first")
        _bounded(name, found.st_size)
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(found.st_size + 1)
    except OSError as error:
        raise BadPicture(f"{name}: cannot be opened: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise BadPicture(f"{name}: no file can have this name") from error


def _bounded(name: str, size: int) -> None:
    """Raise BadPicture for more bytes than a picture may have."""
    if size > MAX_BYTES:
        raise BadPicture(f"{name}: more than {MAX_BYTES >> 20} MiB; save it smaller or as JPEG")


def to_printable(what: object) -> str:
    """Return a name or message on one line without control characters."""
    return "".join(c if c.isprintable() else "?" for c in str(what))


_TOO_LARGE = f"more than {MAX_PIXELS // 10**6} megapixels or {MAX_SIDE_PX:,} pixels a side; save it smaller"


def _unknown(data: bytes) -> str:
    """Return the message about bytes that are no readable picture."""
    if data[4:8] == b"ftyp":
        return (
            "HEIC, AVIF and films are not read; save it as JPEG "
            "(iPhone: Settings, Camera, Formats, Most Compatible)"
        )
    return "neither JPEG, PNG, WebP, BMP nor GIF, or its beginning is damaged"


def _frame(data: bytes, name: str, colour: bool) -> CameraFrame:
    with _opened(data) as picture:
        width, height = picture.size
        if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE_PX:
            raise BadPicture(f"{name}: {_TOO_LARGE}")
        if picture.format != "MPO" and getattr(picture, "is_animated", False):
            log.warning("%s: holds several pictures; only the first is read", name)
        if colour and not _has_chroma(picture):
            return _upright(picture, "RGB")
        picture.draft("L", picture.size)
        luma = _upright(picture, "L")[..., 0]
    if not colour:
        return luma
    with _opened(data) as picture:
        picture.draft("YCbCr", (max(1, width // 2), max(1, height // 2)))
        chroma = _upright(picture, "YCbCr")
    size = (luma.shape[1] + 1) // 2, (luma.shape[0] + 1) // 2
    if chroma.shape[1::-1] != size:  # so thin that it is not halved
        chroma = np.asarray(cv2.resize(chroma, size, interpolation=cv2.INTER_AREA), np.uint8)
    return Yuv420(luma, chroma)


def _opened(data: bytes) -> ImageFile.ImageFile:
    picture = Image.open(io.BytesIO(data), formats=PICTURE_FORMATS)
    picture.decodermaxblock = max(len(data), picture.decodermaxblock)  # a busy thread may delay each part
    return picture


def _has_chroma(picture: Image.Image) -> bool:
    """Return whether a picture is a JPEG in brightness and chroma, as nearly all of those in colour are."""
    parts = bytes(layer[0] for layer in getattr(picture, "layer", ()))
    return picture.mode == "RGB" and parts not in {b"", b"RGB"} and picture.info.get("adobe_transform") != 0


def _upright(picture: Image.Image, mode: str) -> Frame:
    """Return the ``CHANNELS`` of a picture in a mode, (h, w, channels); in strips, to spare memory."""
    picture.load()
    turns, step = STORED_TURNS.get(picture.getexif().get(ExifTags.Base.Orientation, 1), (0, 1))
    width, height = picture.size
    shape = (width, height) if turns % 2 else (height, width)
    frame = np.empty((*shape, len(CHANNELS[mode])), np.uint8)
    stored = np.rot90(frame, turns)[:, ::step]
    for top in range(0, height, STRIP_ROWS):
        place = stored[top : top + STRIP_ROWS]
        strip = _flat(picture.crop((0, top, width, top + len(place))), mode)
        for k, channel in enumerate(CHANNELS[mode]):
            place[..., k] = np.frombuffer(strip.tobytes("raw", channel), np.uint8).reshape(place.shape[:2])
    return frame


def _flat(strip: Image.Image, mode: str) -> Image.Image:
    """Return part of a picture in 8 bits without transparency, in mode ``L``, ``RGB`` or ``YCbCr``."""
    if strip.mode.startswith("I;16"):
        strip = Image.fromarray((np.asarray(strip) >> 8).astype(np.uint8))
    if strip.has_transparency_data:
        see_through = strip.convert("RGBA")
        strip = Image.new("RGBA", strip.size, "white")
        strip.alpha_composite(see_through)
    return strip if strip.mode == mode else strip.convert(mode)


def save_picture(path: Path, picture: Frame) -> None:
    """Write a picture, in the format of its name's suffix; raise UsageError or BadOutput."""
    if path.suffix.lower() not in DRAWING_SUFFIXES:
        raise UsageError(f"{to_printable(path)}: end its name in .png or .jpg")
    fine, body = cv2.imencode(path.suffix.lower(), picture)
    if not fine:
        raise BadOutput(f"{to_printable(path)}: too large for this format; end its name in .png")
    try:
        path.write_bytes(body.data)
    except OSError as error:
        raise BadOutput(f"{to_printable(path)}: cannot be written: {error.strerror}") from error
