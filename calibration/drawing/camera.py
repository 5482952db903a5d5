"""The drawn camera: from the table to pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera over the table, with radial distortion and a stretch.

    ``matrix`` is the 3x4 projection of points (x, y, z) in tile sides, x to the
    right, y towards the viewer, z up; ``middle`` the picture's middle in pixels;
    ``distortion`` the radial distortion at one half diagonal; ``stretch`` scales x and
    y afterwards.
    """

    matrix: Array
    middle: tuple[float, float]
    half_diagonal: float
    distortion: float
    stretch: tuple[float, float]

    def pixels(self, points: Array) -> Array:
        """Return the pixels of points, shape (..., 3) in tile sides to (..., 2)."""
        seen = points @ self.matrix[:, :3].T + self.matrix[:, 3]
        away = seen[..., :2] / seen[..., 2:] - self.middle
        r2 = (away**2).sum(-1, keepdims=True) / self.half_diagonal**2
        return np.asarray((self.middle + away * (1 + self.distortion * r2)) * self.stretch)

    def places(self, pixels: Array) -> Array:
        """Return the places on the table, z = 0, that pixels show, shape (..., 2) to
        (..., 2) in tile sides.
        """
        bent = pixels / self.stretch - self.middle
        far = np.maximum(np.hypot(bent[..., 0], bent[..., 1]), 1e-9) / self.half_diagonal
        straight = far
        for _ in range(8):  # Newton, on: straight (1 + bend straight²) = far
            over = straight * (1 + self.distortion * straight**2) - far
            straight = straight - over / (1 + 3 * self.distortion * straight**2)
        seen = self.middle + bent * (straight / far)[..., None]
        back = np.linalg.inv(self.matrix[:, [0, 1, 3]])
        flat = seen @ back[:, :2].T + back[:, 2]
        return np.asarray(flat[..., :2] / flat[..., 2:])

    @property
    def foot(self) -> Array:
        """The place of the table straight below the camera, (2,) in tile sides."""
        return np.asarray(-np.linalg.solve(self.matrix[:, :3], self.matrix[:, 3])[:2])


@dataclass(frozen=True, slots=True)
class View:
    """The view of a camera: sizes in pixels, angles in degrees, ``focal`` length in picture widths.

    ``tile_px`` is the side of a tile in the middle; ``tilt_deg`` the tilt from straight down, ``turn_deg``
    the rotation about the vertical; ``distortion`` and ``stretch`` as for ``Camera``.
    """

    width: int
    height: int
    tile_px: float
    tilt_deg: float
    turn_deg: float
    distortion: float = 0.0
    stretch: tuple[float, float] = (1.0, 1.0)
    focal: float = 1.3


def camera(view: View) -> Camera:
    """Return a camera whose middle sees (0, 0) of the table at ``tile_px`` pixels a tile side."""
    width, height = view.width / view.stretch[0], view.height / view.stretch[1]
    f = view.focal * width
    distance = f / view.tile_px
    a, b = np.radians(view.tilt_deg), np.radians(view.turn_deg)
    turn = np.array([[np.cos(b), -np.sin(b), 0], [np.sin(b), np.cos(b), 0], [0, 0, 1]])
    tilt = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    flip = np.diag([1.0, 1.0, -1.0])  # z is up on the table and away from the camera in its own frame
    inside = np.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1]])
    matrix = inside @ np.column_stack([tilt @ flip @ turn, [0, 0, distance]])
    half_diagonal = float(np.hypot(width, height) / 2)
    return Camera(matrix, (width / 2, height / 2), half_diagonal, view.distortion, view.stretch)
