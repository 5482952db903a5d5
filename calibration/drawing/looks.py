"""How one drawn tile set looks: its faces as small textures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.drawing.chance import Rng, one_of
from calibration.drawing.fonts import CANVAS, CAPITAL, Mask, glyph, training_fonts
from calibration.drawing.paint import Picture, share, softened
from calibration.drawing.strokes import Pen, drawn, random_pen

SIDE = 64
"""Side of a face's texture, in pixels."""

ROOM = 0.92
"""Share of a face that ink may span."""

SPELLINGS = {"x": ("×", "x", "X", "*"), "-": ("−", "-", "–"), "/": ("/", "/", "÷"), "=": ("=",)}
"""How the signs are drawn, where a set may choose."""

DRAWN = 0.3
"""Share of the sets for training whose round letters and signs are drawn by a pen."""


@dataclass(frozen=True, slots=True)
class Look:
    """One set's looks; lengths in tile sides, brightness 0 to 255.

    ``capital`` is the height of a capital letter, ``shift`` moves every
    letter right and down, ``stretch`` widens it, ``weight`` thickens its
    strokes, ``shine`` is how far engraved ink glares, ``value`` whether a
    number stands in the corner.  What the ``pen`` can draw is not the font's.
    """

    font: Path
    ink: float
    face: float
    wall: float
    capital: float
    stretch: float
    shift: tuple[float, float]
    weight: int
    shine: float
    value: bool
    rounding: float
    bevel: float
    grain: float
    aspect: float
    thickness: float
    pen: Pen | None = None


def random_look(rng: Rng, fonts: tuple[Path, ...] | None = None) -> Look:
    """Return a random tile set's looks, drawn with one of ``fonts`` (by default those for training)."""
    value = bool(rng.random() < 0.25)
    dark = rng.random() < 0.06
    face = (
        rng.uniform(25, 90)
        if dark
        else rng.choice([rng.uniform(185, 250), rng.uniform(120, 200)], p=[0.7, 0.3])
    )
    ink = face + rng.uniform(70, 150) if dark else max(4.0, face * rng.uniform(0.05, 0.45))
    return Look(
        font=_font(rng, fonts),
        ink=float(min(ink, 250)),
        face=float(face),
        wall=float(rng.uniform(0.45, 1.08)),
        capital=float(rng.uniform(0.5, 0.72) if not value else rng.uniform(0.45, 0.66)),
        stretch=float(rng.uniform(0.84, 1.16)),
        shift=(
            float(rng.normal(-0.03 if value else 0, 0.02)),
            float(rng.normal(-0.04 if value else 0, 0.025)),
        ),
        weight=int(rng.choice([-1, 0, 1, 2], p=[0.15, 0.5, 0.25, 0.1])),
        shine=float(rng.uniform(0, 1) if rng.random() < 0.25 else 0),
        value=value,
        rounding=float(rng.uniform(0.02, 0.2)),
        bevel=float(rng.uniform(0, 0.12)),
        grain=float(rng.uniform(4, 22) if rng.random() < 0.3 else rng.uniform(0, 4)),
        aspect=float(rng.uniform(0.84, 1.0) if rng.random() < 0.3 else rng.uniform(0.97, 1.03)),
        thickness=float(rng.uniform(0.12, 0.36)),
        pen=random_pen(rng) if fonts is None and rng.random() < DRAWN else None,
    )


def _font(rng: Rng, fonts: tuple[Path, ...] | None) -> Path:
    """Return a font: mostly plain sans serif, as tiles have it."""
    if fonts is None:
        fonts = training_fonts().plain if rng.random() < 0.82 else training_fonts().serifed
    return one_of(rng, fonts)


def face_of(look: Look, symbol: str, rng: Rng) -> tuple[Picture, bool]:
    """Return a face's texture, shape (64, 64), 0 to 255, and whether the font could draw the symbol."""
    plate = plate_of(look, rng)
    if symbol == "":
        return plate, True
    written = str(rng.choice(SPELLINGS.get(symbol, (symbol,))))
    own = drawn(rng, look.pen, written) if look.pen else None
    mask = glyph(look.font, written) if own is None else own
    if mask is None:
        return plate, False
    ink = placed(mask, look, look.capital, look.shift)
    if look.value:
        number = glyph(look.font, str(rng.choice([1, 1, 1, 2, 3, 4, 5, 6, 8, 10])))
        if number is not None:
            ink = np.maximum(ink, placed(number, look, look.capital * 0.34, (0.32, 0.3)))
    return inked(plate, ink, look), True


def plate_of(look: Look, rng: Rng) -> Picture:
    """Return a blank face's texture with its bevel and grain, shape (64, 64), float32."""
    plate = np.full((SIDE, SIDE), look.face, np.float32)
    if look.grain > 0:
        rough = rng.normal(0, 1, (8, SIDE)).astype(np.float32)
        plate += look.grain * 0.5 * cv2.resize(rough, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    edge = round(look.bevel * SIDE)
    if edge:
        light = rng.uniform(-0.25, 0.25, 4)
        plate[:edge] *= 1 + light[0]
        plate[-edge:] *= 1 + light[1]
        plate[:, :edge] *= 1 + light[2]
        plate[:, -edge:] *= 1 + light[3]
    return plate


def outline_of(look: Look) -> Picture:
    """Return how much of each texture pixel the rounded face covers, shape (64, 64), float32, 0 to 1."""
    radius = look.rounding * SIDE
    middle = (SIDE - 1) / 2
    y, x = np.mgrid[:SIDE, :SIDE].astype(np.float32)
    dx = np.maximum(np.abs(x - middle) - (SIDE / 2 - radius), 0)
    dy = np.maximum(np.abs(y - middle) - (SIDE / 2 - radius), 0)
    return np.asarray(np.clip(radius + 0.5 - np.hypot(dx, dy), 0, 1), np.float32)


def placed(mask: Mask, look: Look, capital: float, shift: tuple[float, float]) -> Picture:
    """Return a glyph set on a face at its size, place, stretch and stroke weight, 0 to 1.

    What would reach over the face's edge, as accents and ``AND`` may, is made smaller and moved.
    """
    thicker = cv2.dilate if look.weight > 0 else cv2.erode
    inked = thicker(mask, np.ones((1 + 2 * abs(look.weight),) * 2, np.uint8))
    rows, cols = np.nonzero(np.maximum(mask, inked))
    first, last = np.array([cols.min(), rows.min()]) - 0.5, np.array([cols.max(), rows.max()]) + 0.5
    scale = np.minimum(capital * SIDE / CAPITAL * np.array([look.stretch, 1]), ROOM * SIDE / (last - first))
    at = (SIDE - 1) / 2 + SIDE * np.array(shift) - scale * (CANVAS - 1) / 2
    edge = SIDE * (1 - ROOM) / 2 - 0.5
    at += np.maximum(0, edge - at - scale * first) - np.maximum(0, at + scale * last - (SIDE - 1 - edge))
    matrix = np.column_stack([np.diag(scale), at])
    return share(np.asarray(cv2.warpAffine(inked, matrix, (SIDE, SIDE)), np.uint8))


def inked(plate: Picture, ink: Picture, look: Look) -> Picture:
    """Return the plate with ink on it; engraved ink glares in the middle of its strokes."""
    colour = np.full_like(ink, look.ink)
    if look.shine:
        core = softened(ink, 1.5)
        colour += look.shine * 140 * np.clip((core - 0.72) * 3.5, 0, 1)
    return np.asarray(plate + (colour - plate) * ink, np.float32)
