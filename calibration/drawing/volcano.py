"""Drawn games of Martian Boggle: a board of 5x5 letters, pyramids on it, words and awards beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import background
from calibration.drawing.camera import Camera, View, camera
from calibration.drawing.chance import Rng, one_of
from calibration.drawing.colour import Planes, Shade, coloured, hue, in_each, photographed
from calibration.drawing.layout import Floor, Hand, Laid, lay, scatter
from calibration.drawing.looks import Look, random_look
from calibration.drawing.paint import Picture, hull, polygon
from calibration.drawing.pyramids import BASES_MM, COLOURS, Standing, draw_pyramids, plastic, silhouettes
from calibration.drawing.scene import shown
from calibration.drawing.tiles import Drawn, draw_tiles

Cell = tuple[int, int]
CELLS = 5
BOARD = 0
"""Group of the tiles on the board; words have the groups after it."""
PLAYERS = 2


@dataclass(frozen=True, slots=True)
class Stood:
    """A pyramid of a drawn game.

    ``cell`` is its row and column if it stands on the board, ``at`` the middle of its base in pixels.
    """

    colour: str
    size: str
    cell: Cell | None
    at: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class VolcanoScene:
    """A drawn picture in colour, uint8 of shape (h, w, 3), the tiles in it and the pyramids.

    A tile is ``visible`` as far as no pyramid stands over or before it; of the pyramids beside the board
    those count whose base is wholly in the picture.  ``corners`` are those of the
    board in pixels, clockwise from row 0 and column 0.
    """

    picture: NDArray[np.uint8]
    tiles: tuple[Drawn, ...]
    pyramids: tuple[Stood, ...]
    corners: NDArray[np.float64]

    @property
    def covered(self) -> frozenset[Cell]:
        """Cells with a pyramid."""
        return frozenset(one.cell for one in self.pyramids if one.cell)


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a board lies: middle, turn, step from cell to cell and breadth of a large base, in tile sides."""

    x: float
    y: float
    turn: float
    pitch: float
    base: float

    def place(self, col: float, row: float) -> tuple[float, float]:
        """Return the place of board coordinates: cells are one broad and the middle is (2.5, 2.5)."""
        u, v = (col - CELLS / 2) * self.pitch, (row - CELLS / 2) * self.pitch
        c, s = np.cos(self.turn), np.sin(self.turn)
        return float(self.x + u * c - v * s), float(self.y + u * s + v * c)


def volcano_game(
    rng: Rng, view: View, letters: Sequence[str], words: Sequence[str], fonts: tuple[Path, ...] | None = None
) -> VolcanoScene:
    """Return a scene of a game under way, in colour; words have five letters."""
    setting = random_setting(rng)
    seen = camera(view)
    on_board = board_tiles(rng, setting, letters)
    floor = Floor(view.width / view.tile_px / 2 - 1, view.height / view.tile_px / 2 - 1)
    floor.used += [
        setting.place(col, row) for col in np.arange(-0.5, 6, 0.5) for row in np.arange(-0.5, 6, 0.5)
    ]
    spelt = word_tiles(rng, floor, words)
    loose = scatter(rng, floor, [one_of(rng, letters) for _ in range(int(rng.integers(0, 6)))], gap=1.6)
    standing, stood = pyramids(rng, setting, floor)
    grey = background(rng, view.width, view.height, view.tile_px)
    planes = coloured(grey, hue(rng, (0, 0.5), rng.random() < 0.5), hue(rng, (0, 0.35), rng.random() < 0.5))
    corners = draw_board(rng, planes, setting, seen)
    look = light_look(rng, fonts)
    tiles = draw_coloured_tiles(rng, planes, [*on_board, *spelt, *loose], (look, tile_tone(rng)), seen)
    draw_pyramids(planes, standing, plastic(rng), seen, rng)
    shares = shown(np.array([tile.corners for tile in tiles]), silhouettes(standing, seen, grey.shape))
    visible = (replace(tile, visible=float(share)) for tile, share in zip(tiles, shares, strict=True))
    at = seen.pixels(np.array([(one.x, one.y, 0.0) for one in standing]))
    placed = (
        replace(one, at=(float(x), float(y)))
        for base, one, (x, y) in zip(standing, stood, at, strict=True)
        if one.cell or whole(seen.pixels(base.corners()[:4]), grey.shape)
    )
    return VolcanoScene(photographed(planes, rng, look.face), tuple(visible), tuple(placed), corners)


def whole(points: NDArray[np.float64], shape: tuple[int, ...]) -> bool:
    """Return whether points, (n, 2) in pixels, all lie in a picture of (h, w)."""
    return bool((points >= 0).all() and (points < shape[1::-1]).all())


def random_setting(rng: Rng) -> Setting:
    """Return where a board lies; cells are 25 to 38 mm broad, and a tile fits under a large pyramid."""
    tile_mm = float(rng.uniform(14, 20))
    base = BASES_MM["large"] / tile_mm
    pitch = max(float(rng.uniform(25.5, 38)), BASES_MM["large"] * 1.03) / tile_mm
    x, y = rng.uniform(-3, 3, 2)
    return Setting(float(x), float(y), float(rng.uniform(0, 2 * np.pi)), pitch, base)


def board_tiles(rng: Rng, setting: Setting, letters: Sequence[str]) -> list[Laid]:
    """Return a letter in every cell, laid by hand, any side up."""
    slack = min(0.1, (setting.base - 1) / 2 / setting.pitch)
    tiles = []
    for row in range(CELLS):
        for col in range(CELLS):
            right, down = np.clip(rng.normal(0, 0.05, 2), -slack, slack)
            x, y = setting.place(col + 0.5 + right, row + 0.5 + down)
            twist = int(rng.choice(4, p=[0.6, 0.1, 0.2, 0.1])) * np.pi / 2 + float(rng.normal(0, 0.1))
            tiles.append(Laid(x, y, setting.turn + twist, one_of(rng, letters), BOARD, (row, col)))
    return tiles


def word_tiles(rng: Rng, floor: Floor, words: Sequence[str]) -> list[Laid]:
    """Return some words that players have spelt beside the board, a group each."""
    tiles: list[Laid] = []
    for group in range(1, 1 + int(rng.integers(0, 5))):
        word = one_of(rng, words)
        for _ in range(20):
            grid = {(0, k): letter for k, letter in enumerate(word)}
            hand = Hand(float(rng.uniform(1.0, 1.08)), 0.02, 0.02, 0.0)
            laid = lay(rng, grid, floor.somewhere(rng, 3.0), float(rng.uniform(0, 2 * np.pi)), hand, group)
            if all(floor.has(tile) for tile in laid) and floor.free([(t.x, t.y) for t in laid], 2.4):
                tiles += laid
                floor.use(laid)
                break
    return tiles


def pyramids(rng: Rng, setting: Setting, floor: Floor) -> tuple[list[Standing], list[Stood]]:
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
    for k, (row, col) in enumerate(cells[: len(cells) - lifted]):
        right, down = rng.normal(0, 0.02, 2)
        x, y = setting.place(col + 0.5 + right, row + 0.5 + down)
        turn = setting.turn + float(rng.normal(0, 0.12))
        standing.append(Standing(x, y, turn, setting.base, "large", colours[k // CELLS]))
        stood.append(Stood(colours[k // CELLS], "large", (row, col)))
    for _ in range(int(rng.integers(0, 5))):
        size, colour = one_of(rng, ("small", "medium")), one_of(rng, colours)
        spot = Laid(*floor.somewhere(rng, 1.5), 0.0, None)
        if floor.free([(spot.x, spot.y)], 2.6):
            base = setting.base * BASES_MM[size] / BASES_MM["large"]
            standing.append(Standing(spot.x, spot.y, float(rng.uniform(0, np.pi)), base, size, colour))
            stood.append(Stood(colour, size, None))
            floor.use([spot])
    return standing, stood


def draw_board(rng: Rng, planes: Planes, setting: Setting, seen: Camera) -> NDArray[np.float64]:
    """Draw a board into a picture, its cells of one or two shades, and return its corners in pixels."""
    dark = rng.random() < 0.5
    shade = float(rng.uniform(25, 80) if dark else rng.uniform(150, 235))
    tone, other = shade * hue(rng, (0, 0.25)), float(rng.uniform(0.8, 1.25) if rng.random() < 0.7 else 1.0)
    edge, rim = tone * rng.uniform(0.6, 1.2), float(rng.uniform(0.1, 0.5))
    gap = float(rng.uniform(0, 0.02))
    fill(planes, setting, seen, (-rim, -rim, CELLS + rim, CELLS + rim), edge)
    for row in range(CELLS):
        for col in range(CELLS):
            own = tone * (other if (row + col) % 2 else 1.0)
            fill(planes, setting, seen, (col + gap, row + gap, col + 1 - gap, row + 1 - gap), own)
    ends = [(0, 0), (CELLS, 0), (CELLS, CELLS), (0, CELLS)]
    return seen.pixels(np.array([[*setting.place(*end), 0.0] for end in ends]))


def fill(
    planes: Planes, setting: Setting, seen: Camera, area: tuple[float, float, float, float], tone: Shade
) -> None:
    """Fill a rectangle of the board, left, top, right and bottom in its own coordinates."""
    left, top, right, low = area
    ends = [(left, top), (right, top), (right, low), (left, low)]
    outline = hull(seen.pixels(np.array([[*setting.place(*end), 0.0] for end in ends])))
    for plane, part in zip(planes, tone, strict=True):
        polygon(plane, outline, float(part))


def light_look(rng: Rng, fonts: tuple[Path, ...] | None) -> Look:
    """Return random looks of tiles that are light with dark letters: only those show through a pyramid."""
    while True:
        look = random_look(rng, fonts)
        if look.face > 120 > 2 * look.ink:
            return look


def tile_tone(rng: Rng) -> Shade:
    """Return the colour of wooden tiles, or of ivory ones."""
    return hue(rng, (0.15, 0.5), warm=True) if rng.random() < 0.5 else hue(rng, (0, 0.12), warm=True)


def draw_coloured_tiles(
    rng: Rng, planes: Planes, laid: Sequence[Laid], looks: tuple[Look, Shade], seen: Camera
) -> list[Drawn]:
    """Draw tiles with one look and colour into each plane, and return where they are to be seen."""
    look, face = looks
    drawn: list[Drawn] = []

    def draw(plane: Picture, chances: Rng, k: int) -> None:
        own = replace(look, face=look.face * float(face[k]), ink=look.ink * float(face[k]))
        drawn[:] = draw_tiles(plane, laid, own, seen, chances)

    in_each(planes, rng, draw)
    return drawn
