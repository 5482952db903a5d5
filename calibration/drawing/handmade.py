"""Drawn tiles that somebody made by hand: no two of a symbol are quite alike.

A family writes on bare tiles with a pen, or tapes paper on old ones.  The hand is a font that looks written;
every tile's letter then leans, swells and wanders a little in its own way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import TOPS, Top, background
from calibration.drawing.camera import View, camera
from calibration.drawing.chance import Rng, one_of
from calibration.drawing.fonts import CANVAS, Mask, glyph
from calibration.drawing.layout import Laid
from calibration.drawing.light import lit, taken
from calibration.drawing.looks import SIDE, Look, inked, placed, plate_of, random_look
from calibration.drawing.paint import Picture, Points, enlarged, reduced
from calibration.drawing.scene import Scene, shown
from calibration.drawing.tiles import Faces, draw_tiles
from companion.errors import NoFonts

TAPED = 0.3
"""Share of the families that tape paper on tiles of another colour."""

INNER = 0.5
"""How much of a tile's breadth is looked at for ink."""
LEAST_CONTRAST = 12.0
"""Grey levels of 256 between ink and face below which nobody can read."""

BENDS = 4
"""Points along each side of a letter that wander on their own."""


@dataclass(frozen=True, slots=True)
class Hand:
    """How somebody letters tiles.

    ``lean`` is the spread of each letter's turn in radians, ``swell`` of its size, ``wander`` of its place in
    tile sides and ``wobble`` of its strokes in mask pixels; ``taped`` the breadth of the paper on each tile,
    ``None`` where the pen is on the tile itself; ``spellings`` what is written for some symbols,
    and ``masks`` the shapes of those that the font does not give.
    """

    look: Look
    lean: float
    swell: float
    wander: float
    wobble: float
    taped: float | None
    spellings: tuple[tuple[str, str], ...] = ()
    masks: tuple[tuple[str, Mask], ...] = ()

    def written(self, symbol: str) -> str:
        """Return what this hand writes for a symbol."""
        return dict(self.spellings).get(symbol, symbol)

    def mask(self, symbol: str) -> Mask | None:
        """Return how this hand means to write a symbol, ``None`` where it cannot."""
        own = dict(self.masks).get(symbol)
        return glyph(self.look.font, self.written(symbol)) if own is None else own

    def with_masks(self, masks: tuple[tuple[str, Mask], ...]) -> Hand:
        """Return this hand with shapes of its own for some symbols."""
        return replace(self, masks=masks)


def random_hand(rng: Rng, symbols: Sequence[str], fonts: tuple[Path, ...]) -> Hand:
    """Return a random family's hand, in one of those fonts that has every symbol; raise NoFonts for none."""
    able = [font for font in fonts if all(glyph(font, symbol) is not None for symbol in symbols if symbol)]
    if not able:
        raise NoFonts(f"no font that looks written has all of {' '.join(filter(None, symbols))}: install one")
    look = random_look(rng, (one_of(rng, able),))
    look = replace(look, value=False, shine=0.0, shift=(0.0, 0.0), weight=int(rng.integers(0, 3)))
    return Hand(
        look,
        lean=float(rng.uniform(0.02, 0.09)),
        swell=float(rng.uniform(0.02, 0.09)),
        wander=float(rng.uniform(0.01, 0.035)),
        wobble=float(rng.uniform(0.5, 1.8)),
        taped=float(rng.uniform(0.7, 0.9)) if rng.random() < TAPED else None,
    )


def written(rng: Rng, mask: Mask, hand: Hand) -> Mask:
    """Return a letter as the hand writes it this time, shape (96, 96), 255 where ink is."""
    middle = (CANVAS - 1) / 2
    turn, size = rng.normal(0, hand.lean), np.exp(rng.normal(0, hand.swell, 2))
    c, s = np.cos(turn), np.sin(turn)
    bend = np.array([[c, -s], [s, c]]) @ np.array([[1, rng.normal(0, hand.lean)], [0, 1]]) / size
    y, x = np.mgrid[:CANVAS, :CANVAS].astype(np.float32) - np.float32(middle)
    dx, dy = (enlarged(some, CANVAS, CANVAS, cv2.INTER_CUBIC) for some in wandering(rng, hand.wobble))
    u, v = (
        np.asarray(bend[k, 0] * x + bend[k, 1] * y + middle + off, np.float32)
        for k, off in enumerate((dx, dy))
    )
    drawn = cv2.remap(mask, u, v, cv2.INTER_LINEAR)
    if rng.random() < 0.3:
        drawn = cv2.dilate(drawn, np.ones((2, 2), np.uint8))
    return np.asarray(drawn, np.uint8)


def reshaped(rng: Rng, mask: Mask, far: float) -> Mask:
    """Return a letter in a shape of one's own: its places wander by a spread of ``far`` mask pixels."""
    y, x = np.mgrid[:CANVAS, :CANVAS].astype(np.float32)
    dx, dy = (enlarged(some, CANVAS, CANVAS, cv2.INTER_CUBIC) for some in wandering(rng, far))
    return np.asarray(cv2.remap(mask, x + dx, y + dy, cv2.INTER_LINEAR), np.uint8)


def wandering(rng: Rng, far: float) -> Picture:
    """Return how far a few places of a letter wander right and down, (2, 4, 4), in mask pixels."""
    return rng.normal(0, far, (2, BENDS, BENDS)).astype(np.float32)


class HandFaces(Faces):
    """Faces of which each is lettered anew."""

    def __init__(self, hand: Hand, rng: Rng) -> None:
        super().__init__(hand.look, rng)
        self._hand = hand

    def symbol(self, wanted: str | None) -> str | None:
        """Return the symbol that a tile shows: the hand writes every one."""
        return wanted or None

    def _reduced(self, name: str, times: int) -> tuple[Picture, Picture]:
        """Return a face and its outline, made smaller."""
        return reduced(face_by(self._hand, name, self._rng), times), reduced(self._outline, times)


def face_by(hand: Hand, symbol: str, rng: Rng) -> Picture:
    """Return a face as the hand letters it this time, shape (64, 64), 0 to 255; bare for ``""``."""
    plate = plate_of(hand.look, rng)
    if hand.taped is not None:
        _tape(plate, hand.taped, rng)
    mask = hand.mask(symbol) if symbol else None
    if mask is None:
        return plate
    shift = tuple(float(v) for v in rng.normal(0, hand.wander, 2))
    ink = placed(written(rng, mask, hand), hand.look, hand.look.capital, (shift[0], shift[1]))
    return inked(plate, ink * np.float32(rng.uniform(0.85, 1)), hand.look)


def _tape(plate: Picture, broad: float, rng: Rng) -> None:
    """Lay a slip of paper on a plate; it is as bright as the pen needs, and the tile below is darker."""
    paper = plate.copy()
    plate *= np.float32(0.72)
    tall = float(rng.uniform(0.85, 1)) * broad
    at = (SIDE - SIDE * np.array([broad, tall])) / 2 + rng.normal(0, 0.02 * SIDE, 2)
    left, top = np.clip(np.round(at), 0, SIDE - 8).astype(int)
    right, bottom = left + round(SIDE * broad), top + round(SIDE * tall)
    plate[top:bottom, left:right] = paper[top:bottom, left:right]


def hand_table(
    rng: Rng,
    view: View,
    laid: Sequence[Laid],
    hand: Hand,
    harsh: float = 1.0,
    tops: Mapping[Top, float] = TOPS,
) -> Scene:
    """Return a scene of tiles made by hand on one of some tables, through a more or less ``harsh`` lens."""
    picture = background(rng, view.width, view.height, view.tile_px, tops)
    tiles = draw_tiles(picture, laid, hand.look, camera(view), rng, HandFaces(hand, rng))
    finished = taken(lit(picture, rng), rng, harsh)
    quads = np.array([tile.corners for tile in tiles]).reshape(-1, 4, 2)
    shares = shown(quads, np.zeros(picture.shape, np.uint8))
    seen = (replace(tile, visible=float(share)) for tile, share in zip(tiles, shares, strict=True))
    return Scene(finished, tuple(seen), view.tile_px)


def legible(scene: Scene) -> bool:
    """Return whether ink can be told from the face on every lettered tile in view.

    In a picture that is burnt out or black, all over or in places, nobody can read what is there.
    """
    return all(
        contrast(scene.picture, tile.corners) > LEAST_CONTRAST
        for tile in scene.tiles
        if tile.symbol and tile.visible == 1
    )


def contrast(picture: NDArray[np.uint8], corners: Points) -> float:
    """Return by how many grey levels ink stands out from the face inside a tile's corners, (4, 2)."""
    quad = corners.mean(0) + INNER * (corners - corners.mean(0))
    (left, top), (right, low) = np.maximum(quad.min(0), 0).astype(int), quad.max(0).astype(int)
    dark, bright = np.percentile(picture[top : low + 1, left : right + 1], (2, 90))
    return float(bright - dark)


def rows_laid(
    rng: Rng, symbols: Sequence[str], across: int, pitch: float = 1.5, each: int | None = None
) -> list[Laid]:
    """Return tiles laid for enrolment: in rows of ``across``, left to right, all about the same way up.

    With ``each`` only every so manyth is upright, the first of them, and the others lie at any turn.
    """
    down = -(-len(symbols) // across)
    return [
        Laid(
            (k % across - (across - 1) / 2) * pitch + float(rng.normal(0, 0.06)),
            (k // across - (down - 1) / 2) * pitch + float(rng.normal(0, 0.06)),
            float(rng.normal(0, 0.07) if each is None or k % each == 0 else rng.uniform(0, 2 * np.pi)),
            symbol,
            0,
            (k // across, k % across),
        )
        for k, symbol in enumerate(symbols)
    ]
