"""Drawn translucent pyramids: tinted see-through sides that bend what lies below, ridges, gloss, shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import Camera
from calibration.drawing.chance import Rng
from calibration.drawing.colour import Planes, Shade
from calibration.drawing.paint import Box, Cover, Picture, Points, box_around, hull, inside, softened

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
"""How much of blue, green and red a pyramid lets through, in the order of the hues."""

BASES_MM = {"small": 14.3, "medium": 19.8, "large": 25.4}
SLENDER = 1.75
"""Height against breadth: 25.4 mm to 14.3, 34.9 to 19.8, 44.45 to 25.4."""
SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


@dataclass(frozen=True, slots=True)
class Standing:
    """A pyramid on the table: the middle of its base and its breadth in tile sides, its turn in radians."""

    x: float
    y: float
    turn: float
    base: float
    size: str
    colour: str
    ground: float = 0.0

    def corners(self) -> Array:
        """Return the corners of its base and then its top, (5, 3), in tile sides."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        flat = self.base * SQUARE @ np.array([[c, s], [-s, c]]) + (self.x, self.y)
        base = np.column_stack([flat, np.full(4, self.ground)])
        return np.vstack([base, [self.x, self.y, self.ground + SLENDER * self.base]])


@dataclass(frozen=True, slots=True)
class Plastic:
    """How one game's pyramids look.

    ``tints`` is what each colour lets through, as ``COLOURS`` has it; ``deep`` how dark their thick parts
    are; ``milky`` the share of light that comes from within; ``bent`` how far the sides shift what lies
    below, in bases; ``ridge`` how dark the edges are; ``gloss`` the light that sides throw back.
    """

    tints: dict[str, Shade]
    deep: float
    milky: float
    bent: float
    ridge: float
    gloss: float


def plastic(rng: Rng) -> Plastic:
    """Return a random game's plastic."""
    tints = {name: np.array(tint) ** float(rng.uniform(0.55, 1.15)) for name, tint in COLOURS.items()}
    return Plastic(
        tints=tints,
        deep=float(rng.uniform(0.0, 0.5)),
        milky=float(rng.uniform(0.05, 0.45)),
        bent=float(rng.uniform(0.0, 0.16)),
        ridge=float(rng.uniform(0.1, 0.65)),
        gloss=float(rng.uniform(0, 60) if rng.random() < 0.5 else rng.uniform(0, 15)),
    )


def silhouettes(standing: list[Standing], view: Camera, shape: tuple[int, ...]) -> Cover:
    """Return where pyramids stand before the table in a picture of a shape: 255 there, else 0."""
    cover = np.zeros(shape[:2], np.uint8)
    for one in standing:
        cv2.fillConvexPoly(cover, np.round(hull(view.pixels(one.corners()))).astype(np.int32), 255)
    return cover


def draw_pyramids(planes: Planes, standing: list[Standing], look: Plastic, view: Camera, rng: Rng) -> None:
    """Draw pyramids into a picture, their shadows first, then the farthest first."""
    away = rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(away), np.sin(away)]) * rng.uniform(0.0, 0.9)
    strength = float(rng.uniform(0.15, 0.7))
    for one in standing:
        shadow(planes, one, look.tints[one.colour], (way, strength), view)
    foot = view.foot
    for one in sorted(standing, key=lambda one: -float(np.hypot(one.x - foot[0], one.y - foot[1]))):
        seen_through(planes, one, look, view, rng)


def shadow(planes: Planes, one: Standing, tint: Shade, light: tuple[Array, float], view: Camera) -> None:
    """Lay a pyramid's coloured shadow on what lies beside it."""
    way, strength = light
    corners = one.corners()
    top = corners[4] + [*(way * one.base), -SLENDER * one.base]
    outline = hull(view.pixels(np.vstack([corners[:4], top])))
    if box := box_around(outline, planes[0]):
        cover = softened(inside(outline, box), 1.5)
        for plane, part in zip(planes, tint, strict=True):
            area = box.of(plane)
            area *= 1 - strength * cover * np.float32(1 - 0.25 - 0.6 * part)


def seen_through(planes: Planes, one: Standing, look: Plastic, view: Camera, rng: Rng) -> None:
    """Draw one pyramid over what is there: each side tints, bends and brightens it in its own way."""
    points = view.pixels(one.corners())
    if not (box := box_around(points, planes[0])):
        return
    below = [softened(box.of(plane), 0.6) for plane in planes]
    breadth = float(np.linalg.norm(points[1] - points[0]))
    gloss, milk = rng.uniform(0, look.gloss, 4), np.clip(look.milky * np.exp(rng.normal(0, 0.35, 4)), 0, 0.8)
    height = depth(points, box)
    for side in range(4):
        face = points[[side, (side + 1) % 4, 4]]
        cover = inside(face, box)
        out = face[:2].mean(0) - points[:4].mean(0)
        shift = -look.bent * out / max(float(np.linalg.norm(out)), 1e-6) * breadth
        for k, plane in enumerate(planes):
            tint = float(look.tints[one.colour][k])
            through = shifted(below[k], shift) * tint * (1 - look.deep * height * (1 - tint))
            glow = 190 * tint * (0.55 + 0.45 * (1 - height))
            area = box.of(plane)
            lit_side = through * (1 - milk[side]) + glow * milk[side] + gloss[side]
            area += (np.asarray(lit_side, np.float32) - area) * cover
    ridges(planes, points, look.ridge, breadth)


def depth(points: Points, box: Box) -> Picture:
    """Return how high the pyramid stands at each pixel, 0 at its base's rim to 1 at its top."""
    width, height = box.size
    x, y = np.arange(width) + box.left, np.arange(height) + box.top
    away = np.hypot(x[None] - points[4, 0], y[:, None] - points[4, 1])
    reach = float(np.linalg.norm(points[:4] - points[4], axis=1).max())
    return np.asarray(np.clip(1 - away / max(reach, 1e-6), 0, 1), np.float32)


def shifted(area: Picture, way: Points) -> Picture:
    """Return part of a picture moved by a way in pixels."""
    matrix = np.array([[1, 0, way[0]], [0, 1, way[1]]])
    size = area.shape[1], area.shape[0]
    return np.asarray(cv2.warpAffine(area, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.float32)


def ridges(planes: Planes, points: Points, dark: float, breadth: float) -> None:
    """Draw the edges between sides and the rim of the base."""
    thick = max(0.6, breadth * 0.025)
    for corner in range(4):
        for end, share in ((4, 1.0), ((corner + 1) % 4, 0.4)):
            way = points[end] - points[corner]
            across = np.array([-way[1], way[0]]) / max(float(np.hypot(*way)), 1e-6) * thick / 2
            line = np.array(
                [points[corner] + across, points[end] + across, points[end] - across, points[corner] - across]
            )
            if box := box_around(line, planes[0]):
                cover = inside(line, box)
                for plane in planes:
                    area = box.of(plane)
                    area *= 1 - dark * share * cover
