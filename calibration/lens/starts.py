"""Common Raspberry Pi cameras by their data sheets: where the search for a lens begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

UNKNOWN = 0.85
"""Focal length in picture widths of a camera that nobody told of: between a phone's and a webcam's."""

FAR_OFF = 0.15
"""Share by which a measured focal length may differ from the data sheet's: a lens is focused by moving it."""


@dataclass(frozen=True, slots=True)
class Start:
    """A camera by its data sheet: focal length, pixels' size, and sensor's width and height in pixels."""

    says: str
    focal_mm: float
    pixel_um: float
    width: int
    height: int

    def focal_px(self, width: int) -> float:
        """Return the focal length in pixels of a picture of the whole sensor, ``width`` pixels wide."""
        return self.focal_mm * 1000 / self.pixel_um * width / self.width


STARTS: Mapping[str, Start] = MappingProxyType(
    {
        "module-1": Start("Camera Module 1 (OV5647)", 3.60, 1.4, 2592, 1944),
        "module-2": Start("Camera Module 2 (IMX219)", 3.04, 1.12, 3280, 2464),
        "module-3": Start("Camera Module 3 (IMX708)", 4.74, 1.4, 4608, 2592),
        "module-3-wide": Start("Camera Module 3 Wide (IMX708)", 2.75, 1.4, 4608, 2592),
        "hq-6mm": Start("High Quality Camera (IMX477) with the 6 mm lens", 6.0, 1.55, 4056, 3040),
        "gs-6mm": Start("Global Shutter Camera (IMX296) with the 6 mm lens", 6.0, 3.45, 1456, 1088),
    }
)
"""From the Raspberry Pi documentation, "About the Camera Modules"; 6 mm is the CS lens that it sells."""


def starting_matrix(size: tuple[int, int], name: str | None = None) -> Matrix:
    """Return a camera's matrix, (3, 3), as its data sheet has it, for pictures of ``size`` pixels.

    ``name`` is one of ``STARTS``; None for a camera that nobody told of.
    """
    width, height = size
    focal = STARTS[name].focal_px(width) if name else UNKNOWN * max(size)
    return np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])


def strange_focal(focal_px: float, width: int, name: str | None) -> str:
    """Return what is strange about a measured focal length beside the data sheet's, or nothing."""
    if name is None:
        return ""
    expected = STARTS[name].focal_px(width)
    if abs(focal_px - expected) <= FAR_OFF * expected:
        return ""
    return (
        f"a focal length of {focal_px:.0f} px was found, the data sheet of {STARTS[name].says} has "
        f"{expected:.0f}: is it that camera, and do its pictures show the whole sensor?"
    )
