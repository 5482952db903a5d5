"""The simulated camera's picture: only what changed is drawn anew, then hands and light are laid over it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import View, camera
from calibration.drawing.pyramids import COLOURS, Plastic, Standing, draw_pyramids
from hardware.simulated.draw_hands import ArmPicture
from hardware.simulated.draw_table import Glow, falling_light, light_lamps
from hardware.simulated.draw_tiles import Sprites
from hardware.simulated.seating import Console
from hardware.simulated.world import Arm, Lying, Pyramid, Spot, World

Bytes = NDArray[np.uint8]

CLEAR = Plastic(
    tints={name: np.array(tint) ** 0.7 for name, tint in COLOURS.items()},
    deep=0.2,
    milky=0.2,
    bent=0.05,
    ridge=0.3,
    gloss=14.0,
)
"""Plastic that letters are to be seen through, as the game asks for."""

Floats = NDArray[np.float32]

Lamp = tuple[Console, Callable[[], Sequence[Glow]]]
"""A seat's box, and what returns how its LEDs shine now."""

NOISE = 7
"""Strength of the sensor's noise, in grey levels from darkest to brightest."""

SHIFT = 64
"""The noise is another every frame: it is moved by up to so many pixels."""

FLICKER = 0.012
"""How far the light goes up and down."""


def stand(picture: Bytes, pyramids: Sequence[Pyramid], middle: Spot, broad: float, tile_px: float) -> None:
    """Draw pyramids on a part of a picture: ``broad`` tile sides about a place of the table."""
    half = round(broad * tile_px / 2)
    x, y = round(middle[0] * tile_px), round(middle[1] * tile_px)
    height, width = picture.shape[:2]
    left, top = max(0, x - half), max(0, y - half)
    part = picture[top : min(height, y + half), left : min(width, x + half)]
    # the camera of this part looks straight down on its middle
    seen = camera(View(part.shape[1], part.shape[0], tile_px, 0.0, 0.0, focal=2.2))
    at = (left + part.shape[1] / 2) / tile_px, (top + part.shape[0] / 2) / tile_px
    standing = [
        Standing(one.x - at[0], one.y - at[1], one.turn, one.base, one.size, one.colour) for one in pyramids
    ]
    blue, green, red = (np.asarray(plane, np.float32) for plane in cv2.split(part))
    draw_pyramids((blue, green, red), standing, CLEAR, seen, np.random.default_rng(1))
    part[:] = np.clip(cv2.merge([blue, green, red]), 0, 255).astype(np.uint8)


class Area(NamedTuple):
    """A part of the picture, in pixels; right and bottom lie just outside."""

    left: int
    top: int
    right: int
    bottom: int

    def within(self, other: Area) -> Area:
        """Return what two parts have in common; it may be empty."""
        return Area(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    @property
    def empty(self) -> bool:
        """Whether there is nothing of it."""
        return self.left >= self.right or self.top >= self.bottom

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def inside(self, corner: tuple[int, int]) -> tuple[slice, slice]:
        """Return rows and columns of it in a picture whose top left pixel lies at ``corner``."""
        left, top = corner
        return slice(self.top - top, self.bottom - top), slice(self.left - left, self.right - left)


class Canvas:
    """Draws a world as a camera above it sees it.

    Parameters
    ----------
    world
        What is drawn; it may change between two frames.
    top
        The empty table, uint8 of shape (h, w, 3).
    tile_px
        Breadth of a tile, in pixels.
    seed
        Where the noise and the flicker come from.
    lamps
        The boxes whose lights are to be seen, each with what tells how its LEDs shine now.
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
        self._light = falling_light(width // 8 + 1, height // 8 + 1)
        noise = self._rng.integers(0, NOISE, (height + SHIFT, width + SHIFT, 1), dtype=np.uint8)
        self._noise = np.ascontiguousarray(np.repeat(noise, 3, 2))
        self._lie: dict[int, Lying] = {}
        self._standing: tuple[Pyramid, ...] = ()
        self._upper, self._changed = self._base, True
        long = max(world.size) + 2
        self._arms = [
            ArmPicture(k, tile_px, long, round(arm.turn / (math.pi / 2))) for k, arm in enumerate(world.arms)
        ]

    def frame(self) -> Bytes:
        """Return the next picture, uint8 of shape (h, w, 3), blue, green, red."""
        self._redraw()
        picture = self._pyramids().copy()
        for console, shines in self._lamps:
            light_lamps(picture, console, shines(), self.tile_px)
        for number, arm in enumerate(self.world.arms):
            self._reach(picture, arm, self._arms[number])
        gain = 1 + FLICKER * float(self._rng.uniform(-1, 1))
        picture = np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)
        dx, dy = self._rng.integers(0, SHIFT, 2).tolist()
        height, width = picture.shape[:2]
        return np.asarray(cv2.add(picture, self._noise[dy : dy + height, dx : dx + width]), np.uint8)

    def _pyramids(self) -> Bytes:
        """Return the table without hands, with the pyramids that stand on it; those in hands stay in them."""
        standing = tuple(self.world.pyramids.values())
        if not standing:
            return self._base
        if standing != self._standing or self._changed:
            self._standing, self._upper = standing, self._base.copy()
            self._changed = False
            middle = self.world.size[0] / 2, self.world.size[1] / 2
            stand(self._upper, standing, middle, max(self.world.size), self.tile_px)
        return self._upper

    def _redraw(self) -> None:
        """Bring the table without hands up to date."""
        held = self.world.held
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

    def _near(self, lie: Iterable[Lying], area: Area) -> list[Lying]:
        """Return the tiles whose picture or shadow may reach into a part of the picture."""
        reach = self._sprites.broad // 2 + 1
        left, right = (area.left - reach) / self.tile_px, (area.right + reach) / self.tile_px
        top, bottom = (area.top - reach) / self.tile_px, (area.bottom + reach) / self.tile_px
        return [tile for tile in lie if left < tile.x < right and top < tile.y < bottom]

    def _corner(self, tile: Lying) -> tuple[int, int]:
        """Return the top left pixel of a tile's picture."""
        half = self._sprites.broad // 2
        return round(tile.x * self.tile_px) - half, round(tile.y * self.tile_px) - half

    def _around(self, tile: Lying) -> Area:
        """Return the part of the picture that a tile and its shadow take up."""
        left, top = self._corner(tile)
        broad = self._sprites.broad
        return Area(left, top, left + broad, top + broad).within(self._whole)

    def _shade(self, picture: Bytes, tile: Lying, area: Area, *, lifted: bool) -> None:
        """Lay a tile's shadow on a part of a picture."""
        seen = self._around(tile).within(area)
        if not seen.empty:
            shadow = self._sprites.shadow(tile.turn, lifted)[seen.inside(self._corner(tile))]
            part = picture[seen.slices]
            part[:] = part * (1 - 0.5 * shadow[..., None])

    def _lay(self, picture: Bytes, tile: Lying, area: Area) -> None:
        """Lay a tile on a part of a picture."""
        seen = self._around(tile).within(area)
        if not seen.empty:
            sprite = self._sprites.tile(tile.symbol, tile.up, tile.turn)[seen.inside(self._corner(tile))]
            part = picture[seen.slices]
            lit = sprite[..., :3] * self._light[seen.top // 8, seen.left // 8]
            part[:] = part + (lit - part) * sprite[..., 3:]

    def _reach(self, picture: Bytes, arm: Arm, drawn: ArmPicture) -> None:
        """Draw an arm, and what it holds under its fingers."""
        if arm.held is not None:
            tile = self.world.tiles[arm.held]
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
