"""Drawn hand-made tiles, each with a slightly different letter.

People write on blank tiles with a pen, or tape paper on old ones.  The letters come from a handwriting font;
each tile's letter is rotated, sheared, scaled, moved and warped at random.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import TABLE_TOPS, TableTop, background
from calibration.drawing.camera import View, camera
from calibration.drawing.fonts import MASK_SIDE_PX, Mask, glyph
from calibration.drawing.layout import PlacedTile
from calibration.drawing.light import captured, with_uneven_light
from calibration.drawing.paint import Picture, Points, resized, shrunk_by
from calibration.drawing.rng import Rng, choose
from calibration.drawing.scene import Scene, visible_shares
from calibration.drawing.tile_style import (
    FACE_SIDE_PX,
    TileStyle,
    blank_face,
    placed_glyph,
    random_style,
    with_ink,
)
from calibration.drawing.tiles import FaceTextures, draw_tiles
from companion.errors import NoFonts

TAPED_SET_SHARE = 0.3
"""Share of the sets with paper taped on tiles of another colour."""

INK_REGION_SHARE = 0.5
"""Inner share of a tile's width in which ink is measured."""
MIN_LEGIBLE_CONTRAST_GREY = 12.0
"""Grey levels between ink and face below which a tile counts as illegible."""

ROW_PITCH = 1.5
"""Distance of tiles and of rows for enrolment, in tile sides."""

WARP_POINTS_PER_SIDE = 4
"""Control points of the random warp along each side of a letter."""


@dataclass(frozen=True, slots=True)
class Handwriting:
    """The handwriting of one set of hand-made tiles.

    Standard deviations of each letter: ``lean`` of its rotation and shear in radians, ``swell`` of the
    logarithm of its size, ``wander`` of its place in tile sides, ``wobble`` of its warp in mask pixels.
    ``taped`` is the width of the paper on each tile, ``None`` where the pen is on the tile itself;
    ``spellings`` is what is written for some symbols, and ``masks`` the glyphs of those that are not the
    font's.
    """

    style: TileStyle
    lean: float
    swell: float
    wander: float
    wobble: float
    taped: float | None
    spellings: tuple[tuple[str, str], ...] = ()
    masks: tuple[tuple[str, Mask], ...] = ()

    def written(self, symbol: str) -> str:
        """Return the text that is written for a symbol."""
        return dict(self.spellings).get(symbol, symbol)

    def mask(self, symbol: str) -> Mask | None:
        """Return the undistorted glyph of a symbol, ``None`` where the font lacks it."""
        own = dict(self.masks).get(symbol)
        return glyph(self.style.font, self.written(symbol)) if own is None else own

    def with_masks(self, masks: tuple[tuple[str, Mask], ...]) -> Handwriting:
        """Return this handwriting with other glyphs for some symbols."""
        return replace(self, masks=masks)


def random_handwriting(rng: Rng, symbols: Sequence[str], fonts: tuple[Path, ...]) -> Handwriting:
    """Return a random handwriting in one of the fonts that have every symbol; raise NoFonts for none."""
    able = [font for font in fonts if all(glyph(font, symbol) is not None for symbol in symbols if symbol)]
    if not able:
        raise NoFonts(f"no font that looks written has all of {' '.join(filter(None, symbols))}: install one")
    style = random_style(rng, (choose(rng, able),))
    style = replace(style, value=False, shine=0.0, shift=(0.0, 0.0), weight=int(rng.integers(0, 3)))
    return Handwriting(
        style,
        lean=float(rng.uniform(0.02, 0.09)),
        swell=float(rng.uniform(0.02, 0.09)),
        wander=float(rng.uniform(0.01, 0.035)),
        wobble=float(rng.uniform(0.5, 1.8)),
        taped=float(rng.uniform(0.7, 0.9)) if rng.random() < TAPED_SET_SHARE else None,
    )


def handwritten(rng: Rng, mask: Mask, hand: Handwriting) -> Mask:
    """Return a randomly distorted copy of a glyph, shape (96, 96), 255 where ink is."""
    middle = (MASK_SIDE_PX - 1) / 2
    turn, size = rng.normal(0, hand.lean), np.exp(rng.normal(0, hand.swell, 2))
    c, s = np.cos(turn), np.sin(turn)
    affine = np.array([[c, -s], [s, c]]) @ np.array([[1, rng.normal(0, hand.lean)], [0, 1]]) / size
    y, x = np.mgrid[:MASK_SIDE_PX, :MASK_SIDE_PX].astype(np.float32) - np.float32(middle)
    shift_x, shift_y = (
        resized(grid, MASK_SIDE_PX, MASK_SIDE_PX, cv2.INTER_CUBIC)
        for grid in random_displacements(rng, hand.wobble)
    )
    u, v = (
        np.asarray(affine[k, 0] * x + affine[k, 1] * y + middle + off, np.float32)
        for k, off in enumerate((shift_x, shift_y))
    )
    drawn = cv2.remap(mask, u, v, cv2.INTER_LINEAR)
    if rng.random() < 0.3:
        drawn = cv2.dilate(drawn, np.ones((2, 2), np.uint8))
    return np.asarray(drawn, np.uint8)


def warped(rng: Rng, mask: Mask, far: float) -> Mask:
    """Return a glyph after a random smooth warp with a standard deviation of ``far`` mask pixels."""
    y, x = np.mgrid[:MASK_SIDE_PX, :MASK_SIDE_PX].astype(np.float32)
    dx, dy = (
        resized(grid, MASK_SIDE_PX, MASK_SIDE_PX, cv2.INTER_CUBIC) for grid in random_displacements(rng, far)
    )
    return np.asarray(cv2.remap(mask, x + dx, y + dy, cv2.INTER_LINEAR), np.uint8)


def random_displacements(rng: Rng, far: float) -> Picture:
    """Return random displacements of control points, right and down, (2, 4, 4), in mask pixels."""
    return rng.normal(0, far, (2, WARP_POINTS_PER_SIDE, WARP_POINTS_PER_SIDE)).astype(np.float32)


class HandwrittenFaces(FaceTextures):
    """Face textures that are drawn again for each tile."""

    def __init__(self, hand: Handwriting, rng: Rng) -> None:
        super().__init__(hand.style, rng)
        self._hand = hand

    def symbol(self, wanted: str | None) -> str | None:
        """Return the symbol that a tile shows; every symbol can be written."""
        return wanted or None

    def _reduced(self, name: str, times: int) -> tuple[Picture, Picture]:
        """Return a new face and its mask, shrunk."""
        return shrunk_by(handwritten_face(self._hand, name, self._rng), times), shrunk_by(
            self._outline, times
        )


def handwritten_face(hand: Handwriting, symbol: str, rng: Rng) -> Picture:
    """Return a new face with a handwritten symbol, shape (64, 64), 0 to 255; blank for ``""``."""
    plate = blank_face(hand.style, rng)
    if hand.taped is not None:
        _tape(plate, hand.taped, rng)
    mask = hand.mask(symbol) if symbol else None
    if mask is None:
        return plate
    shift = tuple(float(v) for v in rng.normal(0, hand.wander, 2))
    ink = placed_glyph(handwritten(rng, mask, hand), hand.style, hand.style.capital, (shift[0], shift[1]))
    return with_ink(plate, ink * np.float32(rng.uniform(0.85, 1)), hand.style)


def _tape(plate: Picture, broad: float, rng: Rng) -> None:
    """Draw a slip of paper on a blank face; the tile around it is darkened."""
    paper = plate.copy()
    plate *= np.float32(0.72)
    tall = float(rng.uniform(0.85, 1)) * broad
    at = (FACE_SIDE_PX - FACE_SIDE_PX * np.array([broad, tall])) / 2 + rng.normal(0, 0.02 * FACE_SIDE_PX, 2)
    left, top = np.clip(np.round(at), 0, FACE_SIDE_PX - 8).astype(int)
    right, bottom = left + round(FACE_SIDE_PX * broad), top + round(FACE_SIDE_PX * tall)
    plate[top:bottom, left:right] = paper[top:bottom, left:right]


def hand_table(
    rng: Rng,
    view: View,
    placed: Sequence[PlacedTile],
    hand: Handwriting,
    severity: float = 1.0,
    tops: Mapping[TableTop, float] = TABLE_TOPS,
) -> Scene:
    """Return a scene of hand-made tiles on one of ``tops``; ``severity`` is that of blur and noise."""
    picture = background(rng, view.width, view.height, view.tile_px, tops)
    tiles = draw_tiles(picture, placed, hand.style, camera(view), rng, HandwrittenFaces(hand, rng))
    finished = captured(with_uneven_light(picture, rng), rng, severity)
    shares = visible_shares(np.array([tile.corners for tile in tiles]), np.zeros(picture.shape, np.uint8))
    seen = (replace(tile, visible=float(share)) for tile, share in zip(tiles, shares, strict=True))
    return Scene(finished, tuple(seen), view.tile_px)


def legible(scene: Scene) -> bool:
    """Return whether every lettered, wholly visible tile has enough contrast between ink and face.

    Wholly or partly overexposed or underexposed pictures have not.
    """
    return all(
        contrast(scene.picture, tile.corners) > MIN_LEGIBLE_CONTRAST_GREY
        for tile in scene.tiles
        if tile.symbol and tile.visible == 1
    )


def contrast(picture: NDArray[np.uint8], corners: Points) -> float:
    """Return the contrast between ink and face within a tile's corners, (4, 2), in grey levels."""
    quad = corners.mean(0) + INK_REGION_SHARE * (corners - corners.mean(0))
    (left, top), (right, low) = np.maximum(quad.min(0), 0).astype(int), quad.max(0).astype(int)
    dark, bright = np.percentile(picture[top : low + 1, left : right + 1], (2, 90))
    return float(bright - dark)


def enrolment_rows(
    rng: Rng, symbols: Sequence[str], across: int, each: int | None = None
) -> list[PlacedTile]:
    """Return tiles placed for enrolment: in rows of ``across``, left to right, all about upright.

    With ``each``, only the first of every ``each`` tiles is upright; the others are rotated at random.
    """
    down = -(-len(symbols) // across)
    return [
        PlacedTile(
            (k % across - (across - 1) / 2) * ROW_PITCH + float(rng.normal(0, 0.06)),
            (k // across - (down - 1) / 2) * ROW_PITCH + float(rng.normal(0, 0.06)),
            float(rng.normal(0, 0.07) if each is None or k % each == 0 else rng.uniform(0, 2 * np.pi)),
            symbol,
            0,
            (k // across, k % across),
        )
        for k, symbol in enumerate(symbols)
    ]
