"""The simulated camera's picture: changed parts are redrawn, then hands and light are drawn over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import View, camera
from calibration.drawing.pyramids import COLOURS, PlacedPyramid, PyramidMaterial, draw_pyramids
from hardware.simulated.draw_hands import ArmPicture
from hardware.simulated.draw_table import Glow, draw_leds, illumination
from hardware.simulated.draw_tiles import Sprites
from hardware.simulated.seating import Console
from hardware.simulated.world import Arm, PlacedTile, Pyramid, Spot, World

Bytes = NDArray[np.uint8]

CLEAR_PLASTIC = PyramidMaterial(
    tints={name: np.array(tint) ** 0.7 for name, tint in COLOURS.items()},
    deep=0.2,
    milky=0.2,
    bent=0.05,
    ridge=0.3,
    gloss=14.0,
)
"""Clear plastic, through which letters can be read."""

Floats = NDArray[np.float32]

Lamp = tuple[Console, Callable[[], Sequence[Glow]]]
"""A seat's console, and a function that returns the brightness of its LEDs."""

NOISE_GREY_LEVELS = 7
"""Strength of the sensor's noise, in grey levels from darkest to brightest."""

NOISE_SHIFT_PX = 64
"""Greatest random shift of the noise from frame to frame, in pixels."""

MAX_LIGHT_CHANGE = 0.012
"""Greatest relative change of the light from frame to frame."""


def draw_standing(
    picture: Bytes, pyramids: Sequence[Pyramid], middle: Spot, width: float, tile_px: float
) -> None:
    """Draw pyramids in a square of a picture, ``width`` tile sides wide, around a position of the table."""
    half = round(width * tile_px / 2)
    x, y = round(middle[0] * tile_px), round(middle[1] * tile_px)
    height, width = picture.shape[:2]
    left, top = max(0, x - half), max(0, y - half)
    part = picture[top : min(height, y + half), left : min(width, x + half)]
    # the camera of this part looks straight down on its centre
    seen = camera(View(part.shape[1], part.shape[0], tile_px, 0.0, 0.0, focal=2.2))
    at = (left + part.shape[1] / 2) / tile_px, (top + part.shape[0] / 2) / tile_px
    standing = [
        PlacedPyramid(one.x - at[0], one.y - at[1], one.turn, one.base, one.size, one.colour)
        for one in pyramids
    ]
    blue, green, red = (np.asarray(plane, np.float32) for plane in cv2.split(part))
    draw_pyramids((blue, green, red), standing, CLEAR_PLASTIC, seen, np.random.default_rng(1))
    part[:] = np.clip(cv2.merge([blue, green, red]), 0, 255).astype(np.uint8)


class Area(NamedTuple):
    """A rectangle of the picture, in pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    def within(self, other: Area) -> Area:
        """Return the intersection of two rectangles; it may be empty."""
        return Area(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    @property
    def empty(self) -> bool:
        """Whether its area is 0."""
        return self.left >= self.right or self.top >= self.bottom

    @property
    def slices(self) -> tuple[slice, slice]:
        """Its rows and columns, as slices."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def inside(self, corner: tuple[int, int]) -> tuple[slice, slice]:
        """Return its rows and columns in a picture whose top left pixel lies at ``corner``."""
        left, top = corner
        return slice(self.top - top, self.bottom - top), slice(self.left - left, self.right - left)


class Canvas:
    """Draws a world from a camera above it.

    Parameters
    ----------
    world
        The tiles, pyramids and arms; they may change between two frames.
    top
        The empty table, uint8, shape (h, w, 3).
    tile_px
        Side of a tile, in pixels.
    seed
        Seed of the noise and the flicker.
    lamps
        The consoles whose lights are drawn.
    """

    def __init__(
        self, world: World, top: Bytes, tile_px: float, seed: int = 0, lamps: Sequence[Lamp] = ()
    ) -> None:
        self.world, self.top, self.tile_px, self._lamps = world, top, tile_px, lamps
        self._rng = np.random.default_rng(seed)
        self._base = top.copy()
        self._sprites = Sprites(tile_px)
        height, width = top.shape[:2]
        self._whole = Area(0, 0, width, height)
        self._light = illumination(width // 8 + 1, height // 8 + 1)
        noise = self._rng.integers(
            0, NOISE_GREY_LEVELS, (height + NOISE_SHIFT_PX, width + NOISE_SHIFT_PX, 1), dtype=np.uint8
        )
        self._noise = np.ascontiguousarray(np.repeat(noise, 3, 2))
        self._lie: dict[int, PlacedTile] = {}
        self._standing: tuple[Pyramid, ...] = ()
        self._upper, self._changed = self._base, True
        long = max(world.size) + 2
        self._arms = [
            ArmPicture(k, tile_px, long, round(arm.turn / (math.pi / 2))) for k, arm in enumerate(world.arms)
        ]

    def frame(self) -> Bytes:
        """Return the next picture, uint8, shape (h, w, 3), blue, green, red."""
        self._redraw()
        picture = self._pyramids().copy()
        for console, shines in self._lamps:
            draw_leds(picture, console, shines(), self.tile_px)
        for number, arm in enumerate(self.world.arms):
            self._reach(picture, arm, self._arms[number])
        gain = 1 + MAX_LIGHT_CHANGE * float(self._rng.uniform(-1, 1))
        picture = np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)
        dx, dy = self._rng.integers(0, NOISE_SHIFT_PX, 2).tolist()
        height, width = picture.shape[:2]
        return np.asarray(cv2.add(picture, self._noise[dy : dy + height, dx : dx + width]), np.uint8)

    def _pyramids(self) -> Bytes:
        """Return the table without hands but with all pyramids."""
        standing = tuple(self.world.pyramids.values())
        if not standing:
            return self._base
        if standing != self._standing or self._changed:
            self._standing, self._upper = standing, self._base.copy()
            self._changed = False
            middle = self.world.size[0] / 2, self.world.size[1] / 2
            draw_standing(self._upper, standing, middle, max(self.world.size), self.tile_px)
        return self._upper

    def _redraw(self) -> None:
        """Redraw the parts of the table without hands that have changed."""
        held = self.world.held_tiles
        lie = {number: tile for number, tile in self.world.tiles.items() if number not in held}
        other = [
            number for number in lie.keys() | self._lie.keys() if lie.get(number) != self._lie.get(number)
        ]
        changed = [tile for number in other for tile in (lie.get(number), self._lie.get(number)) if tile]
        self._lie, self._changed = lie, self._changed or bool(changed)
        areas = {self._around(tile) for tile in changed}
        for area in [self._whole] if len(areas) > len(lie) / 2 else areas:
            self._base[area.slices] = self.top[area.slices]
            near = self._near(lie.values(), area)
            for tile in near:
                self._shade(self._base, tile, area, lifted=False)
            for tile in near:
                self._lay(self._base, tile, area)

    def _near(self, lie: Iterable[PlacedTile], area: Area) -> list[PlacedTile]:
        """Return the tiles whose sprite or shadow may overlap a part of the picture."""
        reach = self._sprites.size_px // 2 + 1
        left, right = (area.left - reach) / self.tile_px, (area.right + reach) / self.tile_px
        top, bottom = (area.top - reach) / self.tile_px, (area.bottom + reach) / self.tile_px
        return [tile for tile in lie if left < tile.x < right and top < tile.y < bottom]

    def _corner(self, tile: PlacedTile) -> tuple[int, int]:
        """Return the top left pixel of a tile's sprite."""
        half = self._sprites.size_px // 2
        return round(tile.x * self.tile_px) - half, round(tile.y * self.tile_px) - half

    def _around(self, tile: PlacedTile) -> Area:
        """Return the part of the picture that a tile and its shadow cover."""
        left, top = self._corner(tile)
        size = self._sprites.size_px
        return Area(left, top, left + size, top + size).within(self._whole)

    def _shade(self, picture: Bytes, tile: PlacedTile, area: Area, *, lifted: bool) -> None:
        """Draw a tile's shadow in a part of a picture."""
        seen = self._around(tile).within(area)
        if not seen.empty:
            shadow = self._sprites.shadow(tile.turn, lifted)[seen.inside(self._corner(tile))]
            part = picture[seen.slices]
            part[:] = part * (1 - 0.5 * shadow[..., None])

    def _lay(self, picture: Bytes, tile: PlacedTile, area: Area) -> None:
        """Draw a tile in a part of a picture."""
        seen = self._around(tile).within(area)
        if not seen.empty:
            sprite = self._sprites.tile(tile.symbol, tile.up, tile.turn)[seen.inside(self._corner(tile))]
            part = picture[seen.slices]
            lit = sprite[..., :3] * self._light[seen.top // 8, seen.left // 8]
            part[:] = part + (lit - part) * sprite[..., 3:]

    def _reach(self, picture: Bytes, arm: Arm, drawn: ArmPicture) -> None:
        """Draw an arm, and under it the tile that it holds."""
        if arm.held_tile is not None:
            tile = self.world.tiles[arm.held_tile]
            self._shade(picture, tile, self._whole, lifted=True)
            self._lay(picture, tile, self._whole)
        x, y = round(arm.tip[0] * self.tile_px), round(arm.tip[1] * self.tile_px)
        corner = x - drawn.tip[0], y - drawn.tip[1]
        height, width = drawn.cover.shape
        seen = Area(corner[0], corner[1], corner[0] + width, corner[1] + height).within(self._whole)
        if seen.empty:
            return
        here = seen.inside(corner)
        part = np.ascontiguousarray(picture[seen.slices])
        none = np.zeros_like(part)
        shadow, cover = drawn.shadow[here], drawn.cover[here]
        dark = cv2.blendLinear(part, none, 1 - shadow, shadow)
        colour = np.ascontiguousarray(drawn.colour[here])
        picture[seen.slices] = cv2.blendLinear(colour, dark, cover, 1 - cover)
