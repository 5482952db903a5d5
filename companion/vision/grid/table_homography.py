"""From the picture to the table and back, as a camera's profile tells it.

Points are (x, y), shape (n, 2), float64: pixels of the upright picture, or
millimetres of the table's frame.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadProfile
from companion.model.profile import Lens, Profile, TableMap
from companion.vision.detector.perspective import TILE_PX, RectifiedView, ScaleField, TileSize, scale_form
from companion.vision.grid.projective import area_scales, depths

Points = NDArray[np.float64]
Matrix = NDArray[np.float64]

CLOSELY = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 40, 1e-4)
"""How long the bend of a lens is undone: until it is right to so many pixels, step by step."""


def undistorted(points: Points, lens: Lens | None) -> Points:
    """Return pixels as a lens without bend would show them; the same where no lens is known."""
    if lens is None or not len(points):
        return points
    matrix, bend = matrices(lens)
    if lens.model == "fisheye":
        straight = cv2.fisheye.undistortPoints(points.reshape(-1, 1, 2), matrix, bend, P=matrix)
    else:
        straight = cv2.undistortPoints(points.reshape(-1, 1, 2), matrix, bend, P=matrix, criteria=CLOSELY)
    return np.asarray(straight, np.float64).reshape(-1, 2)


def distorted(points: Points, lens: Lens | None) -> Points:
    """Return where a lens shows what one without bend would show at some pixels."""
    if lens is None or not len(points):
        return points
    matrix, bend = matrices(lens)
    ways = (points - matrix[:2, 2]) / np.diag(matrix)[:2]
    if lens.model == "fisheye":
        bent = cv2.fisheye.distortPoints(ways.reshape(-1, 1, 2), matrix, bend)
    else:
        space = np.column_stack([ways, np.ones(len(ways))])
        bent, _ = cv2.projectPoints(space, np.zeros(3), np.zeros(3), matrix, bend)
    return np.asarray(bent, np.float64).reshape(-1, 2)


def matrices(lens: Lens) -> tuple[Matrix, Matrix]:
    """Return a lens's matrix, (3, 3), and its distortion, (n,)."""
    return np.array(lens.matrix).reshape(3, 3), np.array(lens.distortion)


def to_table(pixels: Points, profile: Profile) -> Points:
    """Return where on the table pixels lie, in millimetres; raise BadProfile where no table is known."""
    return through(homography(profile), undistorted(pixels, profile.lens))


def to_picture(places: Points, profile: Profile) -> Points:
    """Return the pixels that places of the table are seen at; raise BadProfile where no table is known."""
    back = np.asarray(np.linalg.inv(homography(profile)), np.float64)
    return distorted(through(back, places), profile.lens)


def homography(profile: Profile) -> Matrix:
    """Return what leads from undistorted pixels to millimetres, (3, 3)."""
    return np.array(known_table(profile).homography).reshape(3, 3)


def known_tile_size(profile: Profile | None) -> TileSize | None:
    """Return how large tiles are in a camera's pictures, ``None`` where no profile tells.

    The table is rectified where its near tiles look far larger than its far ones.
    """
    if profile is None or profile.tile_px is None:
        return None
    if profile.table is None:
        return profile.tile_px
    size = profile.camera.width, profile.camera.height
    matrix, table = homography(profile), profile.table
    middle = to_picture(np.array([[table.width_mm, table.height_mm]]) / 2, profile)
    tile_mm = profile.tile_px * float(np.sqrt(np.abs(area_scales(matrix, middle)[0])))
    scaled = np.diag([TILE_PX / tile_mm, TILE_PX / tile_mm, 1.0]) @ matrix / depths(matrix, middle)[0]
    field = ScaleField(scale_form(scaled, TILE_PX), middle[0], np.zeros((3, 3)))
    return RectifiedView.whole(scaled, size, TILE_PX) if field.spans(size) else profile.tile_px


def known_table(profile: Profile) -> TableMap:
    """Return the table that a profile knows, or raise BadProfile."""
    if profile.table is None:
        raise BadProfile("the profile knows no table yet: companion calibrate table finds it in a picture")
    return profile.table


def through(matrix: Matrix, points: Points) -> Points:
    """Return points led through a homography, (3, 3)."""
    seen = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(seen[:, :2] / seen[:, 2:])
