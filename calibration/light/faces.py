"""Tiles as light meters: how bright their faces are, how dark their letters, how soft the edges between."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.picture import Frame

Points = NDArray[np.float64]

SIDES = (16, 96)
"""Least and most pixels of a side that a face is looked at in."""

RIM = 0.12
"""Share of a side that is left out at each edge: bevels and neighbours."""

FACE_SHARE, INK_SHARE = 80, 3
"""Per cent of a face's pixels that are darker than its paper, and than its ink."""

BURNT = 252
"""Grey level from which a pixel tells nothing but that there is light."""

LEAST_CONTRAST = 25.0
"""Grey levels between face and letter; less is a blank or too poor to judge its edges by."""

SMOOTH = 0.8
"""Blur, in pixels, that keeps noise from looking like edges; it is taken off again."""

AGAIN = 0.05
"""Share of a face by which it is blurred anew to see how sharp it was."""

STEEPEST = 0.01
"""Share of a face's pixels that its steepest edges are made of."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What a tile shows of the light on it.

    ``side_px`` is its mean side; ``face`` and ``ink`` the grey levels of its paper and letter; ``burnt`` the
    share of it that is plain white; ``soft`` the breadth of its letter's edges (a fifth to four fifths of
    the way from dark to bright) in tile sides, not a number where it has no letter.
    """

    quad: Points
    side_px: float
    face: float
    ink: float
    burnt: float
    soft: float


def look(grey: Frame, quad: Points) -> Look:
    """Return what a tile, its corners (4, 2) in pixels, shows in a grey picture, (h, w)."""
    side_px = float(np.hypot(*(quad - np.roll(quad, 1, 0)).T).mean())
    side = int(np.clip(round(side_px), *SIDES))
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * side - np.float32(0.5)
    into = cv2.getPerspectiveTransform(flat, quad.astype(np.float32))
    how = cv2.INTER_LINEAR + cv2.WARP_INVERSE_MAP
    seen = cv2.warpPerspective(grey, into, (side, side), flags=how, borderMode=cv2.BORDER_REPLICATE)
    rim = max(1, round(RIM * side))
    inner = np.asarray(seen[rim:-rim, rim:-rim], np.float32)
    face, ink = np.percentile(inner, (FACE_SHARE, INK_SHARE))
    burnt = float((inner >= BURNT).mean())
    return Look(quad, side_px, float(face), float(ink), burnt, softness(inner, float(face - ink)) / side)


def softness(face: NDArray[np.float32], contrast: float) -> float:
    """Return the breadth of the edges in a face, in its pixels, not a number where there are none.

    A Gaussian of sigma makes an edge as steep as 1 / sigma; one that is blurred anew by a known amount
    loses the more of its steepness the sharper it was.  An edge turns from a fifth to four fifths over
    1.68 sigma.
    """
    if contrast < LEAST_CONTRAST:
        return float("nan")
    more = max(1.0, AGAIN * len(face))
    sharp, soft = (steepness(face, sigma) for sigma in (SMOOTH, float(np.hypot(SMOOTH, more))))
    sigma2 = more**2 / max((sharp / max(soft, 1e-6)) ** 2 - 1, 1e-3)
    return float(1.68 * np.sqrt(max(sigma2 - SMOOTH**2, 0.0)))


def steepness(face: NDArray[np.float32], sigma: float, share: float = STEEPEST) -> float:
    """Return how steep the steepest edges of a picture are once it is blurred so, in grey levels a pixel.

    ``share`` of its pixels count as the steepest.
    """
    smooth = cv2.GaussianBlur(face, (0, 0), sigma)
    steep = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)) / 8
    return float(np.percentile(steep, 100 * (1 - share)))
