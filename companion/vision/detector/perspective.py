"""Perspective: the size of tiles at each place of a picture, and the rectified table.

A homography from a plane changes areas by the cube of a linear form, the horizon's, so the cube root of a
tile's area is an affine function of its place in the picture (Hartley and Zisserman, Multiple View
Geometry, 2.7 and 8.6).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.profile import Profile
from companion.vision.camera_frame import CameraFrame, Frame, ImagePyramid
from companion.vision.detector.detections import (
    MAX_SIDE_RATIO,
    MIN_SIDE_RATIO,
    MIN_TILES_FOR_SLOPES,
    Detections,
    weighted_median,
)
from companion.vision.grid.homography import (
    Matrix3,
    affine_homography,
    depths,
    inverse,
    magnification,
    project,
    shift_homography,
    table_homography,
    to_picture,
    zoom_homography,
)

Floats = NDArray[np.float64]
Size = tuple[int, int]
"""Width and height in pixels."""

SIDE_EXPONENT = 1.5
"""Exponent of the cube root of a tile's area that gives its side."""
OUTLIER_SCALES = (0.3, 0.2, 0.12, 0.08, 0.08, 0.08)
"""Largest relative error of a side that is no outlier, for each iteration of the fit."""
SLOPE_RIDGE = np.diag([0.0, 1e-9, 1e-9])
"""Ridge penalty that keeps the fit level across tiles in one row."""
CONFIDENCE_SIGMAS = 2.0
"""Half width of a 95 % confidence interval, in standard errors."""
MIN_TILE_PX = 12.0
"""Side of the smallest tiles that are read, in pixels: rectified views end where tiles are smaller."""
TILE_PX = 40.0
"""Side of a tile in a rectified view, in pixels: a little more than in the closest crops."""
MAX_VIEW_PIXELS = 24_000_000
"""Most pixels of a rectified view: it bounds the cost of a low horizon."""
MAX_ENLARGEMENT = 1.1
"""Largest enlargement of tiles in a rectified view that would exceed that number of pixels."""
PATCH_PX = 256
"""Side of the patches of which a rectified view is made, in pixels, each made from a sufficiently halved
picture.
"""
MAX_FORESHORTENING = 1.15
"""Ratio of a tile's longer axis to its shorter one above which a table is rectified: tilted by 30 degrees."""
SQUARING_STEPS = 3
"""Number of steps in which the tiles of a view are made squares."""
NO_VIEW_SIZE = (1, 1)
"""Size of a view in which no tile can be read, in pixels."""
MAX_DOWNSAMPLING = 1.5
"""Largest ratio of the picture's to the view's resolution that interpolation takes without aliasing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Likely tiles, and the weight of each as evidence of tiles of its size, ``weights`` (n,), 0 to 1."""

    detections: Detections
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, detections: Detections, chance: NDArray[np.float64]) -> Evidence:
        """Return the evidence of likely tiles among detections with the probabilities ``chance``, (n,)."""
        weights = np.asarray(np.maximum(0, 2 * detections.scores * chance - 1))
        return cls(detections.kept(weights > 0), weights[weights > 0])

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @property
    def side(self) -> float:
        """Weighted median of the sides, in pixels."""
        return float(weighted_median(self.detections.sides, self.weights))

    @property
    def foreshortening(self) -> float:
        """Weighted median of the ratio of the longer to the shorter axis of the shapes."""
        return float(weighted_median(self.detections.foreshortenings(), self.weights))


@dataclass(frozen=True, slots=True)
class ScaleField:
    """The side of a tile at each place of a picture: ``(a + b x + c y) ** 1.5`` pixels, x and y in pixels.

    ``form`` is (a, b, c); ``middle`` (2,) the approximate centre of the tiles; ``covariance`` (3, 3) that of
    the form, with x and y relative to ``middle``.
    """

    form: Floats
    middle: Floats
    covariance: Floats

    @classmethod
    def fitted(cls, evidence: Evidence) -> ScaleField:
        """Return the robust least-squares fit; a constant where there are few tiles."""
        detections, weights = evidence.detections, evidence.weights
        root = detections.sides ** (1 / SIDE_EXPONENT)
        middle, usual = weighted_median(detections.centres, weights), float(weighted_median(root, weights))
        if len(detections) < MIN_TILES_FOR_SLOPES:
            return cls(np.array([usual, 0.0, 0.0]), middle, np.zeros((3, 3)))
        spread = float(max(np.abs(detections.centres - middle).max(), 1.0))
        base = np.column_stack([np.ones(len(detections)), (detections.centres - middle) / spread])
        w, off, inner = weights, root - usual, SLOPE_RIDGE
        for share in OUTLIER_SCALES:
            w = weights / (1 + (off / (share * usual)) ** 2)
            inner = np.linalg.inv(base.T @ (base * w[:, None]) + SLOPE_RIDGE)
            off = root - base @ inner @ base.T @ (root * w)
        variance = float(w @ off**2) / max(float(w.sum() / w.max()) - 3, 1.0)
        scale = np.diag([1.0, 1 / spread, 1 / spread])
        form = scale @ inner @ base.T @ (root * w)
        form[0] -= form[1:] @ middle
        return cls(form, middle, scale @ inner @ scale * variance)

    def sides(self, points: Floats) -> Floats:
        """Return the side of a tile at points, (n, 2), in pixels, (n,); 0 beyond the horizon."""
        return np.asarray(np.maximum(self.form[0] + points @ self.form[1:], 0.0) ** SIDE_EXPONENT)

    def spans(self, size: Size, sigmas: float = 0.0) -> bool:
        """Return whether a picture shows tiles too different in size for one scale.

        It may, within ``sigmas`` standard errors of the fit, or surely does, where these are negative.
        """
        usual = float(self.sides(self.middle[None])[0])
        low, high = self.extremes(size, sigmas)
        return low < MIN_SIDE_RATIO * usual or high > MAX_SIDE_RATIO * usual

    def extremes(self, size: Size, sigmas: float) -> tuple[float, float]:
        """Return the least and the largest side of a tile in a picture, in pixels.

        Each lies ``sigmas`` standard errors of the fit outside the fitted one.
        """
        corners = corners_of(size)
        base = np.column_stack([np.ones(4), corners - self.middle])
        error = sigmas * np.sqrt(np.einsum("ni,ij,nj->n", base, self.covariance, base))
        root = self.form[0] + corners @ self.form[1:]
        low, high = (np.maximum(root + way * error, 0.0) ** SIDE_EXPONENT for way in (-1, 1))
        return float(low.min()), float(high.max())


@dataclass(frozen=True, slots=True)
class RectifiedView:
    """A view of a table from above, in which all tiles are squares of one size.

    ``homography`` is from the picture's pixels to the view's; ``size`` is the view's width and height.
    """

    homography: Matrix3
    size: Size

    @property
    def shows_tiles(self) -> bool:
        """Whether tiles are large enough to be read anywhere in the view."""
        return self.size != NO_VIEW_SIZE

    @classmethod
    def of(cls, field: ScaleField, evidence: Evidence, size: Size, tile_px: float) -> RectifiedView:
        """Return the view in which the detected tiles are squares ``tile_px`` wide.

        The picture's width and height are ``size``.
        """
        middle, form = field.middle, field.form
        matrix = shift_homography(-middle)  # about the tiles: a corner beyond the horizon would mirror them
        matrix[2] = [*form[1:], form[0]] / (form[0] + middle @ form[1:])
        for _ in range(SQUARING_STEPS):  # medians of squares are right, those of foreshortened shapes nearly
            shapes = warp_detections(evidence.detections, matrix).shapes
            usual = weighted_median(shapes, evidence.weights)
            matrix = affine_homography(tile_px * np.linalg.inv(usual)) @ matrix
        return cls.whole(matrix, size, tile_px)

    @classmethod
    def whole(cls, homography: Matrix3, size: Size, tile_px: float) -> RectifiedView:
        """Return the view of the whole part of a picture in which tiles are large enough to be read.

        ``homography`` makes tiles ``tile_px`` wide; the picture's width and height are ``size``.  Where they
        are large enough nowhere, the view is of one pixel.
        """
        least = MIN_TILE_PX
        while True:
            large = clip_horizon(corners_of(size), scale_form(homography, tile_px), least)
            if not len(large):
                return cls(homography, NO_VIEW_SIZE)
            view = cls.enclosing(homography, project(homography, large))
            if view.size[0] * view.size[1] <= MAX_VIEW_PIXELS * (tile_px / TILE_PX) ** 2:
                return view
            least *= MAX_ENLARGEMENT

    @classmethod
    def enclosing(cls, homography: Matrix3, places: Floats) -> RectifiedView:
        """Return the smallest view by a homography, but for a shift, of places in its view, (n, 2)."""
        low = np.floor(places.min(0))
        wide, high = (np.ceil(places.max(0)) - low + 1).astype(int).tolist()
        return cls(shift_homography(-low) @ homography, (wide, high))

    @classmethod
    def tilted(cls, direction: float, size: Size) -> RectifiedView:
        """Return a picture seen with the tilt undone that halves lengths across a direction, in radians.

        Areas stay the same.
        """
        along = np.array([np.cos(direction), np.sin(direction)])
        matrix = affine_homography(np.eye(2) * 2**0.5 - np.outer(along, along) * 2**-0.5)
        return cls.enclosing(matrix, project(matrix, corners_of(size)))

    def part(self, points: Floats, margin: float) -> RectifiedView:
        """Return the part of the view around points of the picture, (n, 2), with a ``margin`` in pixels."""
        seen = project(self.homography, points)
        ends = np.clip([seen.min(0) - margin, seen.max(0) + margin], 0, np.array(self.size) - 1)
        return RectifiedView.enclosing(self.homography, ends)

    def larger(self, times: float) -> RectifiedView:
        """Return the view enlarged by ``times``."""
        wide, high = (round(side * times) for side in self.size)
        return RectifiedView(zoom_homography(times) @ self.homography, (wide, high))

    def of_part(self, corner: NDArray[np.int_], size: Size) -> RectifiedView:
        """Return the view of a part of the picture, whose top left pixel is ``corner``."""
        return RectifiedView.whole(self.homography @ shift_homography(corner), size, TILE_PX)

    @property
    def middle_side(self) -> float:
        """The side of a tile in the middle of the view, in the picture's pixels."""
        return TILE_PX * magnification(inverse(self.homography), (np.array(self.size) - 1) / 2)

    def largest_side(self, points: Floats) -> float:
        """Return the largest side of tiles at points of the picture, (n, 2), in its pixels."""
        form = scale_form(self.homography, TILE_PX)
        return float(np.maximum(form[0] + points @ form[1:], 0.0).max() ** SIDE_EXPONENT)

    def rectify(self, frame: CameraFrame | ImagePyramid) -> Frame:
        """Return the view of a frame; parts that shrink much are averaged by area first."""
        levels = ImagePyramid.of(frame)
        out = np.zeros((*self.size[::-1], *frame.shape[2:]), np.uint8)
        back = inverse(self.homography)
        for left, top in product(range(0, self.size[0], PATCH_PX), range(0, self.size[1], PATCH_PX)):
            patch = out[top : top + PATCH_PX, left : left + PATCH_PX]
            high, wide = patch.shape[:2]
            finer = magnification(back, np.array([left + wide / 2, top + high / 2]))
            times = int(np.log2(np.clip(2 * finer / MAX_DOWNSAMPLING, 1, min(frame.shape[:2]) / 8)))
            way = shift_homography((-left, -top)) @ self.homography @ zoom_homography(2**times)
            cv2.warpPerspective(
                levels.halved(times), way, (wide, high), dst=patch, borderMode=cv2.BORDER_REPLICATE
            )
        return out

    def to_view(self, detections: Detections) -> Detections:
        """Return detections in the picture as detections in the view."""
        return warp_detections(detections, self.homography)

    def to_picture(self, detections: Detections) -> Detections:
        """Return detections in the view as detections in the picture."""
        return warp_detections(detections, inverse(self.homography))


TileSize = float | RectifiedView
"""Width of a tile everywhere in a picture, in pixels, or the rectified view of its table."""


def corners_of(size: Size) -> Floats:
    """Return the corners of a picture, clockwise, (4, 2)."""
    return np.asarray(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * (np.array(size, float) - 1))


def scale_form(homography: Matrix3, tile_px: float) -> Floats:
    """Return the form of the scale field, (3,), for a homography that makes tiles ``tile_px`` wide."""
    share = (tile_px / abs(float(np.linalg.det(homography))) ** 0.5) ** (1 / SIDE_EXPONENT)
    return np.asarray(np.array([homography[2, 2], homography[2, 0], homography[2, 1]]) * share)


def clip_horizon(outline: Floats, form: Floats, least: float) -> Floats:
    """Return the part of a convex outline, (n, 2), in which a tile's side is at least ``least`` pixels.

    ``form`` is that of the scale field.
    """
    over = form[0] + outline @ form[1:] - least ** (1 / SIDE_EXPONENT)
    corners = []
    for k, (last, this) in enumerate(zip(np.roll(over, 1), over, strict=True)):
        if (last < 0) != (this < 0):
            corners.append(outline[k - 1] + (outline[k] - outline[k - 1]) * last / (last - this))
        if this >= 0:
            corners.append(outline[k])
    return np.array(corners)


def warp_detections(detections: Detections, homography: Matrix3) -> Detections:
    """Return detections mapped by a homography, each by its local affine approximation."""
    centres = project(homography, detections.centres)
    depth = depths(homography, detections.centres)[:, None, None]
    slopes = (homography[:2, :2] - centres[..., None] * homography[2, :2]) / depth
    return Detections.of(centres, slopes @ detections.vectors(), detections.scores)


def known_tile_size(profile: Profile | None) -> TileSize | None:
    """Return the size of tiles in a camera's pictures, ``None`` without its profile.

    The table is rectified where its near tiles are far larger in the picture than its far ones.
    """
    if profile is None or profile.tile_px is None:
        return None
    if profile.table is None:
        return profile.tile_px
    size = profile.camera.width, profile.camera.height
    matrix, table = table_homography(profile), profile.table
    (middle,) = to_picture(np.array([[table.width_mm, table.height_mm]]) / 2, profile)
    tile_mm = profile.tile_px * magnification(matrix, middle)
    scaled = affine_homography(TILE_PX / tile_mm * np.eye(2)) @ matrix / depths(matrix, middle)
    field = ScaleField(scale_form(scaled, TILE_PX), middle, np.zeros((3, 3)))
    if not field.spans(size):
        return profile.tile_px
    view = RectifiedView.whole(scaled, size, TILE_PX)
    return view if view.shows_tiles else profile.tile_px
