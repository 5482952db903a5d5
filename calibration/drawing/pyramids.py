"""Drawn translucent pyramids: tinted sides that refract what lies below, edges, gloss, shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import Camera
from calibration.drawing.colour import Planes, Shade
from calibration.drawing.paint import (
    UNIT_SQUARE,
    Box,
    Cover,
    Picture,
    Points,
    blurred,
    box_around,
    hull,
    polygon_coverage,
)
from calibration.drawing.rng import Rng

Array = NDArray[np.float64]

COLOURS: dict[str, tuple[float, float, float]] = {
    "red": (0.09, 0.08, 0.86),
    "orange": (0.06, 0.42, 0.95),
    "yellow": (0.08, 0.8, 0.93),
    "green": (0.2, 0.62, 0.09),
    "cyan": (0.74, 0.7, 0.12),
    "blue": (0.8, 0.24, 0.1),
    "purple": (0.6, 0.09, 0.46),
    "pink": (0.62, 0.3, 0.9),
}
"""Transmission of blue, green and red by a pyramid's name, in the order of the hues."""

BASES_MM = {"small": 14.3, "medium": 19.8, "large": 25.4}
HEIGHT_TO_BASE_RATIO = 1.75
"""Ratio of height to width of the base: 25.4 mm to 14.3, 34.9 to 19.8, 44.45 to 25.4."""


@dataclass(frozen=True, slots=True)
class PlacedPyramid:
    """A pyramid on the table: centre and width of its base in tile sides, rotation in radians.

    ``ground`` is the height of its base above the table, in tile sides.  ``seed`` is that of its gloss and
    scattered light, which are drawn anew in each picture without one.
    """

    x: float
    y: float
    turn: float
    base: float
    size: str
    colour: str
    ground: float = 0.0
    seed: int | None = None

    def corners(self) -> Array:
        """Return the corners of its base and then its top, (5, 3), in tile sides."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        flat = self.base * UNIT_SQUARE @ np.array([[c, s], [-s, c]]) + (self.x, self.y)
        base = np.column_stack([flat, np.full(4, self.ground)])
        return np.vstack([base, [self.x, self.y, self.ground + HEIGHT_TO_BASE_RATIO * self.base]])


@dataclass(frozen=True, slots=True)
class PyramidMaterial:
    """Optical properties of one game's pyramids.

    ``tints`` is the transmission of each colour, as in ``COLOURS``; ``deep`` the absorption of thick parts;
    ``milky`` the share of scattered light; ``bent`` the shift of what lies below by refraction, in bases;
    ``ridge`` the darkness of edges; ``gloss`` the reflected light, 0 to 255.
    """

    tints: dict[str, Shade]
    deep: float
    milky: float
    bent: float
    ridge: float
    gloss: float


def random_material(rng: Rng) -> PyramidMaterial:
    """Return a random material."""
    tints = {name: np.array(tint) ** float(rng.uniform(0.55, 1.15)) for name, tint in COLOURS.items()}
    return PyramidMaterial(
        tints=tints,
        deep=float(rng.uniform(0.0, 0.5)),
        milky=float(rng.uniform(0.05, 0.45)),
        bent=float(rng.uniform(0.0, 0.16)),
        ridge=float(rng.uniform(0.1, 0.65)),
        gloss=float(rng.uniform(0, 60) if rng.random() < 0.5 else rng.uniform(0, 15)),
    )


def pyramid_mask(standing: list[PlacedPyramid], view: Camera, shape: tuple[int, ...]) -> Cover:
    """Return the mask of pyramids in a picture of a shape: 255 there, else 0."""
    cover = np.zeros(shape[:2], np.uint8)
    for one in standing:
        cv2.fillConvexPoly(cover, np.round(hull(view.pixels(one.corners()))).astype(np.int32), 255)
    return cover


def draw_pyramids(
    planes: Planes, standing: list[PlacedPyramid], material: PyramidMaterial, view: Camera, rng: Rng
) -> None:
    """Draw pyramids into a picture: first all shadows, then the pyramids, the farthest first."""
    away = rng.uniform(0, 2 * np.pi)
    vector = np.array([np.cos(away), np.sin(away)]) * rng.uniform(0.0, 0.9)
    strength = float(rng.uniform(0.15, 0.7))
    for one in standing:
        draw_shadow(planes, one, material.tints[one.colour], (vector, strength), view)
    foot = view.foot
    for one in sorted(standing, key=lambda one: -float(np.hypot(one.x - foot[0], one.y - foot[1]))):
        draw_pyramid(
            planes, one, material, view, rng if one.seed is None else np.random.default_rng(one.seed)
        )


def draw_shadow(
    planes: Planes, one: PlacedPyramid, tint: Shade, light: tuple[Array, float], view: Camera
) -> None:
    """Draw a pyramid's coloured shadow."""
    vector, strength = light
    corners = one.corners()
    top = corners[4] + [*(vector * one.base), -HEIGHT_TO_BASE_RATIO * one.base]
    outline = hull(view.pixels(np.vstack([corners[:4], top])))
    if box := box_around(outline, planes[0]):
        cover = blurred(polygon_coverage(outline, box), 1.5)
        for plane, part in zip(planes, tint, strict=True):
            area = box.of(plane)
            area *= 1 - strength * cover * np.float32(1 - 0.25 - 0.6 * part)


def draw_pyramid(
    planes: Planes, one: PlacedPyramid, material: PyramidMaterial, view: Camera, rng: Rng
) -> None:
    """Draw one pyramid over the picture: each side tints, shifts and brightens the picture below it."""
    points = view.pixels(one.corners())
    if not (box := box_around(points, planes[0])):
        return
    below = [blurred(box.of(plane), 0.6) for plane in planes]
    breadth = float(np.linalg.norm(points[1] - points[0]))
    gloss, milk = (
        rng.uniform(0, material.gloss, 4),
        np.clip(material.milky * np.exp(rng.normal(0, 0.35, 4)), 0, 0.8),
    )
    height = height_map(points, box)
    for side in range(4):
        face = points[[side, (side + 1) % 4, 4]]
        cover = polygon_coverage(face, box)
        out = face[:2].mean(0) - points[:4].mean(0)
        shift = -material.bent * out / max(float(np.linalg.norm(out)), 1e-6) * breadth
        for k, plane in enumerate(planes):
            tint = float(material.tints[one.colour][k])
            through = translated(below[k], shift) * tint * (1 - material.deep * height * (1 - tint))
            glow = 190 * tint * (0.55 + 0.45 * (1 - height))
            area = box.of(plane)
            lit_side = through * (1 - milk[side]) + glow * milk[side] + gloss[side]
            area += (np.asarray(lit_side, np.float32) - area) * cover
    draw_edges(planes, points, material.ridge, breadth)


def height_map(points: Points, box: Box) -> Picture:
    """Return the relative height of the pyramid at each pixel, 0 at the rim of its base to 1 at its apex."""
    width, height = box.size
    x, y = np.arange(width) + box.left, np.arange(height) + box.top
    away = np.hypot(x[None] - points[4, 0], y[:, None] - points[4, 1])
    reach = float(np.linalg.norm(points[:4] - points[4], axis=1).max())
    return np.asarray(np.clip(1 - away / max(reach, 1e-6), 0, 1), np.float32)


def translated(area: Picture, vector: Points) -> Picture:
    """Return a part of a picture translated by a vector in pixels."""
    matrix = np.array([[1, 0, vector[0]], [0, 1, vector[1]]])
    size = area.shape[1], area.shape[0]
    return np.asarray(cv2.warpAffine(area, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.float32)


def draw_edges(planes: Planes, points: Points, dark: float, breadth: float) -> None:
    """Darken the edges between sides and the rim of the base."""
    thick = max(0.6, breadth * 0.025)
    for corner in range(4):
        for end, share in ((4, 1.0), ((corner + 1) % 4, 0.4)):
            vector = points[end] - points[corner]
            across = np.array([-vector[1], vector[0]]) / max(float(np.hypot(*vector)), 1e-6) * thick / 2
            line = np.array(
                [points[corner] + across, points[end] + across, points[end] - across, points[corner] - across]
            )
            if box := box_around(line, planes[0]):
                cover = polygon_coverage(line, box)
                for plane in planes:
                    area = box.of(plane)
                    area *= 1 - dark * share * cover
