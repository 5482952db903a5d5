"""Photometric measurements of a tile's face: brightness, contrast, saturation, sharpness."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.markers import mean_side
from companion.vision.camera_frame import Frame

Points = NDArray[np.float64]

FACE_SIDE_RANGE_PX = (16, 96)
"""Least and greatest side of a rectified face, in pixels."""

RIM_SHARE = 0.12
"""Share of a side that is left out at each edge: bevels and neighbours."""

FACE_PERCENTILE, INK_PERCENTILE = 80, 3
"""Percentiles of a face's pixels that give the brightness of its paper and of its ink."""

MIN_SATURATED_GREY = 252
"""Grey level from which a pixel counts as saturated."""

MIN_EDGE_CONTRAST_GREY = 25.0
"""Least contrast in grey levels between face and letter at which edges are measured."""

NOISE_BLUR_SIGMA_PX = 0.8
"""Sigma of the blur that suppresses noise, in pixels; it is subtracted from the result."""

SECOND_BLUR_SIGMA_SHARE = 0.05
"""Sigma of the second blur, as a share of the face."""

STEEPEST_PIXEL_SHARE = 0.01
"""Share of a face's pixels that count as its steepest edges."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceMeasurement:
    """The light on a tile, measured on its face.

    ``side_px`` is its mean side; ``face`` and ``ink`` the grey levels of its paper and letter; ``saturated``
    the share of its pixels that are saturated; ``edge_width`` the 20-80 % width of its letter's edges in tile
    sides, NaN without a letter.
    """

    quad: Points
    side_px: float
    face: float
    ink: float
    saturated: float
    edge_width: float


def measure_face(grey: Frame, quad: Points) -> FaceMeasurement:
    """Return the measurement of a tile, its corners (4, 2) in pixels, in a grey picture, (h, w)."""
    side_px = mean_side(quad)
    side = int(np.clip(round(side_px), *FACE_SIDE_RANGE_PX))
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * side - np.float32(0.5)
    into = cv2.getPerspectiveTransform(flat, quad.astype(np.float32))
    how = cv2.INTER_LINEAR + cv2.WARP_INVERSE_MAP
    seen = cv2.warpPerspective(grey, into, (side, side), flags=how, borderMode=cv2.BORDER_REPLICATE)
    rim = max(1, round(RIM_SHARE * side))
    inner = np.asarray(seen[rim:-rim, rim:-rim], np.float32)
    face, ink = np.percentile(inner, (FACE_PERCENTILE, INK_PERCENTILE))
    burnt = float((inner >= MIN_SATURATED_GREY).mean())
    return FaceMeasurement(
        quad, side_px, float(face), float(ink), burnt, edge_width(inner, float(face - ink)) / side
    )


def edge_width(face: NDArray[np.float32], contrast: float) -> float:
    """Return the 20-80 % width of the edges in a face, 1.68 sigma, in pixels; NaN without edges."""
    if contrast < MIN_EDGE_CONTRAST_GREY:
        return float("nan")
    _, sigma = edge_blur(face, max(1.0, SECOND_BLUR_SIGMA_SHARE * len(face)), STEEPEST_PIXEL_SHARE)
    return 1.68 * sigma


def edge_blur(picture: NDArray[np.float32], more_px: float, share: float) -> tuple[float, float]:
    """Return the steepness of a picture's edges in grey levels a pixel, and their blur's sigma in pixels.

    An edge blurred by a Gaussian has a slope proportional to 1 / sigma.  The ratio of the slopes before and
    after another known blur of sigma ``more_px`` gives sigma.  ``share`` as in ``steepness``.
    """
    sharp, soft = (
        steepness(picture, sigma, share)
        for sigma in (NOISE_BLUR_SIGMA_PX, float(np.hypot(NOISE_BLUR_SIGMA_PX, more_px)))
    )
    sigma2 = more_px**2 / max((sharp / max(soft, 1e-6)) ** 2 - 1, 1e-3)
    return sharp, float(np.sqrt(max(sigma2 - NOISE_BLUR_SIGMA_PX**2, 0.0)))


def steepness(face: NDArray[np.float32], sigma: float, share: float) -> float:
    """Return the slope of the steepest edges of a picture after a blur, in grey levels a pixel.

    It is the slope that only a ``share`` of the pixels exceed.
    """
    smooth = cv2.GaussianBlur(face, (0, 0), sigma)
    steep = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)) / 8
    return float(np.percentile(steep, 100 * (1 - share)))
