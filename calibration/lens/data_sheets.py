"""Initial intrinsics of a camera: those of common Raspberry Pi cameras from their data sheets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from companion.model.phrases import phrase

Matrix = NDArray[np.float64]

DEFAULT_FOCAL_WIDTHS = 0.85
"""Focal length in picture widths of an unknown camera: between a phone's and a webcam's."""

MAX_FOCAL_DEVIATION = 0.15
"""Largest relative deviation of a measured focal length from the data sheet's, as focusing changes it."""


@dataclass(frozen=True, slots=True)
class CameraSpec:
    """Data sheet of a camera: name, focal length, pixel size, and the sensor's width and height in pixels."""

    name: str
    focal_mm: float
    pixel_um: float
    width: int
    height: int

    def focal_px(self, width: int) -> float:
        """Return the focal length in pixels of a picture of the whole sensor, ``width`` pixels wide."""
        return self.focal_mm * 1000 / self.pixel_um * width / self.width


CAMERAS: Mapping[str, CameraSpec] = MappingProxyType(
    {
        "module-1": CameraSpec("Camera Module 1 (OV5647)", 3.60, 1.4, 2592, 1944),
        "module-2": CameraSpec("Camera Module 2 (IMX219)", 3.04, 1.12, 3280, 2464),
        "module-3": CameraSpec("Camera Module 3 (IMX708)", 4.74, 1.4, 4608, 2592),
        "module-3-wide": CameraSpec("Camera Module 3 Wide (IMX708)", 2.75, 1.4, 4608, 2592),
        "hq-6mm": CameraSpec("High Quality Camera (IMX477) with the 6 mm lens", 6.0, 1.55, 4056, 3040),
        "gs-6mm": CameraSpec("Global Shutter Camera (IMX296) with the 6 mm lens", 6.0, 3.45, 1456, 1088),
    }
)
"""From the Raspberry Pi documentation, "About the Camera Modules"; 6 mm is its CS lens."""


def initial_matrix(size: tuple[int, int], name: str | None = None) -> Matrix:
    """Return the camera matrix of a data sheet, (3, 3), for pictures of ``size`` pixels.

    ``name`` is one of ``CAMERAS``, ``None`` for an unknown camera.
    """
    width, height = size
    focal = CAMERAS[name].focal_px(width) if name else DEFAULT_FOCAL_WIDTHS * max(size)
    return np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])


def focal_warning(focal_px: float, width: int, name: str | None) -> str:
    """Return a warning where a measured focal length differs from the data sheet's, else an empty text."""
    if name is None:
        return ""
    expected = CAMERAS[name].focal_px(width)
    if abs(focal_px - expected) <= MAX_FOCAL_DEVIATION * expected:
        return ""
    return phrase(
        "a focal length of %(focal)s px was found, the data sheet of %(camera)s has %(expected)s: is it that "
        "camera, and do its pictures show the whole sensor?",
        focal=round(focal_px),
        camera=CAMERAS[name].name,
        expected=round(expected),
    )
