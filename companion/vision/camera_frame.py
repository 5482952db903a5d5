"""Frames of cameras and files, and their parts, sizes and colours.

A frame is uint8 and C-contiguous: grey with shape (h, w), BGR with shape
(h, w, 3), or ``Yuv420``, as JPEG files and cameras store colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadPicture

Frame = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Yuv420:
    """A colour frame with brightness at full and colour at half the resolution: half the memory of BGR.

    ``luma`` is the frame in grey, uint8, (h, w); ``chroma`` has Cr and Cb of 2 x 2 pixels each, uint8,
    (h / 2, w / 2, 2), rounded up.  Values have their full range, as in JPEG (JFIF; ITU-R BT.601).  ``shape``
    is that of the frame in BGR that ``to_bgr`` makes of it.
    """

    luma: Frame
    chroma: Frame
    ndim: ClassVar[int] = 3
    dtype: ClassVar[np.dtype[np.uint8]] = np.dtype(np.uint8)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height and width in pixels, and the number of channels."""
        height, width = self.luma.shape
        return height, width, 3


CameraFrame = Frame | Yuv420
"""A frame as a camera or a file gives it."""


def grey(frame: CameraFrame) -> Frame:
    """Return a frame in grey, (h, w)."""
    if isinstance(frame, Yuv420):
        return frame.luma
    return frame if frame.ndim == 2 else np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)


def without_chroma(frame: CameraFrame) -> Frame:
    """Return a frame in grey where it is at hand without conversion, else its pixels."""
    return frame.luma if isinstance(frame, Yuv420) else frame


def validate_frame(frame: CameraFrame) -> CameraFrame:
    """Return a frame, C-contiguous; raise BadPicture where it is neither grey nor colour."""
    if isinstance(frame, Yuv420):
        return frame
    channels = frame.shape[2:]
    if frame.dtype != np.uint8 or frame.ndim not in (2, 3) or channels not in ((), (3,)) or frame.size == 0:
        raise BadPicture(
            f"a picture is uint8 of shape (h, w) or (h, w, 3), got {frame.dtype} of shape {frame.shape}; "
            "convert it to grey or BGR first"
        )
    return np.ascontiguousarray(frame)


def as_grey(frame: CameraFrame) -> Frame:
    """Return a frame in grey, (h, w); raise BadPicture where it is none."""
    return grey(validate_frame(frame))


def to_bgr(frame: CameraFrame) -> Frame:
    """Return a frame in colour, (h, w, 3) BGR."""
    if not isinstance(frame, Yuv420):
        return frame if frame.ndim == 3 else np.asarray(cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR), np.uint8)
    height, width = frame.luma.shape
    doubled = frame.chroma.shape[1] * 2, frame.chroma.shape[0] * 2
    chroma = cv2.resize(frame.chroma, doubled, interpolation=cv2.INTER_LINEAR)[:height, :width]
    return bgr_of(frame.luma, np.asarray(chroma, np.uint8))


def bgr_of(luma: Frame, chroma: Frame) -> Frame:
    """Return pixels in blue, green, red, (h, w, 3), from brightness, (h, w), and Cr and Cb, (h, w, 2)."""
    return np.asarray(cv2.cvtColor(cv2.merge([luma, chroma]), cv2.COLOR_YCrCb2BGR), np.uint8)


def channel_count(frame: CameraFrame) -> int:
    """Return the number of a frame's channels."""
    return 3 if frame.ndim == 3 else 1


def to_array(frame: CameraFrame) -> Frame:
    """Return a frame as pixels, grey or BGR."""
    return to_bgr(frame) if isinstance(frame, Yuv420) else frame


def crop(frame: CameraFrame, box: tuple[int, int, int, int]) -> CameraFrame:
    """Return the part of a frame in a box: left, top, right and bottom, the first two even."""
    left, top, right, bottom = box
    if not isinstance(frame, Yuv420):
        return frame[top:bottom, left:right]
    if left % 2 or top % 2:
        raise ValueError(f"a part of a frame begins at even pixels, got {left}, {top}")
    chroma = frame.chroma[top // 2 : (bottom + 1) // 2, left // 2 : (right + 1) // 2]
    return Yuv420(frame.luma[top:bottom, left:right], chroma)


def grey_crop(frame: CameraFrame, box: tuple[int, int, int, int]) -> Frame:
    """Return the part of a frame in a box in grey, (h, w); raise BadPicture where the frame is none."""
    left, top, right, bottom = box
    return as_grey(without_chroma(frame)[top:bottom, left:right])


def shifted(frame: CameraFrame, x: int, y: int) -> CameraFrame:
    """Return a frame as large as another, of what begins at an even place (x, y) in it; beyond, its edge."""
    if isinstance(frame, Yuv420):
        return Yuv420(_shifted(frame.luma, x, y), _shifted(frame.chroma, x // 2, y // 2))
    return _shifted(frame, x, y)


def _shifted(pixels: Frame, x: int, y: int) -> Frame:
    """Return pixels from (x, y) on."""
    height, width = pixels.shape[:2]
    x, y = int(np.clip(x, 1 - width, width - 1)), int(np.clip(y, 1 - height, height - 1))
    part = pixels[max(0, y) : height + min(0, y), max(0, x) : width + min(0, x)]
    margins = max(0, -y), max(0, y), max(0, -x), max(0, x)
    return np.asarray(cv2.copyMakeBorder(part, *margins, cv2.BORDER_REPLICATE), np.uint8)


def sample(frame: CameraFrame, x: NDArray[np.intp], y: NDArray[np.intp]) -> Frame:
    """Return the pixels in some columns and rows of a frame, (...), or (..., 3) in blue, green, red."""
    if not isinstance(frame, Yuv420):
        flat = frame.reshape(-1, *frame.shape[2:])
        return np.asarray(flat.take(y * frame.shape[1] + x, axis=0))
    luma, chroma = frame.luma[y, x], frame.chroma[y // 2, x // 2]
    if not luma.size:  # OpenCV takes no empty arrays
        return np.zeros((*luma.shape, 3), np.uint8)
    return bgr_of(luma.reshape(1, -1), chroma.reshape(1, -1, 2)).reshape(*luma.shape, 3)


class ImagePyramid:
    """A frame with its halvings, each made when it is first needed: several stages need the same."""

    def __init__(self, frame: CameraFrame) -> None:
        self._levels, self.shape = [frame], frame.shape

    @classmethod
    def of(cls, frame: CameraFrame | ImagePyramid) -> ImagePyramid:
        """Return the pyramid of a frame, or the one that is given."""
        return frame if isinstance(frame, ImagePyramid) else cls(frame)

    def halved(self, times: int) -> Frame:
        """Return the frame halved ``times`` times, as ``halved`` does."""
        while len(self._levels) <= times:
            frame = self._levels[-1]
            height, width = frame.shape[0] // 2, frame.shape[1] // 2
            pixels = without_chroma(frame)[: 2 * height, : 2 * width]
            half = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
            if isinstance(frame, Yuv420):
                half = bgr_of(half, frame.chroma[:height, :width])
            self._levels.append(half)
        self._levels[times] = level = to_array(self._levels[times])
        return level


def halved(frame: CameraFrame | ImagePyramid, times: int) -> Frame:
    """Return a picture halved by area ``times`` times; an odd last row or column is left out."""
    return ImagePyramid.of(frame).halved(times)


def downscaled(frame: CameraFrame, scale: float) -> Frame:
    """Return a frame reduced by ``scale``, averaged by area; unchanged at a scale of 1 or more."""
    if scale >= 1:
        return to_array(frame)
    height, width = frame.shape[:2]
    size = max(1, round(width * scale)), max(1, round(height * scale))
    if isinstance(frame, Yuv420):
        planes = (cv2.resize(one, size, interpolation=cv2.INTER_AREA) for one in (frame.luma, frame.chroma))
        return bgr_of(*(np.asarray(one, np.uint8) for one in planes))
    if min(height, width) * scale < 1:  # a side would become 0
        return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def downscale_to_fit(frame: CameraFrame, most_px: int) -> tuple[Frame, float]:
    """Return a frame whose longer side has at most ``most_px`` pixels, and its scale."""
    scale = min(1.0, most_px / max(frame.shape[:2]))
    return downscaled(frame, scale), scale
