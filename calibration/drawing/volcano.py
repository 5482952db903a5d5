"""Drawn games of Martian Boggle: a board of 5x5 letters, pyramids on it, words and awards beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import background
from calibration.drawing.camera import Camera, View, camera
from calibration.drawing.colour import (
    Planes,
    Shade,
    captured_in_colour,
    draw_in_each_plane,
    random_colour,
    tinted,
)
from calibration.drawing.layout import FreeSpace, Jitter, PlacedTile, place_grid, place_loose
from calibration.drawing.paint import Picture, hull, polygon
from calibration.drawing.pyramids import (
    BASES_MM,
    COLOURS,
    PlacedPyramid,
    draw_pyramids,
    pyramid_mask,
    random_material,
)
from calibration.drawing.rng import Rng, choose
from calibration.drawing.scene import visible_shares
from calibration.drawing.tile_style import TileStyle, random_style
from calibration.drawing.tiles import DrawnTile, draw_tiles

Cell = tuple[int, int]
CELLS = 5
BOARD_GROUP = 0
"""Group of the tiles on the board; words have the groups after it."""
PLAYERS = 2


@dataclass(frozen=True, slots=True)
class PyramidTruth:
    """Ground truth of a pyramid.

    ``cell`` is its row and column on the board, ``None`` beside it; ``at`` the centre of its base in pixels.
    """

    colour: str
    size: str
    cell: Cell | None
    at: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class VolcanoScene:
    """A drawn picture in colour, uint8 of shape (h, w, 3), with the ground truth of tiles and pyramids.

    A tile's ``visible`` share is the part that no pyramid hides.  Of the pyramids beside the board only those
    whose base is wholly in the picture are listed.  ``corners`` are those of the board in pixels, clockwise
    from row 0 and column 0; ``bases`` those of every pyramid's base, (n, 4, 2).
    """

    picture: NDArray[np.uint8]
    tiles: tuple[DrawnTile, ...]
    pyramids: tuple[PyramidTruth, ...]
    corners: NDArray[np.float64]
    bases: NDArray[np.float64]

    @property
    def covered(self) -> frozenset[Cell]:
        """Cells with a pyramid."""
        return frozenset(one.cell for one in self.pyramids if one.cell)


@dataclass(frozen=True, slots=True)
class BoardPlacement:
    """A board's centre, rotation in radians, step from cell to cell and width of a
    large base, in tile sides.
    """

    x: float
    y: float
    turn: float
    pitch: float
    base: float

    def place(self, col: float, row: float) -> tuple[float, float]:
        """Return the table's place of board coordinates, with cells 1 wide and the centre (2.5, 2.5)."""
        u, v = (col - CELLS / 2) * self.pitch, (row - CELLS / 2) * self.pitch
        c, s = np.cos(self.turn), np.sin(self.turn)
        return float(self.x + u * c - v * s), float(self.y + u * s + v * c)


@dataclass(frozen=True, slots=True, eq=False)
class VolcanoTable:
    """A drawn board with its letters, and the pyramids that shall stand on it and beside it.

    ``planes`` show the board and all ``tiles``, whose faces have the brightness ``face``; ``corners`` are the
    board's in pixels.  ``stood`` tells what and where each of the pyramids ``standing`` is.
    """

    planes: Planes
    seen: Camera
    setting: BoardPlacement
    tiles: tuple[DrawnTile, ...]
    corners: NDArray[np.float64]
    face: float
    standing: tuple[PlacedPyramid, ...]
    stood: tuple[PyramidTruth, ...]

    def scene(self, rng: Rng) -> VolcanoScene:
        """Return a picture with the pyramids, whose material is random as the light is."""
        blue, green, red = (plane.copy() for plane in self.planes)
        planes, standing = (blue, green, red), list(self.standing)
        draw_pyramids(planes, standing, random_material(rng), self.seen, rng)
        shares = visible_shares(
            np.array([tile.corners for tile in self.tiles]), pyramid_mask(standing, self.seen, blue.shape)
        )
        visible = (replace(tile, visible=float(one)) for tile, one in zip(self.tiles, shares, strict=True))
        at = self.seen.pixels(np.array([(one.x, one.y, 0.0) for one in standing]))
        placed = (
            replace(one, at=(float(x), float(y)))
            for base, one, (x, y) in zip(standing, self.stood, at, strict=True)
            if one.cell or wholly_inside(self.seen.pixels(base.corners()[:4]), blue.shape)
        )
        bases = np.array([self.seen.pixels(one.corners()[:4]) for one in standing]).reshape(-1, 4, 2)
        picture = captured_in_colour(planes, rng, self.face)
        return VolcanoScene(picture, tuple(visible), tuple(placed), self.corners, bases)


def volcano_game(
    rng: Rng, view: View, letters: Sequence[str], words: Sequence[str], fonts: tuple[Path, ...] | None = None
) -> VolcanoScene:
    """Return a scene of a game under way, in colour; words have five letters."""
    return volcano_table(rng, view, letters, words, fonts).scene(rng)


def volcano_table(
    rng: Rng, view: View, letters: Sequence[str], words: Sequence[str], fonts: tuple[Path, ...] | None = None
) -> VolcanoTable:
    """Return the table of a game under way; words have five letters."""
    setting = random_placement(rng)
    seen = camera(view)
    on_board = board_tiles(rng, setting, letters)
    floor = FreeSpace(view.width / view.tile_px / 2 - 1, view.height / view.tile_px / 2 - 1)
    floor.used += [
        setting.place(col, row) for col in np.arange(-0.5, 6, 0.5) for row in np.arange(-0.5, 6, 0.5)
    ]
    spelt = word_tiles(rng, floor, words)
    loose = place_loose(rng, floor, [choose(rng, letters) for _ in range(int(rng.integers(0, 6)))], gap=1.6)
    standing, stood = random_pyramids(rng, setting, floor)
    grey = background(rng, view.width, view.height, view.tile_px)
    planes = tinted(
        grey,
        random_colour(rng, (0, 0.5), rng.random() < 0.5),
        random_colour(rng, (0, 0.35), rng.random() < 0.5),
    )
    corners = draw_board(rng, planes, setting, seen)
    style = random_light_style(rng, fonts)
    tiles = draw_coloured_tiles(
        rng, planes, [*on_board, *spelt, *loose], (style, random_tile_colour(rng)), seen
    )
    return VolcanoTable(
        planes, seen, setting, tuple(tiles), corners, style.face, tuple(standing), tuple(stood)
    )


def wholly_inside(points: NDArray[np.float64], shape: tuple[int, ...]) -> bool:
    """Return whether points, (n, 2) in pixels, all lie in a picture of (h, w)."""
    return bool((points >= 0).all() and (points < shape[1::-1]).all())


def random_placement(rng: Rng) -> BoardPlacement:
    """Return a random placement; cells are 25 to 38 mm wide, and a tile fits under a large pyramid."""
    tile_mm = float(rng.uniform(14, 20))
    base = BASES_MM["large"] / tile_mm
    pitch = max(float(rng.uniform(25.5, 38)), BASES_MM["large"] * 1.03) / tile_mm
    x, y = rng.uniform(-3, 3, 2)
    return BoardPlacement(float(x), float(y), float(rng.uniform(0, 2 * np.pi)), pitch, base)


def board_tiles(rng: Rng, setting: BoardPlacement, letters: Sequence[str]) -> list[PlacedTile]:
    """Return a random letter in every cell, at any quarter turn, with random deviations."""
    slack = min(0.1, (setting.base - 1) / 2 / setting.pitch)
    tiles = []
    for row in range(CELLS):
        for col in range(CELLS):
            right, down = np.clip(rng.normal(0, 0.05, 2), -slack, slack)
            x, y = setting.place(col + 0.5 + right, row + 0.5 + down)
            twist = int(rng.choice(4, p=[0.6, 0.1, 0.2, 0.1])) * np.pi / 2 + float(rng.normal(0, 0.1))
            tiles.append(
                PlacedTile(x, y, setting.turn + twist, choose(rng, letters), BOARD_GROUP, (row, col))
            )
    return tiles


def word_tiles(rng: Rng, floor: FreeSpace, words: Sequence[str]) -> list[PlacedTile]:
    """Return up to four words beside the board, a group each."""
    tiles: list[PlacedTile] = []
    for group in range(1, 1 + int(rng.integers(0, 5))):
        word = choose(rng, words)
        for _ in range(20):
            grid = {(0, k): letter for k, letter in enumerate(word)}
            hand = Jitter(float(rng.uniform(1.0, 1.08)), 0.02, 0.02, 0.0)
            placed = place_grid(
                rng, grid, floor.random_place(rng, 3.0), float(rng.uniform(0, 2 * np.pi)), hand, group
            )
            if all(floor.contains(tile) for tile in placed) and floor.free([(t.x, t.y) for t in placed], 2.4):
                tiles += placed
                floor.occupy(placed)
                break
    return tiles


def random_pyramids(
    rng: Rng, setting: BoardPlacement, floor: FreeSpace
) -> tuple[list[PlacedPyramid], list[PyramidTruth]]:
    """Return five large pyramids of each of two colours on the board, and awards beside it."""
    first = int(rng.integers(len(COLOURS)))
    second = (first + int(rng.integers(2, len(COLOURS) - 1))) % len(COLOURS)
    colours = [list(COLOURS)[first], list(COLOURS)[second]]
    every = [(row, col) for row in range(CELLS) for col in range(CELLS)]
    at_home = rng.random() < 0.4
    cells = [(4, k) for k in range(CELLS)] + [(0, k) for k in range(CELLS)]
    if not at_home:
        cells = [every[k] for k in rng.permutation(len(every))[: PLAYERS * CELLS]]
    lifted = int(rng.integers(1, CELLS + 1)) if rng.random() < 0.1 else 0
    standing, stood = [], []
    for k, cell in enumerate(cells[: len(cells) - lifted]):
        standing.append(place_pyramid(rng, setting, cell, colours[k // CELLS]))
        stood.append(PyramidTruth(colours[k // CELLS], "large", cell))
    for _ in range(int(rng.integers(0, 5))):
        size, colour = choose(rng, ("small", "medium")), choose(rng, colours)
        spot = PlacedTile(*floor.random_place(rng, 1.5), 0.0, None)
        if floor.free([(spot.x, spot.y)], 2.6):
            base = setting.base * BASES_MM[size] / BASES_MM["large"]
            standing.append(PlacedPyramid(spot.x, spot.y, float(rng.uniform(0, np.pi)), base, size, colour))
            stood.append(PyramidTruth(colour, size, None))
            floor.occupy([spot])
    return standing, stood


def place_pyramid(rng: Rng, setting: BoardPlacement, cell: Cell, colour: str) -> PlacedPyramid:
    """Return a large pyramid on a cell of the board, with random deviations."""
    right, down = rng.normal(0, 0.02, 2)
    x, y = setting.place(cell[1] + 0.5 + right, cell[0] + 0.5 + down)
    return PlacedPyramid(x, y, setting.turn + float(rng.normal(0, 0.12)), setting.base, "large", colour)


def draw_board(rng: Rng, planes: Planes, setting: BoardPlacement, seen: Camera) -> NDArray[np.float64]:
    """Draw a board into a picture, its cells of one or two shades, and return its corners in pixels."""
    dark = rng.random() < 0.5
    shade = float(rng.uniform(25, 80) if dark else rng.uniform(150, 235))
    tone, other = (
        shade * random_colour(rng, (0, 0.25)),
        float(rng.uniform(0.8, 1.25) if rng.random() < 0.7 else 1.0),
    )
    edge, rim = tone * rng.uniform(0.6, 1.2), float(rng.uniform(0.1, 0.5))
    gap = float(rng.uniform(0, 0.02))
    fill_rectangle(planes, setting, seen, (-rim, -rim, CELLS + rim, CELLS + rim), edge)
    for row in range(CELLS):
        for col in range(CELLS):
            own = tone * (other if (row + col) % 2 else 1.0)
            fill_rectangle(planes, setting, seen, (col + gap, row + gap, col + 1 - gap, row + 1 - gap), own)
    ends = [(0, 0), (CELLS, 0), (CELLS, CELLS), (0, CELLS)]
    return seen.pixels(np.array([[*setting.place(*end), 0.0] for end in ends]))


def fill_rectangle(
    planes: Planes,
    setting: BoardPlacement,
    seen: Camera,
    area: tuple[float, float, float, float],
    tone: Shade,
) -> None:
    """Fill a rectangle of the board, left, top, right and bottom in its own coordinates."""
    left, top, right, low = area
    ends = [(left, top), (right, top), (right, low), (left, low)]
    outline = hull(seen.pixels(np.array([[*setting.place(*end), 0.0] for end in ends])))
    for plane, part in zip(planes, tone, strict=True):
        polygon(plane, outline, float(part))


def random_light_style(rng: Rng, fonts: tuple[Path, ...] | None) -> TileStyle:
    """Return a random style with light faces and dark letters; only those show through a pyramid."""
    while True:
        style = random_style(rng, fonts)
        if style.face > 120 > 2 * style.ink:
            return style


def random_tile_colour(rng: Rng) -> Shade:
    """Return a random colour of wooden or ivory tiles."""
    return (
        random_colour(rng, (0.15, 0.5), warm=True)
        if rng.random() < 0.5
        else random_colour(rng, (0, 0.12), warm=True)
    )


def draw_coloured_tiles(
    rng: Rng, planes: Planes, placed: Sequence[PlacedTile], looks: tuple[TileStyle, Shade], seen: Camera
) -> list[DrawnTile]:
    """Draw tiles of one style and colour into each plane, and return their ground truth."""
    style, face = looks
    drawn: list[DrawnTile] = []

    def draw(plane: Picture, chances: Rng, k: int) -> None:
        own = replace(style, face=style.face * float(face[k]), ink=style.ink * float(face[k]))
        drawn[:] = draw_tiles(plane, placed, own, seen, chances)

    draw_in_each_plane(planes, rng, draw)
    return drawn
