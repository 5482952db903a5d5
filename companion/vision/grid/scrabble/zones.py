"""Flat four-sided zones of a picture: cells, premium squares, faces of tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.grid.homography import Points

Picture = NDArray[np.uint8]

LEAST_AREA_PX = 36
MOST_ZONES = 900
_SQUARE = np.ones((3, 3), np.uint8)
_BORDER_PX = 3.0  # what smoothing and the 3x3 gradient take off a zone's width


@dataclass(frozen=True, slots=True, eq=False)
class Zones:
    """Flat zones, about four-sided and no more than twice as long as wide.

    Parameters
    ----------
    centres
        Centres of mass in pixels, shape (n, 2), x then y.
    sides
        The smallest rectangle's two sides, shape (n, 2, 2), as column
        vectors in pixels, the second a quarter turn clockwise on screen
        from the first.
    areas
        Square pixels, shape (n,).
    """

    centres: Points
    sides: NDArray[np.float64]
    areas: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.areas)

    def and_also(self, other: Zones) -> Zones:
        """Return the zones of both, the first ones at most ``MOST_ZONES``."""
        pairs = ((self.centres, other.centres), (self.sides, other.sides), (self.areas, other.areas))
        return Zones(*(np.concatenate(pair)[:MOST_ZONES] for pair in pairs))


NO_ZONES = Zones(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0))


def contrast(picture: Picture) -> Picture:
    """Return how much the strongest channel changes within a pixel's neighbours, shape (h, w)."""
    smooth = cv2.GaussianBlur(picture, (3, 3), 0)
    change = cv2.morphologyEx(smooth, cv2.MORPH_GRADIENT, _SQUARE)
    if change.ndim == 3:
        blue, green, red = cv2.split(change)
        change = cv2.max(cv2.max(blue, green), red)
    return np.asarray(change, dtype=np.uint8)


def flat_zones(change: Picture, threshold: int) -> Zones:
    """Return the zones in which the contrast stays at or below a threshold, 0 to 255, the largest first."""
    _, flat = cv2.threshold(change, threshold, 255, cv2.THRESH_BINARY_INV)
    flat = cv2.morphologyEx(flat, cv2.MORPH_OPEN, _SQUARE)
    outlines, _ = cv2.findContours(flat, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    most_area = change.size / 200
    found = [zone for line in outlines if len(line) >= 4 and (zone := _zone(line, most_area)) is not None]
    if not found:
        return NO_ZONES
    table = np.array(sorted(found, key=lambda zone: -zone[-1])[:MOST_ZONES])
    return Zones(table[:, :2], table[:, 2:6].reshape(-1, 2, 2), table[:, 6])


def _zone(outline: NDArray[Any], most_area: float) -> tuple[float, ...] | None:
    """Return centre, side matrix and area of an outline, or ``None`` for a hole or an odd shape."""
    inner = -cv2.contourArea(outline, oriented=True)  # holes run the other way round
    if not LEAST_AREA_PX <= inner <= most_area:
        return None
    _, (width, height), turn_deg = cv2.minAreaRect(outline)
    if max(width, height) > 2.0 * min(width, height) + 2.0 or inner < 0.62 * width * height:
        return None
    moments = cv2.moments(outline)
    width, height = width + _BORDER_PX, height + _BORDER_PX
    cos, sin = np.cos(np.deg2rad(turn_deg)), np.sin(np.deg2rad(turn_deg))
    filled = inner + cv2.arcLength(outline, closed=True) * _BORDER_PX / 2
    return (
        moments["m10"] / moments["m00"],
        moments["m01"] / moments["m00"],
        width * cos,
        -height * sin,
        width * sin,
        height * cos,
        filled,
    )
