"""The visual style of one drawn tile set, and its faces as small textures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.drawing.fonts import CAPITAL_HEIGHT_PX, MASK_SIDE_PX, Mask, glyph, training_fonts
from calibration.drawing.paint import Picture, as_shares, blurred
from calibration.drawing.rng import Rng, choose
from calibration.drawing.strokes import Pen, draw_symbol, random_pen

FACE_SIDE_PX = 64
"""Side of a face's texture, in pixels."""

INK_SPAN = 0.92
"""Largest share of a face's side that ink may span."""

SPELLINGS = {"x": ("×", "x", "X", "*"), "-": ("−", "-", "–"), "/": ("/", "/", "÷"), "=": ("=",)}
"""Glyphs that may stand for a sign."""

PEN_SHARE = 0.3
"""Share of the training styles whose confusable letters and signs are drawn by ``strokes``, not by a font."""


@dataclass(frozen=True, slots=True)
class TileStyle:
    """The style of one tile set; lengths in tile sides, brightness 0 to 255.

    ``capital`` is the height of a capital letter; ``shift`` moves every letter right and down, ``stretch``
    widens it, ``weight`` dilates its strokes (or erodes them, below 0); ``shine`` is the glare of engraved
    ink, 0 to 1; ``value`` adds a number in the corner.  Symbols that the ``pen`` can draw do not use the
    font.
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


def random_style(rng: Rng, fonts: tuple[Path, ...] | None = None) -> TileStyle:
    """Return a random style with one of ``fonts``, by default those for training."""
    value = bool(rng.random() < 0.25)
    dark = rng.random() < 0.06
    face = (
        rng.uniform(25, 90)
        if dark
        else rng.choice([rng.uniform(185, 250), rng.uniform(120, 200)], p=[0.7, 0.3])
    )
    ink = face + rng.uniform(70, 150) if dark else max(4.0, face * rng.uniform(0.05, 0.45))
    return TileStyle(
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
        pen=random_pen(rng) if fonts is None and rng.random() < PEN_SHARE else None,
    )


def _font(rng: Rng, fonts: tuple[Path, ...] | None) -> Path:
    """Return a font, by default a training font, mostly sans serif."""
    if fonts is None:
        fonts = training_fonts().plain if rng.random() < 0.82 else training_fonts().serifed
    return choose(rng, fonts)


def draw_face(style: TileStyle, symbol: str, rng: Rng) -> tuple[Picture, bool]:
    """Return a face's texture, float32 (64, 64), 0 to 255, and whether the style has the symbol."""
    plate = blank_face(style, rng)
    if symbol == "":
        return plate, True
    written = str(rng.choice(SPELLINGS.get(symbol, (symbol,))))
    own = draw_symbol(rng, style.pen, written) if style.pen else None
    mask = glyph(style.font, written) if own is None else own
    if mask is None:
        return plate, False
    ink = placed_glyph(mask, style, style.capital, style.shift)
    if style.value:
        number = glyph(style.font, str(rng.choice([1, 1, 1, 2, 3, 4, 5, 6, 8, 10])))
        if number is not None:
            ink = np.maximum(ink, placed_glyph(number, style, style.capital * 0.34, (0.32, 0.3)))
    return with_ink(plate, ink, style), True


def blank_face(style: TileStyle, rng: Rng) -> Picture:
    """Return a blank face's texture with its bevel and grain, shape (64, 64), float32."""
    plate = np.full((FACE_SIDE_PX, FACE_SIDE_PX), style.face, np.float32)
    if style.grain > 0:
        rough = rng.normal(0, 1, (8, FACE_SIDE_PX)).astype(np.float32)
        plate += (
            style.grain * 0.5 * cv2.resize(rough, (FACE_SIDE_PX, FACE_SIDE_PX), interpolation=cv2.INTER_CUBIC)
        )
    edge = round(style.bevel * FACE_SIDE_PX)
    if edge:
        light = rng.uniform(-0.25, 0.25, 4)
        plate[:edge] *= 1 + light[0]
        plate[-edge:] *= 1 + light[1]
        plate[:, :edge] *= 1 + light[2]
        plate[:, -edge:] *= 1 + light[3]
    return plate


def face_mask(style: TileStyle) -> Picture:
    """Return the coverage of each texture pixel by the rounded face, shape (64, 64), float32, 0 to 1."""
    radius = style.rounding * FACE_SIDE_PX
    middle = (FACE_SIDE_PX - 1) / 2
    y, x = np.mgrid[:FACE_SIDE_PX, :FACE_SIDE_PX].astype(np.float32)
    dx = np.maximum(np.abs(x - middle) - (FACE_SIDE_PX / 2 - radius), 0)
    dy = np.maximum(np.abs(y - middle) - (FACE_SIDE_PX / 2 - radius), 0)
    return np.asarray(np.clip(radius + 0.5 - np.hypot(dx, dy), 0, 1), np.float32)


def placed_glyph(mask: Mask, style: TileStyle, capital: float, shift: tuple[float, float]) -> Picture:
    """Return a glyph on a face at the style's size, place, stretch and stroke weight, (64, 64), 0 to 1.

    A glyph that would reach over the face's edge is made smaller and moved.
    """
    thicker = cv2.dilate if style.weight > 0 else cv2.erode
    inked = thicker(mask, np.ones((1 + 2 * abs(style.weight),) * 2, np.uint8))
    rows, cols = np.nonzero(np.maximum(mask, inked))
    first, last = np.array([cols.min(), rows.min()]) - 0.5, np.array([cols.max(), rows.max()]) + 0.5
    scale = np.minimum(
        capital * FACE_SIDE_PX / CAPITAL_HEIGHT_PX * np.array([style.stretch, 1]),
        INK_SPAN * FACE_SIDE_PX / (last - first),
    )
    at = (FACE_SIDE_PX - 1) / 2 + FACE_SIDE_PX * np.array(shift) - scale * (MASK_SIDE_PX - 1) / 2
    edge = FACE_SIDE_PX * (1 - INK_SPAN) / 2 - 0.5
    at += np.maximum(0, edge - at - scale * first) - np.maximum(
        0, at + scale * last - (FACE_SIDE_PX - 1 - edge)
    )
    matrix = np.column_stack([np.diag(scale), at])
    return as_shares(np.asarray(cv2.warpAffine(inked, matrix, (FACE_SIDE_PX, FACE_SIDE_PX)), np.uint8))


def with_ink(plate: Picture, ink: Picture, style: TileStyle) -> Picture:
    """Return the blank face with ink on it, brighter in the middle of strokes where the style shines."""
    colour = np.full_like(ink, style.ink)
    if style.shine:
        core = blurred(ink, 1.5)
        colour += style.shine * 140 * np.clip((core - 0.72) * 3.5, 0, 1)
    return np.asarray(plate + (colour - plate) * ink, np.float32)
