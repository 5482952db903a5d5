"""Painting on a grey picture.

A picture is float32, shape (h, w), 0 black to 255 white; the middle of a pixel has whole coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.rng import Rng

Picture = NDArray[np.float32]
Cover = NDArray[np.uint8]
"""The coverage of each pixel, shape (h, w), 0 to 255."""
Points = NDArray[np.float64]
"""Places in pixels, x then y, shape (n, 2)."""

UNIT_SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
"""Corners of a square of side 1 about its centre, clockwise from the top left."""


class Box(NamedTuple):
    """A part of a picture, in pixels; right and bottom lie just outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.right - self.left, self.bottom - self.top

    def of(self, picture: Picture) -> Picture:
        """Return that part of a picture as a view that can be painted on."""
        return picture[self.top : self.bottom, self.left : self.right]


def box_around(points: Points, picture: Picture) -> Box | None:
    """Return the bounding box of points within a picture, with a margin of a pixel;
    ``None`` if it is empty.
    """
    left, top = (max(0, int(v) - 1) for v in np.floor(points.min(0)))
    right, bottom = (
        min(most, int(v) + 2) for most, v in zip(picture.shape[::-1], np.ceil(points.max(0)), strict=True)
    )
    return Box(left, top, right, bottom) if right > left and bottom > top else None


def as_shares(cover: Cover) -> Picture:
    """Return the coverage as shares, 0 to 1, float32."""
    return cover.astype(np.float32) * np.float32(1 / 255)


def polygon_coverage(points: Points, box: Box) -> Picture:
    """Return the coverage of each pixel of a box by a convex polygon, 0 to 1.

    It is computed from the distance to the nearest edge: exact along edges, slightly rounded at corners.
    """
    near, far = points - box[:2], np.roll(points, -1, 0) - box[:2]
    (right, down), length = (far - near).T, np.hypot(*(far - near).T)
    sign = np.copysign(1, (near[:, 0] * far[:, 1] - near[:, 1] * far[:, 0]).sum()) / np.maximum(length, 1e-9)
    x, y = (np.arange(size, dtype=np.float32) for size in box.size)
    across = (-sign * down)[:, None] * (x - near[:, :1]) + 0.5
    along = (sign * right)[:, None] * (y - near[:, 1:])
    depth = along.astype(np.float32)[:, :, None] + across.astype(np.float32)[:, None]
    return np.asarray(np.clip(depth.min(0), 0, 1), np.float32)


def polygon(picture: Picture, points: Points, shade: float) -> None:
    """Fill a convex outline with a shade, with smooth edges."""
    if box := box_around(points, picture):
        area = box.of(picture)
        area += (shade - area) * polygon_coverage(points, box)


def disc(picture: Picture, centre: Points, radius: float, shade: float) -> None:
    """Fill a circle with a shade, with smooth edges; ``centre`` is (2,)."""
    if box := box_around(centre + radius * np.array([[-1, -1], [1, 1]]), picture):
        x, y = np.arange(box.left, box.right) - centre[0], np.arange(box.top, box.bottom) - centre[1]
        cover = np.clip(radius + 0.5 - np.hypot(x[None], y[:, None]), 0, 1)
        area = box.of(picture)
        area += (shade - area) * cover.astype(np.float32)


def hull(points: Points) -> Points:
    """Return the convex outline of points."""
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float64)


def paste(
    picture: Picture, sheet: Picture, at: tuple[float, float], size: tuple[float, float], turn: float
) -> None:
    """Paste a sheet centred ``at``, of a ``size`` in pixels, turned clockwise by ``turn`` radians."""
    sheet = shrunk_by(sheet, min(sheet.shape[1] / size[0], sheet.shape[0] / size[1]))
    height, width = sheet.shape
    c, s = np.cos(turn), np.sin(turn)
    sides = np.array([[c, -s], [s, c]]) * size
    corner = np.array(at) - sides.sum(1) / 2
    corners = corner + np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) @ sides.T
    if box := box_around(corners, picture):
        matrix = np.column_stack([sides / (width, height), corner - box[:2]])
        drawn = cv2.warpAffine(sheet, matrix, box.size, borderMode=cv2.BORDER_REPLICATE)
        cover = cv2.warpAffine(np.ones_like(sheet), matrix, box.size)
        area = box.of(picture)
        area += (drawn - area) * cover


def shrunk_by(picture: Picture, times: float) -> Picture:
    """Return a picture shrunk by the whole part of ``times``, by area averaging, so that warping does not
    alias.
    """
    if (whole := int(times)) < 2:
        return picture
    size = max(1, picture.shape[1] // whole), max(1, picture.shape[0] // whole)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)


def resized(picture: Picture, width: int, height: int, how: int = cv2.INTER_LINEAR) -> Picture:
    """Return a picture resized to a width and height, float32."""
    return np.asarray(cv2.resize(picture, (width, height), interpolation=how), np.float32)


def blurred(picture: Picture | Cover, sigma: float) -> Picture:
    """Return a picture blurred by a Gaussian of ``sigma`` pixels, float32.

    A wide blur is computed on a copy shrunk by ``times``; shrinking and enlarging add a blur with a sigma of
    half of ``times``, which is subtracted in squares.
    """
    times = max(1, int(sigma / 2))
    height, width = picture.shape
    small = shrunk_by(np.asarray(picture, np.float32), times)
    blur = np.sqrt(sigma**2 - times**2 / 4) / times if times > 1 else sigma
    soft = np.asarray(cv2.GaussianBlur(small, (0, 0), float(blur)), np.float32)
    return soft if times == 1 else resized(soft, width, height)


def smooth_noise(rng: Rng, width: int, height: int, cell_x: float, cell_y: float) -> Picture:
    """Return smooth noise with unit standard deviation whose grains are ``cell_x`` by ``cell_y`` pixels."""
    across, down = max(2, int(width / cell_x) + 2), max(2, int(height / cell_y) + 2)
    grains = rng.standard_normal((min(down, 2 * height), min(across, 2 * width)), np.float32)
    return resized(grains, width, height, cv2.INTER_CUBIC)
